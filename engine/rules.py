"""Rules as data: the parts of a rule set, and the policies in which editions differ.

An edition writes every field out (`tilekeeper.engine.editions`); a house rule is `dataclasses.replace`. A field is
here once the judge reads it: what is paid at the end of a round, or which sets are locked, comes with the code that
asks for it. No code asks for an edition's name.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from tilekeeper.engine.tile import Colour, Tile


class FreedJoker(Enum):
    """Where a joker goes that came free: one that lies with no tile of its old meld any more."""

    NEW_COMBINATION = auto()
    """Into any valid meld but an old one that is otherwise unchanged."""
    ANY_MELD = auto()
    """Into any valid meld."""


@dataclass(frozen=True, slots=True)
class Stock:
    """The tiles in the box."""

    inks: tuple[Colour, ...]
    """The colours, in the order black, blue, orange or yellow, red."""
    numbers: int
    """The highest number; the lowest is 1."""
    copies: int
    """How often each number is there in each colour."""
    jokers: int
    """How many jokers there are."""

    def copies_of(self, tile: Tile) -> int:
        """How many of a tile are in the box; 0 for a tile that the edition does not have."""
        if tile.colour is None or tile.number is None:
            return self.jokers
        return self.copies if tile.colour in self.inks and 1 <= tile.number <= self.numbers else 0

    @property
    def size(self) -> int:
        """How many tiles there are in all."""
        return len(self.inks) * self.numbers * self.copies + self.jokers


@dataclass(frozen=True, slots=True)
class Melds:
    """What a run and a group are."""

    shortest: int
    """How many tiles a run or a group has at least."""
    largest_group: int
    """How many tiles a group has at most."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What a player lays to come into the game, with sets from the rack alone and the table left as it lies."""

    points: int
    """How many points at least, in one turn."""
    joker_points: int | None
    """What a joker counts; none where it counts as the tile for which it stands."""


@dataclass(frozen=True, slots=True)
class Joker:
    """What may be done with a joker that lies on the table."""

    freed: FreedJoker


@dataclass(frozen=True, slots=True)
class Turn:
    """What a turn in which tiles are laid must hold."""

    least_tiles: int
    """How many tiles of the rack are laid at least."""


@dataclass(frozen=True, slots=True)
class RuleSet:
    """Everything that an edition decides and the judge asks for."""

    name: str
    stock: Stock
    melds: Melds
    opening: Opening
    joker: Joker
    turn: Turn
