"""Exact seating of few players: dynamic programming over sets of players finds the tables with the least total cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import Final

MOST_PLAYERS: Final = 16
"""With 16 players at tables of four the search takes 300,000 steps, about half a second; with 20, 100 times as many."""


def cheapest_seating(
    order: Sequence[int], sizes: Sequence[int], costs: Sequence[Sequence[int]]
) -> list[list[int]] | None:
    """Return the tables with the least sum of costs; among equal sums, those with players near each other in the order.

    Args:
        order: every player once.
        sizes: the sizes of the tables; larger tables are filled from the front of the order if possible.
        costs: the cost of seating any two players together.

    Returns:
        The players of each table; None if there are more than `MOST_PLAYERS` players.
    """
    if len(order) > MOST_PLAYERS:
        return None
    place = {player: index for index, player in enumerate(order)}

    def price(table: tuple[int, ...]) -> tuple[int, int]:
        """Return the cost of a table, and the sum of its players' squared distances in the order."""
        clashes = distances = 0
        for one, other in combinations(table, 2):
            clashes += costs[one][other]
            distances += (place[one] - place[other]) ** 2
        return clashes, distances

    @cache
    def seat(players: tuple[int, ...], free: tuple[int, ...]) -> tuple[int, int, tuple[tuple[int, ...], ...]]:
        if not players:
            return 0, 0, ()
        first, later_players = players[0], players[1:]
        best: tuple[int, int, tuple[tuple[int, ...], ...]] | None = None
        for size in sorted(set(free), reverse=True):
            remaining_sizes = tuple((Counter(free) - Counter([size])).elements())
            for mates in combinations(later_players, size - 1):
                table = (first, *mates)
                rest = seat(tuple(player for player in later_players if player not in mates), remaining_sizes)
                clashes, distances = price(table)
                total = clashes + rest[0], distances + rest[1]
                if best is None or total < best[:2]:
                    best = (*total, (table, *rest[2]))
        assert best is not None  # the sizes add up to the number of players
        return best

    return [list(table) for table in seat(tuple(order), tuple(sorted(sizes, reverse=True)))[2]]
