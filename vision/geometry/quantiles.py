"""Quantiles of a few numbers: NumPy's own check more than they compute where rows are short."""

from __future__ import annotations

import numpy as np


def quantile(values: np.ndarray, share: float) -> np.ndarray:
    """Return the quantile of each row `(..., K)`, K at least 1, `(...)`: linear between neighbours, as NumPy's is.

    `share` is from 0 to 1. Rows that hold no numbers count these as larger than all others.
    """
    place = share * (values.shape[-1] - 1)
    low = int(place)
    if low == place:  # a neighbour of no weight may be infinite, and no times infinite is no number
        return np.partition(values, low, axis=-1)[..., low] + 0.0
    high = low + 1
    ordered = np.partition(values, (low, high), axis=-1)
    return ordered[..., low] + (ordered[..., high] - ordered[..., low]) * (place - low)


def median(values: np.ndarray) -> np.ndarray:
    """Return the middle of each row `(..., K)`, see `quantile`."""
    return quantile(values, 0.5)
