"""Access to players' private pages: links that expire, and the phones that have opened them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Final

from pydantic import TypeAdapter

from tilekeeper.companion.doorkeeper.codes import digest, find_holder, new_token
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.storage.schema import PRIVATE_PAGES
from tilekeeper.companion.storage.store import Store
from tilekeeper.engine.language import gettext

LINK_LIVES_S: Final = 900.0
"""For how many seconds a link can be opened; a phone that has opened the link keeps its access."""
MOST_PHONES: Final = 4
"""The most phones that show one player's page; one more replaces the phone that came first."""


@dataclass(frozen=True, slots=True)
class PageOwner:
    """The player who owns a private page; stored as JSON, so the names of the fields must not change."""

    evening: str
    player: int
    came: int
    """The number of the action that brought the player to the seat (`RecordedGame.joined_in_step`); it distinguishes
    players who have the same seat one after the other."""


@dataclass(frozen=True, slots=True)
class PrivatePage:
    """A phone's access to a player's private page; `token_sha256` identifies the phone."""

    seat: PageOwner
    token_sha256: str


@dataclass(frozen=True, slots=True)
class _Link:
    seat: PageOwner
    token_sha256: str
    until_s: float


_KEPT: Final = TypeAdapter(tuple[PrivatePage, ...])


class PrivatePages:
    """Links to private pages and the phones that opened them; may be used by several threads."""

    def __init__(self, store: Store, now: Callable[[], float] = time.monotonic) -> None:
        """Load the stored phones; links are not stored. `now` returns seconds of a monotonic clock."""
        self._store = store
        self._now = now
        self._lock = threading.Lock()
        self._links: tuple[_Link, ...] = ()
        self._pages: tuple[PrivatePage, ...] = store.recall(PRIVATE_PAGES, _KEPT) or ()

    def invite(self, seat: PageOwner) -> str:
        """Return the key of a new link to a player's page; an earlier link stops working."""
        key = new_token()
        with self._lock:
            self._links = (
                *(link for link in self._links if link.seat != seat),
                _Link(seat, digest(key), self._now() + LINK_LIVES_S),
            )
        return key

    def enter(self, key: str, known: str | None = None) -> str:
        """Admit a phone that opened a link; return the token that the phone must send with each later request.

        Args:
            key: the key of the link.
            known: the token that the phone has sent; it stays if it is one for the same player.

        Raises:
            Refused: if there is no such link, or the link is too old.
        """
        with self._lock:
            self._links = tuple(link for link in self._links if link.until_s > self._now())
            link = find_holder(key, self._links)
            if link is None:
                raise Refused(
                    gettext("This link has ended. Tap your name at the table to get a new one."), "no-control"
                )
            shown = self.page(known)
            if known is not None and shown is not None and shown.seat == link.seat:
                return known
            token = new_token()
            page = PrivatePage(link.seat, digest(token))
            same_player = [other for other in self._pages if other.seat == page.seat]
            replaced = same_player[: 1 - MOST_PHONES]
            # Pages of other game nights are removed, since they show nothing any more.
            same_night = (other for other in self._pages if other.seat.evening == page.seat.evening)
            self._store_pages((*(other for other in same_night if other not in replaced), page))
            return token

    def page(self, token: str | None) -> PrivatePage | None:
        """Return the page that the phone with this token may show; None if there is none."""
        return find_holder(token, self._pages)

    def phones(self, seat: PageOwner) -> int:
        """Return how many phones show a player's page."""
        return sum(page.seat == seat for page in self._pages)

    def end(self, seat: PageOwner) -> None:
        """End a player's page on all phones, and the link to it."""
        with self._lock:
            self._store_pages(tuple(page for page in self._pages if page.seat != seat))
            self._links = tuple(link for link in self._links if link.seat != seat)

    @contextmanager
    def ending_all(self) -> Iterator[dict[str, object]]:
        """End all private pages and links after the block; the block must store the yielded preferences.

        If the block raises an error, pages and links stay.
        """
        with self._lock:
            yield {PRIVATE_PAGES: []}
            self._pages, self._links = (), ()

    def _store_pages(self, pages: tuple[PrivatePage, ...]) -> None:
        """Store the phones that may show pages; the change takes effect only after that."""
        self._store.remember(PRIVATE_PAGES, [asdict(page) for page in pages])
        self._pages = pages
