"""Names the smallest set of tile moves that makes an illegal table legal."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.arrange import arrange
from tilekeeper.engine.solver.explanation import TileMove
from tilekeeper.engine.tiles.table import Table


@dataclass(frozen=True, slots=True)
class Fix:
    """How an illegal table becomes legal."""

    moves: tuple[TileMove, ...]
    """What to move, from a place of the table as it lies to one of the table after; no goal: off the table."""
    after: Table
    """The table after these moves."""
    smallest: bool
    """Whether it is proved that no fewer moves, with as few tiles off the table, would do."""


def nearest_fix(table: Table, rules: RuleSet) -> Fix:
    """The smallest set of tile moves that makes a table legal; no moves where it is.

    Tiles come off the table only where there is no arrangement of all of them, and then as few as can be.

    Raises:
        TooManyWays: if house rules leave too many ways to be searched; no printed edition does.
    """
    arrangement = arrange(table, rules)
    return Fix(arrangement.moves, arrangement.table, arrangement.nearest)
