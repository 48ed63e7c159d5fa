"""The judge: compares the tables before and after a turn and returns a verdict with every violation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import assert_never

from tilekeeper.engine.judge.faults import meld_faults, stock_faults
from tilekeeper.engine.judge.manipulation import ManipulationResult, judge_manipulation
from tilekeeper.engine.judge.opening import OpeningResult, judge_opening
from tilekeeper.engine.judge.opening_free import judge_free_opening
from tilekeeper.engine.judge.verdict import StandIn, Verdict
from tilekeeper.engine.provenance.budget import Budget
from tilekeeper.engine.provenance.changes import Changes, find_changes
from tilekeeper.engine.rules.meld import best_reading, is_valid
from tilekeeper.engine.rules.policies import FreedJoker, OpeningTable
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext, check_turn
from tilekeeper.engine.rules.violations import CODE_RANKS, Code, Side, Violation
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import JOKER


def judge(before: Table, after: Table, context: TurnContext) -> Verdict:
    """Judge a turn in which a player laid tiles.

    All violations are found at once. What is wrong with a meld that is unchanged stands apart, in `Verdict.standing`:
    the player did not lay it, and the turn may be legal all the same. A tile that the box can't hold is always
    reported, since the table was misread then. A rule of manipulation is broken only if every possible provenance of
    the tiles breaks it.

    The search for a legal provenance has a budget. Turns of real games need a small part of it. Where it is exceeded,
    the verdict is not `proved`, and no violation is reported that depends on the search.

    Args:
        before: the table at the start of the turn.
        after: the table at its end.
        context: the rules, and whether the player had opened.

    Raises:
        ArgumentError: if an argument is of another kind.

    >>> context = TurnContext(rule_set("large-numbers"), opened=True)
    >>> print(judge(Table("R3 R4 R5"), Table("R3 R4 R5 R6"), context))
    Legal: 1 tile laid (R6).
    """
    check_turn(context, before=before, after=after)
    rules = context.rules
    changes = find_changes(before, after, rules)
    turn = _judge_use_of_table(changes, context)
    violations = [
        *stock_faults(before, changes.counts_before, Side.BEFORE, rules),
        *stock_faults(after, changes.counts_after, Side.AFTER, rules),
        *(fault for index in changes.changed_after for fault in meld_faults(after, index, Side.AFTER, rules)),
        *_tile_taken(changes, turn.manipulated.to_rack, rules),
        *_nothing_placed(changes, rules),
        *turn.violations,
        *turn.manipulated.violations,
    ]
    return Verdict(
        before=before,
        after=after,
        violations=_in_order(violations),
        standing=_in_order(_standing(changes, rules)),
        placed=tuple(sorted(changes.placed.elements(), key=lambda tile: tile.order)),
        points=turn.points,
        opens=turn.points is not None and not violations,
        stand_ins=tuple(_stand_ins(after, rules)),
        new_melds=tuple(_new_melds(changes, rules)),
        replaced=turn.manipulated.replaced,
        relaid=_relaid(changes, turn.manipulated, rules),
        proved=turn.proved and turn.manipulated.proved,
    )


def judge_once(before: Table, after: Table, context: TurnContext) -> Verdict:
    """Return what `judge` returns, and remember it: a game that is folded again judges none of its turns again.

    Tables that are equal, with their melds in another order, are judged anew: a verdict names melds by their places.
    """
    return _judge_melds(before.melds, after.melds, context)


@lru_cache(maxsize=512)
def _judge_melds(before: tuple[Meld, ...], after: tuple[Meld, ...], context: TurnContext) -> Verdict:
    return judge(Table(before), Table(after), context)


def _in_order(violations: Iterable[Violation]) -> tuple[Violation, ...]:
    return tuple(sorted(violations, key=lambda violation: CODE_RANKS[violation.code]))


def _standing(changes: Changes, rules: RuleSet) -> Iterator[Violation]:
    """Why melds that lie as they lay before the turn are not valid."""
    for index in changes.unchanged:
        if not is_valid(changes.after.melds[index], rules):
            yield from meld_faults(changes.after, index, Side.AFTER, rules)


def _judge_use_of_table(changes: Changes, context: TurnContext) -> OpeningResult:
    """Judge how the player used the table, and the opening where it is still to be made."""
    rules, budget = context.rules, Budget()
    if context.opened or not rules.opening.minimum_points:
        return OpeningResult(None, (), judge_manipulation(changes, rules, budget))
    match rules.opening.table:
        case OpeningTable.LEFT_ALONE:
            return judge_opening(changes, rules, budget)
        case OpeningTable.FREE_ONCE_OPEN:
            return judge_free_opening(changes, rules, budget)
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def _tile_taken(changes: Changes, jokers_to_rack: int, rules: RuleSet) -> Iterator[Violation]:
    """The violation at the tiles that were taken off the table; of several copies at one in a changed meld."""
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


def _nothing_placed(changes: Changes, rules: RuleSet) -> Iterator[Violation]:
    found = changes.placed.total()
    if found < rules.turn.least_tiles:
        yield Violation(Code.NOTHING_PLACED, Side.AFTER, (), (), found, rules.turn.least_tiles)


def _relaid(changes: Changes, manipulated: ManipulationResult, rules: RuleSet) -> int:
    """How many jokers may have been laid from the rack in place of those that were replaced and went there."""
    if rules.joker.freed is not FreedJoker.RACK:
        return 0
    on_rack = rules.stock.jokers - changes.counts_before[JOKER] - changes.placed[JOKER]
    return max(0, min(manipulated.replaced - manipulated.to_rack, on_rack))


def _new_melds(changes: Changes, rules: RuleSet) -> Iterator[int]:
    """The valid melds that hold no numbered tile of the table."""
    for index in changes.changed_after:
        meld = changes.after.melds[index]
        numbered = Counter(tile for tile in meld if not tile.is_joker)
        if numbered <= changes.placed and is_valid(meld, rules):
            yield index


def _stand_ins(table: Table, rules: RuleSet) -> Iterator[StandIn]:
    for index, meld in enumerate(table.melds):
        if JOKER in meld and (reading := best_reading(meld, rules)):
            for position, (tile, stands_for) in enumerate(zip(meld, reading.tiles, strict=True)):
                if tile.is_joker:
                    yield StandIn(Place(index, position), stands_for)
