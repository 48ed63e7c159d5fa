"""Openings from a rack: the best choices of sets, by points and weight."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from tilekeeper.engine.rules.meld import best_reading, readings, worth
from tilekeeper.engine.rules.possible_rows import all_rows
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.exact_cover import SearchTooLarge
from tilekeeper.engine.solver.solve import solve
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.tiles.table import Meld

_BITS: Final = 8
_MOST_STATES: Final = 20_000


@dataclass(frozen=True, slots=True)
class OpeningChoice:
    """One choice of sets from a rack."""

    points: int
    """Their points for the opening."""
    weight: int
    """The weight of their tiles."""
    rows: tuple[Meld, ...]


class Openings:
    """The choices of sets from one rack that no other choice dominates in points and weight.

    The search is that of the exact cover (`tilekeeper.engine.solver.exact_cover`); its state is the rest of the rack.

    Args:
        task: its tiles that may be laid are the rack.
        rules: the edition in play.
        most_states: the most states that the search may visit.
    """

    def __init__(self, task: Task, rules: RuleSet, most_states: int) -> None:
        self._states_left = most_states
        self._several = rules.opening.several_sets
        rack = task.may
        kinds = sorted(rack, key=lambda tile: tile.order)
        self._shift = {kind: _BITS * at for at, kind in enumerate(kinds)}
        self._guard = sum(1 << (_BITS * at + _BITS - 1) for at in range(len(kinds)))
        self._all = sum(count << self._shift[tile] for tile, count in rack.items())
        best: dict[int, OpeningChoice] = {}
        for row in all_rows(rack, rules):
            reading = best_reading(row, rules)
            assert reading is not None  # every row is valid
            need = sum(1 << self._shift[tile] for tile in row)
            points = worth(row, reading, rules)
            if need not in best or points > best[need].points:
                best[need] = OpeningChoice(points, sum(map(task.weight, row)), (row,))
        self._rows: list[list[tuple[int, OpeningChoice]]] = [[] for _ in kinds]
        for need, laid in best.items():
            self._rows[((need & -need).bit_length() - 1) // _BITS].append((need, laid))
        self._known: dict[int, list[OpeningChoice]] = {0: [OpeningChoice(0, 0, ())]}

    def best(self) -> list[OpeningChoice]:
        """Return the choices, most points first.

        Raises:
            SearchTooLarge: if the rack is too large for the search.
        """
        return self._best_of(self._all)

    def _best_of(self, left: int) -> list[OpeningChoice]:
        known = self._known.get(left)
        if known is not None:
            return known
        self._states_left -= 1
        if self._states_left < 0:
            raise SearchTooLarge
        first = ((left & -left).bit_length() - 1) // _BITS
        count = left >> (_BITS * first) & ((1 << _BITS) - 1)
        found = list(self._best_of(left - (count << (_BITS * first))))
        for need, laid in self._rows[first]:
            if (left | self._guard) - need & self._guard == self._guard:
                found += [self._both(laid, rest) for rest in self._best_of(left - need)]
        found.sort(key=lambda laid: (-laid.points, -laid.weight))
        best: list[OpeningChoice] = []
        for laid in found:
            if not best or laid.weight > best[-1].weight:
                best.append(laid)
        self._known[left] = best
        return best

    def _both(self, laid: OpeningChoice, rest: OpeningChoice) -> OpeningChoice:
        points = laid.points + rest.points if self._several else max(laid.points, rest.points)
        return OpeningChoice(points, laid.weight + rest.weight, laid.rows + rest.rows)


def find_openings(task: Task, rules: RuleSet) -> tuple[list[OpeningChoice], bool]:
    """Return the best choices of sets from a rack by points and weight, and whether the list is complete.

    For a rack that is too large for the search: the choice with the most weight, and one with high numbers.
    """
    try:
        return Openings(task, rules, _MOST_STATES).best(), True
    except SearchTooLarge:
        by_number = {tile: tile.number or rules.stock.numbers for tile in task.may}
        found = [solve(Task(Counter(), task.may, weights), rules) for weights in (task.weights, by_number)]
        return [_as_choice(solution.melds, task, rules) for solution in found if solution is not None], False


def _as_choice(rows: tuple[Meld, ...], task: Task, rules: RuleSet) -> OpeningChoice:
    points = [max(worth(row, reading, rules) for reading in readings(row, rules)) for row in rows]
    total = sum(points) if rules.opening.several_sets else max(points, default=0)
    return OpeningChoice(total, sum(task.weight(tile) for row in rows for tile in row), rows)
