"""The stored game nights with their results; results that are not stored are computed from the records."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

from tilekeeper.companion.game_night.evening_result import EveningResult, result_from_json, result_of
from tilekeeper.companion.game_night.player_names import seat_name
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.storage.store import SavedGameNight, Store
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext

log = logging.getLogger(__name__)

READING_S = 0.5
"""A request computes missing results for at most this many seconds; the page then asks for the others."""


@dataclass(frozen=True, slots=True)
class PastEvening:
    """A stored game night."""

    id: str
    begun_at: str
    """When the game night began, as `Moment.utc`."""
    changed_at: str
    over: bool
    names: tuple[str, ...]
    """The names of the seats; empty if they can't be read."""
    result: EveningResult | None
    """The result; None if it can't be read, or was not computed yet."""
    trouble: str = ""
    """The damage to its records, as part of a sentence for the page; empty if none is known."""


class PastEvenings:
    """Reads the game nights of one data folder; writes only missing results."""

    def __init__(self, store: Store, now: Callable[[], float] = time.monotonic) -> None:
        """Use a database; `now` is a monotonic clock, in seconds."""
        self._store = store
        self._now = now
        self._damaged: dict[tuple[str, int], PastEvening] = {}

    def all(self) -> tuple[tuple[PastEvening, ...], int]:
        """Return all game nights, the last changed one first, and how many of them still need their result computed."""
        until_s = self._now() + READING_S
        evenings: list[PastEvening] = []
        unread = 0
        for saved in self._store.game_nights():
            past = self._known(saved)
            if past is None:
                late = self._now() >= until_s
                unread += late
                past = _past(saved, None) if late else self._with_computed_result(saved)
            evenings.append(past)
        return tuple(evenings), unread

    def newest(self) -> PastEvening | None:
        """Return the game night that was changed last; None if there is none."""
        saved = self._store.newest()
        return None if saved is None else self._known(saved) or self._with_computed_result(saved)

    def get(self, id_: str) -> PastEvening:
        """Return one game night.

        Raises:
            Refused: if it is not stored here.
        """
        saved = self._saved(id_)
        return self._known(saved) or self._with_computed_result(saved)

    def recorded(self, id_: str) -> RecordedGame:
        """Return a game night up to its last readable record.

        Raises:
            Refused: if it is not stored here, or nothing of it can be read.
        """
        recorded, trouble = self._salvaged(self._saved(id_))
        if recorded is None:
            raise Refused(gettext("This evening can't be read: {trouble}.", trouble=trouble), "not-found")
        return recorded

    def _saved(self, id_: str) -> SavedGameNight:
        saved = self._store.game_night(id_)
        if saved is None:
            raise Refused(gettext("There is no such evening."), "not-found")
        return saved

    def _known(self, saved: SavedGameNight) -> PastEvening | None:
        result = result_from_json(saved.result)
        if result is not None:
            return _past(saved, result)
        return self._damaged.get((saved.id, saved.revision))

    def _with_computed_result(self, saved: SavedGameNight) -> PastEvening:
        recorded, trouble = self._salvaged(saved)
        past = _past(saved, None if recorded is None else result_of(recorded), trouble)
        if trouble or past.result is None:
            # The result is kept in memory only, so that opening the game night reports the damage again.
            self._damaged[saved.id, saved.revision] = past
            return past
        try:
            self._store.keep_result(saved, past.result.as_json())
        except SQLAlchemyError as error:
            log.warning("The result of a game night could not be stored: %s", error)
        return past

    def _salvaged(self, saved: SavedGameNight) -> tuple[RecordedGame | None, str]:
        lines = self._store.lines(saved.id)
        if not lines:
            return None, gettext("it has no entries")
        recorded, trouble = RecordedGame.salvage(lines, saved.seated)
        if recorded is None:
            return None, gettext("damaged from its first entry: {error}", error=trouble)
        place = len(recorded.records)
        damage = gettext("damaged after entry {place}; it can go on from there", place=place)
        return recorded, damage if trouble else ""


def of_played(night: GameNight) -> PastEvening:
    """Return the game night in progress in the form of a stored one, with its result so far."""
    state, result = night.state.state, result_of(night.state.recorded)
    over = state.phase is Phase.OVER
    return PastEvening(night.id, night.begun_at, night.changed_at, over, state.players, result)


def _past(saved: SavedGameNight, result: EveningResult | None, trouble: str = "") -> PastEvening:
    names = tuple(map(seat_name, saved.seated)) if result is None else result.sheet.players
    return PastEvening(saved.id, saved.begun_at, saved.changed_at, saved.over, names, result, trouble)
