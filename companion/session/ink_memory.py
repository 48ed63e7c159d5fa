"""Keeps what people said of inks in an evening: a new start of the app asks nobody again.

Each camera has the words of one evening, those that were said last, for half a day: in another light they would tell
something else.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final

import numpy as np
from pydantic import Field, FiniteFloat, TypeAdapter
from sqlalchemy.exc import SQLAlchemyError

from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.storage.store import Store
from tilekeeper.vision.recognition.inks_seen import InksSeen
from tilekeeper.vision.tracking.ink_words import InkWord
from tilekeeper.vision.types import INKS, NUMBERS

log = logging.getLogger(__name__)

MOST_KEPT: Final = 8
"""So many of the newest words are kept: a handful settles a table, and many outweigh what a new lamp shows."""
KEPT_FOR: Final = timedelta(hours=12)


@dataclass(frozen=True, slots=True)
class _KeptWord:
    """An `InkWord`, its ink by name."""

    number: Annotated[int, Field(ge=0, lt=NUMBERS)]
    ink: str
    log_probs: Annotated[list[FiniteFloat], Field(min_length=len(INKS), max_length=len(INKS))]
    colour: Annotated[list[FiniteFloat], Field(min_length=3, max_length=3)]

    @classmethod
    def of(cls, word: InkWord) -> _KeptWord:
        seen = word.seen
        log_probs, colour = seen.log_probs[0].astype(float), seen.colours[0].astype(float)
        return cls(word.number, INKS[word.ink], log_probs.round(4).tolist(), colour.round(5).tolist())

    def word(self) -> InkWord:
        said = np.array([INKS.index(self.ink)])
        return InkWord(self.number, InksSeen(np.array([self.log_probs]), np.array([self.colour], np.float32), said))


@dataclass(frozen=True, slots=True)
class _Kept:
    evening: str
    at: datetime
    words: list[_KeptWord]


_KEPT: Final = TypeAdapter(_Kept)


class InkMemory:
    """What people said of inks in the evening that is played, by the camera that saw them."""

    def __init__(self, store: Store, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Take the store, and what tells the time of day."""
        self._store = store
        self._now = now

    def keep(self, state: TableState, words: Sequence[InkWord]) -> None:
        """Keep the newest words of the evening that is played, for the present camera; without an evening nothing.

        Where the disk refuses it, the evening goes on, and a new start asks again.
        """
        night = state.activity.game_night
        if night is None:
            return
        kept = _Kept(night.id, self._now(), [_KeptWord.of(word) for word in words[-MOST_KEPT:]])
        try:
            self._store.remember(_key(state), asdict(kept) | {"at": kept.at.isoformat()})
        except SQLAlchemyError as error:
            log.warning("What was said of inks can't be kept: %s", getattr(error, "orig", None) or error)

    def recall(self, state: TableState) -> tuple[InkWord, ...]:
        """Return the words of the evening that is played, for the present camera, the newest last."""
        night = state.activity.game_night
        if night is None:
            return ()
        try:
            kept = self._store.recall(_key(state), _KEPT)
        except SQLAlchemyError as error:
            log.warning("What was said of inks can't be read: %s", getattr(error, "orig", None) or error)
            return ()
        if kept is None or kept.evening != night.id or not self._is_of_today(kept.at):
            return ()
        return tuple(word.word() for word in kept.words if word.ink in INKS)

    def _is_of_today(self, at: datetime) -> bool:
        return abs(self._now() - (at if at.tzinfo else at.replace(tzinfo=UTC))) < KEPT_FOR


def _key(state: TableState) -> str:
    return f"inks {state.source.watched}"[:200]
