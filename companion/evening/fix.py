"""The smallest fix of a wrong layout: moves after which the turn would be legal."""

from __future__ import annotations

from tilekeeper.companion.answers.table import FixJson
from tilekeeper.companion.drawn import melds_json
from tilekeeper.companion.evening.moves import moves_json
from tilekeeper.companion.laid import Laid
from tilekeeper.engine.judge import TurnContext, judge
from tilekeeper.engine.nearest_fix import Fix, nearest_fix
from tilekeeper.engine.table import Table
from tilekeeper.engine.untangle.cover import TooManyWays


def find_fix(before: Table, after: Table, context: TurnContext) -> Fix | None:
    """The fewest moves that make the table legal, if the turn is legal then; none where only going back helps."""
    try:
        fix = nearest_fix(after, context.rules)
    except TooManyWays:
        return None
    return fix if fix.moves and judge(before, fix.after, context).legal else None


def fix_json(fix: Fix, lies: Laid) -> FixJson:
    """The fix as the page gets it."""
    return {
        "moves": moves_json(fix.moves, fix.after, lies.rows),
        "melds": melds_json(fix.after),  # type: ignore[typeddict-item]  # tile for tile
        "smallest": fix.smallest,
    }
