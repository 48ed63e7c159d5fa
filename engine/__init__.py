"""Judges turns: tiles, melds, tables and the rules of the editions. Standard library alone."""

from tilekeeper.engine.editions import DEFAULT_EDITION, RULE_SETS, UnknownEdition, rule_set
from tilekeeper.engine.judge import TurnContext, judge
from tilekeeper.engine.meld import Kind, Reading, best_reading, is_valid, readings, worth
from tilekeeper.engine.notation import NotationError, format_table, parse_table, point_at
from tilekeeper.engine.rules import RuleSet, Stock
from tilekeeper.engine.table import Meld, Place, Table
from tilekeeper.engine.tile import JOKER, Colour, Tile
from tilekeeper.engine.verdict import Code, Side, StandIn, Verdict, Violation

__all__ = [
    "DEFAULT_EDITION",
    "JOKER",
    "RULE_SETS",
    "Code",
    "Colour",
    "Kind",
    "Meld",
    "NotationError",
    "Place",
    "Reading",
    "RuleSet",
    "Side",
    "StandIn",
    "Stock",
    "Table",
    "Tile",
    "TurnContext",
    "UnknownEdition",
    "Verdict",
    "Violation",
    "best_reading",
    "format_table",
    "is_valid",
    "judge",
    "parse_table",
    "point_at",
    "readings",
    "rule_set",
    "worth",
]
