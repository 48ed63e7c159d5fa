"""Comparison of glyphs over one table."""

from __future__ import annotations

import io

import numpy as np
import pytest

from tilekeeper.vision.recognition.glyph_embedding import FigureSpace, joint_numbers
from tilekeeper.vision.types import JOKER, NOT_A_TILE, NUMBERS

SEVEN, NINE = 6, 8
AXES = 8


@pytest.fixture
def space() -> FigureSpace:
    """Return a space with means 12 apart; a printing deviates by 4, tiles of one table by 1."""
    usual = np.zeros((NUMBERS, AXES), np.float32)
    for number in range(NUMBERS):
        usual[number, number % AXES] = 12.0 if number < AXES else -12.0
    return FigureSpace(np.eye(AXES, dtype=np.float32), usual, np.full(AXES, 16.0, np.float32))


def number_log_probs_of(*chances: dict[int, float]) -> np.ndarray:
    """Return log probabilities with the given probabilities of some numbers, the rest shared evenly."""
    rows = []
    for probabilities in chances:
        row = np.full(15, (1 - sum(probabilities.values())) / (15 - len(probabilities)))
        for answer, chance in probabilities.items():
            row[answer] = chance
        rows.append(np.log(row))
    return np.array(rows)


def table(space: FigureSpace, numbers: list[int], deviations: dict[int, np.ndarray], seed: int = 1) -> np.ndarray:
    """Return embeddings of tiles whose numbers deviate by `deviations` in this printing."""
    rng = np.random.default_rng(seed)
    return np.array([space.usual[n] + deviations.get(n, 0) + rng.normal(size=AXES) for n in numbers])


def test_unusual_seven_among_equal_sevens_is_a_seven(space: FigureSpace) -> None:
    """Without the other tiles it resembles a 9."""
    halfway = 0.45 * (space.usual[NINE] - space.usual[SEVEN])
    numbers = [SEVEN] * 4 + [NINE] * 4
    figures = table(space, numbers, {SEVEN: halfway})
    log_probs = number_log_probs_of({NINE: 0.6, SEVEN: 0.38}, *[{SEVEN: 0.85, NINE: 0.14}] * 3, *[{NINE: 0.98}] * 4)
    joint = joint_numbers(log_probs, figures, space)
    assert joint[:, :NUMBERS].argmax(axis=1).tolist() == numbers
    assert joint[0, SEVEN] > np.log(0.75)
    assert (np.exp(joint[1:4, SEVEN]) > 0.95).all()


def test_certain_nine_among_similar_sevens_stays_a_nine(space: FigureSpace) -> None:
    narrow = FigureSpace(space.axes, space.usual, np.ones(AXES, np.float32))
    almost = 0.7 * (space.usual[NINE] - space.usual[SEVEN])
    numbers = [SEVEN] * 5 + [NINE] * 4
    figures = table(narrow, numbers, {SEVEN: almost})
    log_probs = number_log_probs_of(*[{SEVEN: 0.83, NINE: 0.15}] * 5, *[{NINE: 0.99, SEVEN: 0.002}] * 4)
    joint = np.exp(joint_numbers(log_probs, figures, narrow))
    assert (joint[5:, NINE] > 0.95).all()
    assert (joint[:5, SEVEN] > 0.95).all()


def test_tile_unlike_the_others_of_its_number_gets_less_certain(space: FigureSpace) -> None:
    away = np.zeros(AXES)
    away[2] = 12.0
    numbers = [NINE] * 6
    figures = table(space, numbers, {})
    figures[0] += away
    log_probs = number_log_probs_of(*[{NINE: 0.9, SEVEN: 0.09}] * 6)
    joint = joint_numbers(log_probs, figures, space)
    assert np.exp(joint[0, NINE]) < 0.8
    assert (joint[1:, NINE] > joint[0, NINE]).all()


def test_single_tile_of_a_number_changes_nothing(space: FigureSpace) -> None:
    figures = table(space, [SEVEN, 2, 3], {})
    log_probs = number_log_probs_of({SEVEN: 0.6, NINE: 0.39}, {2: 0.9999}, {3: 0.9999})
    alone = joint_numbers(log_probs[:1], figures[:1], space)
    assert alone == pytest.approx(log_probs[:1], abs=0.05)
    among = joint_numbers(log_probs, figures, space)
    assert among[0, SEVEN] - among[0, NINE] == pytest.approx(np.log(0.6 / 0.39), abs=0.1)


def test_probabilities_of_jokers_and_non_tiles_stay(space: FigureSpace) -> None:
    log_probs = number_log_probs_of({JOKER: 0.7, 3: 0.2}, {NOT_A_TILE: 0.9}, *[{3: 0.9, 4: 0.08}] * 4)
    figures = table(space, [3, 3, 3, 3, 4, 3], {})
    joint = joint_numbers(log_probs, figures, space)
    assert joint[:, NUMBERS:] == pytest.approx(log_probs[:, NUMBERS:])
    assert np.exp(joint).sum(axis=1) == pytest.approx(1)


def test_widely_spread_glyphs_count_less(space: FigureSpace) -> None:
    numbers = [SEVEN] * 5 + [NINE] * 5
    rng = np.random.default_rng(3)
    sharp = table(space, numbers, {})
    blurred = sharp + rng.normal(size=sharp.shape) * 4
    deviation = 0.5 * (space.usual[NINE] - space.usual[SEVEN])
    log_probs = number_log_probs_of(*[{SEVEN: 0.9, NINE: 0.09}] * 5, *[{NINE: 0.9, SEVEN: 0.09}] * 5)
    losses = []
    for figures in (sharp, blurred):
        moved = figures.copy()
        moved[0] = figures[0] + deviation
        losses.append(
            joint_numbers(log_probs, figures, space)[0, SEVEN] - joint_numbers(log_probs, moved, space)[0, SEVEN]
        )
    assert losses[0] > losses[1]


def test_without_a_space_nothing_changes() -> None:
    log_probs = number_log_probs_of({SEVEN: 0.6}, {NINE: 0.9})
    assert joint_numbers(log_probs, np.zeros((2, 0)), None) is log_probs


def test_missing_or_nan_embeddings_change_nothing(space: FigureSpace) -> None:
    log_probs = number_log_probs_of({SEVEN: 0.6}, {NINE: 0.9})
    assert joint_numbers(log_probs, np.zeros((2, 0)), space) is log_probs
    assert joint_numbers(log_probs, np.full((2, AXES), np.nan), space) is log_probs


def test_space_is_loaded_from_its_file_and_bad_files_are_refused(space: FigureSpace) -> None:
    file = io.BytesIO()
    np.savez(file, axes=space.axes, usual=space.usual, spread=space.spread)
    file.seek(0)
    read = FigureSpace.load(file)
    assert np.array_equal(read.usual, space.usual)
    assert read.axes == pytest.approx(np.eye(AXES))
    file = io.BytesIO()
    np.savez(file, axes=space.axes, usual=space.usual)
    file.seek(0)
    with pytest.raises(ValueError, match="spread"):
        FigureSpace.load(file)
    with pytest.raises(ValueError, match="usual"):
        FigureSpace(space.axes, space.usual[:5], space.spread)
