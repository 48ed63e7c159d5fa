"""Inks of the tiles of one table: what the classifier, the colours, people's answers and the set say together.

The light of a table changes all tiles of an ink alike. A mixture of four ink colours starts at the classifier's inks
and has a prior at the usual colours (expectation-maximisation); a tile's ink combines both. If a dark orange looks red
on all tiles, more than two tiles of one number seem red, although a set has only two; so the number of copies limits
each ink.

In warm light the classifier may call a dark orange red on every tile, although the true red differs. So the tiles of
two similar inks are split into two colour clusters, and the classifier's odds count from the middle between them. If
there is one cluster that may be either ink, all its tiles are ambiguous, and one answer settles them. Otherwise an
answer on one tile shows how far the light shifts the classifier's odds of the others.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tilekeeper.vision.arrays import Bools, Columns, Floats, Ints, normalise_log_probs
from tilekeeper.vision.tile_table import NONE, TileTable
from tilekeeper.vision.types import INKS, JOINT_JOKER, NUMBERS

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
MIN_INK_CLUSTER_TILES = 3  # Smaller clusters may be one ink in different light, so their odds must differ as well.
MIN_SPLIT_LOG_ODDS = 2.5  # Difference of mean log odds of two clusters, where a difference in colour is not enough.
MIN_INK_SEPARATION_CHORD = 0.05  # Distance of ink clusters. Measured: no false split on 150 rendered tables, 66 photos.
MIN_INK_SEPARATION_RATIO = 3.5  # Distance of two clusters' colours or odds, in standard deviations within them.
MIN_INK_CONTRAST_LOG_ODDS = 1.5  # Difference of mean log odds of two inks; an answer against more counts as a mistake.
MIN_CONFIRMED_INK_LOG_ODDS = 4.0  # A cluster with a confirmed tile gets at least this mean for the confirmed ink.
AMBIGUOUS_INK_PROB = 0.55  # The likelier of two ambiguous inks gets this share of their sum, so that tiles are flagged.
MAX_AMBIGUOUS_INK_LOG_ODDS = 1.5  # Ambiguous: mean and deviation below; one ink deviates by at most 1 (95% of tables).
MAX_SAME_INK_SPREAD_CHORD = 0.04  # One ink spreads less; black with blue 0.054 or more (95 of 100 held-out tables).
LIGHT_SHIFT_SD_LOG_ODDS = 3.0  # Standard deviation of the shift by a table's light of the odds of two similar inks.
WRONG_INK_ANSWER_PROB = 0.05  # Probability that a person confirms the wrong one of two similar inks.
MIN_PROB: Final = 1e-9
# Shares of red, green and blue light that black, blue, orange and red ink absorb; only the ratios count.
INK_ABSORPTION_RGB_SHARE = ((1.0, 1.0, 1.0), (0.95, 0.55, 0.25), (0.1, 0.5, 0.95), (0.3, 0.95, 0.9))

COPIES = 2
"""Number of tiles of one number and ink in most sets; `junior` has one, house rules may have up to four."""
USUAL_COLOURS: Final = INK_ABSORPTION_RGB_SHARE / np.linalg.norm(INK_ABSORPTION_RGB_SHARE, axis=1, keepdims=True)
"""Usual colours of the inks as unit vectors, `(4, 3)`."""
WARM_INKS: Final = (INKS.index("orange"), INKS.index("red"))
SIMILAR_INKS: Final = (WARM_INKS, (INKS.index("black"), INKS.index("blue")))
"""Pairs of inks that are confused: dark orange with red, dark teal with black."""
SHIFTS: Final = np.linspace(-4, 4, 81)
"""Shifts of the odds by the light, in standard deviations, `(81,)`."""


@dataclass(frozen=True, slots=True, eq=False)
class InkEvidence(Columns):
    """The evidence on the inks of N tiles.

    `log_probs (N, 4)`: the classifier's; `colours (N, 3)`: absorbed light, from `classifier.ink_absorption`;
    `answers (N,)`: inks that people confirmed, indices into `INKS`, -1 if nobody did.
    """

    log_probs: Floats
    colours: Floats
    answers: Ints

    @classmethod
    def of(cls, tiles: TileTable) -> InkEvidence:
        """Return the evidence on the inks of tiles, by all their crops and by people's labels."""
        has_ink = (tiles.person_label >= 0) & (tiles.person_label < JOINT_JOKER)
        answers = np.where(has_ink, tiles.person_label % len(INKS), NONE)
        log_probs = normalise_log_probs(tiles.ink_log_probs * tiles.crop_worth[:, None])
        return cls(log_probs, tiles.ink_colours, answers)

    @property
    def answered(self) -> Bools:
        """Mask `(N,)` of the tiles whose ink a person confirmed."""
        return np.asarray(self.answers >= 0)

    def belong_to(self, inks: tuple[int, int]) -> Bools:
        """Return a mask `(N,)` of the tiles likely to have one of two inks, unless a person confirmed another ink."""
        is_likely = np.exp(self.log_probs[:, inks]).sum(axis=1) > 0.5
        return np.asarray(is_likely & (~self.answered | np.isin(self.answers, inks)))

    @property
    def log_probs_after_answers(self) -> Floats:
        """`log_probs (N, 4)`, replaced by the answer where a person confirmed the ink."""
        answers = np.where(self.answers[:, None] == np.arange(len(INKS)), 0.0, np.log(MIN_PROB))
        return np.where(self.answered[:, None], answers, self.log_probs)


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


