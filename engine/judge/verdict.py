"""The verdict: what the judge returns for one turn."""

from __future__ import annotations

from dataclasses import dataclass

from tilekeeper.engine.rules.violations import Violation
from tilekeeper.engine.tiles.table import Place
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class StandIn:
    """The tile that a joker in a valid meld of the table after stands for, in the reading that is worth most."""

    place: Place
    tile: Tile


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judge's result for one turn."""

    violations: tuple[Violation, ...]
    """All violations, in the order of `Code`."""
    placed: tuple[Tile, ...]
    """The tiles that came from the rack, sorted by colour and number, jokers last."""
    points: int | None
    """What the new sets from the rack are worth for the opening; none where the player had opened before."""
    opens: bool
    """Whether the player opens with this turn."""
    stand_ins: tuple[StandIn, ...]
    """What the jokers stand for."""
    new_melds: tuple[int, ...]
    """The valid melds of the table after that hold no numbered tile of the table before, as indices."""
    replaced: int
    """How many jokers were replaced; 0 where the edition does not limit how jokers leave their sets."""
    proved: bool
    """Whether the search for a legal provenance was complete. If not, violations that depend on it are left out."""

    @property
    def legal(self) -> bool:
        """Whether there are no violations."""
        return not self.violations
