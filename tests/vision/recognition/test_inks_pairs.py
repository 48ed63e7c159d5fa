"""Two colour clusters between similar inks are two inks, even if the classifier takes all tiles for one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.vision.recognition.inks import (
    INK_ABSORPTION_RGB_SHARE,
    InkEvidence,
    apply_answers,
    find_ink_pairs,
    joint_inks,
    recentre_odds,
)
from tilekeeper.vision.types import INKS, NUMBERS

ORANGE, RED, BLACK, BLUE = map(INKS.index, ("orange", "red", "black", "blue"))
SURE = 0.97
"""An ink with at least this probability is not flagged."""


def usual(ink: int) -> np.ndarray:
    colour = np.array(INK_ABSORPTION_RGB_SHARE[ink])
    return colour / np.linalg.norm(colour)


def tiles(
    *groups: tuple[int, float, float, float], seed: int = 0, like: tuple[int, int] = (ORANGE, RED)
) -> tuple[InkEvidence, np.ndarray]:
    """Return evidence of groups of tiles without answers, and their numbers.

    Each group is its size, its place from the first (0) to the second ink (1), the log odds of second to first, and the
    spread of its colours. Numbers differ as far as possible.
    """
    rng = np.random.default_rng(seed)
    inks, colours = [], []
    for count, place, odds, spread in groups:
        for _ in range(count):
            colour = (1 - place) * usual(like[0]) + place * usual(like[1]) + rng.normal(0, spread, 3)
            colours.append(colour / np.linalg.norm(colour))
            log_probs = np.full(len(INKS), -6.0)
            log_probs[like[0]], log_probs[like[1]] = -np.logaddexp(0, odds), -np.logaddexp(0, -odds)
            inks.append(log_probs - np.logaddexp.reduce(log_probs))
    numbers = np.full((len(inks), NUMBERS + 2), -9.0)
    numbers[np.arange(len(inks)), np.arange(len(inks)) % NUMBERS] = 0.0
    evidence = InkEvidence(np.array(inks), np.array(colours), np.full(len(inks), -1))
    return evidence, numbers - np.logaddexp.reduce(numbers, axis=1, keepdims=True)


def confirm(evidence: InkEvidence, *answers: tuple[int, int]) -> InkEvidence:
    """Return the evidence with answers, each a tile and an ink."""
    inks = evidence.answers.copy()
    for tile, ink in answers:
        inks[tile] = ink
    return replace(evidence, answers=inks)


def likeliest_inks(inks: np.ndarray) -> list[int]:
    return inks.argmax(axis=1).tolist()


@given(seed=st.integers(0, 50), first_count=st.integers(3, 8), second_count=st.integers(3, 8))
def test_two_clusters_of_one_label_become_two_inks(seed, first_count, second_count):
    table = tiles((first_count, 0.55, 2.0, 0.006), (second_count, 1.0, 6.0, 0.006), seed=seed)
    assert likeliest_inks(table[0].log_probs) == [RED] * (first_count + second_count)
    assert likeliest_inks(joint_inks(*table)) == [ORANGE] * first_count + [RED] * second_count


BROWN, DEEP_RED = np.array([0.41, 0.60, 0.69]), np.array([0.21, 0.69, 0.70])
"""Absorbed light of a dark orange that is nearly brown, and of the red of the same set; the line from the usual orange
to the usual red has them at the same place."""


@given(seed=st.integers(0, 50))
def test_a_brown_orange_is_told_from_red_by_its_colour(seed):
    evidence, numbers = tiles((13, 1.0, 4.3, 0.006), (11, 1.0, 7.1, 0.006), seed=seed)
    colours = np.concatenate([np.tile(BROWN, (13, 1)), np.tile(DEEP_RED, (11, 1))])
    colours += np.random.default_rng(seed).normal(0, 0.01, colours.shape)
    evidence = replace(evidence, colours=colours / np.linalg.norm(colours, axis=1, keepdims=True))
    assert likeliest_inks(joint_inks(evidence, numbers)) == [ORANGE] * 13 + [RED] * 11


@given(seed=st.integers(0, 50), odds=st.floats(-4.5, -4.0))
def test_a_dark_teal_is_told_from_black_where_colours_and_odds_differ(seed, odds):
    table = tiles((6, 0.0, -7.0, 0.006), (6, 0.3, odds, 0.006), seed=seed, like=(BLACK, BLUE))
    assert likeliest_inks(joint_inks(*table)) == [BLACK] * 6 + [BLUE] * 6


@given(seed=st.integers(0, 50))
def test_black_in_a_shadow_stays_black(seed):
    table = tiles((6, 0.0, -7.0, 0.006), (6, 0.3, -6.0, 0.006), seed=seed, like=(BLACK, BLUE))
    assert likeliest_inks(joint_inks(*table)) == [BLACK] * 12


@given(seed=st.integers(0, 50))
def test_a_single_red_shows_that_the_others_are_orange_if_its_odds_differ(seed):
    table = tiles((6, 0.6, 2.0, 0.006), (1, 1.0, 7.5, 0.006), seed=seed)
    assert likeliest_inks(joint_inks(*table)) == [ORANGE] * 6 + [RED]
    table = tiles((6, 0.6, 5.0, 0.006), (1, 1.0, 6.5, 0.006), seed=seed)
    assert likeliest_inks(joint_inks(*table))[-1] == RED


@given(seed=st.integers(0, 50), count=st.integers(2, 12), place=st.floats(0.8, 1.0))
def test_one_cluster_is_one_ink(seed, count, place):
    table = tiles((count, place, 5.0, 0.006), seed=seed)
    joint = joint_inks(*table)
    assert likeliest_inks(joint) == [RED] * count
    assert np.exp(joint[:, RED]).min() > SURE


def test_clusters_with_different_labels_stay():
    table = tiles((4, 0.0, -5.0, 0.006), (4, 1.0, 5.0, 0.006))
    joint = joint_inks(*table)
    assert likeliest_inks(joint) == [ORANGE] * 4 + [RED] * 4
    assert np.exp(joint.max(axis=1)).min() > SURE


def test_two_clusters_of_equal_certainty_are_ambiguous():
    joint = np.exp(joint_inks(*tiles((4, 0.5, 6.0, 0.004), (4, 1.0, 6.5, 0.004))))
    assert joint[:4, [ORANGE, RED]].max() < 0.6
    assert joint[4:, RED].min() > SURE


def test_clusters_are_not_ambiguous_if_the_other_ink_is_present():
    table = tiles((4, 0.6, 6.0, 0.004), (4, 1.0, 6.5, 0.004), (4, 0.1, -6.0, 0.004))
    joint = np.exp(joint_inks(*table))
    assert joint[:8, RED].min() > SURE


def test_evenly_varying_colours_are_one_ink():
    """A lamp at one side of the table causes this."""
    table = tiles(*((1, index, 6.0, 0.0) for index in np.linspace(0.7, 1.0, 9)))
    assert np.exp(joint_inks(*table)[:, RED]).min() > SURE


@pytest.mark.parametrize("ink", [ORANGE, RED])
def test_one_answer_settles_the_cluster(ink):
    evidence, numbers = tiles((4, 0.5, 6.0, 0.004), (4, 1.0, 6.5, 0.004))
    joint = np.exp(joint_inks(confirm(evidence, (0, ink)), numbers))
    assert likeliest_inks(joint) == [ink] * 4 + [RED] * 4
    assert joint.max(axis=1).min() > SURE


def test_answer_counts_after_its_tile_is_gone():
    evidence, numbers = tiles((4, 0.5, 6.0, 0.004), (4, 1.0, 6.5, 0.004))
    removed = confirm(evidence.at(slice(1)), (0, ORANGE))
    joint = np.exp(joint_inks(evidence.at(slice(1, None)), numbers[1:], known=removed))
    assert len(joint) == 7
    assert likeliest_inks(joint) == [ORANGE] * 3 + [RED] * 4
    assert joint.max(axis=1).min() > SURE


@pytest.mark.parametrize("is_gone", [False, True])
@pytest.mark.parametrize("slip", [ORANGE, RED])
def test_mistaken_answer_changes_only_its_own_tile(slip, is_gone):
    """Classifier and colours both contradict it, and after the tile is taken nobody can correct it."""
    evidence, numbers = tiles((6, 0.0, -5.0, 0.006), (6, 1.0, 5.0, 0.006))
    tile, right = (6 if slip == ORANGE else 0), [ORANGE] * 6 + [RED] * 6
    answered = confirm(evidence, (tile, slip))
    if is_gone:
        assert likeliest_inks(joint_inks(evidence, numbers, known=answered.at(slice(tile, tile + 1)))) == right
        return
    right[tile] = slip
    assert likeliest_inks(joint_inks(answered, numbers)) == right


def test_recentred_odds_keep_the_probability_of_other_inks():
    evidence, numbers = tiles((4, 0.5, 9.0, 0.004), (4, 1.0, 9.5, 0.004))
    evidence = confirm(evidence, (0, ORANGE))
    numbered = 1 - np.exp(numbers[:, NUMBERS:]).sum(axis=1)
    (pair,) = find_ink_pairs(evidence, numbered)
    probs = np.exp(recentre_odds(evidence.log_probs_after_answers, pair))
    assert likeliest_inks(probs) == [ORANGE] * 4 + [RED] * 4
    np.testing.assert_allclose(
        probs[:, [ORANGE, RED]].sum(axis=1), np.exp(evidence.log_probs_after_answers)[:, [ORANGE, RED]].sum(axis=1)
    )


LIKE = pytest.mark.parametrize("like", [(ORANGE, RED), (BLACK, BLUE)], ids=["orange or red", "black or blue"])


@LIKE
@pytest.mark.parametrize("leaning", [-1, 1])
def test_ambiguous_cluster_flags_all_its_tiles(like, leaning):
    """Even nearly certain tiles are flagged, because the light may shift all of them."""
    evidence, numbers = tiles((5, 0.5, 2.2 * leaning, 0.006), (3, 0.5, -0.8 * leaning, 0.006), like=like)
    joint = np.exp(joint_inks(evidence, numbers))
    assert joint.max(axis=1).max() < 0.6
    assert joint[:, like].sum(axis=1).min() > 0.9


@LIKE
@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("is_gone", [False, True])
@pytest.mark.parametrize("count", [3, 8])
def test_one_answer_settles_an_ambiguous_cluster(like, side, is_gone, count):
    """The answer may contradict the classifier, and its tile may be gone."""
    evidence, numbers = tiles((count, 0.5, 0.4, 0.006), like=like)
    answered = confirm(evidence, (0, like[side]))
    if is_gone:
        joint = np.exp(joint_inks(evidence.at(slice(1, None)), numbers[1:], known=answered.at(slice(1))))
    else:
        joint = np.exp(joint_inks(answered, numbers))
    assert set(likeliest_inks(joint)) == {like[side]}
    assert joint.max(axis=1).min() > SURE


@LIKE
@pytest.mark.parametrize("is_gone", [False, True])
def test_answer_on_a_clear_tile_changes_no_other_tile(like, is_gone):
    evidence, numbers = tiles((1, 0.0, -8.0, 0.006), (8, 1.0, 0.5, 0.006), like=like)
    answered = confirm(evidence, (0, like[0]))
    if is_gone:
        joint = joint_inks(evidence.at(slice(1, None)), numbers[1:], known=answered.at(slice(1)))
    else:
        joint = joint_inks(answered, numbers)[1:]
    assert likeliest_inks(joint) == [like[1]] * 8


@LIKE
@pytest.mark.parametrize("seen_at", [(0.75, -4.0), (0.6, 0.3), (1.0, -4.0)])
def test_cluster_with_one_clearly_different_tile_is_not_ambiguous(like, seen_at):
    """It differs in colour or in odds."""
    colour, odds = seen_at
    evidence, numbers = tiles((1, colour, odds, 0.002), (9, 1.0, 0.3, 0.002), like=like)
    assert not [pair for pair in find_ink_pairs(evidence, np.ones(10)) if pair.is_single]
    if odds < 0:
        assert likeliest_inks(joint_inks(confirm(evidence, (5, like[1])), numbers))[0] == like[0]


def test_jokers_belong_to_no_ambiguous_cluster():
    evidence, _ = tiles((6, 0.5, 0.4, 0.006))
    (pair,) = find_ink_pairs(evidence, np.array([1, 1, 1, 0, 0, 0]))
    assert (pair.clusters[0] | pair.clusters[1]).tolist() == [True] * 3 + [False] * 3


@pytest.mark.parametrize("is_gone", [False, True])
def test_answer_on_one_cluster_keeps_the_other(is_gone):
    for odds, lower in ((2.0, ORANGE), (6.0, RED)):
        evidence, numbers = tiles((4, 0.5, odds, 0.006), (5, 1.0, 6.5, 0.006))
        answered = confirm(evidence, (8, RED))
        known = answered.at(slice(8, 9)) if is_gone else None
        joint = (
            joint_inks(answered.at(slice(8)), numbers[:8], known=known) if is_gone else joint_inks(answered, numbers)
        )
        assert likeliest_inks(joint)[:8] == [lower] * 4 + [RED] * 4
        assert np.exp(joint[:4]).max() > 0.9 or lower == RED
        assert np.exp(joint[:4]).max() < 0.6 or lower == ORANGE


def test_answer_on_a_tile_of_neither_ink_changes_no_cluster():
    evidence, numbers = tiles((4, 0.0, -3.0, 0.006), (4, 1.0, 1.2, 0.006))
    black = InkEvidence(np.log([[0.997, 0.001, 0.0019, 0.0001]]), usual(BLACK)[None], np.array([ORANGE]))
    right = [ORANGE] * 4 + [RED] * 4
    assert likeliest_inks(joint_inks(evidence, numbers, known=black)) == right
    assert (
        likeliest_inks(joint_inks(InkEvidence.concatenate([evidence, black]), np.vstack([numbers, numbers[:1]])))[:8]
        == right
    )


@LIKE
def test_cluster_with_contradicting_answers_is_not_ambiguous(like):
    """One of five was a mistake; the majority counts."""
    evidence, numbers = tiles((8, 0.5, 0.4, 0.006), like=like)
    answered = confirm(evidence, (0, like[0]), *((tile, like[1]) for tile in range(1, 5)))
    joint = np.exp(joint_inks(answered, numbers))
    assert likeliest_inks(joint) == [like[0]] + [like[1]] * 7
    assert joint[5:].max(axis=1).min() > 0.9


@LIKE
@pytest.mark.parametrize("answers", [0, 1])
def test_two_colours_with_low_odds_are_not_one_ambiguous_cluster(like, answers):
    evidence, numbers = tiles((4, 0.2, -1.4, 0.006), (4, 0.8, 1.4, 0.006), like=like)
    answered = confirm(evidence, *((0, like[0]),) * answers)
    joint = np.exp(joint_inks(answered, numbers))
    assert likeliest_inks(joint) == [like[0]] * 4 + [like[1]] * 4
    assert joint.max(axis=1).min() > 0.9


@LIKE
def test_answers_for_both_inks_separate_the_other_tiles(like):
    evidence, _ = tiles((5, 0.45, 0.5, 0.02), (5, 0.55, 4.5, 0.02), like=like)
    evidence = confirm(evidence, (0, like[0]), (5, like[1]))
    result = apply_answers(evidence.log_probs_after_answers, evidence, ())
    odds = result[:, like[1]] - result[:, like[0]]
    assert odds[1:5].max() < 0
    assert odds[6:].min() > 2
    np.testing.assert_allclose(np.exp(result).sum(axis=1), np.exp(evidence.log_probs_after_answers).sum(axis=1))


@LIKE
def test_expected_answer_changes_hardly_anything(like):
    evidence, _ = tiles((4, 0.0, -5.0, 0.006), (4, 1.0, 5.0, 0.006), like=like)
    result = apply_answers(confirm(evidence, (0, like[0])).log_probs_after_answers, confirm(evidence, (0, like[0])), ())
    np.testing.assert_allclose(np.exp(result[1:]), np.exp(evidence.log_probs[1:]), atol=0.01)


@LIKE
def test_answer_against_clear_evidence_hardly_changes_the_others(like):
    """The answer may be a mistake."""
    evidence, _ = tiles((5, 0.0, -7.0, 0.006), like=like)
    result = apply_answers(confirm(evidence, (0, like[1])).log_probs_after_answers, confirm(evidence, (0, like[1])), ())
    assert np.exp(result[1:, like[0]]).min() > 0.985


@LIKE
def test_one_answer_shifts_the_others_by_the_usual_light(like):
    """A large shift is less likely than a small one."""
    evidence, _ = tiles((4, 0.5, 0.5, 0.006), like=like)
    result = np.exp(
        apply_answers(confirm(evidence, (0, like[0])).log_probs_after_answers, confirm(evidence, (0, like[0])), ())
    )
    assert 0.6 < result[1:, like[0]].min() <= result[1:, like[0]].max() < 0.7


def test_answer_that_settled_a_cluster_counts_once():
    evidence, numbers = tiles((3, 0.6, 1.0, 0.004), (3, 1.0, 1.0, 0.004))
    assert likeliest_inks(joint_inks(confirm(evidence, (0, ORANGE)), numbers)) == [ORANGE] * 3 + [RED] * 3


def test_answer_on_a_tile_of_another_ink_changes_no_odds():
    evidence, _ = tiles((4, 0.5, 0.5, 0.006))
    black = np.log([0.997, 0.001, 0.0019, 0.0001])
    evidence = InkEvidence(
        np.vstack([black, evidence.log_probs]), np.vstack([usual(BLACK), evidence.colours]), np.array([RED, *[-1] * 4])
    )
    assert np.array_equal(
        apply_answers(evidence.log_probs_after_answers, evidence, ()), evidence.log_probs_after_answers
    )
