"""The verdict: what the judge returns for one turn."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.engine.rules.violations import Violation
from tilekeeper.engine.tiles.table import Place
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class StandIn:
    """What a joker in a valid meld of the table after the turn stands for, in the reading that is worth most."""

    place: Place
    tile: Tile


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the judge says of a turn."""

    violations: tuple[Violation, ...]
    """Everything that is wrong, in the order of `Code`."""
    placed: tuple[Tile, ...]
    """The tiles that came from the rack, sorted by colour and number, jokers last."""
    points: int | None
    """What new sets from the rack are worth for the opening; none where the player had opened before."""
    opens: bool
    """Whether the player comes into the game with this turn."""
    stand_ins: tuple[StandIn, ...]
    """What the jokers stand for."""
    new_melds: tuple[int, ...]
    """The valid melds of the table after that were laid anew, with no numbered tile of the table."""
    replaced: int
    """How many tiles were laid in the place of a joker, where the edition follows that; else 0."""
    proved: bool
    """Whether every way was looked into that could have led there. Where there were too many, the verdict says nothing
    of rules about the way: it blames nobody for what it could not look into."""

    @property
    def legal(self) -> bool:
        """Whether nothing is wrong."""
        return not self.violations