@dataclass(frozen=True, slots=True, eq=False)
class InkPair:
    """All tiles of two similar inks, split into two `clusters` by colour, masks `(N,)`.

    In the first cluster the first ink is likelier than in the second; the second is empty if there is one cluster that
    may be either ink. `odds`: mean log odds of second to first ink in each cluster, 0 if it is empty; `confirmed`: ink
    that people confirmed in each cluster, -1 if none, both or by mistake; `other_tiles (N,)`: all other numbered tiles.
    """

    inks: tuple[int, int]
    clusters: tuple[Bools, Bools]
    odds: tuple[float, float]
    confirmed: tuple[int, int]
    other_tiles: Bools

    @property
    def is_single(self) -> bool:
        return not self.clusters[1].any()

    @property
    def is_confirmed(self) -> bool:
        return self.confirmed != (-1, -1)


def find_ink_pairs(evidence: InkEvidence, number_probs: Floats) -> list[InkPair]:
    """Cluster the tiles of each pair of similar inks by colour; return the pairs with two clusters or an ambiguous one.

    `number_probs (N,)`, 0 to 1, excludes jokers, which come in any ink.
    """
    pairs = []
    for inks in SIMILAR_INKS:
        in_pair, odds = (number_probs > 0.5) & evidence.belong_to(inks), _odds(evidence.log_probs, inks)
        positions = evidence.colours @ _main_direction(evidence.colours[in_pair], odds[in_pair])
        is_other = (number_probs > 0.5) & ~in_pair
        is_second = in_pair.copy()
        is_second[in_pair] = _second_cluster(positions[in_pair], odds[in_pair], inks)
        if is_second.any():
            clusters = in_pair & ~is_second, is_second
            means, confirmed = zip(*(_odds_and_ink(evidence, inks, clusters, side) for side in (0, 1)), strict=True)
            pairs.append(InkPair(inks, clusters, means, confirmed, is_other))
        elif _is_ambiguous(odds[in_pair], positions[in_pair]):
            answers = np.unique(evidence.answers[in_pair & evidence.answered])
            if len(answers) < 2:
                clusters, known = (in_pair, np.zeros_like(in_pair)), int(answers[0]) if len(answers) else -1
                pairs.append(InkPair(inks, clusters, (float(odds[in_pair].mean()), 0.0), (known, -1), is_other))
    return pairs


def _main_direction(colours: Floats, odds: Floats) -> Floats:
    """Principal component: return the unit vector `(3,)` along which colours `(N, 3)` differ most.

    It points to where `odds (N,)` grow. The line between the usual inks would be wrong for a dark orange.
    """
    if not len(colours):
        return np.array([1.0, 0.0, 0.0])
    centred = colours.astype(np.float64) - colours.mean(axis=0)
    direction: Floats = np.linalg.svd(centred, full_matrices=False)[2][0]
    return direction if (centred @ direction) @ (odds - odds.mean()) >= 0 else -direction


