"""Stars: what a turn earns, and what is paid at the end of a round that is counted in star coins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tilekeeper.engine.game.scoring import RoundScore
from tilekeeper.engine.game.stars import Bank
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.ruleset import Stars


def turn_stars(verdict: Verdict, emptied: bool, stars: Stars) -> int:
    """How many stars a turn earns in which tiles were laid.

    Args:
        verdict: what the judge says of the turn as it stands.
        emptied: whether the turn has emptied the rack.
        stars: what the edition pays.
    """
    return (
        stars.tile * (len(verdict.placed) - verdict.replaced)
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
