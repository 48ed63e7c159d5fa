"""Comparison of inks over one table."""

from __future__ import annotations

import numpy as np
import pytest

from tilekeeper.vision.recognition.classifier import ink_absorption
from tilekeeper.vision.recognition.inks import INK_ABSORPTION_RGB_SHARE, MIN_INK_MIXTURE_TILES, InkEvidence
from tilekeeper.vision.recognition.inks import joint_inks as joint_inks_of
from tilekeeper.vision.types import JOKER, WHITE

BLACK, BLUE, WARM, RED = range(4)


def joint_inks(log_probs: np.ndarray, colours: np.ndarray, number_log_probs: np.ndarray) -> np.ndarray:
    """Return the inks of a table without confirmed tiles."""
    return joint_inks_of(InkEvidence(log_probs, colours, np.full(len(log_probs), -1)), number_log_probs)


def table(rng: np.random.Generator, inks: list[int], lamp: np.ndarray, noise: float = 0.02) -> np.ndarray:
    """Return the absorbed light of inks under a lamp, `(N, 3)` of length 1."""
    colours = np.array(INK_ABSORPTION_RGB_SHARE)[inks] * lamp + rng.normal(0, noise, (len(inks), 3))
    return colours / np.linalg.norm(colours, axis=1, keepdims=True)


def ink_log_probs_of(inks: list[int], certainty: float | list[float] = 0.95) -> np.ndarray:
    """Return log probabilities `(N, 4)` with this certainty of each tile's ink."""
    share = np.broadcast_to(certainty, len(inks))
    probs = np.repeat((1 - share)[:, None] / 3, 4, axis=1)
    probs[np.arange(len(inks)), inks] = share
    return np.log(probs)


def numbers(tile_numbers: list[int | None]) -> np.ndarray:
    """Return log probabilities `(N, 15)` with nearly certain numbers 1 to 13; None is a joker."""
    probs = np.full((len(tile_numbers), 15), 1e-6)
    probs[np.arange(len(tile_numbers)), [JOKER if number is None else number - 1 for number in tile_numbers]] = (
        1 - 14e-6
    )
    return np.log(probs)


