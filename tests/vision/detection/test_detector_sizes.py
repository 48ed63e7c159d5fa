"""Collapsed or oversized detections get the size of their neighbours."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision.detection.test_detector import tile
from tilekeeper.vision.detection.detector import equalise_sizes


def row_of_quads(count: int, width: float) -> np.ndarray:
    """Return tiles side by side, `(N, 4, 2)`, turned a little."""
    local = np.array([[-0.5, -0.7], [0.5, -0.7], [0.5, 0.7], [-0.5, 0.7]], np.float32) * width
    turn = np.array([[np.cos(0.2), np.sin(0.2)], [-np.sin(0.2), np.cos(0.2)]], np.float32)
    return np.stack([local @ turn + (100 + 1.05 * width * i, 200) for i in range(count)]).astype(np.float32)


@pytest.mark.parametrize("share", [0.1, 0.4, 0.75])
def test_collapsed_quads_get_the_size_of_their_neighbours(share: float) -> None:
    """Centres and directions do not change, nor do slightly smaller quads."""
    true = row_of_quads(8, 40.0)
    detected = true.copy()
    for index in (1, 4, 7):
        detected[index] = true[index].mean(axis=0) + share * (true[index] - true[index].mean(axis=0))
    detected[5] = true[5].mean(axis=0) + 0.9 * (true[5] - true[5].mean(axis=0))
    result = equalise_sizes(detected, np.ones(8))
    for index in (1, 4, 7):
        assert result[index] == pytest.approx(true[index], abs=0.05)
    for index in (0, 2, 3, 5, 6):
        assert np.array_equal(result[index], detected[index])
    assert result.dtype == np.float32


def test_oversized_quads_get_the_size_of_their_neighbours() -> None:
    """A slightly larger quad does not change."""
    true = row_of_quads(8, 40.0)
    detected = true.copy()
    detected[3] = true[3].mean(axis=0) + 1.5 * (true[3] - true[3].mean(axis=0))
    detected[6] = true[6].mean(axis=0) + 1.1 * (true[6] - true[6].mean(axis=0))
    result = equalise_sizes(detected, np.ones(8))
    assert result[3] == pytest.approx(true[3], abs=1.0)
    assert np.array_equal(result[6], detected[6])


def test_few_quads_and_distant_small_ones_stay() -> None:
    few_quads = row_of_quads(3, 40.0)
    few_quads[1] = few_quads[1].mean(axis=0) + 0.3 * (few_quads[1] - few_quads[1].mean(axis=0))
    assert np.array_equal(equalise_sizes(few_quads, np.ones(3)), few_quads)
    both = np.concatenate([row_of_quads(9, 60.0), row_of_quads(9, 20.0) + np.float32(2000)])
    assert np.array_equal(equalise_sizes(both, np.ones(18)), both)
    assert equalise_sizes(np.zeros((0, 4, 2), np.float32), np.zeros(0)).shape == (0, 4, 2)


def test_duplicates_of_one_tile_do_not_change_another_tiles_size() -> None:
    large, small = tile(300, 200, 130), tile(500, 240, 60)
    detected = np.stack([large, small, large + np.float32(3), small - np.float32(1), large - np.float32(2)])
    assert np.array_equal(equalise_sizes(detected, np.array([0.9, 0.95, 0.8, 0.85, 0.75])), detected)
