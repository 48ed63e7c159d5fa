"""Knock-out rounds and finals: which players advance after a round, and how many rounds there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tilekeeper.companion.tournament.pairing import table_sizes
from tilekeeper.companion.tournament.record import PairedRound, Player
from tilekeeper.engine.game.scoring import Points

LARGEST_FINAL: Final = 256


def qualify(ranking: Sequence[Player], finalists: int) -> tuple[Player, ...]:
    """Return the players who advance to the final rounds: the first `finalists` of the ranking, best first."""
    return tuple(ranking[:finalists])


def advance(
    paired: PairedRound, scores: Mapping[Player, Points], ranking: Sequence[Player], advancing: int
) -> tuple[Player, ...]:
    """Return the players who advance after a knock-out round, in the order of the ranking; nobody after the final.

    Args:
        paired: the round.
        scores: the score of each seated player in this round.
        ranking: the standings, best first, which decide between equal scores.
        advancing: the number of players who advance from each table; at least one player of a table is eliminated.
    """
    going_on = [bye.player for bye in paired.byes if bye.kind.is_win]
    if len(paired.tables) < 2 and not going_on:
        return ()
    place = {player: index for index, player in enumerate(ranking)}
    for table in paired.tables:
        best = sorted(table, key=lambda player: (-scores[player], place[player]))
        going_on += best[: min(advancing, len(table) - 1)]
    return tuple(sorted(going_on, key=place.__getitem__))


def count_rounds(players: int, table_size: int, advancing: int) -> int:
    """Return the number of knock-out rounds, including the final at a single table.

    >>> count_rounds(8, 4, 2), count_rounds(16, 4, 2), count_rounds(8, 2, 1), count_rounds(4, 4, 2)
    (2, 3, 3, 1)
    """
    rounds = 0
    while players > 1:
        sizes = table_sizes(players, table_size)
        byes = players - sum(sizes)
        rounds += 1
        if len(sizes) == 1 and not byes:
            return rounds
        players = byes + sum(min(advancing, size - 1) for size in sizes)
    return rounds
