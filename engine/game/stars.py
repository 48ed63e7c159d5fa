"""Star coins: the bank that holds them, what a turn earns, and what is paid at the end of a round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tilekeeper.engine.game.scoring import RoundScore
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.ruleset import Stars


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


def turn_stars(verdict: Verdict, emptied: bool, stars: Stars) -> int:
    """How many stars a turn earns in which tiles were laid.

    What may have come from the rack is paid for: a joker that was replaced may have stayed there, and the one that was
    laid may be another.

    Args:
        verdict: what the judge says of the turn as it stands.
        emptied: whether the turn has emptied the rack.
        stars: what the edition pays.
    """
    return (
        stars.tile * (len(verdict.placed) + verdict.relaid - verdict.replaced)
        + stars.replacing * verdict.replaced
        + stars.new_run * len(verdict.new_melds)
        + (stars.empty_rack if emptied else 0)
    )


def score_stars(bank: Bank, tiles_left: Sequence[int], out: int | None, stars: Stars) -> tuple[Bank, RoundScore]:
    """What is paid at the end of a round, and who has won it.

    Args:
        bank: the coins after the last turn.
        tiles_left: how many tiles are left on each rack, by seats.
        out: the player who has emptied the rack; none where the round ended without that.
        stars: what the edition pays.

    Returns:
        The bank afterwards, and the stars of each player as the round's points.
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
    """The stars of each player as a round's points, won by whoever has most."""
    points = tuple(map(bank.stars, range(len(bank.purses))))
    return RoundScore(points, tuple(at for at, count in enumerate(points) if count == max(points)), zero_sum=False)
