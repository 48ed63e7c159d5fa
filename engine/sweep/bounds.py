"""Lower bounds of the weight that one colour leaves over from a number on, and sums of such bounds.

The bound of a colour assumes that every tile that can be in a group is in one. At each number, one colour is charged
with the jokers that groups need. A bound is a sequence indexed by the number of jokers; no entry is higher than the
entry before. Tables of bounds are computed on first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilekeeper.engine.sweep.runs import OpenRuns, Transitions

NEVER: Final = 1 << 40

Bound = Sequence[int]
"""The least weight left over, indexed by the number of jokers."""

Step = tuple[int, int, int]
"""A step of one colour over a number: the next state, the jokers added to runs, and the weight left over."""


def combine_at(bound: Bound, other: Bound, jokers: int) -> int:
    """Return the least weight that two parts leave over together if they share `jokers` jokers."""
    if jokers == 0:
        return bound[0] + other[0]
    if jokers == 1:
        return min(bound[1] + other[0], bound[0] + other[1])
    if jokers == 2:
        return min(bound[2] + other[0], bound[1] + other[1], bound[0] + other[2])
    return min([bound[ours] + other[jokers - ours] for ours in range(jokers + 1)])


def combine(bound: Bound, other: Bound) -> Bound:
    """Min-plus convolution: return the bound of two parts that share the jokers."""
    if len(bound) == 1:
        return (bound[0] + other[0],)
    if len(bound) == 2:
        return (bound[0] + other[0], min(bound[1] + other[0], bound[0] + other[1]))
    if len(bound) == 3:  # the usual box holds two jokers
        none, one, two = bound
        their_none, their_one, their_two = other
        with_one, ours = none + their_one, one + their_none
        return (
            none + their_none,
            min(with_one, ours),
            min(two + their_none, one + their_one, none + their_two),
        )
    return tuple([combine_at(bound, other, jokers) for jokers in range(len(bound))])


def combine_colours(bounds: Sequence[list[Bound]], counts: Sequence[int]) -> Bound:
    """Return the bound of several colours that share the jokers.

    Args:
        bounds: for each colour its bounds, indexed by the number of its tiles in groups.
        counts: for each colour the number of its tiles in groups.
    """
    found = bounds[0][counts[0]]
    for bound, count in zip(bounds[1:], counts[1:], strict=True):
        found = combine(found, bound[count])
    return found


class ColourBounds(dict[int, Bound]):
    """The bounds of one colour from a number on, keyed by the state of its runs.

    Args:
        runs: the states of open runs.
        jokers: the number of jokers in the task.
        room: the most unfinished runs that can continue at this number.
        transitions: the tables of transitions at this number, each with the number of jokers that groups take;
            empty beyond the highest number.
        weight: the weight of a tile of this number.
        later: the bounds from the next number on; None beyond the highest number.
    """

    __slots__ = ("_jokers", "_later", "_room", "_transitions", "_unfinished", "_weight")

    def __init__(
        self,
        runs: OpenRuns,
        jokers: int,
        room: int,
        transitions: Sequence[tuple[Transitions, int]] = (),
        weight: int = 1,
        later: ColourBounds | None = None,
    ) -> None:
        self._unfinished, self._jokers, self._room = runs.unfinished, jokers, room
        self._transitions, self._weight, self._later = transitions, weight, later

    @property
    def later(self) -> ColourBounds:
        """The bounds from the next number on."""
        assert self._later is not None  # nobody asks beyond the highest number
        return self._later

    def steps(self, state: int) -> Sequence[Step]:
        """Return the steps from a state over the number; only for bounds with exactly one table of transitions."""
        ((transitions, _),) = self._transitions
        weight = self._weight
        found = transitions[state]
        return found if weight == 1 else [(after, used, weight * over) for after, used, over in found]

    def __missing__(self, state: int) -> Bound:
        bound: Bound
        if self._unfinished[state] > self._room:
            bound = (NEVER,) * (self._jokers + 1)
        elif self._later is None:
            bound = (0,) * (self._jokers + 1)
        else:
            bound = self._least(self._later, state)
        self[state] = bound
        return bound

    def _least(self, later: ColourBounds, state: int) -> Bound:
        weight, most = self._weight, self._jokers
        if not most:
            least = NEVER
            for after, _, over in self._transitions[0][0][state]:  # fewest left over first
                lost = weight * over
                if lost >= least:
                    break
                need = lost + later[after][0]
                if need < least:
                    least = need
            return (least,)
        bound = [NEVER] * (most + 1)
        for transitions, grouped in self._transitions:
            for after, used, over in transitions[state]:
                lost = weight * over
                if lost >= bound[0]:
                    break
                for jokers, need in zip(range(used + grouped, most + 1), later[after], strict=False):
                    if lost + need < bound[jokers]:
                        bound[jokers] = lost + need
        return tuple(bound)
