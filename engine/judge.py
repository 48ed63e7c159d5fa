"""The judge: from the table before a turn and the table after it to a verdict that names everything that is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tilekeeper.engine.changes import Changes, find_changes
from tilekeeper.engine.faults import meld_faults, stock_faults
from tilekeeper.engine.jokers import judge_jokers
from tilekeeper.engine.meld import best_reading
from tilekeeper.engine.opening import judge_opening
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.table import Place, Table
from tilekeeper.engine.tile import JOKER
from tilekeeper.engine.verdict import Code, Side, StandIn, Verdict, Violation

_RANKS: Final = {code: rank for rank, code in enumerate(Code)}


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What the judge must know of a turn and the tables don't show."""

    rules: RuleSet
    """The edition in play."""
    opened: bool
    """Whether the player had opened in an earlier turn."""


def judge(before: Table, after: Table, context: TurnContext) -> Verdict:
    """Judge a turn in which a player laid tiles.

    Everything that is wrong is found at once. What lay wrongly before the turn and still lies so is nobody's fault
    and left alone; a tile that can't be there is always told, since it says that the table was misread. A rule about
    how tiles got where they are counts as broken only if no legal way leads from one table to the other.
    """
    rules = context.rules
    changes = find_changes(before, after, rules)
    violations = [
        *stock_faults(before, changes.was, Side.BEFORE, rules),
        *stock_faults(after, changes.now, Side.AFTER, rules),
        *(fault for index in changes.new for fault in meld_faults(after, index, Side.AFTER, rules)),
        *_tile_taken(changes),
        *_nothing_placed(changes, rules),
        *judge_jokers(changes, context.opened, rules),
    ]
    points = None
    if not context.opened:
        opening = judge_opening(changes, rules)
        points = opening.points
        violations += opening.violations
    return Verdict(
        violations=tuple(sorted(violations, key=lambda violation: _RANKS[violation.code])),
        placed=tuple(sorted(changes.placed.elements(), key=lambda tile: tile.order)),
        points=points,
        opens=not context.opened and not violations,
        stand_ins=tuple(_stand_ins(after, rules)),
    )


def _tile_taken(changes: Changes) -> Iterator[Violation]:
    """Point to what is gone where it lay; of several copies to one in a meld that changed."""
    missing = changes.taken.copy()
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


def _stand_ins(table: Table, rules: RuleSet) -> Iterator[StandIn]:
    for index, meld in enumerate(table.melds):
        if JOKER in meld and (reading := best_reading(meld, rules)):
            for position, (tile, stands_for) in enumerate(zip(meld, reading.tiles, strict=True)):
                if tile.is_joker:
                    yield StandIn(Place(index, position), stands_for)
