"""The judge: from the table before a turn and the table after it to a verdict that names everything that is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import assert_never

from tilekeeper.engine.judge.faults import meld_faults, stock_faults
from tilekeeper.engine.judge.manipulation import judge_manipulation
from tilekeeper.engine.judge.opening import Opening, judge_opening
from tilekeeper.engine.judge.opening_free import judge_free_opening
from tilekeeper.engine.judge.verdict import StandIn, Verdict
from tilekeeper.engine.provenance.budget import Steps
from tilekeeper.engine.provenance.changes import Changes, find_changes
from tilekeeper.engine.rules.meld import best_reading, is_valid
from tilekeeper.engine.rules.policies import OpeningTable
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.violations import CODE_RANKS, Code, Side, Violation
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import JOKER


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What the judge must know of a turn and the tables don't show."""

    rules: RuleSet
    """The edition in play."""
    opened: bool
    """Whether the player had opened in an earlier turn; it says nothing where the edition has no opening."""


def judge(before: Table, after: Table, context: TurnContext) -> Verdict:
    """Judge a turn in which a player laid tiles.

    Everything that is wrong is found at once. What lay wrongly before the turn and still lies so is nobody's fault
    and left alone; a tile that can't be there is always told, since it says that the table was misread. A rule about
    how tiles got where they are counts as broken only if no legal way leads from one table to the other.

    The ways are looked into in a bounded number of steps. A turn that real people play needs a small part of them; on
    a table made up to have more ways than that the verdict is not `proved`, and of rules about the way, and of an
    opening that may have been made in one of these ways, it says nothing: nobody is blamed for what was not shown.
    """
    rules = context.rules
    changes = find_changes(before, after, rules)
    turn = _played(changes, context)
    violations = [
        *stock_faults(before, changes.was, Side.BEFORE, rules),
        *stock_faults(after, changes.now, Side.AFTER, rules),
        *(fault for index in changes.new for fault in meld_faults(after, index, Side.AFTER, rules)),
        *_tile_taken(changes, turn.manipulated.to_rack, rules),
        *_nothing_placed(changes, rules),
        *turn.violations,
        *turn.manipulated.violations,
    ]
    return Verdict(
        violations=tuple(sorted(violations, key=lambda violation: CODE_RANKS[violation.code])),
        placed=tuple(sorted(changes.placed.elements(), key=lambda tile: tile.order)),
        points=turn.points,
        opens=turn.points is not None and not violations,
        stand_ins=tuple(_stand_ins(after, rules)),
        new_melds=tuple(_new_melds(changes, rules)),
        replaced=turn.manipulated.replaced,
        proved=turn.proved and turn.manipulated.proved,
    )


def _played(changes: Changes, context: TurnContext) -> Opening:
    """Judge how the player used the table, and the opening where there is one to be made."""
    rules, steps = context.rules, Steps()
    if context.opened or not rules.opening.minimum_points:
        return Opening(None, (), judge_manipulation(changes, rules, steps))
    match rules.opening.table:
        case OpeningTable.LEFT_ALONE:
            return judge_opening(changes, rules, steps)
        case OpeningTable.FREE_ONCE_OPEN:
            return judge_free_opening(changes, rules, steps)
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def _tile_taken(changes: Changes, jokers_to_rack: int, rules: RuleSet) -> Iterator[Violation]:
    """Point to what is gone where it lay; of several copies to one in a meld that changed."""
    if rules.manipulation.take_back:
        return
    missing = changes.taken.copy()
    missing[JOKER] -= jokers_to_rack
    tiles = []
    for index in changes.gone:
        for position, tile in enumerate(changes.before.melds[index]):
            if missing[tile] > 0:
                missing[tile] -= 1
                tiles.append(Place(index, position))
    if tiles:
        yield Violation.at(Code.TILE_TAKEN, Side.BEFORE, tuple(tiles))


def _nothing_placed(changes: Changes, rules: RuleSet) -> Iterator[Violation]:
    found = changes.placed.total()
    if found < rules.turn.least_tiles:
        yield Violation(Code.NOTHING_PLACED, Side.AFTER, (), (), found, rules.turn.least_tiles)


def _new_melds(changes: Changes, rules: RuleSet) -> Iterator[int]:
    """The valid melds with no numbered tile of the table."""
    for index in changes.new:
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
