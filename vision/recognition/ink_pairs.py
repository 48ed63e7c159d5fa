"""Tells two like inks apart by what a table shows of both, and by what people say of it.

A dark orange under a warm lamp is taken for red on every one of its tiles, surely, though the true red lies beside it
and is another. So the tiles of both inks are parted where their colours are, and what the classifier says of each
counts from the middle between the two. Where all tiles of one colour may be either ink, that is a doubt of all of them
at once, which one answer settles. Where neither is so, what a person says of one tile tells how far this light shifts
what the classifier says of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats
from tilekeeper.vision.recognition.inks_seen import InksSeen
from tilekeeper.vision.types import INKS

# An ink cluster needs at least this many tiles: a few tiles of one ink may be in different light.
MIN_INK_CLUSTER_TILES = 3
# Least distance between two ink clusters. Measured: no false split on 150 rendered tables and 66 photos.
MIN_INK_SEPARATION_CHORD = 0.05
# Two ink clusters are at least this times the standard deviation within the clusters apart.
MIN_INK_SEPARATION_RATIO = 3.5
# Clusters are two inks if their mean log odds differ by this; an answer against higher odds counts as a slip.
MIN_INK_CONTRAST_LOG_ODDS = 1.5
# An ink cluster with a confirmed tile gets mean log odds of at least this for the confirmed ink.
MIN_CONFIRMED_INK_LOG_ODDS = 4.0
# The likelier of two ambiguous inks gets this share of their probability, so that the tiles are flagged.
AMBIGUOUS_INK_PROB = 0.55
# Ink is ambiguous if mean and deviation of the log odds are less; one ink deviates by at most 1 (95% of tables).
MAX_AMBIGUOUS_INK_LOG_ODDS = 1.5
# Colours of one ink deviate by less; black and blue together by 0.054 or more (95 of 100 held-out tables).
MAX_SAME_INK_SPREAD_CHORD = 0.04
# Standard deviation of the shift that a table's light adds to the log odds between two similar inks.
LIGHT_SHIFT_SD_LOG_ODDS = 3.0
# Probability that a person confirms the wrong one of two similar inks.
WRONG_INK_ANSWER_PROB = 0.05
# Shares of red, green and blue light that black, blue, orange and red ink absorb; only the ratios count.
INK_ABSORPTION_RGB_SHARE = ((1.0, 1.0, 1.0), (0.95, 0.55, 0.25), (0.1, 0.5, 0.95), (0.3, 0.95, 0.9))


PARTED: Final = (INKS.index("orange"), INKS.index("red"))
"""The inks of which two clusters are two inks; of black there are two where a shadow falls on some of it."""
LIKE_INKS: Final = (PARTED, (INKS.index("black"), INKS.index("blue")))
"""The inks that are taken for one another: a dark orange for red, a dark teal for black."""
SHIFTS: Final = np.linspace(-4, 4, 81)
"""By how many standard deviations a light may shift the classifier's odds, `(81,)`."""


@dataclass(frozen=True, slots=True, eq=False)
class InkPair:
    """Two clusters of tiles `(N,)` bool between two like `inks`, the first nearer to the first.

    The second holds no tile where a table shows one cluster that may be of either ink. `odds` are the mean logarithms
    of second to first ink that the classifier sees in each, 0 where there is no tile, and `known` the ink that people
    named in each, -1 where they named none or both, or slipped. `others` are all other tiles that have a number.
    """

    inks: tuple[int, int]
    clusters: tuple[Bools, Bools]
    odds: tuple[float, float]
    known: tuple[int, int]
    others: Bools

    @property
    def is_single(self) -> bool:
        """Whether there is but one cluster."""
        return not self.clusters[1].any()

    @property
    def are_one(self) -> bool:
        """Whether there are two clusters and the classifier takes both for one ink."""
        return not self.is_single and (self.odds[0] > 0) == (self.odds[1] > 0)

    @property
    def is_known(self) -> bool:
        """Whether people named the ink of either cluster."""
        return self.known != (-1, -1)

    @property
    def every(self) -> Bools:
        """The tiles of both clusters, `(N,)` bool."""
        return self.clusters[0] | self.clusters[1]


def pairs_on(seen: InksSeen, numbered: Floats) -> list[InkPair]:
    """Return the clusters of like inks that a table shows: two of them, or one of which it is open which ink it is.

    `numbered (N,)`, 0 to 1, is how likely each tile has a number, since jokers come in any ink.
    """
    usual = np.array(INK_ABSORPTION_RGB_SHARE)
    usual /= np.linalg.norm(usual, axis=1, keepdims=True)
    pairs = []
    for inks in LIKE_INKS:
        axis = usual[inks[1]] - usual[inks[0]]
        along = (seen.colours @ axis / np.linalg.norm(axis)).astype(np.float64)
        of_pair = (numbered > 0.5) & seen.are_of(inks)
        others = (numbered > 0.5) & ~of_pair
        pair = _parted(seen, along, of_pair, others) if inks == PARTED else None
        pair = pair or _open(inks, seen, along, of_pair, others)
        if pair is not None:
            pairs.append(pair)
    return pairs


