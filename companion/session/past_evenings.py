"""The evenings that are kept, each with its result; those of earlier versions, which have none, get theirs here."""

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
"""So long evenings without a result are read in one go; the page asks again for the others."""


@dataclass(frozen=True, slots=True)
class PastEvening:
    """A kept evening."""

    id: str
    begun_at: str
    """UTC, as in a note."""
    changed_at: str
    over: bool
    names: tuple[str, ...]
    """Who sat down, seat by seat; empty where that can't be read."""
    result: EveningResult | None
    """None where it can't be read, or was not read yet."""
    trouble: str = ""
    """What is wrong with its records, in words; empty where nothing is known to be."""


class PastEvenings:
    """The evenings of one data folder, read and not changed, but for results that are missing."""

    def __init__(self, store: Store, now: Callable[[], float] = time.monotonic) -> None:
        """Take the database; `now` is a monotonic clock, in seconds."""
        self._store = store
        self._now = now
        self._damaged: dict[tuple[str, int], PastEvening] = {}

    def all(self) -> tuple[tuple[PastEvening, ...], int]:
        """All evenings, the one that was changed last at the front, and how many are still to be read."""
        until_s = self._now() + READING_S
        found: list[PastEvening] = []
        unread = 0
        for saved in self._store.game_nights():
            past = self._known(saved)
            if past is None:
                late = self._now() >= until_s
                unread += late
                past = _past(saved, None) if late else self._worked_out(saved)
            found.append(past)
        return tuple(found), unread

    def one(self, id_: str) -> PastEvening:
        """One evening.

        Raises:
            Refused: if it is not kept here.
        """
        saved = self._saved(id_)
        return self._known(saved) or self._worked_out(saved)

    def recorded(self, id_: str) -> RecordedGame:
        """The records of an evening, up to the last one that can be read.

        Raises:
            Refused: if it is not kept here, or nothing of it can be read.
        """
        recorded, trouble = self._salvaged(self._saved(id_))
        if recorded is None:
            raise Refused(gettext("This evening can’t be read: {trouble}.", trouble=trouble), "not-found")
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

    def _worked_out(self, saved: SavedGameNight) -> PastEvening:
        recorded, trouble = self._salvaged(saved)
        past = _past(saved, None if recorded is None else result_of(recorded), trouble)
        if trouble or past.result is None:
            # Not kept on the disk: whoever opens the evening is told of the damage, too.
            self._damaged[saved.id, saved.revision] = past
            return past
        try:
            self._store.keep_result(saved, past.result.as_json())
        except SQLAlchemyError as error:
            log.warning("The result of an evening could not be kept: %s", error)
        return past

    def _salvaged(self, saved: SavedGameNight) -> tuple[RecordedGame | None, str]:
        lines = self._store.lines(saved.id)
        if not lines:
            return None, gettext("it has no entries")
        recorded, trouble = RecordedGame.salvaged(lines, saved.seated)
        if recorded is None:
            return None, gettext("damaged from its first entry: {error}", error=trouble)
        place = len(recorded.records)
        said = gettext("damaged after entry {place}; it can go on from there", place=place)
        return recorded, said if trouble else ""


def of_played(night: GameNight) -> PastEvening:
    """An evening that is on the table, as far as it has come."""
    state, result = night.state.state, result_of(night.state.recorded)
    over = state.phase is Phase.OVER
    return PastEvening(night.id, night.begun_at, night.changed_at, over, state.players, result)


def _past(saved: SavedGameNight, result: EveningResult | None, trouble: str = "") -> PastEvening:
    names = tuple(map(seat_name, saved.seated)) if result is None else result.sheet.players
    return PastEvening(saved.id, saved.begun_at, saved.changed_at, saved.over, names, result, trouble)
