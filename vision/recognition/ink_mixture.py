"""Expectation-maximisation of a mixture of four ink colours over the tiles of one table.

The light of a table changes all tiles of an ink alike. The mixture starts at the classifier's inks and has a prior at
the usual colours; a tile's ink combines both. If a dark orange looks red on all tiles, more than two tiles of one
number seem red, although a set has only two; so the number of copies limits each ink.
"""

from __future__ import annotations

import functools

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints, split_channels, values_at
from tilekeeper.vision.recognition.ink_pairs import (
    MIN_PROB,
    USUAL_COLOURS,
    InkEvidence,
    apply_answers,
    find_ink_pairs,
    mark_ambiguous,
    recentre_odds,
)
from tilekeeper.vision.types import INKS, NUMBERS, WHITE, normalise_log_probs

INK_COLOUR_PRIOR_TILES = 0.5  # The prior colour of an ink counts as much as this many tiles of that ink on the table.
INK_PRIOR_SPREAD_CHORD = 0.1  # Prior standard deviation of one ink's colours, as a chord of the unit colour sphere.
INK_SPREAD_PRIOR_TILES = 2.0  # The prior spread of an ink's colours counts as much as this many tiles of that ink.
MIN_INK_SPREAD_CHORD = 0.05  # Lower limit of an ink's fitted standard deviation, a chord of the unit colour sphere.
INK_OUTLIER_DENSITY = 3.0  # Density of outliers (stains, glare), so that a distant colour does not decide the ink.
CLASSIFIER_INK_WEIGHT_RATIO = 1.15  # Factor on the classifier's ink log probabilities: training keeps it unsure.
MAX_INK_MIXTURE_ROUNDS = 8
INK_MIXTURE_TOLERANCE_PROB = 0.001
EXTRA_COPY_PROB = 0.02  # Probability factor per tile beyond the set; a misread number is likelier than an extra tile.
MAX_EXCESS_TILES = 0.25  # Inks are limited to the set's copies if an ink's expected count exceeds these by over this.
MIN_INK_MIXTURE_TILES = 6  # With fewer numbered tiles, no ink mixture is fitted and the classifier's inks stay.

COPIES = 2
"""Number of tiles of one number and ink in most sets; `junior` has one, house rules may have up to four."""


def ink_absorption(crops: Image) -> Floats:
    """Return the red, green and blue light that the ink of each crop absorbs, as unit vectors `(N, 3) float32`.

    `crops (N, H, W, 3) uint8` BGR with white at `WHITE`. The pixels of thin strokes are mixed with white, which changes
    the amount of absorption but not its colour. So the fifth that absorbs most is averaged, weighted by absorption.
    """
    height, width = crops.shape[1:3]
    glyphs = crops[:, height // 6 : height * 2 // 3 : 2, width // 6 : -width // 6 : 2, ::-1]
    absorption = np.maximum(1 - split_channels(glyphs).astype(np.float32) / WHITE, 0)
    strongest = absorption.max(axis=1)
    rank = strongest.shape[1] * 4 // 5
    strongest_pixels = np.argpartition(strongest, rank, axis=1)[:, rank:]
    weights = values_at(strongest, strongest_pixels) ** 2
    mean = (values_at(absorption, strongest_pixels[:, None]) * weights[:, None]).sum(axis=2)
    return np.asarray(mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-6), np.float32)


def joint_inks(
    evidence: InkEvidence, number_log_probs: Floats, copies: int = COPIES, known: InkEvidence | None = None
) -> Floats:
    """Return the ink log probabilities `(N, 4)` of all tiles of one table after comparing them with each other.

    `evidence`: ink evidence of the N tiles; `number_log_probs (N, 15)`: numbers, which exclude jokers, as these come in
    any ink; `copies`: tiles of each number and ink in the set (of four red sevens, two must have another ink);
    `known`: evidence of tiles that people confirmed and that are no longer on the table.
    """
    number_probs = np.clip(1 - np.exp(number_log_probs[:, NUMBERS:]).sum(axis=1), 0, 1)
    groups, count = number_log_probs.argmax(axis=1) == np.arange(NUMBERS)[:, None], len(evidence)
    if known is not None and len(known):
        evidence = InkEvidence.concatenate([evidence, known])
        number_probs, groups = np.append(number_probs, np.ones(len(known))), np.pad(groups, ((0, 0), (0, len(known))))
    pairs, inks = find_ink_pairs(evidence, number_probs), evidence.log_probs_after_answers
    for pair in pairs:
        inks = recentre_odds(inks, pair)
    if evidence.answered.any():
        inks = apply_answers(inks, evidence, pairs)
    if number_probs.sum() >= MIN_INK_MIXTURE_TILES:
        inks = _fit_mixture(inks, evidence.colours, number_probs, groups, copies)
    for pair in pairs:
        inks = mark_ambiguous(inks, pair)
    return inks[:count]


