"""The first-acquaintance game: all number tiles lie face up, and whoever finds the next tile of a run gets a star."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from tilekeeper.engine.game.stars import Bank
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.ruleset import RuleSet, Stars
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import Tile


class FindFault(StrEnum):
    """Why a tile that a player shows does not count."""

    OTHER_COLOUR = "other-colour"
    """It has another colour than the run."""
    NOT_NEXT = "not-next"
    """It is neither one higher than the run's highest number nor one lower than its lowest."""
    LEADER_FOUND = "leader-found"
    """The one in charge points, and does not search."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The state of a first-acquaintance game."""

    bank: Bank
    leader: int | None = None
    """The player in charge; none where that is somebody who does not play."""
    done: tuple[Meld, ...] = ()
    """The runs that lie from 1 to the highest number."""
    run: Meld = ()
    """The run that is searched for, lowest number first; none where a tile is to be pointed at."""
    fault: FindFault | None = None
    """What was wrong with the tile found last; it stays where it lay."""

    @property
    def table(self) -> Table:
        """The runs, in the order in which they were begun."""
        return Table((*self.done, self.run) if self.run else self.done)

    @classmethod
    def begun(cls, players: int, leader: int | None, stars: Stars) -> Finding:
        """A game in which nobody has a star yet."""
        return cls(Bank.opened(stars.bank, players, 0, stars.debt_noted), leader)

    def pointed(self, tile: Tile, rules: RuleSet) -> Finding:
        """The game once the one in charge has pointed at a tile.

        Raises:
            ValueError: if a run is searched for still, or the tile is none that lies there.
        """
        if self.run:
            raise ValueError(gettext("first finish the run that was begun"))
        laid = sum(run[0].colour is tile.colour for run in self.done)
        if tile.is_joker or rules.stock.copies_of(tile) <= laid:
            raise ValueError(gettext("there is no {tile} to point at", tile=tile))
        return replace(self, run=(tile,), fault=None)._completed(rules)

    def found(self, player: int, tile: Tile, rules: RuleSet, stars: Stars) -> Finding:
        """The game once a player has shown a tile as the one searched for.

        Raises:
            ValueError: if nothing is searched for.
        """
        if not self.run:
            raise ValueError(gettext("first point at a tile"))
        if player == self.leader:
            return replace(self, fault=FindFault.LEADER_FOUND)
        lowest, highest = self.run[0], self.run[-1]
        if tile.colour is not lowest.colour or tile.number is None:
            return replace(self, fault=FindFault.OTHER_COLOUR)
        if tile.number == (highest.number or 0) + 1 and rules.stock.copies_of(tile):
            run = (*self.run, tile)
        elif tile.number == (lowest.number or 0) - 1 and rules.stock.copies_of(tile):
            run = (tile, *self.run)
        else:
            return replace(self, fault=FindFault.NOT_NEXT)
        return replace(self, bank=self.bank.earn(player, stars.found), run=run, fault=None)._completed(rules)

    def is_over(self, rules: RuleSet) -> bool:
        """Whether all runs lie."""
        return len(self.done) == len(rules.stock.inks) * rules.stock.copies

    def _completed(self, rules: RuleSet) -> Finding:
        if len(self.run) < rules.stock.numbers:
            return self
        return replace(self, done=(*self.done, self.run), run=())
