"""What must be left over at least from a number on: by one colour, and by some colours that share the jokers.

A colour by itself is bounded as if groups were there for the asking, but for jokers that they need: these are counted
to one of the colours. Bounds are lists, by how many jokers there are
for them; tables of them fill themselves when they are asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilekeeper.engine.sweep.runs import Onwards, OpenRuns

NEVER: Final = 1 << 40
SHIFT: Final = 16  # bits for one colour's state where those of some are packed in one integer
MASK: Final = (1 << SHIFT) - 1


def together(bounds: Sequence[int], others: Sequence[int], jokers: int) -> int:
    """What two parts must leave over that share some jokers."""
    if jokers == 0:
        return bounds[0] + others[0]
    if jokers == 1:
        return min(bounds[0] + others[1], bounds[1] + others[0])
    if jokers == 2:
        return min(bounds[0] + others[2], bounds[1] + others[1], bounds[2] + others[0])
    return min([bounds[ours] + others[jokers - ours] for ours in range(jokers + 1)])


class ColourBounds(dict[int, list[int]]):
    """What one colour must leave over from a number on, by the state of its runs.

    Args:
        runs: the states.
        jokers: how many jokers there are in all.
        room: how many runs that may not end yet can go on at this number.
        onwards: how the runs can go on at this number, with how many jokers in groups besides; none beyond the highest.
        weight: what a tile of this number weighs.
        later: the bounds from the next number on; none beyond the highest.
    """

    __slots__ = ("_jokers", "_later", "_onwards", "_room", "_unfinished", "_weight")

    def __init__(
        self,
        runs: OpenRuns,
        jokers: int,
        room: int,
        onwards: Sequence[tuple[Onwards, int]] = (),
        weight: int = 1,
        later: ColourBounds | None = None,
    ) -> None:
        super().__init__()
        self._unfinished, self._jokers, self._room = runs.unfinished, jokers, room
        self._onwards, self._weight, self._later = onwards, weight, later

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
            ((onwards, _),) = self._onwards
            return [min([weight * over + later[after][0] for after, _, over in onwards[state]], default=NEVER)]
        bounds = [NEVER] * (most + 1)
        for onwards, grouped in self._onwards:
            for after, used, over in onwards[state]:
                lost, least = weight * over, used + grouped
                for jokers, need in zip(range(least, most + 1), later[after], strict=False):
                    if lost + need < bounds[jokers]:
                        bounds[jokers] = lost + need
        return bounds


class JointBounds(dict[int, Sequence[int]]):
    """What some colours must leave over from a number on, by the packed states of their runs."""

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
