"""The smallest fix of a wrong layout: moves after which the turn would be legal."""

from __future__ import annotations

from tilekeeper.engine.judge.judge import TurnContext, judge
from tilekeeper.engine.solver.arrange import Fix, nearest_fix
from tilekeeper.engine.solver.exact_cover import SearchTooLarge
from tilekeeper.engine.tiles.table import Table


def find_fix(before: Table, after: Table, context: TurnContext) -> Fix | None:
    """The fewest moves that make the table legal, if the turn is legal then; none where only going back helps."""
    try:
        fix = nearest_fix(after, context.rules)
    except SearchTooLarge:
        return None
    return fix if fix.moves and judge(before, fix.after, context).legal else None
