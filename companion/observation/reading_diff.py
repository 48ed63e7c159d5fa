"""Tells whether two readings of a table that is followed show the same tiles in the same melds."""

from __future__ import annotations

from dataclasses import replace

from tilekeeper.companion.observation.observed_table import can_be_judged
from tilekeeper.vision.types import TableReading


def if_unchanged(before: TableReading | None, after: TableReading) -> TableReading | None:
    """Return the later reading with its rows in the order of the earlier one; None where the table has changed.

    The same tracks with the same names lie in the same rows then, so that a place in the one is that place in the
    other. Where on the picture they lie does not matter: a bump of the camera or the table moves no tile.
    """
    if before is None or before.image_wh != after.image_wh or can_be_judged(before) != can_be_judged(after):
        return None
    names, names_after = ([(tile.sighting.track, tile.label) for tile in one.tiles] for one in (before, after))
    if names != names_after or sorted(before.rows) != sorted(after.rows):
        return None
    return replace(after, rows=before.rows)


def visible_doubts(reading: TableReading) -> object:
    """Return what a verdict or the page may turn on beside the names and the rows, to be compared."""
    tiles = tuple((tile.doubtful, tile.doubtful and tile.runner_up, tile.sighting.hidden) for tile in reading.tiles)
    troubles = tuple(trouble.kind for trouble in reading.troubles)
    return tiles, reading.status, reading.other_rows, troubles, len(reading.face_down)
