"""The judge: compares the tables before and after a turn and returns a verdict with every violation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import assert_never

from tilekeeper.engine.judge.faults import meld_faults, stock_faults
from tilekeeper.engine.judge.manipulation import ManipulationResult, find_legal_provenance, judge_manipulation
from tilekeeper.engine.judge.opening import check_table_is_empty, judge_closed_table
from tilekeeper.engine.judge.opening_free import find_legal_opening, judge_free_opening
from tilekeeper.engine.judge.verdict import Outcome, StandIn, Verdict
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.provenance.changes import Changes, find_changes
from tilekeeper.engine.provenance.single_moves import turn_budget
from tilekeeper.engine.rules.meld import best_reading, is_valid
from tilekeeper.engine.rules.policies import FreedJoker, OpeningTable
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext, check_turn
from tilekeeper.engine.rules.violations import CODE_RANKS, Code, Side, Violation
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import JOKER


def judge(before: Table, after: Table, context: TurnContext) -> Verdict:
    """Judge a turn in which a player laid tiles.

    The verdict lists all violations. Faults of unchanged melds are separate, in `Verdict.standing`: the player did not
    lay these melds, so the turn can still be legal. A tile that the box can't hold is always reported, because it means
    that the table was misread. A rule of manipulation counts as broken only if every possible provenance of the tiles
    breaks it.

    The search for a legal provenance has a budget of steps. Turns of real games need a small part of it. If the search
    exceeds the budget, the verdict is not `proved`, and violations that depend on the search are left out. Without any
    other violation the turn is then undecided, never legal.

    Args:
        before: the table at the start of the turn.
        after: the table at the end of the turn.
        context: the rules, and whether the player had opened.

    Raises:
        ArgumentError: if an argument has another type.

    >>> context = TurnContext(rule_set("large-numbers"), opened=True)
    >>> print(judge(Table("R3 R4 R5"), Table("R3 R4 R5 R6"), context))
    Allowed: 1 tile laid (R6).
    """
    check_turn(context, before=before, after=after)
    rules = context.rules
    changes = find_changes(before, after, rules)
    turn = _judge_use_of_table(changes, context, turn_budget(rules))
    violations = [*_find_faults(changes, turn.to_rack, rules), *turn.violations]
    return Verdict(
        before=before,
        after=after,
        violations=_sort(violations),
        standing=_sort(_find_standing_faults(changes, rules)),
        placed=tuple(sorted(changes.placed.elements(), key=lambda tile: tile.order)),
        points=turn.points,
        opens=turn.points is not None and bool(changes.placed) and not violations and turn.proved,
        stand_ins=tuple(_find_stand_ins(after, rules)),
        new_melds=tuple(_find_new_melds(changes, rules)),
        replaced=turn.replaced,
        relaid=_count_relaid(changes, turn, rules),
        fewest_replaced=turn.fewest_replaced,
        proved=turn.proved,
    )


def decide(before: Table, after: Table, context: TurnContext, budget: Budget) -> Outcome:
    """Return whether a turn is legal, faster than `judge`: its violations and its replaced jokers are not searched.

    If the budget does not suffice for the search for a legal provenance, the turn is undecided.
    """
    rules = context.rules
    changes = find_changes(before, after, rules)
    try:
        used = _find_legal_use_of_table(changes, context, budget)
    except BudgetExceeded:
        return Outcome.UNDECIDED
    is_legal = used is not None and not any(_find_faults(changes, used.to_rack, rules))
    return Outcome.LEGAL if is_legal else Outcome.ILLEGAL


def _find_legal_use_of_table(changes: Changes, context: TurnContext, budget: Budget) -> ManipulationResult | None:
    """Return a result without a violation for the use of the table and the opening; None if there is none.

    Raises:
        BudgetExceeded: if the search needs more steps.
    """
    rules = context.rules
    if context.opened or not rules.opening.minimum_points:
        return find_legal_provenance(changes, rules, budget, fewest=False)
    if rules.opening.table is OpeningTable.LEFT_ALONE:
        return None if judge_closed_table(changes, rules).violations else ManipulationResult()
    return None if any(check_table_is_empty(changes, rules)) else find_legal_opening(changes, rules, budget)


def judge_once(before: Table, after: Table, context: TurnContext) -> Verdict:
    """Judge a turn as `judge` does, with a cache of 512 verdicts, because a replay judges the same turns again.

    Equal tables with another order of melds are judged separately, because a verdict names melds by their index.
    """
    return _judge_melds(before.melds, after.melds, context)


@lru_cache(maxsize=512)
def _judge_melds(before: tuple[Meld, ...], after: tuple[Meld, ...], context: TurnContext) -> Verdict:
    return judge(Table(before), Table(after), context)


def _sort(violations: Iterable[Violation]) -> tuple[Violation, ...]:
    return tuple(sorted(violations, key=lambda violation: CODE_RANKS[violation.code]))


def _find_faults(changes: Changes, jokers_to_rack: int, rules: RuleSet) -> Iterator[Violation]:
    """Yield the violations that no search is needed for; `jokers_to_rack` jokers may be missing from the table."""
    yield from stock_faults(changes.before, changes.counts_before, Side.BEFORE, rules)
    yield from stock_faults(changes.after, changes.counts_after, Side.AFTER, rules)
    for index in changes.changed_after:
        yield from meld_faults(changes.after, index, Side.AFTER, rules)
    yield from _find_taken_tiles(changes, jokers_to_rack, rules)
    yield from _check_placed(changes, rules)


def _find_standing_faults(changes: Changes, rules: RuleSet) -> Iterator[Violation]:
    """Yield the faults of unchanged melds."""
    for index in changes.unchanged:
        if not is_valid(changes.after.melds[index], rules):
            yield from meld_faults(changes.after, index, Side.AFTER, rules)


def _judge_use_of_table(changes: Changes, context: TurnContext, budget: Budget) -> ManipulationResult:
    """Judge how the player used the table, and the opening if the player had not opened.

    The result has no points if the player had opened before, or if the edition requires no points.
    """
    rules = context.rules
    if context.opened or not rules.opening.minimum_points:
        return judge_manipulation(changes, rules, budget)
    match rules.opening.table:
        case OpeningTable.LEFT_ALONE:
            return judge_closed_table(changes, rules)
        case OpeningTable.FREE_ONCE_OPEN:
            return judge_free_opening(changes, rules, budget)
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def _find_taken_tiles(changes: Changes, jokers_to_rack: int, rules: RuleSet) -> Iterator[Violation]:
    """Yield one violation for all tiles that are missing from the table, unless the edition lets players take them.

    The first `jokers_to_rack` missing jokers are allowed. If a copy of a tile is missing, the violation names the
    first copy in a changed meld.
    """
    if rules.manipulation.take_back:
        return
    missing = changes.taken.copy()
    missing[JOKER] -= jokers_to_rack
    tiles = []
    for index in changes.changed_before:
        for position, tile in enumerate(changes.before.melds[index]):
            if missing[tile] > 0:
                missing[tile] -= 1
                tiles.append(Place(index, position))
    if tiles:
        yield Violation.from_tiles(Code.TILE_TAKEN, Side.BEFORE, tuple(tiles))


def _check_placed(changes: Changes, rules: RuleSet) -> Iterator[Violation]:
    found = changes.placed.total()
    if found < rules.turn.least_tiles:
        yield Violation(Code.NOTHING_PLACED, Side.AFTER, (), (), found, rules.turn.least_tiles)


def _count_relaid(changes: Changes, manipulated: ManipulationResult, rules: RuleSet) -> int:
    """Return the most jokers that may have come from the rack without being counted in `changes.placed`.

    While such a joker was laid, a replaced joker went to the rack, so the table has as many jokers as before.
    """
    if rules.joker.freed is not FreedJoker.RACK:
        return 0
    on_rack = rules.stock.jokers - changes.counts_before[JOKER] - changes.placed[JOKER]
    return max(0, min(manipulated.replaced - manipulated.to_rack, on_rack))


def _find_new_melds(changes: Changes, rules: RuleSet) -> Iterator[int]:
    """Yield the indices of valid melds that hold no numbered tile of the table before."""
    for index in changes.changed_after:
        meld = changes.after.melds[index]
        numbered = Counter(tile for tile in meld if not tile.is_joker)
        if numbered <= changes.placed and is_valid(meld, rules):
            yield index


def _find_stand_ins(table: Table, rules: RuleSet) -> Iterator[StandIn]:
    for index, meld in enumerate(table.melds):
        if JOKER in meld and (reading := best_reading(meld, rules)):
            for position, (tile, stands_for) in enumerate(zip(meld, reading.tiles, strict=True)):
                if tile.is_joker:
                    yield StandIn(Place(index, position), stands_for)
