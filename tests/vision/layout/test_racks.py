"""Tiles on a rack come in its rows, whatever gaps they have, however the rack is held."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.projected_tiles import TILE_WH_MM, row_mm, seen_by_camera
from tilekeeper.vision.layout.racks import rack_rows, read_as_rack
from tilekeeper.vision.types import CUT_OFF, LabelProbabilities, ReadTile, Sighting, TableReading, Trouble

WIDTH, HEIGHT = TILE_WH_MM
NAMES = LabelProbabilities(np.full(15, -np.log(15)), np.full(4, -np.log(4)))


def laid(rows_mm: list[list[np.ndarray]]) -> tuple[list[np.ndarray], list[tuple[int, ...]]]:
    rows, first = [], 0
    for row in rows_mm:
        rows.append(tuple(range(first, first + len(row))))
        first += len(row)
    return [tile for row in rows_mm for tile in row], rows


RACKS = {
    "one row": [row_mm((-100, 0), 7)],
    "one tile": [row_mm((0, 0), 1)],
    "two rows": [row_mm((-110, -21), 8), row_mm((-110, 21), 6)],
    "the back row half hidden, and fewer in front": [row_mm((-110, -13), 9), row_mm((20, 13), 2)],
    "gaps as wide as tiles": [
        row_mm((-140, -20), 5, gaps_mm=[2, 40, 0, 25]),
        row_mm((-100, 20), 4, gaps_mm=[60, 0, 9]),
    ],
    "tiles that lean": [row_mm((-110, -20), 7, turns_deg=[3, -4, 2, 5, -3, 0, 4]), row_mm((-110, 20), 7)],
    "some on their heads": [row_mm((-110, -20), 7, on_head=[2, 5]), row_mm((-110, 20), 3, on_head=[0])],
}


@pytest.mark.parametrize("rack", RACKS)
@pytest.mark.parametrize("turn_deg", [0, 12, -20, 90, 180])
@pytest.mark.parametrize("tilt_deg", [0, 25])
def test_rows_come_back_first_from_left_to_right(rack: str, turn_deg: float, tilt_deg: float) -> None:
    """In front of the camera or shown to it from the other side of the table, and seen at a slant."""
    tiles, rows = laid(RACKS[rack])
    quads = seen_by_camera(tiles, tilt_deg=tilt_deg, turn_deg=turn_deg)
    assert list(rack_rows(quads)) == rows


def test_no_tiles_make_no_rows() -> None:
    """An empty rack has nothing on it."""
    assert rack_rows(np.zeros((0, 4, 2))) == ()


def test_the_order_in_which_tiles_were_found_does_not_matter() -> None:
    """Shuffled, the same tiles stand in the same rows."""
    tiles, rows = laid(RACKS["two rows"])
    order = np.random.default_rng(1).permutation(len(tiles))
    shuffled = rack_rows(seen_by_camera([tiles[at] for at in order]))
    assert [tuple(int(order[at]) for at in row) for row in shuffled] == rows


def test_a_table_reading_becomes_one_of_a_rack() -> None:
    """Its tiles, size, status and troubles stay; melds give way to rows."""
    tiles, rows = laid(RACKS["gaps as wide as tiles"])
    quads = seen_by_camera(tiles)
    seen = tuple(ReadTile(Sighting(at, quad, NAMES), "red-5", 0.9, "red-6") for at, quad in enumerate(quads))
    trouble = Trouble(CUT_OFF, "table cut off: let the camera see all tiles", quads[0])
    table = TableReading(seen, tuple((at,) for at in range(len(seen))), (1920, 1080), "ok", 2.5, (trouble,))
    rack = read_as_rack(table)
    assert list(rack.rows) == rows
    assert (rack.image_wh, rack.status, rack.time_s) == ((1920, 1080), "ok", 2.5)
    assert rack.tiles is table.tiles
    assert rack.troubles == (trouble,)
