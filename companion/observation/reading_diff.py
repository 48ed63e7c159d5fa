"""Compares two readings of a table: whether tiles or melds have changed, and whether doubts have."""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.observation.observed_table import can_be_judged
from tilekeeper.vision.types import TableReading


def if_unchanged(before: TableReading | None, after: TableReading) -> TableReading | None:
    """Return the later reading with its rows in the order of the earlier one; None where the table has changed.

    The table is unchanged where the same tracks have the same names and lie in the same rows. Their place on the
    picture does not matter: a bump of the camera or the table moves no tile.
    """
    if before is None or before.image_wh != after.image_wh or can_be_judged(before) != can_be_judged(after):
        return None
    names, names_after = ([(tile.sighting.track, tile.label) for tile in one.tiles] for one in (before, after))
    if names != names_after or sorted(before.rows) != sorted(after.rows):
        return None
    return replace(after, rows=before.rows)


def visible_doubts(reading: TableReading) -> object:
    """Return what changes a verdict or the page beside the names and the rows: a value to be compared with another.

    Of the doubts of a tile the page shows the first one.
    """
    tiles = tuple((tile.doubts[:1], tile.doubtful and tile.runner_up, tile.sighting.hidden) for tile in reading.tiles)
    troubles = tuple(trouble.kind for trouble in reading.troubles)
    return tiles, reading.status, reading.other_rows, troubles, len(reading.face_down)
