"""Rules of the editions as data, and what stands on them: turns judged, tables untangled, games recorded and scored.

Standard library alone. What is named here is for everybody; the other modules are this package's own.
"""

from tilekeeper.engine.arrange import Arrangement, arrange
from tilekeeper.engine.best_play import Aim, Play, Sought, anyone_can_play, best_play, can_open, can_play, seek_play
from tilekeeper.engine.editions import DEFAULT_EDITION, RULE_SETS, UnknownEdition, rule_set
from tilekeeper.engine.events import (
    Corrected,
    Dealt,
    Entry,
    Event,
    GameEnded,
    GameStarted,
    LotsDrawn,
    Passed,
    PoolCounted,
    RackCounted,
    RackShown,
    RedealClaimed,
    StarterChosen,
    TableCorrected,
    TileDrawn,
    TileFound,
    TilePointed,
    TilesLaid,
    TurnFailed,
    Undone,
)
from tilekeeper.engine.explain import Explanation, TileMove, explain
from tilekeeper.engine.game import Difference, Game
from tilekeeper.engine.game_log import GameLogError, LogRead, LostLine, format_entry, format_header, read_log
from tilekeeper.engine.game_state import EventRefused, GameState, Phase, Round, Seat, TurnKind, TurnRecord
from tilekeeper.engine.judge import TurnContext, judge
from tilekeeper.engine.ledger import Alarm, AlarmCode, Ledger
from tilekeeper.engine.meld import Kind, Reading, best_reading, is_valid, readings, worth
from tilekeeper.engine.nearest_fix import Fix, nearest_fix
from tilekeeper.engine.notation import NotationError, format_table, parse_table, point_at
from tilekeeper.engine.rules import RuleSet, Stock
from tilekeeper.engine.rules_house import HouseRuleError, with_house_rules
from tilekeeper.engine.score_sheet import ScoreSheet
from tilekeeper.engine.scoring import RoundScore
from tilekeeper.engine.table import Meld, Place, Table
from tilekeeper.engine.tile import JOKER, Colour, Tile
from tilekeeper.engine.untangle.cover import TooManyWays
from tilekeeper.engine.verdict import Code, Side, StandIn, Verdict, Violation

__all__ = [
    "DEFAULT_EDITION",
    "JOKER",
    "RULE_SETS",
    "Aim",
    "Alarm",
    "AlarmCode",
    "Arrangement",
    "Code",
    "Colour",
    "Corrected",
    "Dealt",
    "Difference",
    "Entry",
    "Event",
    "EventRefused",
    "Explanation",
    "Fix",
    "Game",
    "GameEnded",
    "GameLogError",
    "GameStarted",
    "GameState",
    "HouseRuleError",
    "Kind",
    "Ledger",
    "LogRead",
    "LostLine",
    "LotsDrawn",
    "Meld",
    "NotationError",
    "Passed",
    "Phase",
    "Place",
    "Play",
    "PoolCounted",
    "RackCounted",
    "RackShown",
    "Reading",
    "RedealClaimed",
    "Round",
    "RoundScore",
    "RuleSet",
    "ScoreSheet",
    "Seat",
    "Side",
    "Sought",
    "StandIn",
    "StarterChosen",
    "Stock",
    "Table",
    "TableCorrected",
    "Tile",
    "TileDrawn",
    "TileFound",
    "TileMove",
    "TilePointed",
    "TilesLaid",
    "TooManyWays",
    "TurnContext",
    "TurnFailed",
    "TurnKind",
    "TurnRecord",
    "Undone",
    "UnknownEdition",
    "Verdict",
    "Violation",
    "anyone_can_play",
    "arrange",
    "best_play",
    "best_reading",
    "can_open",
    "can_play",
    "explain",
    "format_entry",
    "format_header",
    "format_table",
    "is_valid",
    "judge",
    "nearest_fix",
    "parse_table",
    "point_at",
    "read_log",
    "readings",
    "rule_set",
    "seek_play",
    "with_house_rules",
    "worth",
]
