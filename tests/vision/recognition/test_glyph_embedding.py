"""Figures of one table seen together: an odd 7 is one among sevens that are as odd."""

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
    """Numbers 12 out on an axis each (some share one); a printing is off by 4 where a table's tiles are by 1."""
    usual = np.zeros((NUMBERS, AXES), np.float32)
    for number in range(NUMBERS):
        usual[number, number % AXES] = 12.0 if number < AXES else -12.0
    return FigureSpace(np.eye(AXES, dtype=np.float32), usual, np.full(AXES, 16.0, np.float32))


def said(*chances: dict[int, float]) -> np.ndarray:
    """What a classifier says of each tile: chances of some answers, the rest shared out evenly."""
    rows = []
    for those in chances:
        row = np.full(15, (1 - sum(those.values())) / (15 - len(those)))
        for answer, chance in those.items():
            row[answer] = chance
        rows.append(np.log(row))
    return np.array(rows)


def table(space: FigureSpace, numbers: list[int], off: dict[int, np.ndarray], seed: int = 1) -> np.ndarray:
    """Where the figures of tiles lie whose numbers look `off` what is usual in this printing."""
    rng = np.random.default_rng(seed)
    return np.array([space.usual[n] + off.get(n, 0) + rng.normal(size=AXES) for n in numbers])


def test_an_odd_seven_among_sevens_that_are_as_odd(space: FigureSpace) -> None:
    """By itself it is rather a 9; the table's other sevens look like it, and its nines don't."""
    halfway = 0.45 * (space.usual[NINE] - space.usual[SEVEN])
    numbers = [SEVEN] * 4 + [NINE] * 4
    figures = table(space, numbers, {SEVEN: halfway})
    names = said({NINE: 0.6, SEVEN: 0.38}, *[{SEVEN: 0.85, NINE: 0.14}] * 3, *[{NINE: 0.98}] * 4)
    joint = joint_numbers(names, figures, space)
    assert joint[:, :NUMBERS].argmax(axis=1).tolist() == numbers
    assert joint[0, SEVEN] > np.log(0.75)
    assert (np.exp(joint[1:4, SEVEN]) > 0.95).all()


def test_sure_nines_stay_nines_among_sevens_that_look_like_them(space: FigureSpace) -> None:
    """Where sevens hardly ever look so, odd ones draw no nine to them that is sure by itself."""
    alike = FigureSpace(space.axes, space.usual, np.ones(AXES, np.float32))
    almost = 0.7 * (space.usual[NINE] - space.usual[SEVEN])
    numbers = [SEVEN] * 5 + [NINE] * 4
    figures = table(alike, numbers, {SEVEN: almost})
    names = said(*[{SEVEN: 0.83, NINE: 0.15}] * 5, *[{NINE: 0.99, SEVEN: 0.002}] * 4)
    joint = np.exp(joint_numbers(names, figures, alike))
    assert (joint[5:, NINE] > 0.95).all()
    assert (joint[:5, SEVEN] > 0.95).all()


def test_what_looks_otherwise_than_its_number_is_in_doubt(space: FigureSpace) -> None:
    """A 9 that looks as no other nine of the table does is less sure, though no seven is there to compare it with."""
    away = np.zeros(AXES)
    away[2] = 12.0
    numbers = [NINE] * 6
    figures = table(space, numbers, {})
    figures[0] += away
    names = said(*[{NINE: 0.9, SEVEN: 0.09}] * 6)
    joint = joint_numbers(names, figures, space)
    assert np.exp(joint[0, NINE]) < 0.8
    assert (joint[1:, NINE] > joint[0, NINE]).all()


def test_a_tile_is_no_witness_for_itself(space: FigureSpace) -> None:
    """Alone on the table, or with no other of any number that it may be, nothing speaks for or against it."""
    figures = table(space, [SEVEN, 2, 3], {})
    names = said({SEVEN: 0.6, NINE: 0.39}, {2: 0.9999}, {3: 0.9999})
    alone = joint_numbers(names[:1], figures[:1], space)
    assert alone == pytest.approx(names[:1], abs=0.05)
    among = joint_numbers(names, figures, space)
    assert among[0, SEVEN] - among[0, NINE] == pytest.approx(np.log(0.6 / 0.39), abs=0.1)


def test_jokers_and_what_is_no_tile_stay_as_likely(space: FigureSpace) -> None:
    """Only numbers are compared; chances still add up to one."""
    names = said({JOKER: 0.7, 3: 0.2}, {NOT_A_TILE: 0.9}, *[{3: 0.9, 4: 0.08}] * 4)
    figures = table(space, [3, 3, 3, 3, 4, 3], {})
    joint = joint_numbers(names, figures, space)
    assert joint[:, NUMBERS:] == pytest.approx(names[:, NUMBERS:])
    assert np.exp(joint).sum(axis=1) == pytest.approx(1)


def test_on_a_blurred_table_looks_say_less(space: FigureSpace) -> None:
    """Where the tiles of one number are spread far, one of them that is a little off is no other number for it."""
    numbers = [SEVEN] * 5 + [NINE] * 5
    rng = np.random.default_rng(3)
    sharp = table(space, numbers, {})
    blurred = sharp + rng.normal(size=sharp.shape) * 4
    aside = 0.5 * (space.usual[NINE] - space.usual[SEVEN])
    names = said(*[{SEVEN: 0.9, NINE: 0.09}] * 5, *[{NINE: 0.9, SEVEN: 0.09}] * 5)
    lost = []
    for figures in (sharp, blurred):
        moved = figures.copy()
        moved[0] = figures[0] + aside
        lost.append(joint_numbers(names, figures, space)[0, SEVEN] - joint_numbers(names, moved, space)[0, SEVEN])
    assert lost[0] > lost[1]


def test_without_a_space_each_tile_is_named_by_itself() -> None:
    """Networks for which none was fitted are taken at their word."""
    names = said({SEVEN: 0.6}, {NINE: 0.9})
    assert joint_numbers(names, np.zeros((2, 0)), None) is names


def test_places_that_tell_nothing_change_nothing(space: FigureSpace) -> None:
    """Names of a classifier without a space, and features that are no numbers."""
    names = said({SEVEN: 0.6}, {NINE: 0.9})
    assert joint_numbers(names, np.zeros((2, 0)), space) is names
    assert joint_numbers(names, np.full((2, AXES), np.nan), space) is names


def test_a_space_is_read_from_its_file(space: FigureSpace) -> None:
    """What is written is read; an archive that lacks a part, or whose parts don't go together, is refused."""
    file = io.BytesIO()
    np.savez(file, axes=space.axes, usual=space.usual, spread=space.spread)
    file.seek(0)
    read = FigureSpace.load(file)
    assert np.array_equal(read.usual, space.usual)
    assert read.embed(np.eye(AXES)) == pytest.approx(np.eye(AXES))
    file = io.BytesIO()
    np.savez(file, axes=space.axes, usual=space.usual)
    file.seek(0)
    with pytest.raises(ValueError, match="spread"):
        FigureSpace.load(file)
    with pytest.raises(ValueError, match="usual"):
        FigureSpace(space.axes, space.usual[:5], space.spread)
