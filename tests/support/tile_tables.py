"""Builders of tile tables for tests of the scoring: rows as they are while a reading is decided."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tilekeeper.vision.tile_table import Appearances, TileTable
from tilekeeper.vision.types import JOINT_NOT_A_TILE, DoubtReason, labels_of


def tile_row(label: str, quad_px: object, confidence: float, is_doubtful: bool, score: float = 1.0) -> TileTable:
    """Return a table of one tile whose class probabilities are all equal; its label is decided already."""
    classification = Appearances(
        number_log_probs=np.full((1, 15), -np.log(15)),
        ink_log_probs=np.full((1, 4), -np.log(4)),
        upside_down_log_odds=np.full(1, -5.0),
        quads_px=np.array([quad_px], np.float32),
        ink_colours=np.ones((1, 3)),
        figures=np.zeros((1, 0)),
    )
    row = TileTable.from_classification(classification, np.array([score]))
    row.label[:], row.runner_up[:], row.confidence[:] = labels_of().index(label), JOINT_NOT_A_TILE, confidence
    if is_doubtful:
        row.doubts[0] = ((DoubtReason.UNSURE_NUMBER, None),)
    return row


def table_of(rows: Iterable[TileTable]) -> TileTable:
    """Return all rows in one table, their tracks numbered from 0."""
    table = TileTable.concatenate(rows)
    table.track = np.arange(len(table))
    return table


def summary(table: TileTable) -> list[tuple[int, int, float, object]]:
    """Return track, label, confidence and doubts of each row."""
    columns = (table.track, table.label, table.confidence, table.doubts)
    return list(zip(*(column.tolist() for column in columns), strict=True))
