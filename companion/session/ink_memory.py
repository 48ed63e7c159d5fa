"""Keeps what people's words tell of a camera's inks for the evening: a new start of the app asks nobody again."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Annotated, Final

import numpy as np
from pydantic import Field, FiniteFloat, TypeAdapter
from sqlalchemy.exc import SQLAlchemyError

from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.storage.store import Store
from tilekeeper.vision.recognition.inks_seen import InksSeen
from tilekeeper.vision.types import INKS

log = logging.getLogger(__name__)

MOST_KEPT: Final = 40
"""So many of the newest words are kept; a handful settles a table."""


@dataclass(frozen=True, slots=True)
class _NamedTile:
    """A tile as `InksSeen` knows it, by the name of its ink."""

    ink: str
    log_probs: Annotated[list[FiniteFloat], Field(min_length=len(INKS), max_length=len(INKS))]
    colour: Annotated[list[FiniteFloat], Field(min_length=3, max_length=3)]


@dataclass(frozen=True, slots=True)
class _Kept:
    evening: str
    tiles: list[_NamedTile]


_KEPT: Final = TypeAdapter(_Kept)


class InkMemory:
    """What people said of inks in the evening that is played, by the camera that saw them."""

    def __init__(self, store: Store) -> None:
        """Take the store, in which each camera has what was said last."""
        self._store = store

    def keep(self, state: TableState, named: InksSeen) -> None:
        """Keep what was said of tiles that the present camera sees; nothing where no evening is played.

        Where the disk refuses it, the evening goes on, and a new start asks again.
        """
        night = state.activity.game_night
        if night is None:
            return
        newest = slice(-MOST_KEPT, None)
        tiles = [
            {"ink": INKS[ink], "log_probs": log_probs.round(4).tolist(), "colour": colour.round(5).tolist()}
            for log_probs, colour, ink in zip(
                named.log_probs[newest].astype(float),
                named.colours[newest].astype(float),
                named.said[newest].tolist(),
                strict=True,
            )
        ]
        try:
            self._store.remember(_key(state), {"evening": night.id, "tiles": tiles})
        except SQLAlchemyError as error:
            log.warning("What was said of inks can't be kept: %s", getattr(error, "orig", None) or error)

    def recall(self, state: TableState) -> InksSeen:
        """Return what was said of tiles that the present camera saw in the evening that is played."""
        night = state.activity.game_night
        if night is None:
            return InksSeen.none()
        try:
            kept = self._store.recall(_key(state), _KEPT)
        except SQLAlchemyError as error:
            log.warning("What was said of inks can't be read: %s", getattr(error, "orig", None) or error)
            return InksSeen.none()
        if kept is None or kept.evening != night.id:
            return InksSeen.none()
        tiles = [tile for tile in kept.tiles if tile.ink in INKS]
        return InksSeen(
            np.array([tile.log_probs for tile in tiles]).reshape(-1, len(INKS)),
            np.array([tile.colour for tile in tiles], np.float32).reshape(-1, 3),
            np.array([INKS.index(tile.ink) for tile in tiles], int),
        )


def _key(state: TableState) -> str:
    return f"inks {state.source.watched}"[:200]