def _parted(seen: InksSeen, along: Floats, of_pair: Bools, others: Bools) -> InkPair | None:
    """Return the two clusters of tiles `of_pair (N,)` whose colours lie `along (N,)` the way from ink to ink.

    None where they form one.
    """
    middle = _middle_between_clusters(np.sort(along[of_pair]))
    if middle is None:
        return None
    clusters = of_pair & (along < middle), of_pair & (along >= middle)
    (first, first_known), (second, second_known) = (
        _odds_and_ink(seen, side, cluster) for side, cluster in enumerate(clusters)
    )
    return InkPair(PARTED, clusters, (first, second), (first_known, second_known), others)


def _open(inks: tuple[int, int], seen: InksSeen, along: Floats, of_pair: Bools, others: Bools) -> InkPair | None:
    """Return the one cluster of tiles `of_pair (N,)` of which the classifier can't tell the ink, None where it can.

    All of them have one colour, by where it lies `along (N,)` the way from ink to ink, and much the same odds, which
    favour neither ink by much. Where one is clearly of either, or people named both inks, the table tells the others.
    """
    odds, words = _odds(seen.log_probs, inks)[of_pair], np.unique(seen.said[of_pair & seen.named])
    if len(odds) < MIN_INK_CLUSTER_TILES or len(words) > 1:
        return None
    colours, mean = along[of_pair], float(odds.mean())
    if max(abs(mean), odds.std()) >= MAX_AMBIGUOUS_INK_LOG_ODDS or colours.std() >= MAX_SAME_INK_SPREAD_CHORD:
        return None
    unlike = (np.abs(odds - mean) >= 2 * MAX_AMBIGUOUS_INK_LOG_ODDS) | (
        np.abs(colours - colours.mean()) >= 2 * MAX_SAME_INK_SPREAD_CHORD
    )
    if unlike.any():
        return None
    known = int(words[0]) if len(words) else -1
    return InkPair(inks, (of_pair, np.zeros_like(of_pair)), (mean, 0.0), (known, -1), others)


def _odds(log_probs: Floats, inks: tuple[int, int]) -> Floats:
    """The logarithms of the odds of the second ink to the first, `(N,)`."""
    odds: Floats = log_probs[:, inks[1]].astype(np.float64) - log_probs[:, inks[0]]
    return odds


def _middle_between_clusters(along: Floats) -> float | None:
    """Return where sorted numbers `(N,)` are best parted into two clusters, None where they form one."""
    if len(along) < 2 * MIN_INK_CLUSTER_TILES:
        return None
    count = np.arange(1, len(along))
    sums = np.cumsum(along)
    within = np.sum(along**2) - sums[:-1] ** 2 / count - (sums[-1] - sums[:-1]) ** 2 / count[::-1]
    first = int(within.argmin()) + 1
    apart = along[first:].mean() - along[:first].mean()
    spread = np.sqrt(max(float(within[first - 1]), 0.0) / len(along))
    if min(first, len(along) - first) < MIN_INK_CLUSTER_TILES:
        return None
    if apart < max(MIN_INK_SEPARATION_CHORD, MIN_INK_SEPARATION_RATIO * spread):
        return None
    return float(along[first - 1] + along[first]) / 2


def _odds_and_ink(seen: InksSeen, side: int, cluster: Bools) -> tuple[float, int]:
    """Return the mean odds of a cluster, the first (`side` 0) or second of `PARTED`, and the ink that people named.

    A word for the other ink, against the classifier and the colours, holds for its tile alone: a finger slipped, or the
    tile was named in another light and is gone. It would turn all tiles of an ink.
    """
    unnamed, words = cluster & ~seen.named, np.unique(seen.said[cluster & seen.named])
    mean = float(_odds(seen.log_probs, PARTED)[unnamed].mean()) if unnamed.any() else 0.0
    if len(words) != 1:
        return mean, -1
    against = words[0] != PARTED[side] and (mean if side else -mean) > MIN_INK_CONTRAST_LOG_ODDS
    return mean, -1 if against else int(words[0])


