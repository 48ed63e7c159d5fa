"""A place in which no tile was found is occupied where it looks like the tiles near it and not like the table."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from tests.support.known_tables import MarkedTables, quad_at, table_reading, without
from tilekeeper.vision.tracking.missing_tiles import occupied_places, with_missing_tile
from tilekeeper.vision.types import IN_THE_WAY, INKS, DoubtReason, Trouble

TABLE = "R3 R4 R5 | K8 B8 O8"
PLACES = np.array([quad_at(0, 1), quad_at(0, 3), quad_at(1, 4)])
"""Where a tile lies that is not found, where the row ends, and bare table."""


def frame(scale: float = 1.0) -> np.ndarray:
    """A frame of the table, so many times as large as its reading."""
    image = MarkedTables().picture(table_reading(TABLE))
    return cv2.resize(image, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_a_place_that_shows_a_tile_is_occupied(scale: float) -> None:
    assert occupied_places(frame(scale), PLACES, without(TABLE, (0, 1))).tolist() == [True, False, False]


def test_a_covered_place_is_not_known_to_be_occupied() -> None:
    cover = Trouble(IN_THE_WAY, "", quad_at(0, 1))
    reading = replace(without(TABLE, (0, 1)), troubles=(cover,))
    assert not occupied_places(frame(), PLACES, reading).any()


def test_where_nothing_is_found_nothing_shows_how_a_tile_looks() -> None:
    assert not occupied_places(frame(), PLACES, table_reading("")).any()


def test_a_missing_tile_is_read_in_doubt_in_its_row() -> None:
    reading = with_missing_tile(without(TABLE, (0, 1)), 7, quad_at(0, 1), "red-4", INKS)
    tile = reading.tiles[-1]
    assert (tile.label, tile.runner_up, tile.sighting.track) == ("red-4", "no-tile", 7)
    assert [doubt.reason for doubt in tile.doubts] == [DoubtReason.NOT_FOUND]
    assert [[reading.tiles[at].label for at in row] for row in reading.rows] == [
        ["red-3", "red-4", "red-5"],
        ["black-8", "blue-8", "orange-8"],
    ]
