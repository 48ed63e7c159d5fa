"""Two clusters of colours between like inks are two inks, also where every tile of both is taken for one of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.vision.config import recognition_limits as limits
from tilekeeper.vision.recognition.ink_mixture import KnownInks, joint_inks
from tilekeeper.vision.recognition.ink_pairs import from_the_middle, pair_on
from tilekeeper.vision.types import INKS, NUMBERS

ORANGE, RED = INKS.index("orange"), INKS.index("red")
SURE = 0.97
"""As sure as an ink of which nobody is asked."""


def usual(ink: int) -> np.ndarray:
    colour = np.array(limits.usual_inks[ink])
    return colour / np.linalg.norm(colour)


def tiles(*some: tuple[int, float, float, float], seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the namer says of groups of tiles, the inks, colours and numbers.

    Each group is (how many, where its colour lies from orange, 0, to red, 1, the namer's odds (logarithm) of red to
    orange, and how far colours vary). Numbers differ, as far as there are so many.
    """
    rng = np.random.default_rng(seed)
    inks, colours = [], []
    for count, at, odds, spread in some:
        for _ in range(count):
            colour = (1 - at) * usual(ORANGE) + at * usual(RED) + rng.normal(0, spread, 3)
            colours.append(colour / np.linalg.norm(colour))
            of = np.full(len(INKS), -6.0)
            of[ORANGE], of[RED] = -np.logaddexp(0, odds), -np.logaddexp(0, -odds)
            inks.append(of - np.logaddexp.reduce(of))
    numbers = np.full((len(inks), NUMBERS + 2), -9.0)
    numbers[np.arange(len(inks)), np.arange(len(inks)) % NUMBERS] = 0.0
    return np.array(inks), np.array(colours), numbers - np.logaddexp.reduce(numbers, axis=1, keepdims=True)


def named(inks: np.ndarray) -> list[int]:
    return inks.argmax(axis=1).tolist()


@given(seed=st.integers(0, 50), of_first=st.integers(3, 8), of_second=st.integers(3, 8))
def test_two_clusters_that_are_all_named_alike_are_two_inks(seed, of_first, of_second):
    """A dark orange, of which the namer says red, but less surely than of the red beside it."""
    table = tiles((of_first, 0.55, 2.0, 0.006), (of_second, 1.0, 6.0, 0.006), seed=seed)
    assert named(table[0]) == [RED] * (of_first + of_second)
    assert named(joint_inks(*table)) == [ORANGE] * of_first + [RED] * of_second


@given(seed=st.integers(0, 50), count=st.integers(2, 12), at=st.floats(0.8, 1.0))
def test_one_cluster_is_one_ink(seed, count, at):
    table = tiles((count, at, 5.0, 0.006), seed=seed)
    joint = joint_inks(*table)
    assert named(joint) == [RED] * count
    assert np.exp(joint[:, RED]).min() > SURE


def test_clusters_that_are_named_apart_already_stay():
    table = tiles((4, 0.0, -5.0, 0.006), (4, 1.0, 5.0, 0.006))
    joint = joint_inks(*table)
    assert named(joint) == [ORANGE] * 4 + [RED] * 4
    assert np.exp(joint.max(axis=1)).min() > SURE


def test_what_the_namer_is_as_sure_of_is_asked_about():
    """The colours are two, and the namer sees no difference: a cluster may be of the other ink, or in another light."""
    joint = np.exp(joint_inks(*tiles((4, 0.5, 6.0, 0.004), (4, 1.0, 6.5, 0.004))))
    assert joint[:4, [ORANGE, RED]].max() < 0.6
    assert joint[4:, RED].min() > SURE


def test_nothing_is_asked_where_the_other_ink_lies_there_too():
    """There is no ink left that one of the clusters could be: a set has one orange."""
    table = tiles((4, 0.6, 6.0, 0.004), (4, 1.0, 6.5, 0.004), (4, 0.1, -6.0, 0.004))
    joint = np.exp(joint_inks(*table))
    assert joint[:8, RED].min() > SURE


def test_colours_that_vary_are_one_ink():
    """As where a lamp stands at one side of the table."""
    table = tiles(*((1, at, 6.0, 0.0) for at in np.linspace(0.7, 1.0, 9)))
    assert np.exp(joint_inks(*table)[:, RED]).min() > SURE


@pytest.mark.parametrize("ink", [ORANGE, RED])
def test_one_answer_settles_the_cluster(ink):
    inks, colours, numbers = tiles((4, 0.5, 6.0, 0.004), (4, 1.0, 6.5, 0.004))
    inks[0] = np.where(np.arange(len(INKS)) == ink, 0.0, -30.0)
    joint = np.exp(joint_inks(inks, colours, numbers, certain=np.arange(8) == 0))
    assert named(joint) == [ink] * 4 + [RED] * 4
    assert joint.max(axis=1).min() > SURE


def test_an_answer_holds_when_its_tile_is_gone():
    inks, colours, numbers = tiles((4, 0.5, 6.0, 0.004), (4, 1.0, 6.5, 0.004))
    known = KnownInks(np.array([ORANGE]), colours[:1])
    joint = np.exp(joint_inks(inks[1:], colours[1:], numbers[1:], known=known))
    assert len(joint) == 7
    assert named(joint) == [ORANGE] * 3 + [RED] * 4
    assert joint.max(axis=1).min() > SURE


@pytest.mark.parametrize("gone", [False, True])
@pytest.mark.parametrize("slip", [ORANGE, RED])
def test_a_slip_of_a_person_turns_no_tile_but_its_own(slip, gone):
    """Nobody could take it back once the tile is gone; as little where the tile was named in the light of another lamp.

    The word is that for one tile of the other ink's cluster, and the namer and the colours both say the contrary.
    """
    inks, colours, numbers = tiles((6, 0.0, -5.0, 0.006), (6, 1.0, 5.0, 0.006))
    at, right = (6 if slip == ORANGE else 0), [ORANGE] * 6 + [RED] * 6
    if gone:
        assert named(joint_inks(inks, colours, numbers, known=KnownInks(np.array([slip]), colours[[at]]))) == right
        return
    inks[at], right[at] = np.where(np.arange(len(INKS)) == slip, 0.0, -30.0), slip
    assert named(joint_inks(inks, colours, numbers, certain=np.arange(12) == at)) == right


def test_what_is_not_red_becomes_orange_and_no_third_ink():
    """As surely as a tile was of one of both inks it stays so: a dark orange may look like black before orange."""
    inks, colours, numbers = tiles((4, 0.5, 9.0, 0.004), (4, 1.0, 9.5, 0.004))
    inks[0] = np.where(np.arange(len(INKS)) == ORANGE, 0.0, -30.0)
    numbered = 1 - np.exp(numbers[:, NUMBERS:]).sum(axis=1)
    moved = np.exp(from_the_middle(inks, pair_on(inks, colours, numbered, np.arange(8) == 0)))
    assert named(moved) == [ORANGE] * 4 + [RED] * 4
    np.testing.assert_allclose(moved[:, [ORANGE, RED]].sum(axis=1), np.exp(inks)[:, [ORANGE, RED]].sum(axis=1))
