"""Transitions over a number at which runs of blocks begin or end, computed on first use."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from operator import itemgetter

from tilekeeper.engine.sweep.runs import Codes, OpenRuns, Transition, Transitions


def block_joins(runs: OpenRuns, codes: Codes, blocks: int) -> Iterator[tuple[int, ...]]:
    """Yield the choices of open runs that block runs continue: for each block the index of an open run, or -1 for none.

    Only a run that is too short to end is continued; a longer run needs no block. A run with counted jokers is not.
    """
    free = [at for at, code in enumerate(codes) if not runs.may_end(code) and runs.jokers_of(code) == 0]
    for option in product((-1, *free), repeat=blocks):
        if all(at < 0 or option.count(at) == 1 for at in option):
            yield option


class TransitionsWithBlocks(Transitions):
    """The transitions of a colour over a number at which runs of blocks begin or end.

    Args:
        transitions: the transitions without these blocks.
        begins: the number of block runs that begin there; each may continue an open run that can't end yet.
        ends: the number of block runs that end there; they are open runs afterwards.
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
            remaining_state = runs.number_of(tuple(code for at, code in enumerate(codes) if at not in taken))
            for after, jokers, over in self._without[remaining_state]:
                option = (runs.number_of(tuple(sorted((*runs.states[after], *ended)))), jokers)
                best[option] = min(over, best.get(option, over))
        found = [(after, jokers, over) for (after, jokers), over in best.items()]
        found.sort(key=itemgetter(2))
        self[state] = found
        return found
