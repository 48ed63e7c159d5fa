"""Openings from a rack: the best choices of sets, by points and weight."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import Final

from tilekeeper.engine.rules.meld import best_reading, worth
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.exact_cover import Cover, SearchTooLarge
from tilekeeper.engine.solver.solve import solve
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.tiles.table import Meld

_MOST_STATES: Final = 20_000


@dataclass(frozen=True, slots=True)
class OpeningChoice:
    """One choice of sets from a rack."""

    points: int
    """The points of these sets for the opening."""
    weight: int
    """The weight of the tiles in these sets."""
    rows: tuple[Meld, ...]


def find_openings(task: Task, rules: RuleSet) -> tuple[list[OpeningChoice], bool]:
    """Return the best choices of sets from a rack by points and weight, and whether the list is complete.

    If the rack is too large for the search, the list has only two choices: one with the most weight, and one with
    high numbers.
    """
    try:
        return undominated_openings(task, rules, _MOST_STATES), True
    except SearchTooLarge:
        by_number = {tile: tile.number or rules.stock.numbers for tile in task.may}
        found = [solve(Task(Counter(), task.may, weights), rules) for weights in (task.weights, by_number)]
        return [_choice(solution.melds, task, rules) for solution in found if solution is not None], False


def undominated_openings(task: Task, rules: RuleSet, most_states: int) -> list[OpeningChoice]:
    """Return the choices that no other choice dominates in points and weight, most points first.

    Raises:
        SearchTooLarge: if the rack is too large for the search.
    """
    cover = Cover(task, rules, every_row=True, most_states=most_states)
    alone = cache(lambda row: _choice((row,), task, rules))
    known: dict[int, list[OpeningChoice]] = {0: [OpeningChoice(0, 0, ())]}

    def best_of(left: int) -> list[OpeningChoice]:
        if left not in known:
            if len(known) > most_states:
                raise SearchTooLarge
            best: list[OpeningChoice] = []
            known[left] = best
            found = []
            for rest, _, row in cover.branches(left):
                found += [_both(alone(row[0]), each, rules) for each in best_of(rest)] if row else best_of(rest)
            for each in sorted(found, key=lambda each: (-each.points, -each.weight)):
                if not best or each.weight > best[-1].weight:
                    best.append(each)
        return known[left]

    return best_of(cover.everything)


def _both(laid: OpeningChoice, rest: OpeningChoice, rules: RuleSet) -> OpeningChoice:
    points = laid.points + rest.points if rules.opening.several_sets else max(laid.points, rest.points)
    return OpeningChoice(points, laid.weight + rest.weight, laid.rows + rest.rows)


def _choice(rows: tuple[Meld, ...], task: Task, rules: RuleSet) -> OpeningChoice:
    points = [worth(row, reading, rules) for row in rows if (reading := best_reading(row, rules))]
    total = sum(points) if rules.opening.several_sets else max(points, default=0)
    return OpeningChoice(total, sum(task.weight(tile) for row in rows for tile in row), rows)
