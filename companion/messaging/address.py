"""Parsing of a hall's address, or of a card: a file with address and password from `tilekeeper club certs`."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from tilekeeper.companion.messaging.topics import is_name
from tilekeeper.engine.language import gettext

PORTS: Final = {"mqtt": 1883, "mqtts": 8883, "http": 8650}
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


class AddressRefused(ValueError):  # noqa: N818 - says what happened, as it reads in an except
    """A text is not the address of a hall; the message is a sentence for the command line."""


class Card(BaseModel):
    """The contents of a card: the address of a hall, and the credentials of one table or hub."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    hall: str
    """The address of broker and club, `mqtts://host:8883/CLUB`."""
    user: str
    password: str
    authority: str
    """The certificate of the authority that signs the broker's certificate, as PEM."""


@dataclass(frozen=True, slots=True)
class HallAddress:
    """The address of a hall with the user's credentials."""

    scheme: str
    """`mqtts` or `mqtt` for a broker; `http` for a hub on this machine without a broker."""
    host: str
    port: int
    club: str
    user: str = ""
    password: str = ""
    authority: str = ""
    """The authority's certificate as PEM, as in a card; empty to use the authorities that this machine trusts."""

    @classmethod
    def parse(cls, words: str) -> HallAddress:
        """Return the address for a text that is either a hall's address or the path of a card.

        Raises:
            AddressRefused: if the text is neither.
        """
        return cls._from_address(words) if "://" in words else cls._from_card(Path(words))

    @property
    def shown(self) -> str:
        """The address without user and password, as messages show it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}/{self.club}"

    def context(self) -> ssl.SSLContext | None:
        """Return the TLS context of the connection; None for an unencrypted one."""
        if self.scheme != "mqtts":
            return None
        return ssl.create_default_context(cadata=self.authority or None)

    @classmethod
    def _from_card(cls, path: Path) -> HallAddress:
        try:
            card = Card.model_validate_json(path.read_bytes())
        except OSError as error:
            shown = _without_password(str(path))
            raise AddressRefused(
                gettext("{path} can't be read: {reason}.", path=shown, reason=error.strerror or error)
            ) from None
        except ValidationError:
            raise AddressRefused(
                gettext("{path} is not an access card from `tilekeeper club certs`.", path=path)
            ) from None
        hall = cls._from_address(card.hall)
        return cls(hall.scheme, hall.host, hall.port, hall.club, card.user, card.password, card.authority)

    @classmethod
    def _from_address(cls, words: str) -> HallAddress:
        try:
            parts = urlsplit(words)
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
            parts = urlsplit("")
        club = parts.path.strip("/")
        if parts.scheme not in PORTS or not host or not is_name(club):
            raise AddressRefused(
                gettext(
                    "{words!r} is not a tournament address. Write mqtts://HOST:8883/CLUB; CLUB is made of letters, "
                    "digits, - and _.",
                    words=_without_password(words),
                )
            )
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        if parts.scheme == "http" and host not in _LOOPBACK:
            raise AddressRefused(gettext("Without a broker only this computer reaches the hub."))
        if password and parts.scheme != "mqtts" and host not in _LOOPBACK:
            raise AddressRefused(gettext("A password may be sent to another machine only over mqtts://."))
        return cls(parts.scheme, host, port or PORTS[parts.scheme], club, user, password)


def _without_password(words: str) -> str:
    """Return an address, even a mistyped one, without what is before its last `@`, apart from the scheme."""
    before, _, place = words.rpartition("@")
    scheme, separator, _ = before.partition("://")
    return f"{scheme if separator else ''}{separator}{place}"[:100]
