"""Stores the ink colours that people confirmed in a game night, so that people are not asked again after a restart.

For each camera, only the game night that stored inks last keeps them. In another game night people are asked again.
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
from tilekeeper.vision.recognition.inks import InkEvidence
from tilekeeper.vision.types import INKS

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _StoredInk:
    """The `InkEvidence` of a tile whose ink a person has confirmed, in the form that is stored as JSON."""

    ink: str
    log_probs: Annotated[list[FiniteFloat], Field(min_length=len(INKS), max_length=len(INKS))]
    colour: Annotated[list[FiniteFloat], Field(min_length=3, max_length=3)]

    @classmethod
    def of(cls, word: InkEvidence) -> _StoredInk:
        log_probs, colour = word.log_probs[0].astype(float), word.colours[0].astype(float)
        return cls(INKS[int(word.answers[0])], log_probs.round(4).tolist(), colour.round(5).tolist())

    def word(self) -> InkEvidence:
        ink = np.array([INKS.index(self.ink)])
        return InkEvidence(np.array([self.log_probs]), np.array([self.colour], np.float32), ink)


@dataclass(frozen=True, slots=True)
class _StoredInks:
    evening: str
    words: list[_StoredInk]


_STORED: Final = TypeAdapter(_StoredInks)


class InkMemory:
    """Stores and loads the confirmed inks of the game night in progress, for each camera."""

    def __init__(self, store: Store) -> None:
        """Use this store; the inks are preferences there."""
        self._store = store

    def keep(self, state: TableState, words: Sequence[InkEvidence]) -> None:
        """Store the inks of the game night in progress for the current camera; do nothing without a game night.

        An error of the disk is only logged: after a restart people are asked again.
        """
        night = state.activity.game_night
        if night is None:
            return
        stored = _StoredInks(night.id, [_StoredInk.of(word) for word in words])
        try:
            self._store.remember(_key(state), asdict(stored))
        except SQLAlchemyError as error:
            log.warning("Confirmed inks can't be stored: %s", getattr(error, "orig", None) or error)

    def recall(self, state: TableState) -> tuple[InkEvidence, ...]:
        """Return the stored inks of the game night in progress for the current camera, the newest last."""
        night = state.activity.game_night
        if night is None:
            return ()
        try:
            stored = self._store.recall(_key(state), _STORED)
        except SQLAlchemyError as error:
            log.warning("Confirmed inks can't be read: %s", getattr(error, "orig", None) or error)
            return ()
        if stored is None or stored.evening != night.id:
            return ()
        return tuple(word.word() for word in stored.words if word.ink in INKS)


def _key(state: TableState) -> str:
    return f"inks {state.source.watched}"[:200]