def _fit_mixture(inks: Floats, colours: Floats, number_probs: Floats, groups: Bools, copies: int) -> Floats:
    """Fit the mixture and return the log probabilities of the inks `(N, 4)`; tiles have weights `number_probs (N,)`."""
    classifier_log_probs = CLASSIFIER_INK_WEIGHT_RATIO * inks.astype(np.float64)
    joint = normalise_log_probs(classifier_log_probs)
    for _ in range(MAX_INK_MIXTURE_ROUNDS):
        shares = _share_copies(joint, groups, copies) * number_probs[:, None]
        counts = shares.sum(axis=0)
        sums = shares.T @ colours + INK_COLOUR_PRIOR_TILES * USUAL_COLOURS
        means = sums / (counts + INK_COLOUR_PRIOR_TILES)[:, None]
        squares = sum((colours[:, axis, None] - means[:, axis]) ** 2 for axis in range(3))
        square_sums = (shares * squares).sum(axis=0) + 2 * INK_SPREAD_PRIOR_TILES * INK_PRIOR_SPREAD_CHORD**2
        variances = np.maximum(square_sums / (2 * (counts + INK_SPREAD_PRIOR_TILES)), MIN_INK_SPREAD_CHORD**2)
        log_densities = np.logaddexp(-squares / (2 * variances) - np.log(variances), np.log(INK_OUTLIER_DENSITY))
        joint, before = normalise_log_probs(classifier_log_probs + log_densities), joint
        if np.abs(np.exp(joint) - np.exp(before)).max() < INK_MIXTURE_TOLERANCE_PROB:
            break
    return np.log(np.maximum(_share_copies(joint, groups, copies), MIN_PROB)).astype(np.float32)


def _share_copies(joint: Floats, groups: Bools, copies: int) -> Floats:
    """Forward-backward algorithm: return ink probabilities `(N, 4)` that respect the number of `copies`.

    `joint (N, 4)`: log probabilities; `groups (G, N)`: masks of the tiles of each number, which share the copies. All
    assignments of inks to the tiles of a group are summed. The state is how many tiles of each ink are assigned, at
    most `copies`; each further tile costs `EXTRA_COPY_PROB`.
    """
    probs = np.exp(joint)
    is_crowded = (groups @ probs).max(axis=1) > copies + MAX_EXCESS_TILES
    if not is_crowded.any():
        return probs
    crowded = [np.flatnonzero(group) for group in groups[is_crowded]]
    longest = max(len(indices) for indices in crowded)
    next_states, previous_states, costs, extra_costs = _transitions(copies)
    group_probs = np.zeros((len(crowded), longest, len(INKS)))
    for row, tiles in enumerate(crowded):
        group_probs[row, : len(tiles)] = np.maximum(probs[tiles], MIN_PROB)
    exists = np.asarray((group_probs > 0).any(axis=2))
    forward = np.zeros((longest + 1, len(crowded), costs.shape[1] + 1))  # the last state is always empty
    forward[0, :, 0] = 1
    for i in range(longest):
        paths = forward[i].take(previous_states, axis=1) + extra_costs * forward[i, :, None, :-1]
        after_tile = _normalise((group_probs[:, i, :, None] * paths).sum(axis=1))
        forward[i + 1, :, :-1] = np.where(exists[:, i, None], after_tile, forward[i, :, :-1])
    backward = np.ones((len(crowded), costs.shape[1]))
    posteriors = np.zeros_like(group_probs)
    for i in reversed(range(longest)):
        paths = group_probs[:, i, :, None] * costs * backward.take(next_states, axis=1)
        posteriors[:, i] = (paths * forward[i, :, None, :-1]).sum(axis=2)
        backward = np.where(exists[:, i, None], _normalise(paths.sum(axis=1)), backward)
    result = probs.copy()
    result[np.concatenate(crowded)] = posteriors[exists] / posteriors[exists].sum(axis=1, keepdims=True)
    return result


@functools.cache
def _transitions(copies: int) -> tuple[Ints, Ints, Floats, Floats]:
    """Return four arrays `(4, S)`: for each ink that one more tile may get, the transitions of the S states.

    A state counts the tiles of each ink. The arrays are the next state; the previous state, S if there is none; the
    cost, which is 1, or `EXTRA_COPY_PROB` if the ink is used up and the state stays; and the same cost, but 0 for 1.
    """
    counts = np.indices((copies + 1,) * len(INKS)).reshape(len(INKS), -1)
    state, one_more = np.arange(counts.shape[1]), (copies + 1) ** np.arange(len(INKS))[::-1, None]
    is_full = counts == copies
    extra_costs = np.where(is_full, EXTRA_COPY_PROB, 0.0)
    next_states = np.where(is_full, state, state + one_more)
    previous_states = np.where(counts > 0, state - one_more, len(state))
    return next_states, previous_states, np.where(is_full, EXTRA_COPY_PROB, 1.0), extra_costs


def _normalise(chances: Floats) -> Floats:
    return np.asarray(chances / np.maximum(chances.sum(axis=1, keepdims=True), 1e-300))
