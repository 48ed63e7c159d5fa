"""The state of a game after its events: players, phase, current round and scores. All classes are immutable."""

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


class EventRefused(ValueError):  # noqa: N818 - `except EventRefused` reads well without "Error"
    """An event that can't happen in the current state of the game.

    Args:
        message: the reason, in the current language, to show on the page or the command line.
        place: the index of the event in the list of all entries; None if it is not known.
    """

    __module__ = "tilekeeper.engine"  # the import path that tracebacks show

    def __init__(self, message: str, place: int | None = None) -> None:
        super().__init__(message, place)
        self.message = message
        self.place = place

    def __str__(self) -> str:
        return self.message if self.place is None else f"event {self.place}: {self.message}"


class Phase(StrEnum):
    """What the players must do next."""

    STARTER = "starter"
    """Choosing who begins the round."""
    DEAL = "deal"
    """Dealing the tiles."""
    TURNS = "turns"
    """The turn of a player."""
    RACKS = "racks"
    """Showing the racks after the last turn."""
    FINDING = "finding"
    """Pointing at and finding tiles, in the first-acquaintance game."""
    OVER = "over"
    """Nothing: the game is over."""


class TurnKind(StrEnum):
    """The kind of a finished turn."""

    LAID = "laid"
    DREW = "drew"
    PASSED = "passed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A finished turn."""

    player: int
    kind: TurnKind
    before: Table
    after: Table
    """The table at the end of the turn; after a failed turn the restored table."""
    verdict: Verdict | None
    """The verdict of the judge; None if the player laid nothing."""
    overruled: bool
    """Whether the players accepted the turn against the verdict or the clock."""
    drawn: int
    """The number of tiles drawn, penalty tiles included."""
    stars: int
    """The stars earned less the stars paid."""
    seconds: float | None
    """The length of the turn in seconds; None if it was not timed."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A layout that the judge did not find legal, and that the player may still correct."""

    after: Table
    """The table as the player left it."""
    verdict: Verdict
    seconds: float | None
    """The length of the turn in seconds; None if it was not timed."""


@dataclass(frozen=True, slots=True)
class Redeal:
    """A demand for a redeal, and whether it was granted."""

    player: int
    pairs: int
    """The number of pairs on the player's rack."""
    granted: bool


@dataclass(frozen=True, slots=True)
class Seat:
    """The state of one player in a round."""

    rack: int
    """The number of tiles on the rack in the ledger; below 0 if the player laid more than the rack held."""
    opened: bool
    """Whether the player has opened."""
    drawn: int = 0
    """The number of tiles drawn in turns without laying."""
    penalties: int = 0
    """The number of penalty tiles drawn."""
    turns: int = 0
    """The number of finished turns."""
    shown: tuple[Tile, ...] | None = None
    """The tiles left on the rack at the end; None until shown."""
    points: int | None = None
    """The points left on the rack at the end, if the player announced them without showing the tiles."""
    counted: bool = False
    """Whether the rack was counted or shown at the end."""
    away: bool = False
    """Whether this player does not play in this round."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round from the deal on."""

    number: int
    """From 1."""
    starter: int
    table: Table
    seats: tuple[Seat, ...]
    pool: int
    """The number of tiles in the pool in the ledger; below 0 if players drew more than the pool held."""
    turn: int
    """The player in turn; after the round, the player who was in turn at its end."""
    turns: tuple[TurnRecord, ...] = ()
    """The finished turns, in order."""
    claim: Claim | None = None
    """The layout that the player in turn must correct or take back; None if no such layout waits."""
    drew: TurnRecord | None = None
    """The draw of the current turn; None if the player has not drawn, or drawing ends the turn."""
    idle: int = 0
    """The number of turns up to now, one after the other, in which no tile was laid, moved or drawn."""
    last_turns: int | None = None
    """The number of last turns still to play; None if the last turns have not begun."""
    bank: Bank | None = None
    """The star coins; None in editions without stars."""
    ended: bool = False
    """Whether the round has ended; some racks may still be unknown."""
    out: int | None = None
    """The player who emptied the rack; None if nobody has."""

    @property
    def present(self) -> tuple[int, ...]:
        """The numbers of the players who play in this round."""
        return tuple(player for player, seat in enumerate(self.seats) if not seat.away)

    def next_player(self, player: int) -> int:
        """Return the next player clockwise who plays in this round."""
        count = len(self.seats)
        following = ((player + step) % count for step in range(1, count + 1))
        return next(seat for seat in following if not self.seats[seat].away)

    def with_seat(self, player: int, seat: Seat) -> Round:
        """Return the round with the seat of one player replaced."""
        return replace(self, seats=(*self.seats[:player], seat, *self.seats[player + 1 :]))


@dataclass(frozen=True, slots=True)
class GameState:
    """Everything that the events so far determine about a game."""

    rules: RuleSet
    players: tuple[str, ...]
    """The names of all players, clockwise, with those who have left."""
    rounds_agreed: int | None
    """The agreed number of rounds; None if it is open."""
    phase: Phase
    lots: Lots
    """The lots that decide who begins."""
    starter: int | None
    """The player who begins the next round, or began the current one; None while that is open."""
    round: Round | None
    """The current round, or the last scored one until the next deal; None before the first deal."""
    sheet: ScoreSheet
    redeal: Redeal | None
    """The last demand for a redeal since the last deal; None if there was none."""
    finding: Finding | None
    """The first-acquaintance game; None in other games."""
    notices: tuple[Alarm, ...]
    """The wrong counts that the last event revealed."""
    away: tuple[int, ...] = ()
    """The players who have left; they get no tiles."""
    lost: tuple[Tile | None, ...] = ()
    """The tiles missing from the box; None for an unknown tile."""

    @property
    def context(self) -> TurnContext:
        """The rules of the current turn, and whether its player has opened.

        Raises:
            EventRefused: if no round has begun yet.
        """
        if self.round is None:
            raise EventRefused(gettext("no round has begun yet"))
        return TurnContext(self.rules, self.round.seats[self.round.turn].opened)

    @property
    def present(self) -> tuple[int, ...]:
        """The numbers of the players who have not left."""
        return tuple(player for player in range(len(self.players)) if player not in self.away)

    @property
    def contenders(self) -> tuple[int, ...]:
        """The numbers of the players who must draw lots now; empty if nobody must."""
        return self.lots.contenders if self.phase is Phase.STARTER else ()
