"""Quantiles of short rows, where the checks of NumPy's own functions take longer than the computation."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Floats, Image, Ints


def quantile(values: Floats | Ints, fraction: float) -> Floats:
    """Return the quantile of each row `(..., K)`, K at least 1: `(...)`, linear between neighbours as NumPy's.

    `fraction` is 0 to 1. NaNs count as larger than all numbers.
    """
    position = fraction * (values.shape[-1] - 1)
    low = int(position)
    if low == position:  # a neighbour with weight 0 may be infinite, and 0 * inf is NaN
        exact: Floats = np.add(np.partition(values, low, axis=-1)[..., low], 0.0)
        return exact
    high = low + 1
    ordered = np.partition(values, (low, high), axis=-1)
    lower, higher = ordered[..., low], ordered[..., high]
    interpolated: Floats = np.add(lower, (higher - lower) * (position - low))
    return interpolated


def median(values: Floats) -> Floats:
    """Return the median of each row `(..., K)`, see `quantile`."""
    return quantile(values, 0.5)


def median_level(levels: Image) -> float:
    """Return the median of K bytes, K at least 1, by counting, which takes two thirds of the time of sorting."""
    counted = np.bincount(levels.ravel()).cumsum()
    low, high = np.searchsorted(counted, ((levels.size - 1) // 2, levels.size // 2), side="right")
    return float(low + high) / 2
