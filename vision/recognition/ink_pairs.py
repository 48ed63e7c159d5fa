"""Tells two like inks apart by what a table shows of both, and by what people say of it.

A dark orange under a warm lamp is taken for red on every one of its tiles, surely, though the true red lies beside it
and is another. So the tiles of both inks are parted where their colours are, and what the namer says of each counts
from the middle between the two. Where all of a table's tiles may be either ink, that is a doubt of all of them at once;
what a person says of one tells how far this light shifts what the namer says of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats
from tilekeeper.vision.config import recognition_limits as limits
from tilekeeper.vision.types import INKS

PARTED: Final = (INKS.index("orange"), INKS.index("red"))
"""The inks of which two clusters are two inks: shade parts black by itself."""
LIKE_INKS: Final = (PARTED, (INKS.index("black"), INKS.index("blue")))
"""The inks that are taken for one another: a dark orange for red, a dark teal for black."""
SHIFTS: Final = np.linspace(-4, 4, 81)
"""How far a light may shift the namer's odds, in standard deviations."""


@dataclass(frozen=True, slots=True, eq=False)
class InkPair:
    """Two clusters of tiles `(N,)` bool between two like `inks`, the first nearer to the first.

    The second holds no tile where a table shows one cluster that may be of either ink. `odds` are the mean logarithms
    of second to first ink that the namer sees in each, and `known` the ink that people named in each, -1 where they
    named none or both, or slipped. `others` are all other tiles that have a number.
    """

    inks: tuple[int, int]
    clusters: tuple[Bools, Bools]
    odds: tuple[float, float]
    known: tuple[int, int]
    others: Bools

    @property
    def are_one(self) -> bool:
        """Whether the namer takes both clusters, where there are two, for one ink."""
        return bool(self.clusters[1].any()) and (self.odds[0] > 0) == (self.odds[1] > 0)

    @property
    def every(self) -> Bools:
        """The tiles of both clusters, `(N,)` bool."""
        return self.clusters[0] | self.clusters[1]


def pairs_on(ink_log_probs: Floats, colours: Floats, numbered: Floats, certain: Bools) -> list[InkPair]:
    """Return the clusters of like inks that a table shows: two of them, or one of which it is open which ink it is.

    `ink_log_probs (N, 4)` is what the namer says, `colours (N, 3)` unit vectors of what the inks take (`absorbed`),
    `numbered (N,)`, 0 to 1, how likely each has a number, since jokers come in any ink, and `certain (N,)` which a
    person named.
    """
    has_number, usual = numbered > 0.5, np.array(limits.usual_inks)
    usual /= np.linalg.norm(usual, axis=1, keepdims=True)
    pairs = []
    for inks in LIKE_INKS:
        of_pair = has_number & (np.exp(ink_log_probs[:, inks]).sum(axis=1) > 0.5)
        odds = ink_log_probs[:, inks[1]] - ink_log_probs[:, inks[0]]
        axis = usual[inks[1]] - usual[inks[0]]
        along = (colours @ axis / np.linalg.norm(axis)).astype(np.float64)
        middle = _middle_between_clusters(np.sort(along[of_pair])) if inks == PARTED else None
        if middle is None and not _are_open(odds[of_pair & ~certain]):
            continue
        first = of_pair & (along < middle) if middle is not None else of_pair
        clusters = first, of_pair & ~first
        means, known = zip(
            *(_odds_and_ink(inks, odds, side, cluster, certain) for side, cluster in enumerate(clusters)), strict=True
        )
        pairs.append(InkPair(inks, clusters, means, known, has_number & ~of_pair))
    return pairs


def _are_open(odds: Floats) -> bool:
    """Return whether tiles with these odds `(N,)` are of one ink, and the namer can't tell which of two."""
    enough = len(odds) >= limits.pair_fewest
    return enough and bool(abs(odds.mean()) < limits.pair_odds and odds.std() < limits.pair_open_spread)


def _middle_between_clusters(along: Floats) -> float | None:
    """Return where sorted numbers `(N,)` are best parted into two clusters, None where they form one."""
    if len(along) < 2 * limits.pair_fewest:
        return None
    count = np.arange(1, len(along))
    sums = np.cumsum(along)
    within = np.sum(along**2) - sums[:-1] ** 2 / count - (sums[-1] - sums[:-1]) ** 2 / count[::-1]
    first = int(within.argmin()) + 1
    apart = along[first:].mean() - along[:first].mean()
    spread = np.sqrt(max(float(within[first - 1]), 0.0) / len(along))
    if min(first, len(along) - first) < limits.pair_fewest:
        return None
    if apart < max(limits.pair_apart, limits.pair_spreads * spread):
        return None
    return float(along[first - 1] + along[first]) / 2


