"""Tiles as they stand while a table is judged: named, with a confidence, in doubt or not."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tilekeeper.vision.scoring.tiles import Tiles
from tilekeeper.vision.types import JOINT_NOT_A_TILE, DoubtReason, labels_of


def told(label: str, quad_px: object, confidence: float, doubtful: bool, score: float = 1.0) -> Tiles:
    """One tile, which looks like any number and ink, and of which the detector is so sure."""
    numbers, inks = np.full((1, 15), -np.log(15)), np.full((1, 4), -np.log(4))
    doubts = np.empty(1, object)
    doubts[0] = ((DoubtReason.UNSURE_NUMBER, None),) if doubtful else ()
    return Tiles(
        track=np.zeros(1, int),
        quads_px=np.array([quad_px], np.float32),
        number_log_probs=numbers,
        ink_log_probs=inks,
        own_number_log_probs=numbers.copy(),
        own_ink_log_probs=inks.copy(),
        name=np.array([labels_of().index(label)]),
        runner_up=np.array([JOINT_NOT_A_TILE]),
        confidence=np.array([confidence]),
        score=np.array([score]),
        by_person=np.zeros(1, bool),
        hidden=np.zeros(1, bool),
        doubts=doubts,
    )


def table_of(some: Iterable[Tiles]) -> Tiles:
    """All of these, numbered from 0."""
    tiles = Tiles.joined(some)
    tiles.track = np.arange(len(tiles))
    return tiles


def summary(tiles: Tiles) -> list[tuple[int, int, float, object]]:
    """The track, name, confidence and doubts of each."""
    columns = (tiles.track, tiles.name, tiles.confidence, tiles.doubts)
    return list(zip(*(column.tolist() for column in columns), strict=True))
