"""Star coins: a bank that pays players and is paid, never with coins that it does not have."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Bank:
    """All the star coins of a game: in the bank, and with the players by their seats.

    The coins never become more or fewer. What the bank can't pay it owes where debts are noted, and settles with the
    first coins that come back, the oldest debt first; a star that is owed is the player's own.
    """

    coins: int
    """How many lie in the bank."""
    purses: tuple[int, ...]
    """How many each player holds."""
    debts: tuple[int, ...] = ()
    """The player of each star that the bank owes, oldest first."""
    notes_debts: bool = True
    """Whether the bank owes what it can't pay; otherwise that is never paid."""

    @classmethod
    def opened(cls, coins: int, players: int, each: int, notes_debts: bool) -> Bank:
        """A bank with `coins` in all that has paid every player as many as a round begins with."""
        bank = cls(coins, (0,) * players, notes_debts=notes_debts)
        for player in range(players):
            bank = bank.earn(player, each)
        return bank

    @property
    def size(self) -> int:
        """How many coins there are in all."""
        return self.coins + sum(self.purses)

    def owed(self, player: int) -> int:
        """How many stars the bank owes a player."""
        return self.debts.count(player)

    def stars(self, player: int) -> int:
        """How many stars a player has: those held, and those owed."""
        return self.purses[player] + self.owed(player)

    def earn(self, player: int, stars: int) -> Bank:
        """Pay a player what the bank has, and note the rest as a debt."""
        return replace(self, debts=(*self.debts, *(player,) * stars))._settled()

    def pay(self, player: int, stars: int) -> tuple[Bank, int]:
        """Let a player pay the bank, or all the stars there are if they are fewer; a debt is forgiven last.

        Returns:
            The bank afterwards, and how many stars were paid.
        """
        held = min(stars, self.purses[player])
        forgiven = min(stars - held, self.owed(player))
        purses = tuple(coins - held if at == player else coins for at, coins in enumerate(self.purses))
        debts = list(self.debts)
        for _ in range(forgiven):
            debts.remove(player)
        bank = replace(self, coins=self.coins + held, purses=purses, debts=tuple(debts))
        return bank._settled(), held + forgiven

    def _settled(self) -> Bank:
        paid = self.debts[: self.coins]
        purses = tuple(coins + paid.count(player) for player, coins in enumerate(self.purses))
        owed = self.debts[len(paid) :] if self.notes_debts else ()
        return replace(self, coins=self.coins - len(paid), purses=purses, debts=owed)
