"""Finds whose corners collapsed or spread: brought to the size of the tiles around them, and of nothing else there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.detection.test_detector import tile
from tilekeeper.vision.detection.detector import equalise_sizes


def row_of_quads(count: int, width: float) -> np.ndarray:
    """Tiles side by side, `(N, 4, 2)`, turned a little."""
    local = np.array([[-0.5, -0.7], [0.5, -0.7], [0.5, 0.7], [-0.5, 0.7]], np.float32) * width
    turn = np.array([[np.cos(0.2), np.sin(0.2)], [-np.sin(0.2), np.cos(0.2)]], np.float32)
    return np.stack([local @ turn + (100 + 1.05 * width * i, 200) for i in range(count)]).astype(np.float32)


@pytest.mark.parametrize("share", [0.1, 0.4, 0.75])
def test_collapsed_quads_grow_to_the_size_of_their_neighbours(share: float) -> None:
    """Middle and axis stay; the others, and quads a little smaller than theirs, stay as they are."""
    true = row_of_quads(8, 40.0)
    found = true.copy()
    for at in (1, 4, 7):
        found[at] = true[at].mean(axis=0) + share * (true[at] - true[at].mean(axis=0))
    found[5] = true[5].mean(axis=0) + 0.9 * (true[5] - true[5].mean(axis=0))
    mended = equalise_sizes(found, np.ones(8))
    for at in (1, 4, 7):
        assert mended[at] == pytest.approx(true[at], abs=0.05)
    for at in (0, 2, 3, 5, 6):
        assert np.array_equal(mended[at], found[at])
    assert mended.dtype == np.float32


def test_swollen_quads_shrink_to_the_size_of_their_neighbours() -> None:
    """One larger than all beside it would hide them; one a little larger stays."""
    true = row_of_quads(8, 40.0)
    found = true.copy()
    found[3] = true[3].mean(axis=0) + 1.5 * (true[3] - true[3].mean(axis=0))
    found[6] = true[6].mean(axis=0) + 1.1 * (true[6] - true[6].mean(axis=0))
    mended = equalise_sizes(found, np.ones(8))
    assert mended[3] == pytest.approx(true[3], abs=1.0)
    assert np.array_equal(mended[6], found[6])


def test_few_quads_and_far_ones_of_another_size_stay() -> None:
    """Three tiles say too little; small tiles at the far end of the table are as small as their own neighbours."""
    few = row_of_quads(3, 40.0)
    few[1] = few[1].mean(axis=0) + 0.3 * (few[1] - few[1].mean(axis=0))
    assert np.array_equal(equalise_sizes(few, np.ones(3)), few)
    both = np.concatenate([row_of_quads(9, 60.0), row_of_quads(9, 20.0) + np.float32(2000)])
    assert np.array_equal(equalise_sizes(both, np.ones(18)), both)
    assert equalise_sizes(np.zeros((0, 4, 2), np.float32), np.zeros(0)).shape == (0, 4, 2)


def test_a_small_tile_beside_one_seen_in_every_look_keeps_its_size() -> None:
    """Several finds of one place are one tile: two tiles say nothing of each other's size, in however many looks."""
    large, small = tile(300, 200, 130), tile(500, 240, 60)
    found = np.stack([large, small, large + np.float32(3), small - np.float32(1), large - np.float32(2)])
    assert np.array_equal(equalise_sizes(found, np.array([0.9, 0.95, 0.8, 0.85, 0.75])), found)
