"""Compares two readings of a table: whether tiles, melds or doubts have changed."""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.observation.observed_table import can_be_judged
from tilekeeper.vision.types import TableReading


def if_unchanged(before: TableReading | None, after: TableReading) -> TableReading | None:
    """Return `after` with its rows in the order of `before`; None if the table has changed.

    The table is unchanged if the same tracks have the same labels and are in the same rows. Positions in the image do
    not matter, since a bump of the camera or the table shifts all tiles in the image.
    """
    if before is None or before.image_wh != after.image_wh or can_be_judged(before) != can_be_judged(after):
        return None
    labels, labels_after = (
        [(tile.sighting.track, tile.label) for tile in reading.tiles] for reading in (before, after)
    )
    if labels != labels_after or sorted(before.rows) != sorted(after.rows):
        return None
    return replace(after, rows=before.rows)


def visible_doubts(reading: TableReading) -> object:
    """Return the doubts and other parts of a reading that can change a verdict or the page, as a value to compare.

    Labels and rows are not in it; of each tile's doubts only the first is, since the page shows no other.
    """
    tiles = tuple((tile.doubts[:1], tile.doubtful and tile.runner_up, tile.sighting.hidden) for tile in reading.tiles)
    troubles = tuple(trouble.kind for trouble in reading.troubles)
    return tiles, reading.status, reading.other_rows, troubles, len(reading.face_down)