def _is_ambiguous(odds: Floats, positions: Floats) -> bool:
    """Return whether a cluster may be either ink, by its tiles' log `odds (N,)` and `positions (N,)` in colour.

    Its tiles have one colour and similar odds that favour neither ink, and no tile is clearly of either ink.
    """
    if len(odds) < MIN_INK_CLUSTER_TILES:
        return False
    mean, odds_off, colours_off = odds.mean(), np.abs(odds - odds.mean()), np.abs(positions - positions.mean())
    is_between = max(abs(mean), odds.std(), odds_off.max() / 2) < MAX_AMBIGUOUS_INK_LOG_ODDS
    return bool(is_between and max(positions.std(), colours_off.max() / 2) < MAX_SAME_INK_SPREAD_CHORD)


def _odds(log_probs: Floats, inks: tuple[int, int]) -> Floats:
    """Return the log odds `(N,)` of the second ink to the first."""
    return np.asarray(log_probs[:, inks[1]].astype(np.float64) - log_probs[:, inks[0]])


def _second_cluster(positions: Floats, odds: Floats, inks: tuple[int, int]) -> Bools:
    """Split tiles by `positions (N,)` in colour; return a mask `(N,)` of the second cluster, all false without one.

    A shadow may split the black tiles, and a few tiles may be in different light. So clusters of black and blue, and
    small ones, must differ in their log `odds (N,)` as well.
    """
    none, order = np.zeros(len(positions), bool), np.argsort(positions)
    if len(positions) < 2:
        return none
    ordered, count = positions[order], np.arange(1, len(positions))
    sums = np.cumsum(ordered)
    within = np.sum(ordered**2) - sums[:-1] ** 2 / count - (sums[-1] - sums[:-1]) ** 2 / count[::-1]
    is_second = none.copy()
    is_second[order[int(within.argmin()) + 1 :]] = True
    if not _are_apart(positions, is_second, MIN_INK_SEPARATION_CHORD):
        return none
    is_small = min(np.count_nonzero(is_second), np.count_nonzero(~is_second)) < MIN_INK_CLUSTER_TILES
    must_differ = is_small or inks != WARM_INKS
    return none if must_differ and not _are_apart(odds, is_second, MIN_SPLIT_LOG_ODDS) else is_second


def _are_apart(values: Floats, is_second: Bools, least: float) -> bool:
    """Return whether the second cluster's values are larger by `least` and by several deviations within clusters."""
    first, second = values[~is_second], values[is_second]
    spread = np.sqrt((len(first) * first.var() + len(second) * second.var()) / len(values))
    return bool(second.mean() - first.mean() >= max(least, MIN_INK_SEPARATION_RATIO * spread))


def _odds_and_ink(
    evidence: InkEvidence, inks: tuple[int, int], clusters: tuple[Bools, Bools], side: int
) -> tuple[float, int]:
    """Return the mean log odds of the first (`side` 0) or second of two clusters, and its confirmed ink or -1.

    An answer against both classifier and colours, probably a mistake or from another light, confirms nothing.
    """
    cluster = clusters[side]
    unanswered, answers = cluster & ~evidence.answered, np.unique(evidence.answers[cluster & evidence.answered])
    mean = float(_odds(evidence.log_probs, inks)[unanswered].mean()) if unanswered.any() else 0.0
    if len(answers) != 1:
        return mean, -1
    is_mistake = answers[0] != inks[side] and (mean if side else -mean) > MIN_INK_CONTRAST_LOG_ODDS
    return mean, -1 if is_mistake else int(answers[0])


def recentre_odds(ink_log_probs: Floats, pair: InkPair) -> Floats:
    """Return `ink_log_probs (N, 4)` with the odds of a pair's tiles relative to the middle between its two clusters.

    A confirmed cluster gets its ink. In that case the other cluster's odds change only if that changes its likelier
    ink. All odds stay if there is one cluster, if the clusters are confirmed as different inks, or if their odds hardly
    differ, which may be the light. The probabilities of other inks stay.
    """
    result, second, middle = ink_log_probs.astype(np.float64), pair.inks[1], sum(pair.odds) / 2
    look_alike = not pair.is_single and (pair.odds[0] > 0) == (pair.odds[1] > 0)
    is_recentred = look_alike and pair.odds[1] - pair.odds[0] >= MIN_INK_CONTRAST_LOG_ODDS
    for cluster, odds, known in zip(pair.clusters, pair.odds, pair.confirmed, strict=True):
        wanted = MIN_CONFIRMED_INK_LOG_ODDS if known == second else -MIN_CONFIRMED_INK_LOG_ODDS
        if known >= 0 and odds * np.sign(wanted) < abs(wanted):
            result[cluster, second] += wanted - odds
        elif known < 0 and is_recentred and (not pair.is_confirmed or (odds > 0) != (odds > middle)):
            result[cluster, second] -= middle
    share = [np.logaddexp.reduce(inks[:, pair.inks], axis=1, keepdims=True) for inks in (ink_log_probs, result)]
    result[:, pair.inks] += share[0] - share[1]
    return result


