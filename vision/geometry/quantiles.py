"""Quantiles of a few numbers: NumPy's own check more than they compute where rows are short."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Floats, Image, Ints


def quantile(values: Floats | Ints, share: float) -> Floats:
    """Return the quantile of each row `(..., K)`, K at least 1, `(...)`: linear between neighbours, as NumPy's is.

    `share` is from 0 to 1. Rows that hold no numbers count these as larger than all others.
    """
    place = share * (values.shape[-1] - 1)
    low = int(place)
    if low == place:  # a neighbour of no weight may be infinite, and no times infinite is no number
        exact: Floats = np.add(np.partition(values, low, axis=-1)[..., low], 0.0)
        return exact
    high = low + 1
    ordered = np.partition(values, (low, high), axis=-1)
    lower, higher = ordered[..., low], ordered[..., high]
    between: Floats = np.add(lower, (higher - lower) * (place - low))
    return between


def median(values: Floats) -> Floats:
    """Return the middle of each row `(..., K)`, see `quantile`."""
    return quantile(values, 0.5)


def median_level(levels: Image) -> float:
    """Return the middle of K bytes, K at least 1: counted, many of them take two thirds of the time."""
    counted = np.bincount(levels.ravel()).cumsum()
    low, high = np.searchsorted(counted, ((levels.size - 1) // 2, levels.size // 2), side="right")
    return float(low + high) / 2
