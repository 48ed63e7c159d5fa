"""Reliability of the confidence: bins, Wilson intervals, calibration error and silent errors by threshold."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.doubts import doubts_if
from tilekeeper.models.evaluation.measure import ScoredTile
from tilekeeper.models.evaluation.reliability import (
    Bin,
    bins_of,
    calibration_error,
    confidence_arrays,
    share_at_most,
    thresholds_of,
)
from tilekeeper.vision.types import LabelProbabilities, ReadTile, Sighting

NAMES = LabelProbabilities(np.full(15, -np.log(15)), np.full(4, -np.log(4)))


def scored(label: str, true: str | None, confidence: float, doubtful: bool) -> ScoredTile:
    return ScoredTile(
        ReadTile(Sighting(0, np.zeros((4, 2), np.float32), NAMES), label, confidence, "joker", doubts_if(doubtful)),
        true,
    )


def test_each_tile_is_in_one_bin() -> None:
    """Confidence 1 is in the last bin; empty bins are dropped."""
    bins = bins_of(np.array([0.0, 0.2, 0.5, 0.97, 1.0]), np.array([False, True, True, True, False]))
    assert [(one.low, one.high, one.tiles, one.right) for one in bins] == [
        (0.0, 0.5, 2, 1),
        (0.5, 0.7, 1, 1),
        (0.95, 0.98, 1, 1),
        (0.9999, 1.0, 1, 0),
    ]
    assert bins[0].confidence == pytest.approx(0.1)


def test_calibration_error_is_0_for_calibrated_confidence() -> None:
    """It is the mean difference between confidence and accuracy, weighted by tiles."""
    assert calibration_error([Bin(0.8, 0.9, 10, 9, 0.9), Bin(0.9, 1, 30, 30, 1.0)]) == 0
    assert calibration_error([Bin(0.8, 0.9, 10, 5, 0.9), Bin(0.9, 1, 30, 30, 1.0)]) == pytest.approx(0.1)
    assert calibration_error([]) == 0


@pytest.mark.parametrize(("tiles", "right"), [(10, 10), (10, 9), (10_000, 9_999), (5, 0)])
def test_wilson_interval_contains_the_share(tiles: int, right: int) -> None:
    """It is never empty, stays between 0 and 1, and shrinks with more tiles."""
    one = Bin(0, 1, tiles, right, 0.5)
    low, high = one.wrong_between()
    assert 0 <= low <= one.wrong_share <= high + 1e-12 <= 1 + 1e-12
    assert high - low < Bin(0, 1, max(tiles // 5, 1), max(right // 5, 0), 0.5).wrong_between()[1]


@pytest.mark.parametrize(
    ("count", "total", "upper_bound"),
    [(0, 2154, 0.00171), (1, 1000, 0.00556), (10, 100, 0.17622), (3, 3, 1.0), (0, 1, 0.975)],
)
def test_no_observed_error_still_has_an_upper_bound(count: int, total: int, upper_bound: float) -> None:
    """The bounds are those of published tables of the Clopper-Pearson interval."""
    assert share_at_most(count, total) == pytest.approx(upper_bound, abs=1e-5)


def test_thresholds_count_flagged_tiles_and_silent_errors() -> None:
    """Silent errors count per 10,000 read tiles, flagged tiles as a share of the right ones.

    A tile that is flagged for another reason stays flagged.
    """
    confidences = np.array([0.3, 0.6, 0.95, 0.99])
    right = np.array([False, True, False, True])
    is_flagged = np.array([False, False, False, True])
    low, middle, high = thresholds_of(confidences, right, is_flagged, (0.2, 0.9, 0.97))
    assert (low.silent_per_10000, low.doubted) == (5000, 0.5)
    assert (middle.silent_per_10000, middle.doubted) == (2500, 1.0)
    assert (high.silent_per_10000, high.doubted) == (0, 1.0)


def test_scored_tiles_become_arrays() -> None:
    """A false detection is wrong. A tile above the threshold is flagged only for another reason."""
    tiles = [
        scored("red-1", "red-1", 0.99, False),
        scored("red-1", "red-7", 0.99, True),
        scored("joker", None, 0.5, True),
    ]
    confidences, right, is_flagged = confidence_arrays(tiles, 0.9)
    assert confidences.tolist() == [0.99, 0.99, 0.5]
    assert right.tolist() == [True, False, False]
    assert is_flagged.tolist() == [False, True, False]
