"""What follows a turn that was not finished in time, or is illegal: how the table is restored, and the penalty."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final, assert_never

from tilekeeper.engine.judge.judge import judge_once
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.policies import Restore
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.rules.violations import Code
from tilekeeper.engine.tiles.table import Meld, Table, mirror_key

_NO_TILE_LAID: Final = frozenset({Code.NOTHING_PLACED})
_OPENING: Final = frozenset({Code.OPENING_TOO_LOW, Code.OPENING_USED_TABLE, Code.JOKER_BEFORE_OPENING})


@dataclass(frozen=True, slots=True)
class Failure:
    """The consequences of a failed turn."""

    table: Table
    """The table as the edition wants it."""
    opens: bool
    """Whether what stays on the table opens for the player."""
    penalty: int
    """How many tiles are drawn, if the pool has as many."""
    like_laying_none: bool
    """Whether nothing stays and nothing is drawn as a penalty, so that it counts as a turn without laying."""


def settle_failure(before: Table, laid: Table, time_up: bool, context: TurnContext) -> Failure:
    """The consequences of a turn that was not finished in time, or is illegal.

    Args:
        before: the table at the start of the turn.
        laid: the table when the time was up, or the illegal layout that the player insists on.
        time_up: whether the time was up; otherwise the layout is illegal.
        context: the rules, and whether the player had opened.
    """
    penalty = context.rules.penalty
    if not time_up and not penalty.for_wrong_layout:
        return Failure(before, False, 0, like_laying_none=True)
    table = _what_stays(before, laid, context)
    stands = table != before
    opens = stands and not context.opened and (table.counts - before.counts).total() > 0
    tiles = penalty.tiles if context.opened or opens else penalty.tiles_before_opening
    return Failure(table, opens, tiles, like_laying_none=not stands and tiles == 0)


def _what_stays(before: Table, laid: Table, context: TurnContext) -> Table:
    restore = context.rules.penalty.restore
    match restore:
        case Restore.EVERYTHING:
            return before
        case Restore.LOOSE_TILES:
            table = _put_back(before, laid, context.rules)
            if table is None or _codes(judge_once(before, table, context)) - _NO_TILE_LAID:
                return before
            return table
        case Restore.LOOSE_TO_RACK:
            table = Table(tuple(_sound_melds(before, laid, context.rules)))
            return before if _still_wrong(before, laid, table, context) else table
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def _codes(verdict: Verdict) -> frozenset[Code]:
    return frozenset(violation.code for violation in verdict.violations)


def _still_wrong(before: Table, laid: Table, table: Table, context: TurnContext) -> bool:
    """Whether a turn is illegal even without the tiles that go onto the rack.

    Violations that only their removal causes do not count, except those of the opening.
    """
    rules = context.rules
    taking = replace(rules, manipulation=replace(rules.manipulation, take_back=True))
    found = _codes(judge_once(before, table, replace(context, rules=taking)))
    return bool((found & (_codes(judge_once(before, laid, context)) | _OPENING)) - _NO_TILE_LAID)


def _sound_melds(before: Table, laid: Table, rules: RuleSet) -> Iterable[Meld]:
    """The valid melds, and invalid ones that are unchanged, for which the player is not to blame."""
    as_before = Counter(map(mirror_key, before.melds))
    for meld in laid.melds:
        if is_valid(meld, rules):
            yield meld
        elif as_before[mirror_key(meld)] > 0:
            as_before[mirror_key(meld)] -= 1
            yield meld


def _put_back(before: Table, laid: Table, rules: RuleSet) -> Table | None:
    """The table with the tiles in no valid meld put back into their old melds; none where that is not possible.

    An old meld comes back where the loose tiles complete it, alone or together with melds that are parts of it.
    """
    melds = list(_sound_melds(before, laid, rules))
    loose = before.counts - Counter(tile for meld in melds for tile in meld)
    for meld in before.melds:
        wanted = Counter(meld)
        if not wanted & loose:
            continue
        rest = wanted - loose
        parts = []
        for part in melds:
            if Counter(part) <= rest:
                rest -= Counter(part)
                parts.append(part)
        if not rest:
            for part in parts:
                melds.remove(part)
                wanted -= Counter(part)
            melds.append(meld)
            loose -= wanted
    return None if loose else Table(tuple(melds))
