"""The opening in editions where a player may use the table in the same turn, once the opening's sets are laid.

The camera sees only the end of the turn. The sets of the opening may have been extended or regrouped since, so every
choice of sets that the tiles from the rack can have made is tried, first those whose tiles are still together. Only
choices in which every set is needed for the points are tried: other tiles count as laid after the opening.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from tilekeeper.engine.judge.manipulation import (
    ManipulationResult,
    find_legal,
    have_jokers_a_way,
    judge_manipulation,
)
from tilekeeper.engine.judge.opening import OpeningResult, from_rack, judge_closed_table, table_not_empty
from tilekeeper.engine.judge.opening_sets import RackSet, likely_sets
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.provenance.changes import Changes, once_laid
from tilekeeper.engine.rules.policies import JokerSets
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile


def judge_free_opening(changes: Changes, rules: RuleSet, budget: Budget) -> OpeningResult:
    """Judge the turn of a player who had not opened before and may use the table once the opening is laid.

    Where there are too many possible openings to try, the turn is not reported as illegal because of the opening.
    """
    laid = from_rack(changes, rules)
    points = laid.points(rules)
    not_empty = tuple(table_not_empty(changes, rules))
    result: ManipulationResult | None = None
    if points >= rules.opening.minimum_points:
        rows = tuple(changes.after.melds[candidate.index] for candidate in laid.rows)
        result = judge_manipulation(once_laid(changes, rows, rules), rules, budget)
        if not result.violations:
            return OpeningResult(points, not_empty, result, result.proved)
    try:
        found = _find_opening(changes, rules, budget)
    except BudgetExceeded:
        return OpeningResult(points, not_empty, ManipulationResult(), proved=False)
    if found is not None:
        reached, rest = found
        return OpeningResult(max(points, reached), not_empty, rest)
    if result is None:
        return judge_closed_table(changes, laid, rules, budget)
    return OpeningResult(points, not_empty, result)


def _find_opening(changes: Changes, rules: RuleSet, budget: Budget) -> tuple[int, ManipulationResult] | None:
    """A legal opening whose sets were regrouped afterwards: its points, and how the table was used; None if none.

    Raises:
        BudgetExceeded: if there are too many to try.
    """
    if rules.joker.sets is not JokerSets.JOKER_MOVES and find_legal(changes, rules, budget) is None:
        # With no set fixed everything is possible that is possible with some sets fixed.
        return None
    known: dict[Meld, bool] = {}

    def can_be_laid(one: RackSet) -> bool:
        """Whether a set by itself can have been laid, as far as its jokers tell; most with jokers can't."""
        if not one.tiles[JOKER]:
            return True
        if one.meld not in known:
            budget.spend(len(changes.changed_after))
            known[one.meld] = have_jokers_a_way(once_laid(changes, (one.meld,), rules), rules, budget)
        return known[one.meld]

    for sets in _openings(changes, rules, can_be_laid, budget):
        budget.spend(len(changes.changed_after))
        rest = find_legal(once_laid(changes, tuple(chosen.meld for chosen in sets), rules), rules, budget)
        if rest is not None:
            return sum(chosen.points for chosen in sets), rest
    return None


def _openings(
    changes: Changes, rules: RuleSet, can_be_laid: Callable[[RackSet], bool], budget: Budget
) -> Iterator[tuple[RackSet, ...]]:
    """The choices of sets that reach the points and need each of their sets for that, the likeliest first.

    Those without jokers come first: there are few of them, and many with.

    Raises:
        BudgetExceeded: if there are too many.
    """
    for jokers in range(changes.placed[JOKER] + 1):
        sets = likely_sets(changes, rules, budget, jokers)
        apart, more = 0, True
        while more:
            more = False
            for choice in _choices(sets, changes.placed, rules, can_be_laid, apart, budget):
                if choice is None:
                    more = True
                elif not jokers or any(one.tiles[JOKER] == jokers for one in choice):
                    yield choice
            apart += 1


def _choices(
    sets: Sequence[RackSet],
    rack: Counter[Tile],
    rules: RuleSet,
    can_be_laid: Callable[[RackSet], bool],
    apart: int,
    budget: Budget,
) -> Iterator[tuple[RackSet, ...] | None]:
    """The choices of sets with `apart` tiles apart in all; a None among them says that some choices have more."""
    bound = rules.opening.minimum_points

    def choose(
        start: int, chosen: tuple[RackSet, ...], points: int, left: Counter[Tile], apart: int
    ) -> Iterator[tuple[RackSet, ...] | None]:
        for position in range(start, len(sets)):
            one = sets[position]
            budget.spend(1)
            if one.apart > apart:
                # All that follow have as many tiles apart, or more.
                if any(other.fits(left) for other in sets[position:]):
                    yield None
                return
            if not one.fits(left) or not can_be_laid(one):
                continue
            reached = points + one.points
            if reached >= bound:
                if one.apart == apart and all(reached - other.points < bound for other in chosen):
                    yield (*chosen, one)
            elif rules.opening.several_sets:
                # From this set on, not the next: the rack can hold the tiles of one set twice.
                yield from choose(position, (*chosen, one), reached, left - one.tiles, apart - one.apart)

    yield from choose(0, (), 0, rack, apart)
