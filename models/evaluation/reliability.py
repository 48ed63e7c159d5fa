"""How honest confidence is: the share of tiles that is right beside it, and what each threshold lets pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilekeeper.models.evaluation.measure import ScoredTile

EDGES = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999, 1.0)
"""Where bins of confidence end: finer towards 1, where nearly all tiles are."""
TAIL = 0.025
"""What an interval of 95 % leaves out at either end."""
THRESHOLDS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9998, 0.9999)


@dataclass(frozen=True, slots=True)
class Bin:
    """Tiles of about the same confidence: how many, how many of them right, and their mean confidence."""

    low: float
    high: float
    tiles: int
    right: int
    confidence: float

    @property
    def wrong_share(self) -> float:
        """Which share of them is wrong."""
        return 1 - self.right / self.tiles

    def wrong_between(self) -> tuple[float, float]:
        """Wilson's interval of 95 % for the share that is wrong."""
        z, n, p = 1.96, self.tiles, self.wrong_share
        middle = (p + z**2 / (2 * n)) / (1 + z**2 / n)
        reach = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
        return max(0.0, float(middle - reach)), min(1.0, float(middle + reach))


def share_at_most(count: int, of: int) -> float:
    """The upper end of the exact interval of 95 % (Clopper and Pearson's) for a share, 0 to 1.

    `count` in `of` were seen. None at all in 2,154 says 1.7 in 1,000, and no less.
    """
    if count >= of:
        return 1.0
    low, high = count / of, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _seen_so_few(count, of, middle) > TAIL else (low, middle)
    return high


def _seen_so_few(count: int, of: int, share: float) -> float:
    """How likely no more than `count` in `of` are seen where each is with the chance `share`, above 0 and below 1."""
    seen, not_seen = math.log(share), math.log1p(-share)
    ways = (math.lgamma(of + 1) - math.lgamma(k + 1) - math.lgamma(of - k + 1) for k in range(count + 1))
    return math.fsum(math.exp(way + k * seen + (of - k) * not_seen) for k, way in enumerate(ways))


@dataclass(frozen=True, slots=True)
class Threshold:
    """What asking about all tiles with less confidence than this does: wrong ones let pass, right ones asked about.

    `silent_per_10000` counts only tiles that were read (a missed one has no confidence); `doubted` is a share of right
    tiles.
    """

    at: float
    silent_per_10000: float
    doubted: float


def bins_of(confidences: np.ndarray, right: np.ndarray, edges: Sequence[float] = EDGES) -> list[Bin]:
    """Sort tiles into bins; empty ones are left out. `confidences (N,)` 0 to 1, `right (N,)` bool."""
    which = np.clip(np.searchsorted(edges, confidences, side="right") - 1, 0, len(edges) - 2)
    bins = []
    for at in range(len(edges) - 1):
        mine = which == at
        if mine.any():
            mean = float(confidences[mine].mean())
            bins.append(Bin(edges[at], edges[at + 1], int(mine.sum()), int(right[mine].sum()), mean))
    return bins


def calibration_error(bins: Sequence[Bin]) -> float:
    """The expected calibration error: mean confidence against the share that is right, averaged over tiles."""
    tiles = sum(one.tiles for one in bins)
    return sum(one.tiles * abs(one.confidence - one.right / one.tiles) for one in bins) / max(tiles, 1)


def thresholds_of(
    confidences: np.ndarray, right: np.ndarray, asked: np.ndarray, at: Sequence[float] = THRESHOLDS
) -> list[Threshold]:
    """What each threshold does. `asked (N,)` bool are tiles in doubt whatever their confidence (too many of a kind)."""
    rows = []
    for threshold in at:
        doubtful = asked | (confidences < threshold)
        silent = np.count_nonzero(~right & ~doubtful)
        doubted = np.count_nonzero(right & doubtful)
        all_right = max(int(np.count_nonzero(right)), 1)
        rows.append(Threshold(threshold, 1e4 * silent / max(len(right), 1), doubted / all_right))
    return rows


def confidence_arrays(scored: Sequence[ScoredTile], doubtful_below: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Confidence, whether right, and whether asked about for another reason than confidence, each `(N,)`."""
    confidences = np.array([one.tile.confidence for one in scored])
    right = np.array([one.right for one in scored], bool)
    asked = np.array([one.tile.doubtful and one.tile.confidence >= doubtful_below for one in scored], bool)
    return confidences, right, asked
