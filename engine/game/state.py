"""The state of a game after its events; immutable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from tilekeeper.engine.game.ledger import Alarm
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.setup import Lots
from tilekeeper.engine.game.stars import Bank
from tilekeeper.engine.game.tile_finding import Finding
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile


class EventRefused(ValueError):  # noqa: N818 - says what happened, as it reads in an except
    """An event that can't happen in the present state of the game.

    Args:
        message: why not, in English, for people.
        place: its index in the list of all events, once that is known.
    """

    __module__ = "tilekeeper.engine"  # from where people import it, which tracebacks show

    def __init__(self, message: str, place: int | None = None) -> None:
        super().__init__(message, place)
        self.message = message
        self.place = place

    def __str__(self) -> str:
        return self.message if self.place is None else f"event {self.place}: {self.message}"


class Phase(StrEnum):
    """What a game waits for."""

    STARTER = "starter"
    """To find out who begins the round."""
    DEAL = "deal"
    """For the tiles to be dealt."""
    TURNS = "turns"
    """For the turn of a player."""
    RACKS = "racks"
    """For the racks to be shown after the last turn."""
    FINDING = "finding"
    """For tiles to be pointed at and found, in the first-acquaintance game."""
    OVER = "over"
    """For nothing any more."""


class TurnKind(StrEnum):
    """How a turn ended."""

    LAID = "laid"
    DREW = "drew"
    PASSED = "passed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One turn that is over."""

    player: int
    kind: TurnKind
    before: Table
    after: Table
    """The table at the end of the turn, restored where the turn failed."""
    verdict: Verdict | None
    """The judge's verdict; none where the player laid nothing."""
    overruled: bool
    """Whether the players accepted the turn against the verdict or the clock."""
    drawn: int
    """How many tiles were drawn, as a penalty or otherwise."""
    stars: int
    """How many stars the player earned; below 0 where some were paid."""
    seconds: float | None
    """How long it took; none where it was not timed."""


@dataclass(frozen=True, slots=True)
class Claim:
    """An illegal layout that the player may still correct."""

    after: Table
    verdict: Verdict
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Redeal:
    """A demand for a redeal, and whether it was granted."""

    player: int
    pairs: int
    granted: bool


@dataclass(frozen=True, slots=True)
class Seat:
    """A player in a round."""

    rack: int
    """How many tiles are on the rack by the ledger; below 0 where more were laid than it can have held."""
    opened: bool
    drawn: int = 0
    """How many tiles the player has drawn instead of laying."""
    penalties: int = 0
    """How many tiles the player has drawn as a penalty."""
    turns: int = 0
    shown: tuple[Tile, ...] | None = None
    """What was left on the rack at the end, once shown."""
    points: int | None = None
    """What was left on the rack at the end counts, where the player said only that."""
    counted: bool = False
    """Whether the rack was counted at the end."""
    away: bool = False
    """Whether nobody plays in this seat in this round."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round from the deal on."""

    number: int
    """From 1."""
    starter: int
    table: Table
    seats: tuple[Seat, ...]
    pool: int
    """How many tiles are in the pool by the ledger; below 0 where more were drawn than it can have held."""
    turn: int
    """Whose turn it is, or was when the round ended."""
    turns: tuple[TurnRecord, ...] = ()
    claim: Claim | None = None
    """The illegal layout that the player must correct or take back; none where there is none."""
    drew: TurnRecord | None = None
    """The draw of the present turn, in editions where the turn continues after it."""
    idle: int = 0
    """How many turns in a row have changed nothing."""
    last_turns: int | None = None
    """How many last turns are left; none as long as the pool is not empty."""
    bank: Bank | None = None
    """The star coins; none where none are used."""
    ended: bool = False
    out: int | None = None
    """Who has emptied the rack."""

    @property
    def present(self) -> tuple[int, ...]:
        """The seats that play in this round."""
        return tuple(player for player, seat in enumerate(self.seats) if not seat.away)

    def after(self, player: int) -> int:
        """The seat that plays after a player, clockwise."""
        count = len(self.seats)
        following = ((player + step) % count for step in range(1, count + 1))
        return next(other for other in following if not self.seats[other].away)

    def with_seat(self, player: int, seat: Seat) -> Round:
        """The round with another state of one seat."""
        return replace(self, seats=(*self.seats[:player], seat, *self.seats[player + 1 :]))


@dataclass(frozen=True, slots=True)
class GameState:
    """The state of a game."""

    rules: RuleSet
    players: tuple[str, ...]
    rounds_agreed: int | None
    phase: Phase
    lots: Lots
    """The drawing of lots for who begins."""
    starter: int | None
    """Who begins the next round, or began the present one; none while that is open."""
    round: Round | None
    """The present round, or the one scored last until the next deal; none before the first deal."""
    sheet: ScoreSheet
    redeal: Redeal | None
    """The last demand for a redeal since the last deal."""
    finding: Finding | None
    """The first-acquaintance game, where that is played."""
    notices: tuple[Alarm, ...]
    """Counts that the last event showed to be wrong."""
    away: tuple[int, ...] = ()
    """The seats of players who have left; they are dealt no tiles."""
    lost: tuple[Tile | None, ...] = ()
    """The tiles missing from the box; none for a tile that nobody knows."""

    @property
    def context(self) -> TurnContext:
        """The context of the present turn.

        Raises:
            EventRefused: if no round has begun yet.
        """
        if self.round is None:
            raise EventRefused(gettext("no round has begun yet"))
        return TurnContext(self.rules, self.round.seats[self.round.turn].opened)

    @property
    def present(self) -> tuple[int, ...]:
        """The seats of players who have not left."""
        return tuple(player for player in range(len(self.players)) if player not in self.away)

    @property
    def contenders(self) -> tuple[int, ...]:
        """The seats of players who must draw a lot now."""
        return self.lots.contenders if self.phase is Phase.STARTER else ()
