"""A cover hides the rows under it, and those that may continue under it."""

from dataclasses import replace

import numpy as np
import pytest

from tests.support.known_tables import TILE_WH, table_reading, tile_corner_px
from tilekeeper.vision.quality.occlusion import covered_rows, may_hide_tiles
from tilekeeper.vision.types import IN_THE_WAY, TableReading, Trouble

TABLE = "R3 R4 R5 | K8 B8 O8"


def covered(meld: int, position: int, tiles: int = 1) -> TableReading:
    """Return the table with a cover over `tiles` places of a row, from `position` on."""
    x, y = tile_corner_px(meld, position)
    width_px, height_px = tiles * TILE_WH[0], TILE_WH[1]
    region = np.array([(x, y), (x + width_px, y), (x + width_px, y + height_px), (x, y + height_px)], np.float32)
    return replace(table_reading(TABLE), troubles=(Trouble(IN_THE_WAY, "", region),), time_s=1.0)


@pytest.mark.parametrize(("meld", "position", "rows"), [(0, 3, {0}), (1, -1, {1}), (0, 5, set())])
def test_row_with_a_covered_place_beside_it_may_continue(meld: int, position: int, rows: set[int]) -> None:
    reading = covered(meld, position)
    assert covered_rows(reading, reading.rows) == rows


def test_row_with_a_covered_tile_is_covered() -> None:
    reading = covered(0, 5)
    tile = reading.tiles[1]
    hidden = replace(tile, sighting=replace(tile.sighting, hidden=True))
    reading = replace(reading, tiles=(reading.tiles[0], hidden, *reading.tiles[2:]))
    assert covered_rows(reading, reading.rows) == {0}


@pytest.mark.parametrize(("tiles", "hides"), [(2, False), (3, True)])
def test_cover_larger_than_some_tiles_may_hide_more(tiles: int, hides: bool) -> None:
    assert may_hide_tiles(covered(0, 5, tiles)) is hides


def test_covered_rows_of_a_photo_do_not_count() -> None:
    photo = replace(covered(0, 3, 4), time_s=None)
    assert covered_rows(photo, photo.rows) == frozenset()
    assert not may_hide_tiles(photo)
