"""Quantiles are NumPy's, and neighbours that have no weight have no say."""

import numpy as np
import pytest

from tilekeeper.vision.geometry.quantiles import median, median_level, quantile


@pytest.mark.parametrize("count", [1, 2, 7, 8, 120])
@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32, np.float64])
def test_quantiles_are_those_of_numpy(count: int, kind: type) -> None:
    """Of rows of any length and kind, and whatever share is asked for."""
    rows = np.random.default_rng(count).integers(0, 255, (5, count)).astype(kind)
    for share in (0.0, 0.08, 0.5, 0.75, 0.999, 1.0):
        assert quantile(rows, share) == pytest.approx(np.quantile(rows, share, axis=1), abs=1e-4)
    assert median(rows) == pytest.approx(np.median(rows, axis=1), abs=1e-4)
    assert float(median(rows[0])) == pytest.approx(float(np.median(rows[0])), abs=1e-4)


@pytest.mark.parametrize("count", [1, 2, 3, 8, 1001])
@pytest.mark.parametrize("most", [0, 1, 255])
def test_bytes_are_counted(count: int, most: int) -> None:
    """The middle of many bytes is NumPy's, also between two levels."""
    levels = np.random.default_rng(count).integers(0, most, (2, count), np.uint8, endpoint=True)
    for some in (levels, levels[:, ::3], levels[0]):
        assert median_level(some) == np.median(some)


@pytest.mark.parametrize("beyond", [np.inf, np.nan])
def test_what_lies_beyond_the_place_asked_for_has_no_say(beyond: float) -> None:
    """A median of three is the middle one, whatever the largest is; where it has some weight it is told."""
    rows = np.array([[beyond, 1.0, 2.0], [5.0, 3.0, 4.0]])
    assert median(rows).tolist() == [2.0, 4.0]
    assert quantile(rows, 0.0).tolist() == [1.0, 3.0]
    assert not np.isfinite(quantile(rows, 0.75)[0])
    assert quantile(rows, 0.75)[1] == 4.5
    assert median(np.array([7.0])) == 7.0


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.float32, np.float64])
def test_the_kind_of_number_hangs_on_no_place(kind: type) -> None:
    """Whole numbers become fractions also where the quantile is one of them."""
    rows = np.arange(6, dtype=kind).reshape(2, 3)
    assert median(rows).dtype == quantile(rows, 0.3).dtype
