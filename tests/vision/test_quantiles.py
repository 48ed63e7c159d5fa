"""Quantiles are NumPy's."""

import numpy as np
import pytest

from tilekeeper.vision.quantiles import median, quantile


@pytest.mark.parametrize("count", [1, 2, 7, 8, 120])
@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32, np.float64])
def test_quantiles_are_those_of_numpy(count: int, kind: type) -> None:
    """Of rows of any length and kind, and whatever share is asked for."""
    rows = np.random.default_rng(count).integers(0, 255, (5, count)).astype(kind)
    for share in (0.0, 0.08, 0.5, 0.75, 0.999, 1.0):
        assert quantile(rows, share) == pytest.approx(np.quantile(rows, share, axis=1), abs=1e-4)
    assert median(rows) == pytest.approx(np.median(rows, axis=1), abs=1e-4)
    assert float(median(rows[0])) == pytest.approx(float(np.median(rows[0])), abs=1e-4)
