"""The state of a game: what the events so far have led to, all of it immutable."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from tilekeeper.engine.game.ledger import Alarm
from tilekeeper.engine.game.score_sheet import ScoreSheet
from tilekeeper.engine.game.setup import Lots
from tilekeeper.engine.game.stars import Bank
from tilekeeper.engine.game.tile_finding import Finding
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile


class EventRefused(ValueError):  # noqa: N818 - says what happened, as it reads in an except
    """An event that can't have happened as the game stands.

    Args:
        message: why not, in English, for people.
        place: its index in the list of all events, once that is known.
    """

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
    """The table at the end of the turn, with everything put back that had to be."""
    verdict: Verdict | None
    """What the judge said of the table that the player laid; none where the player laid nothing."""
    overruled: bool
    """Whether the people at the table let the turn stand against the judge or the clock."""
    drawn: int
    """How many tiles were drawn, as a penalty or otherwise."""
    stars: int
    """How many stars the player earned; below 0 where some were paid."""
    seconds: float | None
    """How long it took, where somebody looked at a clock."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What a player laid and the judge finds wrong; it may still be mended."""

    after: Table
    verdict: Verdict
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Redeal:
    """A demand for a redeal, and whether it was just."""

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
    counted: bool = False
    """Whether the rack was counted at the end."""
    away: bool = False
    """Whether nobody plays here in this round."""


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
    """What lies there and is to be mended or taken back."""
    drew: TurnRecord | None = None
    """What the player has drawn in this turn, playing on."""
    idle: int = 0
    """How many turns in a row have left everything as it was."""
    last_turns: int | None = None
    """How many turns are left in the last round; none where it has not come."""
    bank: Bank | None = None
    """The star coins; none where none are used."""
    ended: bool = False
    out: int | None = None
    """Who has emptied the rack."""

    @property
    def present(self) -> tuple[int, ...]:
        """Who plays in this round, by seats."""
        return tuple(player for player, seat in enumerate(self.seats) if not seat.away)

    def after(self, player: int) -> int:
        """Who plays after a player, clockwise."""
        count = len(self.seats)
        following = ((player + step) % count for step in range(1, count + 1))
        return next(other for other in following if not self.seats[other].away)

    def with_seat(self, player: int, **changes: Any) -> Round:
        """The round with some fields of one seat changed."""
        seat = replace(self.seats[player], **changes)
        return replace(self, seats=(*self.seats[:player], seat, *self.seats[player + 1 :]))


@dataclass(frozen=True, slots=True)
class GameState:
    """A game as it stands."""

    rules: RuleSet
    players: tuple[str, ...]
    rounds_agreed: int | None
    phase: Phase
    lots: Lots
    """Who draws now to find out who begins."""
    starter: int | None
    """Who begins the round that is to be dealt, or began the one that is played; none while that is open."""
    round: Round | None
    """The round that is played, or the one last scored until the next is dealt; none before the first."""
    sheet: ScoreSheet
    redeal: Redeal | None
    """The last demand for a redeal since the tiles were mixed."""
    finding: Finding | None
    """The first-acquaintance game, where that is played."""
    notices: tuple[Alarm, ...]
    """What the last event showed to be otherwise than counted."""
    away: tuple[int, ...] = ()
    """Who has left, by seats; no tiles are dealt to them any more."""
    lost: tuple[Tile | None, ...] = ()
    """The tiles that are in the box no more; none for one of which nobody knows what it was."""

    @property
    def present(self) -> tuple[int, ...]:
        """Who has not left, by seats."""
        return tuple(player for player in range(len(self.players)) if player not in self.away)

    @property
    def contenders(self) -> tuple[int, ...]:
        """Who is to draw a tile now to find out who begins."""
        return self.lots.contenders if self.phase is Phase.STARTER else ()
