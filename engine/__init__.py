"""A referee for Rummikub: rules as data, a judge of turns, solvers for tables and racks, recorded and scored games.

It needs only the standard library. The names in `__all__` are public; other modules may change at any time. Each public
name is imported as itself, which type checkers ask for.

    >>> context = TurnContext(rule_set("large-numbers"), opened=True)
    >>> verdict = judge(Table("R3 R4 R5"), Table("R3 R4 R5 R6"), context)
    >>> verdict.legal, verdict.placed
    (True, (Tile('R6'),))
"""

from types import ModuleType as _ModuleType

from tilekeeper.engine.game.events import Commanded as Commanded
from tilekeeper.engine.game.events import Corrected as Corrected
from tilekeeper.engine.game.events import Dealt as Dealt
from tilekeeper.engine.game.events import Entry as Entry
from tilekeeper.engine.game.events import Event as Event
from tilekeeper.engine.game.events import GameEnded as GameEnded
from tilekeeper.engine.game.events import GameStarted as GameStarted
from tilekeeper.engine.game.events import LotsDrawn as LotsDrawn
from tilekeeper.engine.game.events import Passed as Passed
from tilekeeper.engine.game.events import PlayerJoined as PlayerJoined
from tilekeeper.engine.game.events import PlayerLeft as PlayerLeft
from tilekeeper.engine.game.events import PlayerOpened as PlayerOpened
from tilekeeper.engine.game.events import PoolCounted as PoolCounted
from tilekeeper.engine.game.events import RackCounted as RackCounted
from tilekeeper.engine.game.events import RackShown as RackShown
from tilekeeper.engine.game.events import RackSummed as RackSummed
from tilekeeper.engine.game.events import RedealClaimed as RedealClaimed
from tilekeeper.engine.game.events import StarterChosen as StarterChosen
from tilekeeper.engine.game.events import TableCorrected as TableCorrected
from tilekeeper.engine.game.events import TileDrawn as TileDrawn
from tilekeeper.engine.game.events import TileFound as TileFound
from tilekeeper.engine.game.events import TileLost as TileLost
from tilekeeper.engine.game.events import TilePointed as TilePointed
from tilekeeper.engine.game.events import TileReturned as TileReturned
from tilekeeper.engine.game.events import TilesLaid as TilesLaid
from tilekeeper.engine.game.events import TurnFailed as TurnFailed
from tilekeeper.engine.game.events import TurnGiven as TurnGiven
from tilekeeper.engine.game.events import Undone as Undone
from tilekeeper.engine.game.game import Game as Game
from tilekeeper.engine.game.ledger import Alarm as Alarm
from tilekeeper.engine.game.ledger import AlarmCode as AlarmCode
from tilekeeper.engine.game.ledger import Ledger as Ledger
from tilekeeper.engine.game.log import GameLogError as GameLogError
from tilekeeper.engine.game.log import LostLine as LostLine
from tilekeeper.engine.game.log import format_entry as format_entry
from tilekeeper.engine.game.log import format_header as format_header
from tilekeeper.engine.game.score_sheet import ScoreSheet as ScoreSheet
from tilekeeper.engine.game.scoring import RoundScore as RoundScore
from tilekeeper.engine.game.setup import Lots as Lots
from tilekeeper.engine.game.stars import Bank as Bank
from tilekeeper.engine.game.state import Claim as Claim
from tilekeeper.engine.game.state import EventRefused as EventRefused
from tilekeeper.engine.game.state import GameState as GameState
from tilekeeper.engine.game.state import Phase as Phase
from tilekeeper.engine.game.state import Redeal as Redeal
from tilekeeper.engine.game.state import Round as Round
from tilekeeper.engine.game.state import Seat as Seat
from tilekeeper.engine.game.state import TurnKind as TurnKind
from tilekeeper.engine.game.state import TurnRecord as TurnRecord
from tilekeeper.engine.game.tile_finding import FindFault as FindFault
from tilekeeper.engine.game.tile_finding import Finding as Finding
from tilekeeper.engine.judge.judge import judge as judge
from tilekeeper.engine.judge.verdict import Outcome as Outcome
from tilekeeper.engine.judge.verdict import StandIn as StandIn
from tilekeeper.engine.judge.verdict import Verdict as Verdict
from tilekeeper.engine.rules.editions import DEFAULT_EDITION as DEFAULT_EDITION
from tilekeeper.engine.rules.editions import RULE_SETS as RULE_SETS
from tilekeeper.engine.rules.editions import UnknownEdition as UnknownEdition
from tilekeeper.engine.rules.editions import rule_set as rule_set
from tilekeeper.engine.rules.house_rules import HouseRuleError as HouseRuleError
from tilekeeper.engine.rules.house_rules import with_house_rules as with_house_rules
from tilekeeper.engine.rules.meld import Kind as Kind
from tilekeeper.engine.rules.meld import Reading as Reading
from tilekeeper.engine.rules.meld import best_reading as best_reading
from tilekeeper.engine.rules.meld import is_valid as is_valid
from tilekeeper.engine.rules.meld import readings as readings
from tilekeeper.engine.rules.meld import worth as worth
from tilekeeper.engine.rules.policies import EmptyPoolScore as EmptyPoolScore
from tilekeeper.engine.rules.policies import FreedJoker as FreedJoker
from tilekeeper.engine.rules.policies import JokerDrawn as JokerDrawn
from tilekeeper.engine.rules.policies import JokerSets as JokerSets
from tilekeeper.engine.rules.policies import Lowest as Lowest
from tilekeeper.engine.rules.policies import NextRound as NextRound
from tilekeeper.engine.rules.policies import OpeningTable as OpeningTable
from tilekeeper.engine.rules.policies import PastEnd as PastEnd
from tilekeeper.engine.rules.policies import PoolEmpty as PoolEmpty
from tilekeeper.engine.rules.policies import Regrouping as Regrouping
from tilekeeper.engine.rules.policies import ReplacedFrom as ReplacedFrom
from tilekeeper.engine.rules.policies import Restore as Restore
from tilekeeper.engine.rules.policies import Starter as Starter
from tilekeeper.engine.rules.policies import TileValue as TileValue
from tilekeeper.engine.rules.policies import Totals as Totals
from tilekeeper.engine.rules.ruleset import Ending as Ending
from tilekeeper.engine.rules.ruleset import Joker as Joker
from tilekeeper.engine.rules.ruleset import Manipulation as Manipulation
from tilekeeper.engine.rules.ruleset import Melds as Melds
from tilekeeper.engine.rules.ruleset import Opening as Opening
from tilekeeper.engine.rules.ruleset import Penalty as Penalty
from tilekeeper.engine.rules.ruleset import RuleField as RuleField
from tilekeeper.engine.rules.ruleset import RuleSet as RuleSet
from tilekeeper.engine.rules.ruleset import Scoring as Scoring
from tilekeeper.engine.rules.ruleset import Setup as Setup
from tilekeeper.engine.rules.ruleset import Stars as Stars
from tilekeeper.engine.rules.ruleset import Stock as Stock
from tilekeeper.engine.rules.ruleset import TurnRules as TurnRules
from tilekeeper.engine.rules.turn_context import TurnContext as TurnContext
from tilekeeper.engine.rules.violations import Code as Code
from tilekeeper.engine.rules.violations import Side as Side
from tilekeeper.engine.rules.violations import Violation as Violation
from tilekeeper.engine.solver.arrange import Arrangement as Arrangement
from tilekeeper.engine.solver.arrange import Fix as Fix
from tilekeeper.engine.solver.arrange import arrange as arrange
from tilekeeper.engine.solver.arrange import arrangements as arrangements
from tilekeeper.engine.solver.arrange import nearest_fix as nearest_fix
from tilekeeper.engine.solver.best_play import Aim as Aim
from tilekeeper.engine.solver.best_play import Play as Play
from tilekeeper.engine.solver.best_play import PlayResult as PlayResult
from tilekeeper.engine.solver.best_play import best_play as best_play
from tilekeeper.engine.solver.best_play import can_open as can_open
from tilekeeper.engine.solver.best_play import can_play as can_play
from tilekeeper.engine.solver.best_play import find_best_play as find_best_play
from tilekeeper.engine.solver.exact_cover import SearchTooLarge as SearchTooLarge
from tilekeeper.engine.solver.explanation import Explanation as Explanation
from tilekeeper.engine.solver.explanation import explain as explain
from tilekeeper.engine.solver.position import Position as Position
from tilekeeper.engine.solver.position import Turn as Turn
from tilekeeper.engine.solver.tile_moves import TileMove as TileMove
from tilekeeper.engine.tiles.errors import ArgumentError as ArgumentError
from tilekeeper.engine.tiles.errors import NotationError as NotationError
from tilekeeper.engine.tiles.notation import format_table as format_table
from tilekeeper.engine.tiles.notation import parse_meld as parse_meld
from tilekeeper.engine.tiles.notation import parse_rack as parse_rack
from tilekeeper.engine.tiles.notation import parse_table as parse_table
from tilekeeper.engine.tiles.notation import parse_tile as parse_tile
from tilekeeper.engine.tiles.notation import point_at as point_at
from tilekeeper.engine.tiles.table import Meld as Meld
from tilekeeper.engine.tiles.table import Place as Place
from tilekeeper.engine.tiles.table import Table as Table
from tilekeeper.engine.tiles.tile import JOKER as JOKER
from tilekeeper.engine.tiles.tile import Colour as Colour
from tilekeeper.engine.tiles.tile import Tile as Tile

__all__ = [name for name, value in sorted(globals().items()) if name[0] != "_" and not isinstance(value, _ModuleType)]
