"""The usual gap between touching tiles is fitted to the measured gaps."""

import numpy as np
import pytest

from tilekeeper.vision.layout.rows import MIN_FITTED_GAP_COUNT, fit_usual_gaps


def joints_at(count: int, seed: int = 5) -> np.ndarray:
    """Return centres `(K, 2, 2)` of tiles 40 px apart, at random places and in random directions."""
    rng = np.random.default_rng(seed)
    angles = rng.uniform(0, 2 * np.pi, count)
    steps = 20 * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    places = rng.uniform((0, 0), (1280, 960), (count, 2))
    return np.stack([places - steps, places + steps], axis=1)


def true_gaps_at(centres_px: np.ndarray) -> np.ndarray:
    """Return gaps from -0.2 in one corner to 0.3 in the other, up to 0.1 wider in rows across the image."""
    along = np.abs(centres_px[:, 1, 0] - centres_px[:, 0, 0]) / 40
    return centres_px.mean(axis=1) @ (0.3 / 1280, 0.1 / 960) - 0.15 + 0.1 * along**2


def test_usual_gap_is_fitted_despite_meld_gaps_and_noise() -> None:
    centres, rng = joints_at(60), np.random.default_rng(7)
    gaps = true_gaps_at(centres) + rng.uniform(0, 0.06, 60)
    gaps[::6] += rng.uniform(0.3, 0.5, 10)
    elsewhere = joints_at(200, seed=8)
    error = fit_usual_gaps(centres, gaps, elsewhere) - true_gaps_at(elsewhere)
    assert error.min() > -0.02  # the usual gap includes the mean of the noise
    assert error.max() < 0.08


def test_swapped_tiles_give_the_same_gap() -> None:
    centres = joints_at(12)
    usual, swapped = (fit_usual_gaps(pairs, true_gaps_at(centres), pairs) for pairs in (centres, centres[:, ::-1]))
    assert usual.any()
    np.testing.assert_allclose(usual, swapped, atol=1e-9)


def test_one_wide_gap_changes_nothing() -> None:
    """Even at its own place, far from the other gaps, the fitted gap stays small."""
    centres = joints_at(9)
    centres[0] += (3000, 0)
    gaps = np.full(9, 0.02)
    gaps[0] = 0.35
    usual = fit_usual_gaps(centres, gaps, centres)
    assert usual[0] < 0.1
    assert usual[1:].max() < 0.04


@pytest.mark.parametrize("count", [0, MIN_FITTED_GAP_COUNT - 1])
def test_few_gaps_give_zero(count: int) -> None:
    assert fit_usual_gaps(joints_at(count), np.full(count, 0.2), joints_at(5)).tolist() == [0.0] * 5


def test_gaps_at_one_place_give_a_constant() -> None:
    centres = np.repeat(joints_at(1), MIN_FITTED_GAP_COUNT, axis=0)
    usual = fit_usual_gaps(centres, np.full(MIN_FITTED_GAP_COUNT, 0.2), centres)
    np.testing.assert_allclose(usual, 0.2, atol=1e-3)
