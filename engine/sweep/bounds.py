"""Lower bounds of the weight that is left over from a number on, of one colour; and how bounds are added.

The bound of one colour assumes that every tile that could be in a group is in one; the jokers that groups need are
charged to one of the colours. A bound is a list, by how many jokers there are; no entry is higher than the one before.
Tables of bounds are computed on use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilekeeper.engine.sweep.runs import OpenRuns, Transitions

NEVER: Final = 1 << 40

Bound = Sequence[int]
"""The least weight left over, by how many jokers there are."""

Step = tuple[int, int, int]
"""What is done with one colour: the state after it, the jokers added to runs, and the weight that is left over."""


def together(bound: Bound, other: Bound, jokers: int) -> int:
    """The bound of two parts that share some jokers."""
    if jokers == 0:
        return bound[0] + other[0]
    if jokers == 1:
        return min(bound[1] + other[0], bound[0] + other[1])
    if jokers == 2:
        return min(bound[2] + other[0], bound[1] + other[1], bound[0] + other[2])
    return min([bound[ours] + other[jokers - ours] for ours in range(jokers + 1)])


def joint(bound: Bound, other: Bound) -> Bound:
    """The bound of two parts that share the jokers, by how many there are."""
    if len(bound) == 1:
        return (bound[0] + other[0],)
    if len(bound) == 2:
        return (bound[0] + other[0], min(bound[1] + other[0], bound[0] + other[1]))
    if len(bound) == 3:  # most boxes hold two jokers
        none, one, two = bound
        their_none, their_one, their_two = other
        with_one, ours = none + their_one, one + their_none
        return (
            none + their_none,
            min(with_one, ours),
            min(two + their_none, one + their_one, none + their_two),
        )
    return tuple([together(bound, other, jokers) for jokers in range(len(bound))])


def joint_of(bounds: Sequence[list[Bound]], counts: Sequence[int]) -> Bound:
    """The bound of some colours with so many tiles of each in groups."""
    found = bounds[0][counts[0]]
    for bound, count in zip(bounds[1:], counts[1:], strict=True):
        found = joint(found, bound[count])
    return found


class ColourBounds(dict[int, Bound]):
    """The bound of one colour from a number on, by the state of its runs.

    Args:
        runs: the states.
        jokers: how many jokers there are in all.
        room: how many runs that can't end yet can be continued at this number.
        transitions: those at this number, each table with the jokers that groups take; none beyond the highest.
        weight: what a tile of this number weighs.
        later: the bounds from the next number on; none beyond the highest.
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
        assert self._later is not None  # nothing is beyond the highest number
        return self._later

    def steps(self, state: int) -> Sequence[Step]:
        """The steps over the number from a state, where it is certain how many tiles are in groups."""
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
