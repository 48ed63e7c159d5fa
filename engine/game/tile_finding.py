"""The first-acquaintance game of `junior`: tiles are face up, and finding the next tile of a run earns a star."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from tilekeeper.engine.game.stars import Bank
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.ruleset import RuleSet, Stars
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import Tile


class FindFault(StrEnum):
    """The reason why a shown tile does not count."""

    OTHER_COLOUR = "other-colour"
    """The tile has another colour than the run."""
    NOT_NEXT = "not-next"
    """The tile continues the run at neither end."""
    LEADER_FOUND = "leader-found"
    """The leader showed the tile, but the leader only points at tiles."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The state of a first-acquaintance game."""

    bank: Bank
    leader: int | None = None
    """The player who leads; None if the leader does not play."""
    done: tuple[Meld, ...] = ()
    """The complete runs, from 1 to the highest number."""
    run: Meld = ()
    """The run in progress, lowest number first; empty before the leader points at a tile."""
    fault: FindFault | None = None
    """The reason why the last shown tile did not count; None if it did, or no tile was shown for this run."""

    @property
    def table(self) -> Table:
        """All runs, complete or in progress, in the order of their start."""
        return Table((*self.done, self.run) if self.run else self.done)

    @classmethod
    def begin(cls, players: int, leader: int | None, stars: Stars) -> Finding:
        """Return a new game; nobody has a star."""
        return cls(Bank.open(stars.bank, players, 0, stars.debt_noted), leader)

    def point(self, tile: Tile, rules: RuleSet) -> Finding:
        """Return the game after the leader pointed at a tile.

        Raises:
            ValueError: if a run is in progress, or no such tile is face up.
        """
        if self.run:
            raise ValueError(gettext("first finish the run that was begun"))
        laid = sum(run[0].colour is tile.colour for run in self.done)
        if tile.is_joker or rules.stock.copies_of(tile) <= laid:
            raise ValueError(gettext("there is no {tile} to point at", tile=tile))
        return replace(self, run=(tile,), fault=None)._complete(rules)

    def find(self, player: int, tile: Tile, rules: RuleSet, stars: Stars) -> Finding:
        """Return the game after a player showed a tile as the next one of the run.

        Raises:
            ValueError: if no run is in progress.
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
        return replace(self, bank=self.bank.earn(player, stars.found), run=run, fault=None)._complete(rules)

    def is_over(self, rules: RuleSet) -> bool:
        """Return whether all runs are complete."""
        return len(self.done) == len(rules.stock.inks) * rules.stock.copies

    def _complete(self, rules: RuleSet) -> Finding:
        """Return the game with the run in progress moved to `done` if it is complete."""
        if len(self.run) < rules.stock.numbers:
            return self
        return replace(self, done=(*self.done, self.run), run=())
