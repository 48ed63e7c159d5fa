"""Star coins: the bank, the earnings of a turn, and the payments at the end of a round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tilekeeper.engine.game.scoring import RoundScore
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.ruleset import Stars


@dataclass(frozen=True, slots=True)
class Bank:
    """The bank of star coins, and the coins of all players.

    The number of coins never changes. If debts are noted, the bank owes what it can't pay and settles the oldest debt
    with the first coins that come back. A star that the bank owes belongs to the player.
    """

    coins: int
    """The number of coins in the bank."""
    purses: tuple[int, ...]
    """The number of coins of each player, by seat."""
    debts: tuple[int, ...] = ()
    """The player to whom the bank owes each star, oldest debt first."""
    notes_debts: bool = True
    """Whether the bank notes debts; otherwise stars that it can't pay at once are lost."""

    @classmethod
    def open(cls, coins: int, players: int, each: int, notes_debts: bool) -> Bank:
        """Return a bank of `coins` coins at the start of a round, from which every player gets `each`."""
        bank = cls(coins, (0,) * players, notes_debts=notes_debts)
        for player in range(players):
            bank = bank.earn(player, each)
        return bank

    @property
    def size(self) -> int:
        """The number of all coins."""
        return self.coins + sum(self.purses)

    def debt_to(self, player: int) -> int:
        """Return the number of stars that the bank owes a player."""
        return self.debts.count(player)

    def stars(self, player: int) -> int:
        """Return the number of stars of a player: the coins held, and the stars that the bank owes."""
        return self.purses[player] + self.debt_to(player)

    def earn(self, player: int, stars: int) -> Bank:
        """Return the bank after it paid stars to a player; stars that it does not have become a debt, or are lost."""
        return replace(self, debts=(*self.debts, *(player,) * stars))._settle()

    def pay(self, player: int, stars: int) -> tuple[Bank, int]:
        """Let a player pay stars to the bank: first coins, then stars that the bank owes, at most all of the player's.

        Returns:
            The bank afterwards, and the number of stars paid.
        """
        held = min(stars, self.purses[player])
        forgiven = min(stars - held, self.debt_to(player))
        purses = tuple(coins - held if seat == player else coins for seat, coins in enumerate(self.purses))
        debts = list(self.debts)
        for _ in range(forgiven):
            debts.remove(player)
        bank = replace(self, coins=self.coins + held, purses=purses, debts=tuple(debts))
        return bank._settle(), held + forgiven

    def _settle(self) -> Bank:
        """Return the bank after it paid its debts with its coins, oldest debt first."""
        paid = self.debts[: self.coins]
        purses = tuple(coins + paid.count(player) for player, coins in enumerate(self.purses))
        owed = self.debts[len(paid) :] if self.notes_debts else ()
        return replace(self, coins=self.coins - len(paid), purses=purses, debts=owed)


def turn_stars(verdict: Verdict, emptied: bool, stars: Stars) -> int:
    """Return the stars that a turn with laid tiles earns.

    The bank pays for every tile that can have come from the rack. If a joker was freed, it can be on the rack now, so a
    joker that was laid can have come from the rack.

    Args:
        verdict: the verdict on the table as it stays.
        emptied: whether the turn emptied the rack.
        stars: the payments of the edition.
    """
    return (
        stars.tile * (len(verdict.placed) + verdict.relaid - verdict.replaced)
        + stars.replacing * verdict.replaced
        + stars.new_run * len(verdict.new_melds)
        + (stars.empty_rack if emptied else 0)
    )


def score_stars(bank: Bank, tiles_left: Sequence[int], out: int | None, stars: Stars) -> tuple[Bank, RoundScore]:
    """Pay stars for the tiles left on each rack, and score the round with the stars of each player as points.

    `out` is the player who emptied the rack; None if nobody did.
    """
    if out is not None or stars.tiles_left_cost:
        for player, tiles in enumerate(tiles_left):
            if player != out:
                bank, _ = bank.pay(player, tiles * stars.tile_left)
    score = most_stars(bank)
    if out in score.winners and stars.finisher_wins_tie:
        score = replace(score, winners=(out,))
    return bank, score


def most_stars(bank: Bank) -> RoundScore:
    """Return the score of a round with the stars of each player as points; the players with most stars win."""
    points = tuple(map(bank.stars, range(len(bank.purses))))
    return RoundScore(
        points, tuple(player for player, count in enumerate(points) if count == max(points)), zero_sum=False
    )
