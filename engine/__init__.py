"""Rules of the editions as data, and what stands on them: turns judged, tables untangled, games recorded and scored.

Standard library alone. What is named here is for everybody; the other modules are this package's own.
"""

from tilekeeper.engine.game.events import (
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
from tilekeeper.engine.game.game import Difference, Game
from tilekeeper.engine.game.ledger import Alarm, AlarmCode, Ledger
from tilekeeper.engine.game.log import GameLogError, LogRead, LostLine, format_entry, format_header, read_log
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.scoring import RoundScore
from tilekeeper.engine.game.state import EventRefused, GameState, Phase, Round, Seat, TurnKind, TurnRecord
from tilekeeper.engine.judge.judge import TurnContext, judge
from tilekeeper.engine.judge.verdict import StandIn, Verdict
from tilekeeper.engine.rules.editions import DEFAULT_EDITION, RULE_SETS, UnknownEdition, rule_set
from tilekeeper.engine.rules.house_rules import HouseRuleError, with_house_rules
from tilekeeper.engine.rules.meld import Kind, Reading, best_reading, is_valid, readings, worth
from tilekeeper.engine.rules.ruleset import RuleSet, Stock
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.solver.arrange import Arrangement, Fix, arrange, nearest_fix
from tilekeeper.engine.solver.best_play import (
    Aim,
    Play,
    PlayResult,
    anyone_can_play,
    best_play,
    can_open,
    can_play,
    find_best_play,
)
from tilekeeper.engine.solver.exact_cover import SearchTooLarge
from tilekeeper.engine.solver.explanation import Explanation, TileMove, explain
from tilekeeper.engine.tiles.notation import NotationError, format_table, parse_table, point_at
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import JOKER, Colour, Tile

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
    "PlayResult",
    "PoolCounted",
    "RackCounted",
    "RackShown",
    "Reading",
    "RedealClaimed",
    "Round",
    "RoundScore",
    "RuleSet",
    "ScoreSheet",
    "SearchTooLarge",
    "Seat",
    "Side",
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
    "find_best_play",
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
    "with_house_rules",
    "worth",
]
