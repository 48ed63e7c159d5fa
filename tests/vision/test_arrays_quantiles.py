"""Quantiles equal NumPy's, except that neighbours of weight 0 do not count."""

import numpy as np
import pytest

from tilekeeper.vision.arrays import median, median_level, quantile


@pytest.mark.parametrize("count", [1, 2, 7, 8, 120])
@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32, np.float64])
def test_quantiles_equal_numpy(count: int, kind: type) -> None:
    rows = np.random.default_rng(count).integers(0, 255, (5, count)).astype(kind)
    for share in (0.0, 0.08, 0.5, 0.75, 0.999, 1.0):
        assert quantile(rows, share) == pytest.approx(np.quantile(rows, share, axis=1), abs=1e-4)
    assert median(rows) == pytest.approx(np.median(rows, axis=1), abs=1e-4)
    assert float(median(rows[0])) == pytest.approx(float(np.median(rows[0])), abs=1e-4)


@pytest.mark.parametrize("count", [1, 2, 3, 8, 1001])
@pytest.mark.parametrize("max_level", [0, 1, 255])
def test_median_of_bytes_equals_numpy(count: int, max_level: int) -> None:
    levels = np.random.default_rng(count).integers(0, max_level, (2, count), np.uint8, endpoint=True)
    for values in (levels, levels[:, ::3], levels[0]):
        assert median_level(values) == np.median(values)


@pytest.mark.parametrize("beyond", [np.inf, np.nan])
def test_infinite_neighbour_of_weight_zero_does_not_count(beyond: float) -> None:
    """A neighbour with a weight above 0 counts."""
    rows = np.array([[beyond, 1.0, 2.0], [5.0, 3.0, 4.0]])
    assert median(rows).tolist() == [2.0, 4.0]
    assert quantile(rows, 0.0).tolist() == [1.0, 3.0]
    assert not np.isfinite(quantile(rows, 0.75)[0])
    assert quantile(rows, 0.75)[1] == 4.5
    assert median(np.array([7.0])) == 7.0


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32, np.float64])
def test_integers_always_give_a_float_quantile(kind: type) -> None:
    rows = np.arange(6, dtype=kind).reshape(2, 3)
    assert median(rows).dtype == quantile(rows, 0.3).dtype