def from_the_middle(ink_log_probs: Floats, pair: InkPair) -> Floats:
    """Return the inks `(N, 4)` with the odds of a pair's tiles counted from the middle between its two clusters.

    What a person named settles its cluster, unless it was a slip; of the other one the middle then tells only whether
    it is of the other ink. The odds stay where there is one cluster, where both are named apart already, and where the
    classifier sees next to no difference between them: then it may be the light. Other inks are as likely as before.
    """
    moved, second = ink_log_probs.astype(np.float64), pair.inks[1]
    differ = pair.are_one and pair.odds[1] - pair.odds[0] >= MIN_INK_CONTRAST_LOG_ODDS
    middle = sum(pair.odds) / 2
    for cluster, odds, known in zip(pair.clusters, pair.odds, pair.known, strict=True):
        wanted = MIN_CONFIRMED_INK_LOG_ODDS if known == second else -MIN_CONFIRMED_INK_LOG_ODDS
        if known >= 0 and odds * np.sign(wanted) < abs(wanted):
            moved[cluster, second] += wanted - odds
        elif known < 0 and differ and (not pair.is_known or (odds > 0) != (odds > middle)):
            moved[cluster, second] -= middle
    share = [np.logaddexp.reduce(inks[:, pair.inks], axis=1, keepdims=True) for inks in (ink_log_probs, moved)]
    moved[:, pair.inks] += share[0] - share[1]
    return moved


def after_answers(ink_log_probs: Floats, seen: InksSeen, pairs: Sequence[InkPair]) -> Floats:
    """Return the inks `(N, 4)` of a table after what people said of some tiles told of the others.

    The light of a table may shift the classifier's odds between two like inks, by as much on all tiles. The likelier a
    shift
    makes what people said, a few slips aside, the likelier it is itself; each tile's odds change as that says. Inks
    whose clusters were named are settled already, and words for what was seen to be of neither ink tell nothing.
    """
    told, shifts, before = ink_log_probs.astype(np.float64), SHIFTS * LIGHT_SHIFT_SD_LOG_ODDS, np.exp(-(SHIFTS**2) / 2)
    settled = [pair.inks for pair in pairs if pair.is_known]
    for inks in LIKE_INKS:
        words = seen.named & seen.are_of(inks)
        if not words.any() or inks in settled:
            continue
        way = np.where(seen.said[words] == inks[1], 1, -1)[:, None]
        right = _chance(way * (_odds(seen.log_probs[words], inks)[:, None] + shifts))
        after = before * (WRONG_INK_ANSWER_PROB + (1 - 2 * WRONG_INK_ANSWER_PROB) * right).prod(axis=0)
        others = np.flatnonzero(~seen.named)
        odds = _odds(told[others], inks)
        was, now = (_chance(odds[:, None] + shifts) @ (likely / likely.sum()) for likely in (before, after))
        odds += np.log(now) - np.log1p(-now) - np.log(was) + np.log1p(-was)
        share = np.logaddexp.reduce(told[others][:, inks], axis=1)
        told[others, inks[0]], told[others, inks[1]] = share - np.logaddexp(0, odds), share - np.logaddexp(0, -odds)
    return told


def _chance(odds: Floats) -> Floats:
    """The chances, of any shape, for which logarithms of odds stand; short of 0 and 1 by a little."""
    chance: Floats = np.clip(1 / (1 + np.exp(-odds)), 1e-12, 1 - 1e-12)
    return chance


def opened(joint: Floats, pair: InkPair) -> Floats:
    """Return the inks `(N, 4)` of a table with those open that may be of the other ink of their pair.

    A single cluster is open until it is named. Of two that is where both were named alike and the table has no other
    tile of the other ink: then the cluster that is nearer to that ink is asked about, unless people named it.
    """
    if pair.is_single:
        return joint if pair.is_known else _left_open(joint, pair.clusters[0], pair.inks)
    best = joint.argmax(axis=1)
    names = np.unique(best[pair.every])
    if len(names) != 1 or names[0] not in pair.inks:
        return joint
    other = sum(pair.inks) - int(names[0])
    nearer = pair.inks.index(other)
    if pair.known[nearer] >= 0 or np.any(best[pair.others] == other):
        return joint
    return _left_open(joint, pair.clusters[nearer], pair.inks)


def _left_open(joint: Floats, which: Bools, inks: tuple[int, int]) -> Floats:
    """Return the inks `(N, 4)` with those tiles `(N,)` open between two inks; the likelier one stays so."""
    joint, of_pair = joint.copy(), joint[which][:, inks]
    share = np.logaddexp.reduce(of_pair, axis=1, keepdims=True)
    is_likelier = np.arange(2) == of_pair.argmax(axis=1)[:, None]
    open_log_probs = share + np.where(is_likelier, np.log(AMBIGUOUS_INK_PROB), np.log1p(-AMBIGUOUS_INK_PROB))
    joint[np.flatnonzero(which)[:, None], inks] = open_log_probs
    return joint
