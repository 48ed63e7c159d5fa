"""Two clusters of colours between like inks are two inks, also where every tile of both is taken for one of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.vision.recognition.ink_evidence import InkEvidence
from tilekeeper.vision.recognition.ink_mixture import joint_inks
from tilekeeper.vision.recognition.ink_pairs import (
    INK_ABSORPTION_RGB_SHARE,
    apply_answers,
    find_ink_pairs,
    recentre_odds,
)
from tilekeeper.vision.types import INKS, NUMBERS

ORANGE, RED, BLACK, BLUE = map(INKS.index, ("orange", "red", "black", "blue"))
SURE = 0.97
"""As sure as an ink of which nobody is asked."""


def usual(ink: int) -> np.ndarray:
    colour = np.array(INK_ABSORPTION_RGB_SHARE[ink])
    return colour / np.linalg.norm(colour)


def tiles(
    *some: tuple[int, float, float, float], seed: int = 0, like: tuple[int, int] = (ORANGE, RED)
) -> tuple[InkEvidence, np.ndarray]:
    """What is seen of groups of tiles that nobody has named, and their numbers.

    Each group is (how many, where its colour lies from the first of two like inks, 0, to the second, 1, the
    classifier's odds (logarithm) of second to first, and how far colours vary). Numbers differ, as far as there are so
    many.
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
    seen = InkEvidence(np.array(inks), np.array(colours), np.full(len(inks), -1))
    return seen, numbers - np.logaddexp.reduce(numbers, axis=1, keepdims=True)


def confirm(seen: InkEvidence, *words: tuple[int, int]) -> InkEvidence:
    """The same with people's words for some tiles: which tile, and which ink."""
    inks = seen.answers.copy()
    for at, ink in words:
        inks[at] = ink
    return replace(seen, answers=inks)


def at(seen: InkEvidence, which: slice) -> InkEvidence:
    """Some of them."""
    return InkEvidence(seen.log_probs[which], seen.colours[which], seen.answers[which])


def likeliest_inks(inks: np.ndarray) -> list[int]:
    return inks.argmax(axis=1).tolist()


@given(seed=st.integers(0, 50), of_first=st.integers(3, 8), of_second=st.integers(3, 8))
def test_two_clusters_that_are_all_named_alike_are_two_inks(seed, of_first, of_second):
    """A dark orange, of which the classifier says red, but less surely than of the red beside it."""
    table = tiles((of_first, 0.55, 2.0, 0.006), (of_second, 1.0, 6.0, 0.006), seed=seed)
    assert likeliest_inks(table[0].log_probs) == [RED] * (of_first + of_second)
    assert likeliest_inks(joint_inks(*table)) == [ORANGE] * of_first + [RED] * of_second


@given(seed=st.integers(0, 50), count=st.integers(2, 12), at=st.floats(0.8, 1.0))
def test_one_cluster_is_one_ink(seed, count, at):
    table = tiles((count, at, 5.0, 0.006), seed=seed)
    joint = joint_inks(*table)
    assert likeliest_inks(joint) == [RED] * count
    assert np.exp(joint[:, RED]).min() > SURE


def test_clusters_that_are_named_apart_already_stay():
    table = tiles((4, 0.0, -5.0, 0.006), (4, 1.0, 5.0, 0.006))
    joint = joint_inks(*table)
    assert likeliest_inks(joint) == [ORANGE] * 4 + [RED] * 4
    assert np.exp(joint.max(axis=1)).min() > SURE


def test_what_the_classifier_is_as_sure_of_is_asked_about():
    """The colours are two, and the classifier sees no difference: a cluster may be of the other ink, or in another
    light."""
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
    seen, numbers = tiles((4, 0.5, 6.0, 0.004), (4, 1.0, 6.5, 0.004))
    joint = np.exp(joint_inks(confirm(seen, (0, ink)), numbers))
    assert likeliest_inks(joint) == [ink] * 4 + [RED] * 4
    assert joint.max(axis=1).min() > SURE


def test_an_answer_holds_when_its_tile_is_gone():
    seen, numbers = tiles((4, 0.5, 6.0, 0.004), (4, 1.0, 6.5, 0.004))
    gone = confirm(at(seen, slice(1)), (0, ORANGE))
    joint = np.exp(joint_inks(at(seen, slice(1, None)), numbers[1:], known=gone))
    assert len(joint) == 7
    assert likeliest_inks(joint) == [ORANGE] * 3 + [RED] * 4
    assert joint.max(axis=1).min() > SURE


@pytest.mark.parametrize("gone", [False, True])
@pytest.mark.parametrize("slip", [ORANGE, RED])
def test_a_slip_of_a_person_turns_no_tile_but_its_own(slip, gone):
    """Nobody could take it back once the tile is gone; as little where the tile was named in the light of another lamp.

    The word is that for one tile of the other ink's cluster, and the classifier and the colours both say the contrary.
    """
    seen, numbers = tiles((6, 0.0, -5.0, 0.006), (6, 1.0, 5.0, 0.006))
    own, right = (6 if slip == ORANGE else 0), [ORANGE] * 6 + [RED] * 6
    told = confirm(seen, (own, slip))
    if gone:
        assert likeliest_inks(joint_inks(seen, numbers, known=at(told, slice(own, own + 1)))) == right
        return
    right[own] = slip
    assert likeliest_inks(joint_inks(told, numbers)) == right


def test_what_is_not_red_becomes_orange_and_no_third_ink():
    """As surely as a tile was of one of both inks it stays so: a dark orange may look like black before orange."""
    seen, numbers = tiles((4, 0.5, 9.0, 0.004), (4, 1.0, 9.5, 0.004))
    seen = confirm(seen, (0, ORANGE))
    numbered = 1 - np.exp(numbers[:, NUMBERS:]).sum(axis=1)
    (pair,) = find_ink_pairs(seen, numbered)
    moved = np.exp(recentre_odds(seen.log_probs_after_answers, pair))
    assert likeliest_inks(moved) == [ORANGE] * 4 + [RED] * 4
    np.testing.assert_allclose(
        moved[:, [ORANGE, RED]].sum(axis=1), np.exp(seen.log_probs_after_answers)[:, [ORANGE, RED]].sum(axis=1)
    )


LIKE = pytest.mark.parametrize("like", [(ORANGE, RED), (BLACK, BLUE)], ids=["orange or red", "black or blue"])


@LIKE
@pytest.mark.parametrize("leaning", [-1, 1])
def test_one_ink_that_is_open_is_a_doubt_of_all_its_tiles(like, leaning):
    """Of some the classifier is nearly sure: it may be the light of all of them."""
    seen, numbers = tiles((5, 0.5, 2.2 * leaning, 0.006), (3, 0.5, -0.8 * leaning, 0.006), like=like)
    joint = np.exp(joint_inks(seen, numbers))
    assert joint.max(axis=1).max() < 0.6
    assert joint[:, like].sum(axis=1).min() > 0.9


@LIKE
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("gone", [False, True])
@pytest.mark.parametrize("count", [3, 8])
def test_one_answer_settles_all_of_an_open_ink(like, side, gone, count):
    """Also against what the classifier holds for likelier, and when its tile is gone."""
    seen, numbers = tiles((count, 0.5, 0.4, 0.006), like=like)
    told = confirm(seen, (0, like[side]))
    if gone:
        joint = np.exp(joint_inks(at(seen, slice(1, None)), numbers[1:], known=at(told, slice(1))))
    else:
        joint = np.exp(joint_inks(told, numbers))
    assert set(likeliest_inks(joint)) == {like[side]}
    assert joint.max(axis=1).min() > SURE


@LIKE
@pytest.mark.parametrize("gone", [False, True])
def test_a_word_for_a_clear_tile_turns_no_others(like, gone):
    """Somebody mended the number of a tile that is clearly of the other ink."""
    seen, numbers = tiles((1, 0.0, -8.0, 0.006), (8, 1.0, 0.5, 0.006), like=like)
    told = confirm(seen, (0, like[0]))
    if gone:
        joint = joint_inks(at(seen, slice(1, None)), numbers[1:], known=at(told, slice(1)))
    else:
        joint = joint_inks(told, numbers)[1:]
    assert likeliest_inks(joint) == [like[1]] * 8


@LIKE
@pytest.mark.parametrize("seen_at", [(0.75, -4.0), (0.6, 0.3), (1.0, -4.0)])
def test_where_one_tile_is_clearly_another_no_ink_is_open(like, seen_at):
    """By its colour or its odds: a word for the others does not turn it."""
    colour, odds = seen_at
    seen, numbers = tiles((1, colour, odds, 0.002), (9, 1.0, 0.3, 0.002), like=like)
    assert not [pair for pair in find_ink_pairs(seen, np.ones(10)) if pair.is_single]
    if odds < 0:
        assert likeliest_inks(joint_inks(confirm(seen, (5, like[1])), numbers))[0] == like[0]


def test_jokers_are_of_no_ink_that_is_open():
    """They come in any ink."""
    seen, _ = tiles((6, 0.5, 0.4, 0.006))
    (pair,) = find_ink_pairs(seen, np.array([1, 1, 1, 0, 0, 0]))
    assert pair.tiles.tolist() == [True] * 3 + [False] * 3


@pytest.mark.parametrize("gone", [False, True])
def test_a_word_for_one_cluster_leaves_the_other_where_it_is(gone):
    """That the true red is red tells the dark orange no less apart, and leaves a doubt of it one."""
    for odds, lower in ((2.0, ORANGE), (6.0, RED)):
        seen, numbers = tiles((4, 0.5, odds, 0.006), (5, 1.0, 6.5, 0.006))
        told = confirm(seen, (8, RED))
        known = at(told, slice(8, 9)) if gone else None
        joint = joint_inks(at(told, slice(8)), numbers[:8], known=known) if gone else joint_inks(told, numbers)
        assert likeliest_inks(joint)[:8] == [lower] * 4 + [RED] * 4
        assert np.exp(joint[:4]).max() > 0.9 or lower == RED
        assert np.exp(joint[:4]).max() < 0.6 or lower == ORANGE


def test_a_word_for_what_looked_like_neither_ink_turns_no_cluster():
    """A tile that looked black was said to be orange; it is gone, or lies there."""
    seen, numbers = tiles((4, 0.0, -3.0, 0.006), (4, 1.0, 1.2, 0.006))
    black = InkEvidence(np.log([[0.997, 0.001, 0.0019, 0.0001]]), usual(BLACK)[None], np.array([ORANGE]))
    right = [ORANGE] * 4 + [RED] * 4
    assert likeliest_inks(joint_inks(seen, numbers, known=black)) == right
    assert (
        likeliest_inks(joint_inks(InkEvidence.concatenate([seen, black]), np.vstack([numbers, numbers[:1]])))[:8]
        == right
    )


@LIKE
def test_an_ink_of_which_people_say_both_is_open_no_more(like):
    """One of five slipped: what most of them said holds, and nobody is asked for ever."""
    seen, numbers = tiles((8, 0.5, 0.4, 0.006), like=like)
    told = confirm(seen, (0, like[0]), *((tile, like[1]) for tile in range(1, 5)))
    joint = np.exp(joint_inks(told, numbers))
    assert likeliest_inks(joint) == [like[0]] + [like[1]] * 7
    assert joint[5:].max(axis=1).min() > 0.9


@LIKE
@pytest.mark.parametrize("words", [0, 1])
def test_inks_of_two_colours_are_not_one_that_is_open(like, words):
    """The classifier is hardly sure of any of them, and right about all: the colours tell the rest."""
    seen, numbers = tiles((4, 0.2, -1.4, 0.006), (4, 0.8, 1.4, 0.006), like=like)
    told = confirm(seen, *((0, like[0]),) * words)
    joint = np.exp(joint_inks(told, numbers))
    assert likeliest_inks(joint) == [like[0]] * 4 + [like[1]] * 4
    assert joint.max(axis=1).min() > 0.9


@LIKE
def test_answers_for_both_inks_part_the_others_between_them(like):
    seen, _ = tiles((5, 0.45, 0.5, 0.02), (5, 0.55, 4.5, 0.02), like=like)
    seen = confirm(seen, (0, like[0]), (5, like[1]))
    told = apply_answers(seen.log_probs_after_answers, seen, ())
    odds = told[:, like[1]] - told[:, like[0]]
    assert odds[1:5].max() < 0
    assert odds[6:].min() > 2
    np.testing.assert_allclose(np.exp(told).sum(axis=1), np.exp(seen.log_probs_after_answers).sum(axis=1))


@LIKE
def test_an_answer_that_was_expected_changes_hardly_anything(like):
    seen, _ = tiles((4, 0.0, -5.0, 0.006), (4, 1.0, 5.0, 0.006), like=like)
    told = apply_answers(confirm(seen, (0, like[0])).log_probs_after_answers, confirm(seen, (0, like[0])), ())
    np.testing.assert_allclose(np.exp(told[1:]), np.exp(seen.log_probs[1:]), atol=0.01)


@LIKE
def test_a_word_against_what_is_seen_tells_little_of_the_others(like):
    """It may be a slip: the more so, the surer the contrary looks."""
    seen, _ = tiles((5, 0.0, -7.0, 0.006), like=like)
    told = apply_answers(confirm(seen, (0, like[1])).log_probs_after_answers, confirm(seen, (0, like[1])), ())
    assert np.exp(told[1:, like[0]]).min() > 0.985


@LIKE
def test_a_word_tells_as_much_as_shifts_of_the_light_are_usual(like):
    """One answer of an open ink is no proof of the others; a large shift is less likely than a small one."""
    seen, _ = tiles((4, 0.5, 0.5, 0.006), like=like)
    told = np.exp(apply_answers(confirm(seen, (0, like[0])).log_probs_after_answers, confirm(seen, (0, like[0])), ()))
    assert 0.6 < told[1:, like[0]].min() <= told[1:, like[0]].max() < 0.7


def test_words_that_settled_clusters_are_counted_once():
    """The first cluster was called orange; the other is red, as it looks."""
    seen, numbers = tiles((3, 0.6, 1.0, 0.004), (3, 1.0, 1.0, 0.004))
    assert likeliest_inks(joint_inks(confirm(seen, (0, ORANGE)), numbers)) == [ORANGE] * 3 + [RED] * 3


def test_a_word_tells_nothing_of_inks_that_the_tile_was_not_seen_to_have():
    """What looked black was said to be red: that next to no orange or red was seen there is no sign of either."""
    seen, _ = tiles((4, 0.5, 0.5, 0.006))
    black = np.log([0.997, 0.001, 0.0019, 0.0001])
    seen = InkEvidence(
        np.vstack([black, seen.log_probs]), np.vstack([usual(BLACK), seen.colours]), np.array([RED, *[-1] * 4])
    )
    assert np.array_equal(apply_answers(seen.log_probs_after_answers, seen, ()), seen.log_probs_after_answers)