def apply_answers(ink_log_probs: Floats, evidence: InkEvidence, pairs: Sequence[InkPair]) -> Floats:
    """Bayesian update of `ink_log_probs (N, 4)`: people's answers on some tiles change the odds of the others.

    The light shifts the classifier's odds between two similar inks equally on all tiles. Each possible shift is
    weighted by the likelihood of the answers, which may be mistakes. Pairs with a confirmed cluster are left out.
    """
    result, shifts, prior = ink_log_probs.astype(np.float64), SHIFTS * LIGHT_SHIFT_SD_LOG_ODDS, np.exp(-(SHIFTS**2) / 2)
    settled = [pair.inks for pair in pairs if pair.is_confirmed]
    for inks in SIMILAR_INKS:
        is_answered = evidence.answered & evidence.belong_to(inks)
        if not is_answered.any() or inks in settled:
            continue
        sign = np.where(evidence.answers[is_answered] == inks[1], 1, -1)[:, None]
        likelihoods = _probability(sign * (_odds(evidence.log_probs[is_answered], inks)[:, None] + shifts))
        posterior = prior * (WRONG_INK_ANSWER_PROB + (1 - 2 * WRONG_INK_ANSWER_PROB) * likelihoods).prod(axis=0)
        rest = np.flatnonzero(~evidence.answered)
        odds = _odds(result[rest], inks)
        old, new = (_probability(odds[:, None] + shifts) @ (likely / likely.sum()) for likely in (prior, posterior))
        odds += np.log(new) - np.log1p(-new) - np.log(old) + np.log1p(-old)
        share = np.logaddexp.reduce(result[rest][:, inks], axis=1)
        result[rest, inks[0]], result[rest, inks[1]] = share - np.logaddexp(0, odds), share - np.logaddexp(0, -odds)
    return result


def _probability(odds: Floats) -> Floats:
    """Return the probabilities of log odds, clipped away from 0 and 1."""
    return np.asarray(np.clip(1 / (1 + np.exp(-odds)), 1e-12, 1 - 1e-12))


def mark_ambiguous(joint: Floats, pair: InkPair) -> Floats:
    """Return `joint (N, 4)` with the inks of ambiguous clusters made almost equally likely, so that they are flagged.

    A single cluster is ambiguous until it is confirmed. If two clusters got the same ink and the table has no other
    tile of the missing ink, the cluster that is likelier to have that ink is ambiguous, unless it is confirmed.
    """
    if pair.is_single:
        cluster, is_ambiguous = 0, not pair.is_confirmed
    else:
        likeliest = joint.argmax(axis=1)
        inks_present = np.unique(likeliest[pair.clusters[0] | pair.clusters[1]])
        if len(inks_present) != 1 or inks_present[0] not in pair.inks:
            return joint
        missing = sum(pair.inks) - int(inks_present[0])
        cluster = pair.inks.index(missing)
        is_ambiguous = pair.confirmed[cluster] < 0 and not np.any(likeliest[pair.other_tiles] == missing)
    if not is_ambiguous:
        return joint
    tiles = np.flatnonzero(pair.clusters[cluster])
    result, pair_log_probs = joint.copy(), joint[tiles][:, pair.inks]
    share = np.logaddexp.reduce(pair_log_probs, axis=1, keepdims=True)
    is_likelier = np.arange(2) == pair_log_probs.argmax(axis=1)[:, None]
    log_shares = np.where(is_likelier, np.log(AMBIGUOUS_INK_PROB), np.log1p(-AMBIGUOUS_INK_PROB))
    result[tiles[:, None], pair.inks] = share + log_shares
    return result


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
