"""The host's key, by which a browser proves that it belongs to the person who runs the app.

The address of a request is no proof: all users of a computer share it, and so do all visitors of a reverse proxy on it.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from typing import Final

from tilekeeper.companion.doorkeeper.codes import digest, new_token

HOST_COOKIE: Final = "tilekeeper-host"
HOST_COOKIE_AGE_S: Final = 400 * 24 * 3600
"""Browsers keep no cookie for longer."""
ONE_USE_WITHIN_S: Final = 60.0
"""A link for one use must be opened within this time; a browser may take long to start."""


class HostKey:
    """The key of one app; may be used by several threads."""

    def __init__(self, key: str, now: Callable[[], float] = time.monotonic) -> None:
        """Use a key; `now` is a monotonic clock, in seconds."""
        self.value = key
        self._now = now
        self._lock = threading.Lock()
        self._once: tuple[str, float] | None = None
        """The digest of the last key for one use, and until when it is valid."""

    def is_shown_by(self, sent: str | None) -> bool:
        """Return whether a browser's cookie holds the key."""
        return sent is not None and secrets.compare_digest(sent.encode(), self.value.encode())

    def link(self, address: str) -> str:
        """Return the link that makes a browser of this machine the host's, for the terminal.

        Args:
            address: the app's address, with a slash at its end.
        """
        return f"{address}host/{self.value}"

    def link_for_one_use(self, address: str) -> str:
        """Return such a link that works once, for the command line of a browser, which other users can read."""
        token = new_token()
        with self._lock:
            self._once = digest(token), self._now() + ONE_USE_WITHIN_S
        return f"{address}host/{token}"

    def opens(self, sent: str) -> bool:
        """Return whether the last part of a link is right; a key for one use is used up by this."""
        if self.is_shown_by(sent):
            return True
        with self._lock:
            expected, until_s = self._once or ("", 0.0)
            is_right = self._now() < until_s and secrets.compare_digest(expected, digest(sent))
            if is_right:
                self._once = None
        return is_right
