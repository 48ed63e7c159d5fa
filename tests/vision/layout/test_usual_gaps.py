"""What gaps look like between tiles that touch is told from the gaps themselves, as long as most tiles do touch."""

import numpy as np
import pytest

from tilekeeper.vision.layout.adjacency import MIN_FITTED_GAP_COUNT, fit_usual_gaps


def joints_at(count: int, seed: int = 5) -> np.ndarray:
    """Middles `(K, 2, 2)` of tiles 40 px apart, anywhere on a picture of 1280 × 960, in rows of every direction."""
    rng = np.random.default_rng(seed)
    angles = rng.uniform(0, 2 * np.pi, count)
    steps = 20 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    places = rng.uniform((0, 0), (1280, 960), (count, 2))
    return np.stack([places - steps, places + steps], axis=1)


def usual_at(middles_px: np.ndarray) -> np.ndarray:
    """Gaps from about -0.2 in one corner to 0.3 in the other, and by 0.1 wider in rows that run across."""
    along = np.abs(middles_px[:, 1, 0] - middles_px[:, 0, 0]) / 40
    return middles_px.mean(axis=1) @ (0.3 / 1280, 0.1 / 960) - 0.15 + 0.1 * along**2


def test_it_finds_what_is_usual_everywhere() -> None:
    """Although every sixth gap is one between melds, and tiles are laid loosely."""
    middles, rng = joints_at(60), np.random.default_rng(7)
    gaps = usual_at(middles) + rng.uniform(0, 0.06, 60)
    gaps[::6] += rng.uniform(0.3, 0.5, 10)
    elsewhere = joints_at(200, seed=8)
    off = fit_usual_gaps(middles, gaps, elsewhere) - usual_at(elsewhere)
    assert off.min() > -0.02  # the mean of how loosely they are laid is usual
    assert off.max() < 0.08


def test_a_row_runs_alike_from_either_end() -> None:
    """Which of the two tiles comes first makes no difference."""
    middles = joints_at(12)
    usual, back = (fit_usual_gaps(some, usual_at(middles), some) for some in (middles, middles[:, ::-1]))
    assert usual.any()
    np.testing.assert_allclose(usual, back, atol=1e-9)


def test_one_wide_gap_is_not_usual() -> None:
    """Nor is it where it lies, at the edge of the picture, far from the rest."""
    middles = joints_at(9)
    middles[0] += (3000, 0)
    gaps = np.full(9, 0.02)
    gaps[0] = 0.35
    usual = fit_usual_gaps(middles, gaps, middles)
    assert usual[0] < 0.1
    assert usual[1:].max() < 0.04


@pytest.mark.parametrize("count", [0, MIN_FITTED_GAP_COUNT - 1])
def test_few_gaps_tell_nothing(count: int) -> None:
    """Two melds of two tiles each might both be loose."""
    assert fit_usual_gaps(joints_at(count), np.full(count, 0.2), joints_at(5)).tolist() == [0.0] * 5


def test_gaps_in_one_place_are_all_there_is_to_tell() -> None:
    """A picture in which all lies in one spot has no ends between which gaps could differ."""
    middles = np.repeat(joints_at(1), MIN_FITTED_GAP_COUNT, axis=0)
    usual = fit_usual_gaps(middles, np.full(MIN_FITTED_GAP_COUNT, 0.2), middles)
    np.testing.assert_allclose(usual, 0.2, atol=1e-3)