def numbers_in_set(inks: list[int]) -> np.ndarray:
    """Return numbers for tiles of these inks so that none occurs three times."""
    counts: dict[int, int] = {}
    tile_numbers = []
    for ink in inks:
        tile_numbers.append(counts.get(ink, 0) // 2 % 13 + 1)
        counts[ink] = counts.get(ink, 0) + 1
    return numbers(tile_numbers)


@pytest.mark.parametrize("lamp", [(1.0, 1.0, 1.0), (0.7, 1.0, 1.1), (1.1, 1.0, 0.75)])
def test_uncertain_tile_gets_the_ink_of_tiles_with_its_colour(lamp: tuple[float, float, float]) -> None:
    inks = [BLACK, BLUE, WARM, RED] * 6
    likeliest = list(inks)
    likeliest[3] = likeliest[7] = WARM
    certainty = [0.95] * len(inks)
    certainty[3] = certainty[7] = 0.6
    colours = table(np.random.default_rng(1), inks, np.array(lamp))
    joint = joint_inks(ink_log_probs_of(likeliest, certainty), colours, numbers_in_set(inks))
    assert joint.argmax(axis=1).tolist() == inks
    assert np.exp(joint).sum(axis=1) == pytest.approx(1)


def test_agreeing_colours_raise_certainty_and_change_no_certain_tile() -> None:
    rng = np.random.default_rng(2)
    inks = rng.integers(0, 4, 60).tolist()
    before = ink_log_probs_of(inks, rng.uniform(0.5, 0.99, 60).tolist())
    after = joint_inks(before, table(rng, inks, np.ones(3)), numbers_in_set(inks))
    assert after.argmax(axis=1).tolist() == inks
    assert (after.max(axis=1) < np.log(0.9)).sum() < (before.max(axis=1) < np.log(0.9)).sum() / 4


def test_too_few_numbered_tiles_change_nothing() -> None:
    inks = [BLUE] * (MIN_INK_MIXTURE_TILES + 3)
    colours = table(np.random.default_rng(3), inks, np.ones(3))
    before = ink_log_probs_of(inks, 0.8)
    few_numbers = numbers([number + 1 if number < MIN_INK_MIXTURE_TILES - 1 else None for number in range(len(inks))])
    assert np.array_equal(joint_inks(before, colours, few_numbers), before)
    assert not np.allclose(joint_inks(before, colours, numbers_in_set(inks)), before)
    assert joint_inks(np.zeros((0, 4)), np.zeros((0, 3)), np.zeros((0, 15))).shape == (0, 4)


def test_absent_ink_gets_no_tile() -> None:
    inks = [BLACK, RED] * 10
    colours = table(np.random.default_rng(4), inks, np.array((0.8, 1.0, 1.0)))
    joint = joint_inks(ink_log_probs_of(inks, 0.5), colours, numbers_in_set(inks))
    assert joint.argmax(axis=1).tolist() == inks


def test_four_red_copies_of_a_number_become_two_red_and_two_orange() -> None:
    inks = [BLACK, BLUE, WARM, RED] * 6
    colours = table(np.random.default_rng(5), inks, np.ones(3), 0.01)
    warm = np.array(inks) == WARM
    dark = 0.8 * np.array(INK_ABSORPTION_RGB_SHARE)[RED] + 0.2 * np.array(INK_ABSORPTION_RGB_SHARE)[WARM]
    colours[warm] = dark / np.linalg.norm(dark)
    before = ink_log_probs_of(inks, 0.9)
    before[warm] = np.log([0.01, 0.01, 0.14, 0.84])
    tile_numbers = numbers([index // 8 + 1 for index in range(len(inks))])
    assert joint_inks(before, colours, tile_numbers).argmax(axis=1).tolist() == inks
    # without repeated numbers and clusters, they stay red
    separated = numbers([index % 12 + 1 for index in range(len(inks))])
    same_colour = colours.copy()
    same_colour[warm] = colours[np.array(inks) == RED]
    assert set(joint_inks(before, same_colour, separated).argmax(axis=1)[warm]) == {RED}


@pytest.mark.parametrize("many", [3, 8, 40, 106])
def test_many_equal_tiles_keep_their_ink(many: int) -> None:
    """There are more red 7s than in a set."""
    inks = [RED] * many
    colours = table(np.random.default_rng(6), inks, np.ones(3))
    joint = joint_inks(ink_log_probs_of(inks, 0.9999), colours, numbers([7] * many))
    assert joint.argmax(axis=1).tolist() == inks
    assert np.isfinite(joint).all()


def test_two_sets_on_one_table_keep_their_inks() -> None:
    inks = [BLACK, BLUE, WARM, RED] * 52
    tile_numbers = [index // 16 + 1 for index in range(208)]
    colours = table(np.random.default_rng(7), inks, np.ones(3))
    joint = joint_inks(ink_log_probs_of(inks, 0.999), colours, numbers(tile_numbers))
    assert joint.argmax(axis=1).tolist() == inks


@pytest.mark.parametrize("strength", [1.0, 0.6, 0.3])
def test_thin_strokes_have_the_same_ink_colour(strength: float) -> None:
    crops = np.ones((2, 72, 48, 3))
    wanted = np.array([(0.2, 0.8, 0.7), (0.9, 0.6, 0.1)])
    crops[:, 20:40, 18:30] -= strength * wanted[:, None, None, ::-1]
    measured = ink_absorption(np.rint(WHITE * crops).astype(np.uint8))
    assert measured == pytest.approx(wanted / np.linalg.norm(wanted, axis=1, keepdims=True), abs=0.01)


def test_blank_crop_has_a_finite_ink_colour() -> None:
    assert np.isfinite(ink_absorption(np.full((1, 72, 48, 3), WHITE, np.uint8))).all()
