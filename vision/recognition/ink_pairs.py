"""Tells two like inks apart by what a table shows of both: two clusters of colours are two inks.

A dark orange under a warm lamp is taken for red on every one of its tiles, surely, though the true red lies beside it
and is another. So the tiles of both inks are parted where their colours are, and what the namer says of each counts
from the middle between the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats
from tilekeeper.vision.config import recognition_limits as limits
from tilekeeper.vision.types import INKS

ALIKE: Final = (INKS.index("orange"), INKS.index("red"))
"""The inks that are taken for one another: black and blue are not, and shade parts black by itself."""


@dataclass(frozen=True, slots=True, eq=False)
class InkPair:
    """Two clusters of tiles `(N,)` bool between the inks of `ALIKE`, the first nearer to the first.

    `odds` are the mean logarithms of second to first ink that the namer sees in each, and `known` the ink that people
    named in each, -1 where they named none or both, or slipped. `others` are all other tiles that have a number.
    """

    clusters: tuple[Bools, Bools]
    odds: tuple[float, float]
    known: tuple[int, int]
    others: Bools

    @property
    def are_one(self) -> bool:
        """Whether the namer takes both for one ink."""
        return (self.odds[0] > 0) == (self.odds[1] > 0)


def pair_on(ink_log_probs: Floats, colours: Floats, numbered: Floats, certain: Bools) -> InkPair | None:
    """Return the two clusters of like inks that a table shows, None where it shows one or none.

    `ink_log_probs (N, 4)` is what the namer says, `colours (N, 3)` unit vectors of what the inks take (`absorbed`),
    `numbered (N,)`, 0 to 1, how likely each has a number, since jokers come in any ink, and `certain (N,)` which a
    person named.
    """
    has_number, usual = numbered > 0.5, np.array(limits.usual_inks)
    usual /= np.linalg.norm(usual, axis=1, keepdims=True)
    of_pair = has_number & (np.exp(ink_log_probs[:, ALIKE]).sum(axis=1) > 0.5)
    axis = usual[ALIKE[1]] - usual[ALIKE[0]]
    along = (colours @ axis / np.linalg.norm(axis)).astype(np.float64)
    middle = _middle_between_clusters(np.sort(along[of_pair]))
    if middle is None:
        return None
    clusters = of_pair & (along < middle), of_pair & (along >= middle)
    odds = ink_log_probs[:, ALIKE[1]] - ink_log_probs[:, ALIKE[0]]
    means, known = zip(*(_odds_and_ink(odds, *one, certain) for one in enumerate(clusters)), strict=True)
    return InkPair(clusters, means, known, has_number & ~of_pair)


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


def _odds_and_ink(odds: Floats, side: int, cluster: Bools, certain: Bools) -> tuple[float, int]:
    """Return the mean odds of a cluster, the first (`side` 0) or second of its pair, and the ink that people named.

    A word for the other ink, against the namer and the colours, holds for its tile alone: a finger slipped, or the tile
    was named in another light and is gone. It would turn all tiles of an ink.
    """
    seen, named = odds[cluster & ~certain], odds[cluster & certain] > 0
    mean = float(seen.mean()) if len(seen) else 0.0
    if not len(named) or named.any() != named.all():
        return mean, -1
    against = int(named[0]) != side and (mean if side else -mean) > limits.pair_odds
    return mean, -1 if against else ALIKE[int(named[0])]


def from_the_middle(ink_log_probs: Floats, pair: InkPair | None) -> Floats:
    """Return the namer's word `(N, 4)` with its odds counted from the middle between the two clusters of a pair.

    What a person named settles its cluster, unless it was a slip. Else the odds stay where both clusters are
    named apart already, and where the namer sees next to no difference between them: then it may be the light. Other
    inks are as likely as before.
    """
    if pair is None:
        return ink_log_probs
    moved, second = ink_log_probs.astype(np.float64), ALIKE[1]
    if pair.known != (-1, -1):
        for cluster, odds, known in zip(pair.clusters, pair.odds, pair.known, strict=True):
            wanted = limits.pair_known if known == second else -limits.pair_known
            if known >= 0 and odds * np.sign(wanted) < abs(wanted):
                moved[cluster, second] += wanted - odds
    elif pair.are_one and pair.odds[1] - pair.odds[0] >= limits.pair_odds:
        moved[pair.clusters[0] | pair.clusters[1], second] -= sum(pair.odds) / 2
    share = [np.logaddexp.reduce(inks[:, ALIKE], axis=1, keepdims=True) for inks in (ink_log_probs, moved)]
    moved[:, ALIKE] += share[0] - share[1]
    return moved


def opened(joint: Floats, pair: InkPair | None) -> Floats:
    """Return the inks `(N, 4)` of a table with those open that may be of the other ink of their pair.

    That is where both clusters were named alike, nobody has named any of them, and the table has no other tile of the
    other ink: then the cluster that is nearer to that ink is asked about.
    """
    joint, best = joint.copy(), joint.argmax(axis=1)
    if pair is None or pair.known != (-1, -1):
        return joint
    names = np.unique(best[pair.clusters[0] | pair.clusters[1]])
    if len(names) != 1 or names[0] not in ALIKE:
        return joint
    name = int(names[0])
    other = sum(ALIKE) - name
    if not np.any(best[pair.others] == other):
        cluster = pair.clusters[ALIKE.index(other)]
        share = np.logaddexp(joint[cluster, name], joint[cluster, other])
        joint[cluster, name] = share + np.log(limits.pair_open)
        joint[cluster, other] = share + np.log1p(-limits.pair_open)
    return joint
