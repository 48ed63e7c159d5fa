"""Two clusters of colours between like inks are two inks, also where every tile of both is taken for one of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.vision.config import recognition_limits as limits
from tilekeeper.vision.recognition.ink_mixture import KnownInks, joint_inks
from tilekeeper.vision.recognition.ink_pairs import after_answers, from_the_middle, pairs_on
from tilekeeper.vision.types import INKS, NUMBERS

ORANGE, RED, BLACK, BLUE = map(INKS.index, ("orange", "red", "black", "blue"))
SURE = 0.97
"""As sure as an ink of which nobody is asked."""


def usual(ink: int) -> np.ndarray:
    colour = np.array(limits.usual_inks[ink])
    return colour / np.linalg.norm(colour)


def tiles(
    *some: tuple[int, float, float, float], seed: int = 0, like: tuple[int, int] = (ORANGE, RED)
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What the namer says of groups of tiles, the inks, colours and numbers.

    Each group is (how many, where its colour lies from the first of two like inks, 0, to the second, 1, the namer's
    odds (logarithm) of second to first, and how far colours vary). Numbers differ, as far as there are so many.
    """
    rng = np.random.default_rng(seed)
    inks, colours = [], []
    for count, at, odds, spread in some:
        for _ in range(count):
            colour = (1 - at) * usual(like[0]) + at * usual(like[1]) + rng.normal(0, spread, 3)
            colours.append(colour / np.linalg.norm(colour))
            of = np.full(len(INKS), -6.0)
            of[like[0]], of[like[1]] = -np.logaddexp(0, odds), -np.logaddexp(0, -odds)
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
    known = KnownInks(np.array([ORANGE]), colours[:1], inks[:1])
    joint = np.exp(joint_inks(inks[1:], colours[1:], numbers[1:], known=known))
    assert len(joint) == 7
    assert named(joint) == [ORANGE] * 3 + [RED] * 4
    assert joint.max(axis=1).min() > SURE


LIKE = pytest.mark.parametrize("like", [(ORANGE, RED), (BLACK, BLUE)], ids=["orange or red", "black or blue"])


def said(inks: np.ndarray, at: int, ink: int) -> np.ndarray:
    """The same with a person's word for a tile."""
    told = inks.copy()
    told[at] = np.where(np.arange(len(INKS)) == ink, 0.0, -30.0)
    return told


@LIKE
def test_one_ink_that_is_open_is_a_doubt_of_all_its_tiles(like):
    """Of some the namer is nearly sure: it may be the light of all of them."""
    inks, colours, numbers = tiles((5, 0.5, 2.2, 0.006), (3, 0.5, 0.2, 0.006), like=like)
    joint = np.exp(joint_inks(inks, colours, numbers))
    assert len(set(named(joint))) == 1
    assert joint.max(axis=1).max() < 0.6
    assert joint[:, like].sum(axis=1).min() > 0.9


@LIKE
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("gone", [False, True])
def test_one_answer_settles_all_of_an_open_ink(like, side, gone):
    """Also against what the namer holds for likelier, and when its tile is gone."""
    seen, colours, numbers = tiles((8, 0.5, 0.4, 0.006), like=like)
    if gone:
        known = KnownInks(np.array([like[side]]), colours[:1], seen[:1])
        joint = np.exp(joint_inks(seen[1:], colours[1:], numbers[1:], known=known))
    else:
        inks, certain = said(seen, 0, like[side]), np.arange(8) == 0
        joint = np.exp(joint_inks(inks, colours, numbers, certain=certain, seen_log_probs=seen))
    assert set(named(joint)) == {like[side]}
    assert joint.max(axis=1).min() > SURE


@LIKE
def test_answers_for_both_inks_part_the_others_between_them(like):
    seen, *_ = tiles((5, 0.45, 0.5, 0.02), (5, 0.55, 4.5, 0.02), like=like)
    inks, certain = said(said(seen, 0, like[0]), 5, like[1]), np.isin(np.arange(10), (0, 5))
    told = after_answers(inks, seen, certain, ())
    odds = told[:, like[1]] - told[:, like[0]]
    assert odds[1:5].max() < 0
    assert odds[6:].min() > 2
    np.testing.assert_allclose(np.exp(told).sum(axis=1), np.exp(inks).sum(axis=1))


@LIKE
def test_an_answer_that_was_expected_changes_hardly_anything(like):
    seen, *_ = tiles((4, 0.0, -5.0, 0.006), (4, 1.0, 5.0, 0.006), like=like)
    told = after_answers(said(seen, 0, like[0]), seen, np.arange(8) == 0, ())
    np.testing.assert_allclose(np.exp(told[1:]), np.exp(seen[1:]), atol=0.01)


@pytest.mark.parametrize("gone", [False, True])
@pytest.mark.parametrize("slip", [ORANGE, RED])
def test_a_slip_of_a_person_turns_no_tile_but_its_own(slip, gone):
    """Nobody could take it back once the tile is gone; as little where the tile was named in the light of another lamp.

    The word is that for one tile of the other ink's cluster, and the namer and the colours both say the contrary.
    """
    inks, colours, numbers = tiles((6, 0.0, -5.0, 0.006), (6, 1.0, 5.0, 0.006))
    at, right = (6 if slip == ORANGE else 0), [ORANGE] * 6 + [RED] * 6
    if gone:
        assert (
            named(joint_inks(inks, colours, numbers, known=KnownInks(np.array([slip]), colours[[at]], inks[[at]])))
            == right
        )
        return
    inks[at], right[at] = np.where(np.arange(len(INKS)) == slip, 0.0, -30.0), slip
    assert named(joint_inks(inks, colours, numbers, certain=np.arange(12) == at)) == right


def test_what_is_not_red_becomes_orange_and_no_third_ink():
    """As surely as a tile was of one of both inks it stays so: a dark orange may look like black before orange."""
    inks, colours, numbers = tiles((4, 0.5, 9.0, 0.004), (4, 1.0, 9.5, 0.004))
    inks[0] = np.where(np.arange(len(INKS)) == ORANGE, 0.0, -30.0)
    numbered = 1 - np.exp(numbers[:, NUMBERS:]).sum(axis=1)
    (pair,) = pairs_on(inks, colours, numbered, np.arange(8) == 0)
    moved = np.exp(from_the_middle(inks, pair))
    assert named(moved) == [ORANGE] * 4 + [RED] * 4
    np.testing.assert_allclose(moved[:, [ORANGE, RED]].sum(axis=1), np.exp(inks)[:, [ORANGE, RED]].sum(axis=1))
