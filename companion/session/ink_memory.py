"""Keeps what people called the inks of tiles in an evening: a new start of the app asks nobody again.

Each camera has the words of one evening, those that were kept last: an older evening that is taken up again has none.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Final

import numpy as np
from pydantic import Field, FiniteFloat, TypeAdapter
from sqlalchemy.exc import SQLAlchemyError

from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.storage.store import Store
from tilekeeper.vision.recognition.inks_seen import InksSeen
from tilekeeper.vision.types import INKS

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _KeptWord:
    """`InksSeen` of one tile, with the name of the ink that a person gave it."""

    ink: str
    log_probs: Annotated[list[FiniteFloat], Field(min_length=len(INKS), max_length=len(INKS))]
    colour: Annotated[list[FiniteFloat], Field(min_length=3, max_length=3)]

    @classmethod
    def of(cls, word: InksSeen) -> _KeptWord:
        log_probs, colour = word.log_probs[0].astype(float), word.colours[0].astype(float)
        return cls(INKS[int(word.said[0])], log_probs.round(4).tolist(), colour.round(5).tolist())

    def word(self) -> InksSeen:
        said = np.array([INKS.index(self.ink)])
        return InksSeen(np.array([self.log_probs]), np.array([self.colour], np.float32), said)


@dataclass(frozen=True, slots=True)
class _Kept:
    evening: str
    words: list[_KeptWord]


_KEPT: Final = TypeAdapter(_Kept)


class InkMemory:
    """What people called inks in the evening that is played, by the camera that saw them."""

    def __init__(self, store: Store) -> None:
        """Take the store."""
        self._store = store

    def keep(self, state: TableState, words: Sequence[InksSeen]) -> None:
        """Keep the words of the evening that is played, for the present camera; without an evening nothing.

        Where the disk refuses it, the evening goes on, and a new start asks again.
        """
        night = state.activity.game_night
        if night is None:
            return
        kept = _Kept(night.id, [_KeptWord.of(word) for word in words])
        try:
            self._store.remember(_key(state), asdict(kept))
        except SQLAlchemyError as error:
            log.warning("What inks were called can't be kept: %s", getattr(error, "orig", None) or error)

    def recall(self, state: TableState) -> tuple[InksSeen, ...]:
        """Return the words of the evening that is played, for the present camera, the newest last."""
        night = state.activity.game_night
        if night is None:
            return ()
        try:
            kept = self._store.recall(_key(state), _KEPT)
        except SQLAlchemyError as error:
            log.warning("What inks were called can't be read: %s", getattr(error, "orig", None) or error)
            return ()
        if kept is None or kept.evening != night.id:
            return ()
        return tuple(word.word() for word in kept.words if word.ink in INKS)


def _key(state: TableState) -> str:
    return f"inks {state.source.watched}"[:200]
