"""The inks of one table, seen together: its red is the red of all its red tiles, whatever the lamp makes of it.

A tile alone is named by what inks look like in general. On one table there are four inks and no more, so that each tile
is compared with the others too: a mixture of four colours is fitted to the tiles (expectation and maximisation), begun
at what the classifier says of each and held near what inks usually are, and a tile's ink is what both together say. A
set has two tiles of each number and ink: where orange is so dark that all of it is taken for red, that tells.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints, split_channels, values_at
from tilekeeper.vision.recognition.ink_pairs import (
    INK_ABSORPTION_RGB_SHARE,
    after_answers,
    from_the_middle,
    opened,
    pairs_on,
)
from tilekeeper.vision.recognition.inks_seen import LEAST, InksSeen
from tilekeeper.vision.types import INKS, NUMBERS, WHITE, normalise_log_probs

# The prior colour of an ink counts as much as this many tiles of that ink on the table.
INK_COLOUR_PRIOR_TILES = 0.5
# Prior standard deviation of the colours of one ink, as a chord of the unit sphere of colours.
INK_PRIOR_SPREAD_CHORD = 0.1
# The prior spread of an ink's colours counts as much as this many tiles of that ink on the table.
INK_SPREAD_PRIOR_TILES = 2.0
# The fitted standard deviation of one ink's colours never falls below this chord of the unit sphere.
MIN_INK_SPREAD_CHORD = 0.05
# Density of the outlier component (stains, glare), which keeps a distant colour from deciding the ink.
INK_OUTLIER_DENSITY = 3.0
# The classifier's ink log probabilities are multiplied by this: its training keeps it from being certain.
CLASSIFIER_INK_WEIGHT_RATIO = 1.15
# The expectation-maximisation fit of the ink mixture stops after this many rounds.
MAX_INK_MIXTURE_ROUNDS = 8
# The ink mixture fit has converged once every ink probability changes by less than this in a round.
INK_MIXTURE_TOLERANCE_PROB = 0.001
# Probability factor of one tile more than the set has; a misread number is likelier than an extra tile.
EXTRA_COPY_PROB = 0.02
# Copies of a number are shared out if an ink's expected count exceeds the set by more than this.
MAX_EXCESS_TILES = 0.25
# With fewer numbered tiles on the table, the ink mixture is not fitted and the classifier's inks stay.
MIN_INK_MIXTURE_TILES = 6


COPIES = 2
"""How many tiles of one number and ink most sets have: two in every edition but `junior`, which has one; rules of a
house may name up to four."""


def absorbed(crops: Image) -> Floats:
    """Return what the ink of each crop takes from red, green and blue light, `(N, 3) float32` of length 1.

    `crops (N, H, W, 3) uint8` BGR, `WHITE` = white (the classifier's). Thin strokes are mixed with white, which changes
    how much they take and not what: the fifth of the pixels that take most tells, each by how much it takes.
    """
    height, width = crops.shape[1:3]
    inside = crops[:, height // 6 : height * 2 // 3 : 2, width // 6 : -width // 6 : 2, ::-1]
    taken = np.maximum(1 - split_channels(inside).astype(np.float32) / WHITE, 0)
    most = taken.max(axis=1)
    top = np.argpartition(most, most.shape[1] * 4 // 5, axis=1)[:, most.shape[1] * 4 // 5 :]
    weight = values_at(most, top) ** 2
    mean = (values_at(taken, top[:, None]) * weight[:, None]).sum(axis=2)
    unit: Floats = (mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-6)).astype(np.float32)
    return unit


def joint_inks(seen: InksSeen, number_log_probs: Floats, copies: int = COPIES, known: InksSeen | None = None) -> Floats:
    """Return how likely each ink of each tile of one table is, `(N, 4)`, after they were compared with each other.

    `number_log_probs (N, 15)` is what the classifier says of their numbers: jokers come in any ink and say nothing, and
    of each number no ink has more than `copies` tiles, so that where four sevens look red, two of them are of another
    ink. `known` are tiles that people named on this table and that are gone.
    """
    numbered = np.clip(1 - np.exp(number_log_probs[:, NUMBERS:]).sum(axis=1), 0, 1)
    groups, count = number_log_probs.argmax(axis=1) == np.arange(NUMBERS)[:, None], len(seen.said)
    if known is not None and len(known.said):
        seen, more = InksSeen.joined([seen, known]), len(known.said)
        numbered, groups = np.append(numbered, np.ones(more)), np.pad(groups, ((0, 0), (0, more)))
    pairs, inks = pairs_on(seen, numbered), seen.told
    for pair in pairs:
        inks = from_the_middle(inks, pair)
    if seen.named.any():
        inks = after_answers(inks, seen, pairs)
    if numbered.sum() >= MIN_INK_MIXTURE_TILES:
        inks = _mixed(inks, seen.colours, numbered, groups, copies)
    for pair in pairs:
        inks = opened(inks, pair)
    return inks[:count]


def _mixed(inks: Floats, colours: Floats, numbered: Floats, groups: Bools, copies: int) -> Floats:
    """Return the inks `(N, 4)` after a mixture of four colours was fitted; each counts as `numbered (N,)` says."""
    usual = np.array(INK_ABSORPTION_RGB_SHARE)
    usual /= np.linalg.norm(usual, axis=1, keepdims=True)
    own = CLASSIFIER_INK_WEIGHT_RATIO * inks.astype(np.float64)
    joint = normalise_log_probs(own)
    for _ in range(MAX_INK_MIXTURE_ROUNDS):
        share = _shared(joint, groups, copies) * numbered[:, None]
        counts = share.sum(axis=0)
        means = (share.T @ colours + INK_COLOUR_PRIOR_TILES * usual) / (counts + INK_COLOUR_PRIOR_TILES)[:, None]
        apart = sum((colours[:, axis, None] - means[:, axis]) ** 2 for axis in range(3))
        spread = ((share * apart).sum(axis=0) + 2 * INK_SPREAD_PRIOR_TILES * INK_PRIOR_SPREAD_CHORD**2) / (
            2 * (counts + INK_SPREAD_PRIOR_TILES)
        )
        spread = np.maximum(spread, MIN_INK_SPREAD_CHORD**2)
        likely = np.logaddexp(-apart / (2 * spread) - np.log(spread), np.log(INK_OUTLIER_DENSITY))
        joint, before = normalise_log_probs(own + likely), joint
        if np.abs(np.exp(joint) - np.exp(before)).max() < INK_MIXTURE_TOLERANCE_PROB:
            break
    return np.log(np.maximum(_shared(joint, groups, copies), LEAST)).astype(np.float32)


def _shared(joint: Floats, groups: Bools, copies: int) -> Floats:
    """Return how likely each ink of each tile is, `(N, 4)`, when tiles of one of the `groups (G, N)` share the copies.

    All ways to give the tiles of a group their inks are summed up at once, forwards and backwards over the tiles; what
    is carried along is how many of each ink are given away (so far no more than `copies`: each one beyond costs
    `extra_copy`).
    """
    likely = np.exp(joint)
    overdrawn = (groups @ likely).max(axis=1) > copies + MAX_EXCESS_TILES
    if not overdrawn.any():
        return likely
    crowded = [np.flatnonzero(group) for group in groups[overdrawn]]
    most, steps = max(len(some) for some in crowded), _steps(copies, EXTRA_COPY_PROB)
    chances = np.zeros((len(crowded), most, len(INKS)))
    for row, at in enumerate(crowded):
        chances[row, : len(at)] = np.maximum(likely[at], LEAST)
    there = np.asarray((chances > 0).any(axis=2))
    given = np.zeros((most + 1, len(crowded), steps.states + 1))  # in the last state is never anything
    given[0, :, 0] = 1
    for i in range(most):
        ways = given[i].take(steps.before, axis=1) + steps.beyond * given[i, :, None, :-1]
        onward = _scaled((chances[:, i, :, None] * ways).sum(axis=1))
        given[i + 1, :, :-1] = np.where(there[:, i, None], onward, given[i, :, :-1])
    after = np.ones((len(crowded), steps.states))
    inks = np.zeros_like(chances)
    for i in reversed(range(most)):
        ways = chances[:, i, :, None] * steps.cost * after.take(steps.after, axis=1)
        inks[:, i] = (ways * given[i, :, None, :-1]).sum(axis=2)
        after = np.where(there[:, i, None], _scaled(ways.sum(axis=1)), after)
    result = likely.copy()
    result[np.concatenate(crowded)] = inks[there] / inks[there].sum(axis=1, keepdims=True)
    return result


class _Steps(NamedTuple):
    """What giving one more of each ink makes of each of S states, `(4, S)` each.

    `after` and `before` are the states that follow it and that it follows, S where it follows none; `cost` is 1, or
    `extra_copy` for one more than the set has, which leaves the state as it is; `beyond` is that, else 0.
    """

    after: Ints
    before: Ints
    cost: Floats
    beyond: Floats

    @property
    def states(self) -> int:
        """How many states there are."""
        return len(self.after[0])


@functools.cache
def _steps(copies: int, extra_copy: float) -> _Steps:
    """The steps between all counts of the four inks from 0 to `copies`."""
    counts = np.indices((copies + 1,) * len(INKS)).reshape(len(INKS), -1)
    state, one_more = np.arange(counts.shape[1]), (copies + 1) ** np.arange(len(INKS))[::-1, None]
    full = counts == copies
    return _Steps(
        after=np.where(full, state, state + one_more),
        before=np.where(counts > 0, state - one_more, len(state)),
        cost=np.where(full, extra_copy, 1.0),
        beyond=np.where(full, extra_copy, 0.0),
    )


def _scaled(chances: Floats) -> Floats:
    scaled: Floats = chances / np.maximum(chances.sum(axis=1, keepdims=True), 1e-300)
    return scaled
