"""Rows of a rack, whatever the gaps and the camera."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.projected_tiles import TILE_WH_MM, row_mm, seen_by_camera
from tilekeeper.vision.layout.racks import rack_rows, read_as_rack
from tilekeeper.vision.types import (
    CUT_OFF,
    Doubt,
    DoubtReason,
    LabelProbabilities,
    ReadTile,
    Sighting,
    TableReading,
    Trouble,
)

WIDTH, HEIGHT = TILE_WH_MM
NAMES = LabelProbabilities(np.full(15, -np.log(15)), np.full(4, -np.log(4)))


def tiles_and_rows(rows_mm: list[list[np.ndarray]]) -> tuple[list[np.ndarray], list[tuple[int, ...]]]:
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
def test_tilted_and_turned_rack_has_rows_from_back_to_front(rack: str, turn_deg: float, tilt_deg: float) -> None:
    tiles, rows = tiles_and_rows(RACKS[rack])
    quads = seen_by_camera(tiles, tilt_deg=tilt_deg, turn_deg=turn_deg)
    assert list(rack_rows(quads)) == rows


def test_empty_rack_has_no_rows() -> None:
    assert rack_rows(np.zeros((0, 4, 2))) == ()


def test_shuffled_tiles_give_the_same_rows() -> None:
    tiles, rows = tiles_and_rows(RACKS["two rows"])
    order = np.random.default_rng(1).permutation(len(tiles))
    shuffled = rack_rows(seen_by_camera([tiles[index] for index in order]))
    assert [tuple(int(order[index]) for index in row) for row in shuffled] == rows


def test_rack_reading_changes_only_the_rows() -> None:
    tiles, rows = tiles_and_rows(RACKS["gaps as wide as tiles"])
    quads = seen_by_camera(tiles)
    reading = tuple(ReadTile(Sighting(index, quad, NAMES), "red-5", 0.9, "red-6") for index, quad in enumerate(quads))
    trouble = Trouble(CUT_OFF, "table cut off: let the camera see all tiles", quads[0])
    table = TableReading(reading, tuple((index,) for index in range(len(reading))), (1920, 1080), "ok", 2.5, (trouble,))
    rack = read_as_rack(table)
    assert list(rack.rows) == rows
    assert (rack.image_wh, rack.status, rack.time_s) == ((1920, 1080), "ok", 2.5)
    assert rack.tiles == table.tiles
    assert rack.troubles == (trouble,)


def test_tile_that_is_detected_twice_is_in_one_row_once() -> None:
    """The less confident detection is dropped, both at the same place and on a part of the tile."""
    tiles, rows = tiles_and_rows(RACKS["two rows"])
    quads = list(seen_by_camera(tiles, tilt_deg=25))
    middle = quads[3].mean(axis=0)
    duplicates = [quads[9] + 2, middle + (quads[3] - middle) * 0.6]
    scores = [0.9] * len(quads) + [0.4, 0.5]
    tiles_read = [
        ReadTile(Sighting(index, np.float32(quad), NAMES), "red-5", score, "red-6")
        for index, (quad, score) in enumerate(zip([*quads, *duplicates], scores, strict=True))
    ]
    table = TableReading(tuple(tiles_read), (tuple(range(len(tiles_read))),), (1920, 1080))
    assert list(read_as_rack(table).rows) == rows


def test_back_row_half_covered_by_the_front_row_keeps_all_its_tiles() -> None:
    tiles, rows = tiles_and_rows([row_mm((-110, -0.25 * HEIGHT), 7), row_mm((-110, 0.25 * HEIGHT), 7)])
    quads = seen_by_camera(tiles)
    tiles_read = [ReadTile(Sighting(index, quad, NAMES), "red-5", 0.9, "red-6") for index, quad in enumerate(quads)]
    table = TableReading(tuple(tiles_read), (tuple(range(len(tiles_read))),), (1920, 1080))
    assert list(read_as_rack(table).rows) == rows


@pytest.mark.parametrize(
    ("label", "upright"), [("red-6", "red-9"), ("black-9", "black-6"), ("red-5", None), ("joker", None)]
)
def test_upside_down_6_or_9_on_a_rack_is_the_other_number_and_asked(label: str, upright: str | None) -> None:
    tiles, _ = tiles_and_rows([row_mm((-100, 0), 7, on_head=[2])])
    quads = seen_by_camera(tiles, turn_deg=20)
    reading = tuple(ReadTile(Sighting(index, quad, NAMES), label, 0.9, "red-6") for index, quad in enumerate(quads))
    rack = read_as_rack(TableReading(reading, (tuple(range(7)),), (1920, 1080)))
    doubts, labels = [tile.doubts for tile in rack.tiles], [tile.label for tile in rack.tiles]
    assert doubts.pop(2) == ((Doubt(DoubtReason.UNSURE_END, label),) if upright else ())
    assert labels.pop(2) == (upright or label)
    assert (doubts, labels) == ([()] * 6, [label] * 6)
    across = rack.quads_px[:, 1] - rack.quads_px[:, 0]
    assert bool(across[2] @ across[0] > 0) == (upright is not None)