def _odds_and_ink(inks: tuple[int, int], odds: Floats, side: int, cluster: Bools, certain: Bools) -> tuple[float, int]:
    """Return the mean odds of a cluster, the first (`side` 0) or second of its pair, and the ink that people named.

    A word for the other ink, against the namer and the colours, holds for its tile alone: a finger slipped, or the tile
    was named in another light and is gone. It would turn all tiles of an ink.
    """
    seen, named = odds[cluster & ~certain], odds[cluster & certain] > 0
    mean = float(seen.mean()) if len(seen) else 0.0
    if not len(named) or named.any() != named.all():
        return mean, -1
    against = int(named[0]) != side and (mean if side else -mean) > limits.pair_odds
    return mean, -1 if against else inks[int(named[0])]


def from_the_middle(ink_log_probs: Floats, pair: InkPair) -> Floats:
    """Return the namer's word `(N, 4)` with its odds counted from the middle between the two clusters of a pair.

    What a person named settles its cluster, unless it was a slip. Else the odds stay where both clusters are
    named apart already, and where the namer sees next to no difference between them: then it may be the light. Other
    inks are as likely as before.
    """
    moved, second = ink_log_probs.astype(np.float64), pair.inks[1]
    if pair.known != (-1, -1):
        for cluster, odds, known in zip(pair.clusters, pair.odds, pair.known, strict=True):
            wanted = limits.pair_known if known == second else -limits.pair_known
            if known >= 0 and odds * np.sign(wanted) < abs(wanted):
                moved[cluster, second] += wanted - odds
    elif pair.are_one and pair.odds[1] - pair.odds[0] >= limits.pair_odds:
        moved[pair.every, second] -= sum(pair.odds) / 2
    share = [np.logaddexp.reduce(inks[:, pair.inks], axis=1, keepdims=True) for inks in (ink_log_probs, moved)]
    moved[:, pair.inks] += share[0] - share[1]
    return moved


def after_answers(ink_log_probs: Floats, seen_log_probs: Floats, certain: Bools, pairs: Sequence[InkPair]) -> Floats:
    """Return the inks `(N, 4)` of a table after what people said of some tiles, which are `certain (N,)`.

    `seen_log_probs (N, 4)` is what the namer says of those, too. Its odds between two like inks may be off by as much
    on all tiles of a table: how much is as likely as it makes the answers, of which few are slips, and each tile's odds
    move by what that changes. Clusters that were named are settled already.
    """
    told, shifts = ink_log_probs.astype(np.float64), SHIFTS * limits.answer_shift
    settled = [pair.inks for pair in pairs if pair.known != (-1, -1)]
    for one, other in LIKE_INKS:
        named = certain & (np.exp(ink_log_probs[:, (one, other)]) > 0.5).any(axis=1)
        if not named.any() or (one, other) in settled:
            continue
        way = np.where(ink_log_probs[named, other] > ink_log_probs[named, one], 1, -1)[:, None]
        right = _chance(way * ((seen_log_probs[named, other] - seen_log_probs[named, one])[:, None] + shifts))
        before = np.exp(-(SHIFTS**2) / 2)
        after = before * (limits.answer_slip + (1 - 2 * limits.answer_slip) * right).prod(axis=0)
        odds = told[~certain, other] - told[~certain, one]
        was, now = (_chance(odds[:, None] + shifts) @ (likely / likely.sum()) for likely in (before, after))
        share = np.logaddexp(told[~certain, one], told[~certain, other])
        odds += np.log(now) - np.log1p(-now) - np.log(was) + np.log1p(-was)
        told[~certain, one], told[~certain, other] = share - np.logaddexp(0, odds), share - np.logaddexp(0, -odds)
    return told


def _chance(odds: Floats) -> Floats:
    """The chance that odds, as a logarithm, stand for; short of 0 and 1 by a little."""
    chance: Floats = np.clip(1 / (1 + np.exp(-odds)), 1e-12, 1 - 1e-12)
    return chance


def opened(joint: Floats, pair: InkPair) -> Floats:
    """Return the inks `(N, 4)` of a table with those open that may be of the other ink of their pair.

    Of two clusters that is where both were named alike, nobody has named any of them, and the table has no other tile
    of the other ink: then the cluster that is nearer to that ink is asked about. A single one is asked about until
    somebody names it.
    """
    best = joint.argmax(axis=1)
    if pair.known != (-1, -1):
        return joint
    if not pair.clusters[1].any():
        return _left_open(joint, pair.every, pair.inks)
    names = np.unique(best[pair.every])
    if len(names) != 1 or names[0] not in pair.inks:
        return joint
    other = sum(pair.inks) - int(names[0])
    if np.any(best[pair.others] == other):
        return joint
    return _left_open(joint, pair.clusters[pair.inks.index(other)], pair.inks)


def _left_open(joint: Floats, which: Bools, inks: tuple[int, int]) -> Floats:
    """Return the inks `(N, 4)` with those tiles `(N,)` open between two inks; the likelier one stays so."""
    joint, of_pair = joint.copy(), joint[which][:, inks]
    share = np.logaddexp.reduce(of_pair, axis=1, keepdims=True)
    is_likelier = np.arange(2) == of_pair.argmax(axis=1)[:, None]
    joint[np.flatnonzero(which)[:, None], inks] = share + np.where(
        is_likelier, np.log(limits.pair_open), np.log1p(-limits.pair_open)
    )
    return joint
