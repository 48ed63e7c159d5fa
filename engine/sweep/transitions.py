"""Transitions over one number, of one colour and of several colours together: tables that are computed on use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from tilekeeper.engine.sweep.bounds import MASK, NEVER, SHIFT, ColourBounds, JointBounds
from tilekeeper.engine.sweep.runs import Codes, OpenRuns, Transition, Transitions

Step = tuple[int, int, int]
"""A transition of one colour: the state after it, the jokers added to runs, and the weight that is left over."""

JointStep = tuple[int, int, int, Sequence[int]]
"""A transition of several colours: the packed states after it, the jokers added to runs, the weight that is left over
of this number, and the lower bounds of the weight left over later, by the jokers left. A plain tuple: there are
thousands."""


def block_joins(runs: OpenRuns, codes: Codes, blocks: int) -> Iterator[tuple[int, ...]]:
    """Every choice of open runs that `blocks` beginning block runs continue: an index for each, -1 for none.

    A run that may end already need not be continued by a block.
    """
    free = [at for at, code in enumerate(codes) if not runs.may_end(code) and runs.jokers_of(code) == 0]
    for option in product((-1, *free), repeat=blocks):
        if all(at < 0 or option.count(at) == 1 for at in option):
            yield option


class TransitionsWithBlocks(Transitions):
    """The transitions of a colour over a number at which runs of blocks begin or end.

    Args:
        transitions: the transitions without these blocks.
        begins: how many block runs begin there. Each may continue an open run that can't end yet.
        ends: how many end there; they are open runs afterwards.
    """

    __slots__ = ("_begins", "_ends", "_without")

    def __init__(self, transitions: Transitions, begins: int, ends: int) -> None:
        super().__init__(transitions.runs, transitions.over)
        self._without, self._begins, self._ends = transitions, begins, ends

    def __missing__(self, state: int) -> list[Transition]:
        runs = self.runs
        codes = runs.states[state]
        ended = [runs.block_code] * self._ends
        best: dict[tuple[int, int], int] = {}
        for taken in block_joins(runs, codes, self._begins):
            left = runs.number_of(tuple(code for at, code in enumerate(codes) if at not in taken))
            for after, jokers, over in self._without[left]:
                option = (runs.number_of(tuple(sorted((*runs.states[after], *ended)))), jokers)
                best[option] = min(over, best.get(option, over))
        self[state] = found = [(after, jokers, over) for (after, jokers), over in best.items()]
        return found


class ColourSteps(dict[int, list[Step]]):
    """The transitions of one colour over one number, by state; without those from which there is no solution."""

    __slots__ = ("_jokers", "_later", "_transitions", "_weight")

    def __init__(self, transitions: Transitions, weight: int, jokers: int, later: ColourBounds) -> None:
        super().__init__()
        self._transitions, self._weight, self._jokers, self._later = transitions, weight, jokers, later

    def __missing__(self, state: int) -> list[Step]:
        weight, jokers, later = self._weight, self._jokers, self._later
        self[state] = found = [
            (after, used, weight * over)
            for after, used, over in self._transitions[state]
            if later[after][jokers - used] < NEVER
        ]
        return found


class JointSteps(dict[int, list[JointStep]]):
    """The transitions of several colours over one number, by their packed states."""

    __slots__ = ("_colours", "_jokers", "_later")

    def __init__(self, colours: Sequence[ColourSteps], jokers: int, later: JointBounds) -> None:
        super().__init__()
        self._colours, self._jokers, self._later = colours, jokers, later

    def __missing__(self, packed: int) -> list[JointStep]:
        most, later = self._jokers, self._later
        options: list[Step] = [(0, 0, 0)]
        shift = 0
        for colour in self._colours:
            steps = colour[packed >> shift & MASK]
            options = [
                (state + (after << shift), jokers + used, lost + over)
                for state, jokers, lost in options
                for after, used, over in steps
            ]
            shift += SHIFT
        self[packed] = found = [
            (state, jokers, lost, bounds)
            for state, jokers, lost in options
            if jokers <= most and (bounds := later[state])[most - jokers] < NEVER
        ]
        return found
