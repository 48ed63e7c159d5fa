"""How the runs of one colour, and of some colours together, go on over one number: tables that fill themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from tilekeeper.engine.sweep.bounds import MASK, NEVER, SHIFT, ColourBounds, JointBounds
from tilekeeper.engine.sweep.runs import Codes, Onward, Onwards, OpenRuns

Step = tuple[int, int, int]
"""One way for a colour to go on: the state afterwards, the jokers laid to runs, and the weight that is left over."""

JointStep = tuple[int, int, int, Sequence[int]]
"""One way for some colours to go on: the packed states afterwards, the jokers laid to runs, the weight that is left
over of this number, and what must be left over later at least, by how many jokers are left. A plain tuple: there are
thousands."""


def taken_up(runs: OpenRuns, codes: Codes, blocks: int) -> Iterator[tuple[int, ...]]:
    """Every way for so many old runs that begin to take up open runs: which run each takes, -1 for none.

    A run that may end as it is gains nothing by it.
    """
    free = [at for at, code in enumerate(codes) if not runs.may_end(code) and runs.jokers_of(code) == 0]
    for way in product((-1, *free), repeat=blocks):
        if all(at < 0 or way.count(at) == 1 for at in way):
            yield way


class OnwardsWithBlocks(Onwards):
    """How the states of a colour go on over a number at which old runs begin that stay together, or end.

    Args:
        onwards: how they would go on without.
        begins: how many old runs begin there. They take up open runs that may not end yet.
        ends: how many end there, and are open runs then.
    """

    __slots__ = ("_begins", "_ends", "_without")

    def __init__(self, onwards: Onwards, begins: int, ends: int) -> None:
        super().__init__(onwards.runs, onwards.over)
        self._without, self._begins, self._ends = onwards, begins, ends

    def __missing__(self, state: int) -> list[Onward]:
        runs = self.runs
        codes = runs.states[state]
        ended = [runs.block_code] * self._ends
        best: dict[tuple[int, int], int] = {}
        for taken in taken_up(runs, codes, self._begins):
            left = runs.number_of(tuple(code for at, code in enumerate(codes) if at not in taken))
            for after, jokers, over in self._without[left]:
                way = (runs.number_of(tuple(sorted((*runs.states[after], *ended)))), jokers)
                best[way] = min(over, best.get(way, over))
        self[state] = found = [(after, jokers, over) for (after, jokers), over in best.items()]
        return found


class ColourSteps(dict[int, list[Step]]):
    """The steps of one colour over one number, by the state of its runs; without those after which nothing can do."""

    __slots__ = ("_jokers", "_later", "_onwards", "_weight")

    def __init__(self, onwards: Onwards, weight: int, jokers: int, later: ColourBounds) -> None:
        super().__init__()
        self._onwards, self._weight, self._jokers, self._later = onwards, weight, jokers, later

    def __missing__(self, state: int) -> list[Step]:
        weight, jokers, later = self._weight, self._jokers, self._later
        self[state] = found = [
            (after, used, weight * over)
            for after, used, over in self._onwards[state]
            if later[after][jokers - used] < NEVER
        ]
        return found


class JointSteps(dict[int, list[JointStep]]):
    """The steps of some colours together over one number, by the packed states of their runs."""

    __slots__ = ("_colours", "_jokers", "_later")

    def __init__(self, colours: Sequence[ColourSteps], jokers: int, later: JointBounds) -> None:
        super().__init__()
        self._colours, self._jokers, self._later = colours, jokers, later

    def __missing__(self, packed: int) -> list[JointStep]:
        most, later = self._jokers, self._later
        ways: list[Step] = [(0, 0, 0)]
        shift = 0
        for colour in self._colours:
            steps = colour[packed >> shift & MASK]
            ways = [
                (state + (after << shift), jokers + used, lost + over)
                for state, jokers, lost in ways
                for after, used, over in steps
            ]
            shift += SHIFT
        self[packed] = found = [
            (state, jokers, lost, bounds)
            for state, jokers, lost in ways
            if jokers <= most and (bounds := later[state])[most - jokers] < NEVER
        ]
        return found
