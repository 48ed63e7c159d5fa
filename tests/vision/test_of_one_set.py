"""Tests what is left out among named tiles: what ends nowhere as tiles do; and what nobody doubts is asked about."""

import numpy as np
import pytest

from tests.vision.test_rims import table
from tilekeeper.vision.naming import of_one_set
from tilekeeper.vision.sighting import ReadTile, Sighting, TileNames


def told(label: str, quad_px: np.ndarray, confidence: float, doubtful: bool) -> ReadTile:
    names = TileNames(np.full(15, -np.log(15)), np.full(4, -np.log(4)))
    return ReadTile(Sighting(0, quad_px, names), label, confidence, "no-tile", doubtful)


@pytest.mark.parametrize(
    ("label", "confidence", "doubtful", "left"),
    [
        ("red-7", 0.9, True, []),  # in doubt, amid a printed page: no tile
        ("joker", 0.9, True, []),
        ("joker", 0.98, False, [True]),  # nobody doubts it, and yet: asked about
        ("joker", 0.995, False, [False]),
        ("red-7", 0.98, False, [False]),
        ("red-7", 0.999, True, [True]),  # in doubt for its ink alone, as in a picture without colour
    ],
)
def test_what_ends_nowhere(label: str, confidence: float, doubtful: bool, left: list[bool]) -> None:
    """Gone, asked about, or told as it was, by its name and by how sure it is; the tiles around stay as they are."""
    image, quads, _ = table()
    tiles = [told("blue-3", one, 0.999, False) for one in quads[:-1]]
    kept = of_one_set(image, [*tiles, told(label, quads[-1], confidence, doubtful)])
    assert kept[: len(tiles)] == tiles
    assert [tile.doubtful for tile in kept[len(tiles) :]] == left


def test_a_tile_in_doubt_that_ends_as_the_others_do_stays() -> None:
    """The last of the tiles is one in doubt."""
    image, quads, _ = table(6)
    tiles = [told("blue-3", one, 0.9 if k == 3 else 0.999, k == 3) for k, one in enumerate(quads[:4])]
    assert of_one_set(image, tiles) == tiles
