"""Of new tracks, which are no tiles of the set around them, which may be none; and who has no say in it."""

from dataclasses import replace

import numpy as np
import pytest

from tests.vision.scoring.test_of_one_set import saying, told
from tests.vision.scoring.test_rim_features import IVORY, quad, table
from tilekeeper.vision.tracking.table_state import odd_ones
from tilekeeper.vision.types import NO_TILE_LABEL, ReadTile


def tracked(tile: ReadTile, track: int, by_person: bool = False) -> ReadTile:
    return replace(tile, sighting=replace(tile.sighting, track=track, locked_by_person=by_person))


def around() -> tuple[np.ndarray, list[ReadTile]]:
    """Four sure tiles, tracks 0 to 3, and a page beside them."""
    image, quads, _ = table()
    return image, [tracked(told("blue-3", one, 0.9999, False), at) for at, one in enumerate(quads[:-1])]


@pytest.mark.parametrize(
    ("confidence", "doubtful", "chance", "odd", "suspect"),
    [
        (0.6, True, 0.1, {7}, set()),
        (0.6, True, 0.5, set(), set()),  # in doubt already
        (0.98, False, 0.1, set(), {7}),
        (0.98, False, 0.5, set(), {7}),
        (0.98, False, 0.9, set(), set()),
    ],
)
def test_new_tracks_are_held_against_the_others(
    confidence: float, doubtful: bool, chance: float, odd: set[int], suspect: set[int]
) -> None:
    """What is hardly a tile goes if it is in doubt, and is put in doubt if it is not; that is asked of fresh ones."""
    image, tiles = around()
    new = tracked(told("red-7", quad(480, 100), confidence, doubtful), 7)
    assert odd_ones(image, [*tiles, new], {7}, saying(chance)) == (odd, suspect)
    assert odd_ones(image, [*tiles, new], set(), saying(chance)) == (set(), set())


def test_a_persons_word_is_not_doubted() -> None:
    """Not even of what is far too large."""
    image, tiles = around()
    new = tracked(told("red-7", quad(440, 40, 90), 1.0, False), 7, by_person=True)
    assert odd_ones(image, [*tiles, new], {7}, saying(0.0)) == (set(), set())


def test_what_a_person_called_no_tile_says_nothing_of_tiles() -> None:
    """Pink squares of a calendar around a tile make it no stranger; alone with them it stays as well."""
    image = np.full((300, 640, 3), (60, 80, 120), np.uint8)
    image[20:76, 20:600] = (150, 150, 250)
    image[100:156, 20:60] = IVORY
    none = [tracked(told(NO_TILE_LABEL, quad(20 + 60 * k, 20), 1.0, False), k, by_person=True) for k in range(9)]
    tile = tracked(told("red-7", quad(20, 100), 0.995, False), 20)
    assert odd_ones(image, [*none, tile], {20}, saying(0.1)) == (set(), {20})
