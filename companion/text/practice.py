"""The practice turn at the first start of the app: an invented table and rack; nothing is recorded."""

from __future__ import annotations

from collections import Counter
from typing import Final

from tilekeeper.companion.adjudication.turn import Case, Judged
from tilekeeper.companion.observation.observed_table import by_hand
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, rule_set
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile

RULES: Final = rule_set(DEFAULT_EDITION)
TABLE: Final = parse_table("R3 R4 R5 | K8 B8 O8")
RACK: Final = parse_table("R6 R8 B1 B2 B3 K12 O5").melds[0]


def practise(before: Table, after: Table) -> Judged:
    """Judge a turn of a player who has opened, without recording it."""
    return Case(by_hand(before), after, TurnContext(RULES, opened=True)).judged()


def not_on_rack(placed: tuple[Tile, ...]) -> str:
    """Return a sentence if some of the laid tiles are not on the practice rack; empty otherwise."""
    if Counter(placed) <= Counter(RACK):
        return ""
    return gettext("Use only tiles that are on the rack.")
