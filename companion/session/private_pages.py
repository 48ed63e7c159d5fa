"""Who looks at a player's private page: phones that opened the link which was shown for that player."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final

from pydantic import TypeAdapter

from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.access import digest
from tilekeeper.companion.storage.store import Store
from tilekeeper.engine.language import gettext

LINK_LIVES_S: Final = 900.0
"""A link opens the page for as long as it takes to scan it; who has opened it stays in."""
MOST_PHONES: Final = 4
"""So many phones show one player's page; one more takes the place of that player's oldest, and of nobody else's."""
_KEY: Final = "private-pages"


@dataclass(frozen=True, slots=True)
class Seat:
    """A player of an evening."""

    evening: str
    player: int
    came: int
    """The step with which they came (`RecordedGame.came`): whoever comes after that was undone is somebody else."""


@dataclass(frozen=True, slots=True)
class PrivatePage:
    """A phone that shows a player's page."""

    seat: Seat
    token_sha256: str


@dataclass(frozen=True, slots=True)
class _Link:
    seat: Seat
    key_sha256: str
    until_s: float


_KEPT: Final = TypeAdapter(tuple[PrivatePage, ...])


class PrivatePages:
    """Links to private pages and the phones that opened them; may be used by several threads."""

    def __init__(self, store: Store, now: Callable[[], float] = time.monotonic) -> None:
        """Take what was kept; `now` is a monotonic clock, in seconds."""
        self._store = store
        self._now = now
        self._lock = threading.Lock()
        self._links: tuple[_Link, ...] = ()
        self._pages: tuple[PrivatePage, ...] = store.recall(_KEY, _KEPT) or ()

    def invite(self, seat: Seat) -> str:
        """Return the key of a new link to a player's page; the link before it leads nowhere any more."""
        key = secrets.token_urlsafe(32)
        with self._lock:
            self._links = (
                *(link for link in self._links if link.seat != seat),
                _Link(seat, digest(key), self._now() + LINK_LIVES_S),
            )
        return key

    def enter(self, key: str) -> str:
        """Let a phone in that has opened a link; returns the token by which it is known from then on.

        Raises:
            Refused: where the link leads nowhere any more.
        """
        sent = digest(key)
        with self._lock:
            self._links = tuple(link for link in self._links if link.until_s > self._now())
            link = next((one for one in self._links if secrets.compare_digest(one.key_sha256, sent)), None)
            if link is None:
                raise Refused(
                    gettext("This link has ended. Tap your name at the table to get a new one."), "no-control"
                )
            token = secrets.token_urlsafe(32)
            page = PrivatePage(link.seat, digest(token))
            its = [one for one in self._pages if one.seat == page.seat]
            out = its[: 1 - MOST_PHONES]
            # Those of other evenings show nothing any more.
            kept = (one for one in self._pages if one.seat.evening == page.seat.evening and one not in out)
            self._keep((*kept, page))
            return token

    def page(self, token: str | None) -> PrivatePage | None:
        """Whose page a phone shows, by the token that it sent; None for any other."""
        if not token:
            return None
        sent = digest(token)
        return next((one for one in self._pages if secrets.compare_digest(one.token_sha256, sent)), None)

    def phones(self, seat: Seat) -> int:
        """How many phones show a player's page."""
        return sum(page.seat == seat for page in self._pages)

    def end(self, seat: Seat) -> None:
        """Take a player's page from all phones, and the link from whoever has it."""
        with self._lock:
            self._links = tuple(one for one in self._links if one.seat != seat)
            self._keep(tuple(one for one in self._pages if one.seat != seat))

    def end_all(self) -> None:
        """Take all private pages away."""
        with self._lock:
            self._links = ()
            self._keep(())

    def _keep(self, pages: tuple[PrivatePage, ...]) -> None:
        self._pages = pages
        self._store.remember(_KEY, [asdict(page) for page in pages])
