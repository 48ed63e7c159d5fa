"""The address of an event hook, as the host writes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit

from tilekeeper.engine.language import gettext

HOOKS_VARIABLE: Final = "TILEKEEPER_HOOKS"
"""The environment variable with further addresses, separated by spaces; other users can't read it."""
_VISIBLE_ASCII: Final = re.compile(r"[!-~]{1,2000}")


class HookRefused(Exception):  # noqa: N818, the name says it
    """An address that can't be a hook; the message says why in one line."""


@dataclass(frozen=True, slots=True)
class HookAddress:
    """Where events are sent. Only `host` and `port` may be logged: many services put a secret into the path."""

    encrypted: bool
    host: str
    port: int
    target: str
    """The path with the query."""

    @classmethod
    def parse(cls, url: str) -> Self:
        """Return the address of a URL such as `http://lamp.local:8123/api/webhook/game`.

        Raises:
            HookRefused: if it is no http or https address, or has a name, a password or a fragment.
        """
        try:
            parts = urlsplit(url)
            port = parts.port or {"http": 80, "https": 443}[parts.scheme]
            (parts.hostname or "").encode("idna")  # as the look-up of the name will, which fails for an empty label
        except (ValueError, KeyError):  # a UnicodeError is a ValueError
            raise HookRefused(_words()) from None
        if not parts.hostname or "@" in parts.netloc or parts.fragment or not _VISIBLE_ASCII.fullmatch(url):
            raise HookRefused(_words())
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return cls(parts.scheme == "https", parts.hostname, port, target)

    @property
    def name(self) -> str:
        """Host and port, for people and the log."""
        return f"{self.host}:{self.port}"


def _words() -> str:
    # The address itself may hold a secret, so the sentence does not repeat it.
    return gettext("--hook takes an address such as http://lamp.local:8123/hook, without a name or a password in it.")
