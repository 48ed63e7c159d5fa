"""The opening in editions that allow use of the table in the same turn, after the sets of the opening.

The camera sees only the end of the turn. The player may have extended or regrouped the sets of the opening, so the
search tries every choice of sets that the tiles from the rack can form, first sets whose tiles are still together. A
choice holds only sets that it needs to reach the points; all other tiles count as laid after the opening.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from typing import Final

from tilekeeper.engine.judge.manipulation import (
    ManipulationResult,
    find_legal_provenance,
    jokers_have_a_way,
    judge_manipulation,
    report_violations,
)
from tilekeeper.engine.judge.opening import (
    best_worth,
    check_table_is_empty,
    count_points,
    find_rack_rows,
    judge_closed_table,
)
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.provenance.changes import Changes, find_changes_after
from tilekeeper.engine.rules.policies import JokerSets, Regrouping
from tilekeeper.engine.rules.possible_rows import all_rows
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile

_REPORT_BUDGET: Final = 8_000
"""Steps of the search for the fault to report, after the proof that the turn is illegal."""
_MOST_REPORTED: Final = 8
"""The most openings to try in the search for the fault to report; the likeliest openings come first."""


@dataclass(frozen=True, slots=True)
class RackSet:
    """A valid set of tiles from the rack."""

    meld: Meld
    tiles: Counter[Tile]
    points: int
    apart: int
    """The number of its tiles outside the new meld that holds most of them."""

    def fits(self, rack: Counter[Tile]) -> bool:
        """Return whether a rack holds all tiles of this set."""
        return all(count <= rack[tile] for tile, count in self.tiles.items())


def judge_free_opening(changes: Changes, rules: RuleSet, budget: Budget) -> ManipulationResult:
    """Judge an opening in an edition in which the player may use the table in the same turn, after the opening.

    If there are too many possible openings to try, the result is not `proved` and names no fault of the opening.
    """
    points, after_them = _lay_rack_rows(changes, rules)
    not_empty = tuple(check_table_is_empty(changes, rules))
    try:
        found = find_legal_opening(changes, rules, budget)
    except BudgetExceeded:
        return ManipulationResult(not_empty, proved=False, points=points)
    if found is None and points >= rules.opening.minimum_points:
        found = replace(report_violations(after_them, rules, budget), points=points)
    if found is None:
        closed = judge_closed_table(changes, rules)
        found = _judge_after_enough_points(changes, rules, len(closed.violations), budget)
        if found is None:
            return closed
    return replace(found, violations=(*not_empty, *found.violations))


def find_legal_opening(changes: Changes, rules: RuleSet, budget: Budget) -> ManipulationResult | None:
    """Return the result of a legal opening and of the use of the table after it; None if there is none.

    The new rows of the table after that can be from the rack alone are tried first, then sets that were regrouped.

    Raises:
        BudgetExceeded: if there are too many openings to try.
    """
    points, after_them = _lay_rack_rows(changes, rules)
    if points >= rules.opening.minimum_points:
        rest = find_legal_provenance(after_them, rules, budget)
        if rest is not None:
            return replace(rest, points=points)
    if rules.joker.sets is not JokerSets.JOKER_MOVES and find_legal_provenance(changes, rules, budget) is None:
        # The sets of an opening only restrict the provenances, so without a legal one no opening can be legal.
        return None
    for reached, after_sets in _openings(changes, rules, budget):
        budget.spend(len(changes.changed_after))
        rest = find_legal_provenance(after_sets, rules, budget)
        if rest is not None:
            return replace(rest, points=max(points, reached))
    return None


def _lay_rack_rows(changes: Changes, rules: RuleSet) -> tuple[int, Changes]:
    """Return the points of the new rows from the rack alone, and the changes of the rest of the turn after them."""
    laid = find_rack_rows(changes, rules)
    melds = tuple(changes.after.melds[row.index] for row in laid)
    return count_points(laid, rules), find_changes_after(changes, melds, rules)


def _judge_after_enough_points(
    changes: Changes, rules: RuleSet, most: int, budget: Budget
) -> ManipulationResult | None:
    """Search the fault of an illegal turn in the use of the table, after an opening with enough points.

    The result with the fewest violations is returned; None if it has more than `most`, since then the opening itself
    is likelier to be the fault.
    """
    budget = budget.sibling(_REPORT_BUDGET)
    best: ManipulationResult | None = None
    with suppress(BudgetExceeded):
        for points, after_sets in islice(_openings(changes, rules, budget), _MOST_REPORTED):
            # Each opening has a budget of its own, and all openings together have `budget`.
            result = judge_manipulation(after_sets, rules, Budget(_REPORT_BUDGET, within=budget))
            if result.violations and len(result.violations) <= most:
                best, most = replace(result, points=points), len(result.violations) - 1
    return best


def _openings(changes: Changes, rules: RuleSet, budget: Budget) -> Iterator[tuple[int, Changes]]:
    """Yield each possible opening, the likeliest first: its points, and the changes of the rest of the turn after it.

    Raises:
        BudgetExceeded: if there are too many openings.
    """
    for sets in choose_sets(changes, rules, _joker_check(changes, rules, budget), budget):
        melds = tuple(chosen.meld for chosen in sets)
        yield sum(chosen.points for chosen in sets), find_changes_after(changes, melds, rules)


def _joker_check(changes: Changes, rules: RuleSet, budget: Budget) -> Callable[[RackSet], bool]:
    """Return a function that tests whether a set can have been laid, judged by its jokers alone.

    Most sets with jokers fail this test. Its results are cached.
    """

    @cache
    def have_a_way(meld: Meld) -> bool:
        budget.spend(len(changes.changed_after))
        return jokers_have_a_way(find_changes_after(changes, (meld,), rules), rules, budget)

    return lambda rack_set: not rack_set.tiles[JOKER] or have_a_way(rack_set.meld)


def choose_sets(
    changes: Changes, rules: RuleSet, can_be_laid: Callable[[RackSet], bool], budget: Budget
) -> Iterator[tuple[RackSet, ...]]:
    """Yield the choices of sets that reach the points, but not without each of the sets; the likeliest come first.

    Raises:
        BudgetExceeded: if there are too many choices.
    """
    bound = rules.opening.minimum_points

    def choose(
        sets: Sequence[RackSet], start: int, chosen: tuple[RackSet, ...], points: int, remaining: Counter[Tile]
    ) -> Iterator[tuple[RackSet, ...]]:
        for position in range(start, len(sets)):
            rack_set = sets[position]
            budget.spend(1)
            if not rack_set.fits(remaining) or not can_be_laid(rack_set):
                continue
            reached = points + rack_set.points
            if reached < bound:
                # Start at this set, not the next: the rack can hold the tiles of one set twice.
                if rules.opening.several_sets:
                    yield from choose(sets, position, (*chosen, rack_set), reached, remaining - rack_set.tiles)
            elif all(reached - earlier.points < bound for earlier in chosen):
                yield (*chosen, rack_set)

    for jokers in range(changes.placed[JOKER] + 1):
        for choice in choose(list_rack_sets(changes, rules, budget, jokers), 0, (), 0, changes.placed):
            if not jokers or any(rack_set.tiles[JOKER] == jokers for rack_set in choice):
                yield choice


def list_rack_sets(changes: Changes, rules: RuleSet, budget: Budget, jokers: int) -> list[RackSet]:
    """Return every set of tiles from the rack with at most `jokers` jokers that the rules allow to lie as it does.

    The list is sorted by the number of separated tiles and then of jokers, fewest first, and then by points, highest
    first.

    Raises:
        BudgetExceeded: if there are too many sets.
    """
    budget.spend(changes.after.counts.total())
    new_melds = [set(changes.after.melds[index]) for index in changes.changed_after]
    stays_whole = (
        rules.manipulation.regrouping is Regrouping.EXTEND_ONLY and rules.joker.sets is not JokerSets.JOKER_MOVES
    )
    found = []
    for row in all_rows(Counter({**changes.placed, JOKER: jokers}), rules):
        budget.spend(4 + len(row))
        plain = {tile for tile in row if not tile.is_joker}
        apart = len(plain) - max(len(plain & tiles) for tiles in new_melds)
        if not (apart and stays_whole):
            found.append(RackSet(row, Counter(row), best_worth(row, rules), apart))
    return sorted(found, key=lambda rack_set: (rack_set.apart, rack_set.tiles[JOKER], -rack_set.points))
