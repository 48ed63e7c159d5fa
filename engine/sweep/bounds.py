"""Lower bounds of the weight that is left over from a number on: of one colour, and of colours that share the jokers.

The bound of one colour assumes that every tile that could be in a group is in one; the jokers that groups need are
charged to one of the colours. A bound is a list, by how many jokers there are; tables of bounds are computed on use.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilekeeper.engine.sweep.runs import OpenRuns, Transitions

NEVER: Final = 1 << 40
SHIFT: Final = 16  # bits for one colour's state where those of some are packed in one integer
MASK: Final = (1 << SHIFT) - 1


def together(bounds: Sequence[int], others: Sequence[int], jokers: int) -> int:
    """The bound of two parts that share some jokers."""
    if jokers == 0:
        return bounds[0] + others[0]
    if jokers == 1:
        return min(bounds[0] + others[1], bounds[1] + others[0])
    if jokers == 2:
        return min(bounds[0] + others[2], bounds[1] + others[1], bounds[2] + others[0])
    return min([bounds[ours] + others[jokers - ours] for ours in range(jokers + 1)])


class ColourBounds(dict[int, list[int]]):
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
        super().__init__()
        self._unfinished, self._jokers, self._room = runs.unfinished, jokers, room
        self._transitions, self._weight, self._later = transitions, weight, later

    def __missing__(self, state: int) -> list[int]:
        if self._unfinished[state] > self._room:
            bounds = [NEVER] * (self._jokers + 1)
        elif self._later is None:
            bounds = [0] * (self._jokers + 1)
        else:
            bounds = self._least(self._later, state)
        self[state] = bounds
        return bounds

    def _least(self, later: ColourBounds, state: int) -> list[int]:
        weight, most = self._weight, self._jokers
        if not most:
            ((transitions, _),) = self._transitions
            return [min([weight * over + later[after][0] for after, _, over in transitions[state]], default=NEVER)]
        bounds = [NEVER] * (most + 1)
        for transitions, grouped in self._transitions:
            for after, used, over in transitions[state]:
                lost, least = weight * over, used + grouped
                for jokers, need in zip(range(least, most + 1), later[after], strict=False):
                    if lost + need < bounds[jokers]:
                        bounds[jokers] = lost + need
        return bounds


class JointBounds(dict[int, Sequence[int]]):
    """The bound of several colours from a number on, by their packed states."""

    __slots__ = ("_colours", "_jokers")

    def __init__(self, colours: Sequence[ColourBounds], jokers: int) -> None:
        super().__init__()
        self._colours, self._jokers = colours, jokers

    def __missing__(self, packed: int) -> Sequence[int]:
        bounds: Sequence[int] | None = None
        rest = packed
        for colour in self._colours:
            others = colour[rest & MASK]
            rest >>= SHIFT
            if bounds is None:
                bounds = others
            elif self._jokers == 0:
                bounds = [bounds[0] + others[0]]
            elif self._jokers == 1:
                bounds = [bounds[0] + others[0], min(bounds[0] + others[1], bounds[1] + others[0])]
            else:
                bounds = [together(bounds, others, jokers) for jokers in range(self._jokers + 1)]
        self[packed] = found = [0] * (self._jokers + 1) if bounds is None else bounds
        return found
