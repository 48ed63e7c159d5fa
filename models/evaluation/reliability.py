"""Reliability of the confidence: accuracy by confidence bin, calibration error, and the effect of each threshold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilekeeper.models.evaluation.measure import ScoredTile

EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999, 1.0)
"""Edges of the confidence bins: narrow near 1, where nearly all tiles are."""
TAIL = 0.025
"""Probability of either tail of a 95 % interval."""
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9998, 0.9999)


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of tiles with a confidence from `low` to `high`: number of tiles, of right labels, mean confidence."""

    low: float
    high: float
    tiles: int
    right: int
    confidence: float

    @property
    def wrong_share(self) -> float:
        """The share of wrong labels in the bin."""
        return 1 - self.right / self.tiles

    def wrong_between(self) -> tuple[float, float]:
        """Return Wilson's 95 % confidence interval of the share of wrong labels."""
        z, n, p = 1.96, self.tiles, self.wrong_share
        middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        reach = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
        return max(0.0, float(middle - reach)), min(1.0, float(middle + reach))


def share_at_most(count: int, of: int) -> float:
    """Return the upper end of the exact 95 % interval (Clopper and Pearson) of a share, 0 to 1.

    `count` of `of` were observed. With 0 of 2,154 the share may be up to 1.7 in 1,000.
    """
    if count >= of:
        return 1.0
    low, high = count / of, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _binomial_cdf(count, of, middle) > TAIL else (low, middle)
    return high


def _binomial_cdf(count: int, of: int, share: float) -> float:
    """Return the probability of at most `count` successes in `of` trials with probability `share`, above 0, below 1."""
    log_success, log_failure = math.log(share), math.log1p(-share)
    log_ways = (math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1) for k in range(count + 1))
    return math.fsum(math.exp(log_way + k * log_success + (of - k) * log_failure) for k, log_way in enumerate(log_ways))


@dataclass(frozen=True, slots=True)
class Threshold:
    """The effect of flagging all tiles with less confidence than `at`.

    `silent_per_10000`: silent errors among 10,000 read tiles (a missed tile has no confidence); `doubted`: share of the
    right tiles that are flagged.
    """

    at: float
    silent_per_10000: float
    doubted: float


def bins_of(confidences: np.ndarray, right: np.ndarray, edges: Sequence[float] = EDGES) -> list[Bin]:
    """Sort tiles into bins by `confidences (N,)`, 0 to 1, and return the bins with tiles; `right (N,)` is a mask."""
    bin_of_tile = np.clip(np.searchsorted(edges, confidences, side="right") - 1, 0, len(edges) - 2)
    bins = []
    for at in range(len(edges) - 1):
        in_bin = bin_of_tile == at
        if in_bin.any():
            mean = float(confidences[in_bin].mean())
            bins.append(Bin(edges[at], edges[at + 1], int(in_bin.sum()), int(right[in_bin].sum()), mean))
    return bins


def calibration_error(bins: Sequence[Bin]) -> float:
    """Return the expected calibration error: the difference of mean confidence and accuracy, averaged over tiles."""
    tiles = sum(one.tiles for one in bins)
    return sum(one.tiles * abs(one.confidence - one.right / one.tiles) for one in bins) / max(tiles, 1)


def thresholds_of(
    confidences: np.ndarray, right: np.ndarray, is_flagged: np.ndarray, at: Sequence[float] = THRESHOLDS
) -> list[Threshold]:
    """Return the effect of each threshold in `at`; `is_flagged (N,)` is the mask of tiles flagged for other reasons."""
    rows = []
    for threshold in at:
        doubtful = is_flagged | (confidences < threshold)
        silent = np.count_nonzero(~right & ~doubtful)
        doubted = np.count_nonzero(right & doubtful)
        all_right = max(int(np.count_nonzero(right)), 1)
        rows.append(Threshold(threshold, 1e4 * silent / max(len(right), 1), doubted / all_right))
    return rows


def confidence_arrays(scored: Sequence[ScoredTile], doubtful_below: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return confidences `(N,)`, a mask of right labels, and a mask of tiles flagged for other reasons."""
    confidences = np.array([one.tile.confidence for one in scored])
    right = np.array([one.right for one in scored], bool)
    is_flagged = np.array([one.tile.doubtful and one.tile.confidence >= doubtful_below for one in scored], bool)
    return confidences, right, is_flagged
