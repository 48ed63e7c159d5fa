"""The record of a tournament: players, paired rounds with byes, game results, penalties and decisions by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Final, TypeAlias

from tilekeeper.engine.game.scoring import Points

Player: TypeAlias = str
"""The unique id of a player, such as the number of a database row."""


class ByeKind(StrEnum):
    """The kind of a bye, as in the tournament report format of FIDE (TRF16)."""

    ALLOCATED = "allocated"
    """Given by the pairing if the players do not fill the tables; counts as a win."""
    FULL = "full"
    """Given by the arbiter; counts as a win."""
    HALF = "half"
    """Given if a player asks in advance; counts as half a win."""
    ZERO = "zero"
    """Given to an absent player; counts nothing."""

    @property
    def share(self) -> Fraction:
        """The share of a win that the bye counts, 0 to 1."""
        return _SHARES[self]

    @property
    def is_win(self) -> bool:
        """Whether the bye counts as a full win; in a knock-out such a player advances."""
        return self.share == 1

    @property
    def mark(self) -> str:
        """The letter for the bye in cross tables, as in TRF16."""
        return _MARKS[self]


_SHARES: Final = {
    ByeKind.ALLOCATED: Fraction(1),
    ByeKind.FULL: Fraction(1),
    ByeKind.HALF: Fraction(1, 2),
    ByeKind.ZERO: Fraction(0),
}
_MARKS: Final = {ByeKind.ALLOCATED: "U", ByeKind.FULL: "F", ByeKind.HALF: "H", ByeKind.ZERO: "Z"}


@dataclass(frozen=True, slots=True)
class Bye:
    """A round in which a player does not play."""

    player: Player
    kind: ByeKind


@dataclass(frozen=True, slots=True)
class PairedRound:
    """The pairing of one round: who sits at which table, and who has a bye."""

    tables: tuple[tuple[Player, ...], ...]
    """The players of each table, clockwise."""
    byes: tuple[Bye, ...] = ()
    """The players who do not play in this round."""

    @property
    def players(self) -> frozenset[Player]:
        """All players of the round, with a seat or a bye."""
        seated = frozenset(player for table in self.tables for player in table)
        return seated | frozenset(bye.player for bye in self.byes)


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of one game at a table."""

    round: int
    """The round, from 1."""
    points: Mapping[Player, Points]
    """The tile points of each player."""
    won: frozenset[Player]
    """The winners; several if they share the win."""
    unopened: frozenset[Player] = frozenset()
    """The players who never made their opening."""


@dataclass(frozen=True, slots=True)
class ArbiterPenalty:
    """Points that an arbiter deducts from a player's score."""

    player: Player
    round: int
    """The round to which the penalty belongs, from 1."""
    points: Points


@dataclass(frozen=True, slots=True)
class HandDecision:
    """An arbiter's order of players who are equal in all criteria before `Criterion.BY_HAND`."""

    order: tuple[Player, ...]
    """The players, best first."""


@dataclass(frozen=True, slots=True)
class TournamentRecord:
    """All facts of a tournament from which the standings are computed."""

    players: tuple[Player, ...]
    """All players in the order of entry, also those who have left."""
    rounds: tuple[PairedRound, ...] = ()
    games: tuple[GameResult, ...] = ()
    penalties: tuple[ArbiterPenalty, ...] = ()
    decisions: tuple[HandDecision, ...] = ()
    """The decisions in order of time; a later one about the same players replaces an earlier one."""
    lot_seed: str = ""
    """The seed of `Criterion.LOT`; the same seed draws the same lots."""
