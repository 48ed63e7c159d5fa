"""Turns that fail because they took too long or are illegal: restoring the table, and the penalty."""

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
    """The table as the edition requires it."""
    opens: bool
    """Whether the tiles that stay on the table open for the player."""
    penalty: int
    """The number of penalty tiles; the player draws fewer if the pool has fewer."""
    like_laying_none: bool
    """Whether the turn counts as a turn without laying: the table is as at its start, and there is no penalty."""


def settle_failure(before: Table, laid: Table, time_up: bool, context: TurnContext) -> Failure:
    """Return the consequences of a turn that took too long or, if `time_up` is False, is illegal."""
    penalty = context.rules.penalty
    if not time_up and not penalty.for_wrong_layout:
        return Failure(before, False, 0, like_laying_none=True)
    # Players can reject a turn in which the judge finds no violation. No tile is to blame then, so all tiles go back.
    is_rejected = not time_up and not judge_once(before, laid, context).violations
    table = before if is_rejected else _restore_table(before, laid, context)
    has_changed = table != before
    opens = has_changed and not context.opened and (table.counts - before.counts).total() > 0
    tiles = penalty.tiles if context.opened or opens else penalty.tiles_before_opening
    return Failure(table, opens, tiles, like_laying_none=not has_changed and tiles == 0)


def _restore_table(before: Table, laid: Table, context: TurnContext) -> Table:
    """Return the table that the edition requires after a failed turn."""
    restore = context.rules.penalty.restore
    match restore:
        case Restore.EVERYTHING:
            return before
        case Restore.LOOSE_TILES:
            table = _put_back(before, laid, context.rules)
            return before if table is None or _may_not_stay(before, table, context) else table
        case Restore.LOOSE_TO_RACK:
            table = Table(tuple(_sound_melds(before, laid, context.rules)))
            return before if _is_still_illegal(before, laid, table, context) else table
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def _codes(verdict: Verdict) -> frozenset[Code]:
    """Return the codes of all violations in a verdict."""
    return frozenset(violation.code for violation in verdict.violations)


def _may_not_stay(before: Table, table: Table, context: TurnContext) -> bool:
    """Return whether the restored table is illegal or undecided, apart from the violation that no tile was laid."""
    verdict = judge_once(before, table, context)
    return verdict.undecided or bool(_codes(verdict) - _NO_TILE_LAID)


def _is_still_illegal(before: Table, laid: Table, table: Table, context: TurnContext) -> bool:
    """Return whether the table without the loose tiles, which go onto the rack, is still illegal or undecided.

    Only violations of the opening, and those that the layout `laid` had as well, count. Other violations arise only
    because the loose tiles were taken away.
    """
    rules = context.rules
    with_taking = replace(rules, manipulation=replace(rules.manipulation, take_back=True))
    verdict = judge_once(before, table, replace(context, rules=with_taking))
    codes = _codes(verdict)
    return verdict.undecided or bool((codes & (_codes(judge_once(before, laid, context)) | _OPENING)) - _NO_TILE_LAID)


def _sound_melds(before: Table, laid: Table, rules: RuleSet) -> Iterable[Meld]:
    """Yield the valid melds of a layout, and the invalid ones that were on the table before the turn."""
    unchanged = Counter(map(mirror_key, before.melds))
    for meld in laid.melds:
        if is_valid(meld, rules):
            yield meld
        elif unchanged[mirror_key(meld)] > 0:
            unchanged[mirror_key(meld)] -= 1
            yield meld


def _put_back(before: Table, laid: Table, rules: RuleSet) -> Table | None:
    """Return the table with loose tiles of the table `before` put back into their old melds; None if this fails.

    A tile is loose if it is in no meld that stays. An old meld is restored if loose tiles complete it, alone or with
    melds that are parts of it. Loose tiles that were laid in this turn are left out.
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
