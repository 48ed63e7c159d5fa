"""Seatings with few repeated meetings, by tabu search and exact search.

Both stop after a number of steps, not after a time, so that the same seed always gives the same result.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Final, TypeAlias

from tilekeeper.companion.tournament.exact_seating import cheapest_seating

Seating: TypeAlias = list[list[int]]
"""For each table its players, as numbers from 0."""
Meetings: TypeAlias = Sequence[Sequence[int]]
"""The cost of seating any two players together: the number of their meetings, and more for players who must be kept
apart; a symmetric matrix with a diagonal of 0."""
Apart: TypeAlias = Callable[[int, int], int]
"""A function that returns the extra cost of swapping two players.

The extra cost decides only between swaps that lead to the same number of repeated meetings."""

_STARTS: Final = 6
"""The number of random seatings that are improved before the exact search begins."""
_STEPS_PER_PLAYER: Final = 30  # the swaps of one tabu search, per player
_MOST_STEPS: Final = 3000  # the most swaps of one tabu search
_MOST_NODES: Final = 60_000
"""The tables that the exact search tries; enough to complete the search for about twenty players."""


def meetings(
    players: Sequence[str],
    rounds: Sequence[Sequence[Sequence[str]]],
    apart: Mapping[frozenset[str], int] = MappingProxyType({}),
) -> list[list[int]]:
    """Return how often each two players have sat together, plus their cost in `apart`, as a symmetric matrix.

    Args:
        players: the players in the order of the matrix's rows.
        rounds: for each round the tables, for each table its players.
        apart: pairs of players who should not meet, each with its cost in meetings.
    """
    index = {player: position for position, player in enumerate(players)}
    met = [[0] * len(players) for _ in players]
    for tables in rounds:
        for table in tables:
            for one, other in combinations([index[player] for player in table if player in index], 2):
                met[one][other] += 1
                met[other][one] += 1
    for pair, cost in apart.items():
        if pair <= index.keys():
            one, other = (index[player] for player in pair)
            met[one][other] += cost
            met[other][one] += cost
    return met


def count_repeats(seating: Seating, met: Meetings) -> int:
    """Return the number of repeated meetings of a seating; a third meeting counts twice."""
    return sum(met[one][other] for table in seating for one, other in combinations(table, 2))


def least_repeats(sizes: Sequence[int], met: Meetings, rng: random.Random) -> Seating:
    """Return a random seating with as few repeated meetings as possible.

    For many players a tabu search finds a seating without repeats, because most of their seatings have few repeats. For
    few players an exact search finds it.

    Args:
        sizes: the sizes of the tables; their sum is the number of players.
        met: the cost of each pair of players, as `meetings` returns it.
        rng: the source of chance.
    """
    best: Seating = []
    for _ in range(_STARTS):
        players = list(range(len(met)))
        rng.shuffle(players)
        improved = improve(fill_tables(players, sizes), met, rng)
        if not best or count_repeats(improved, met) < count_repeats(best, met):
            best = improved
        if not count_repeats(best, met):
            return best
    order = list(range(len(met)))
    rng.shuffle(order)
    return without_repeats(order, sizes, met) or cheapest_seating(order, sizes, met) or best


def improve(seating: Seating, met: Meetings, rng: random.Random, apart: Apart | None = None) -> Seating:
    """Tabu search: swap players until no meeting is repeated, or no steps are left; return the best seating.

    Args:
        seating: the seating to start with.
        met: the cost of each pair of players, as `meetings` returns it.
        rng: the source of chance.
        apart: the extra cost of a swap, which decides between swaps with equally many repeated meetings.
    """
    seating = [list(table) for table in seating]
    table_of = {player: number for number, table in enumerate(seating) for player in table}
    now = count_repeats(seating, met)
    best, fewest = [list(table) for table in seating], now
    tabu_until: dict[tuple[int, int], int] = {}
    for step in range(min(_STEPS_PER_PLAYER * len(table_of), _MOST_STEPS)):
        repeating_players = [
            player for table in seating for player in table if any(met[player][other] for other in table)
        ]
        if not repeating_players:
            break
        player = rng.choice(repeating_players)
        swaps = [
            (
                _count_change(seating, met, table_of, player, other),
                0 if apart is None else apart(player, other),
                rng.random(),
                other,
            )
            for other in table_of
            if table_of[other] != table_of[player] and tabu_until.get((player, table_of[other]), -1) < step
        ]
        if not swaps:
            break
        change, _, _, other = min(swaps)
        tabu_until[player, table_of[player]] = tabu_until[other, table_of[other]] = step + rng.randint(3, 8)
        _swap(seating, table_of, player, other)
        now += change
        if now < fewest:
            best, fewest = [list(table) for table in seating], now
    return best


def _count_change(seating: Seating, met: Meetings, table_of: dict[int, int], one: int, other: int) -> int:
    """Return the change in the number of repeated meetings if two players at different tables are swapped."""
    with_one, with_other = seating[table_of[one]], seating[table_of[other]]
    before = sum(met[one][mate] for mate in with_one) + sum(met[other][mate] for mate in with_other)
    after = sum(met[other][mate] for mate in with_one) + sum(met[one][mate] for mate in with_other)
    return after - 2 * met[one][other] - before


def _swap(seating: Seating, table_of: dict[int, int], one: int, other: int) -> None:
    table, other_table = seating[table_of[one]], seating[table_of[other]]
    table[table.index(one)], other_table[other_table.index(other)] = other, one
    table_of[one], table_of[other] = table_of[other], table_of[one]


def without_repeats(order: Sequence[int], sizes: Sequence[int], met: Meetings) -> Seating | None:
    """Depth-first search for a seating without repeated meetings; players near in the order sit together if possible.

    Args:
        order: every player once.
        sizes: the sizes of the tables; players at the front of the order get the larger tables if possible.
        met: the cost of each pair of players, as `meetings` returns it.

    Returns:
        The seating; None if there is none, or if the search has tried `_MOST_NODES` tables.
    """
    nodes = iter(range(_MOST_NODES))

    def seat(unseated: list[int], free_sizes: Counter[int]) -> Seating | None:
        if not unseated:
            return []
        first, strangers = unseated[0], [player for player in unseated[1:] if not met[unseated[0]][player]]
        for size in sorted(+free_sizes, reverse=True):
            for mates in _choose_strangers(strangers, size - 1, met):
                if next(nodes, None) is None:
                    return None
                table = [first, *mates]
                rest = seat([player for player in unseated if player not in table], free_sizes - Counter([size]))
                if rest is not None:
                    return [table, *rest]
        return None

    return seat(list(order), Counter(sizes))


def _choose_strangers(players: Sequence[int], count: int, met: Meetings) -> Iterator[list[int]]:
    """Yield every choice of `count` players in which no two have met."""
    if count == 0:
        yield []
        return
    for index, player in enumerate(players):
        strangers = [other for other in players[index + 1 :] if not met[player][other]]
        for rest in _choose_strangers(strangers, count - 1, met):
            yield [player, *rest]


def fill_tables(players: Sequence[int], sizes: Sequence[int]) -> Seating:
    """Return tables of these sizes, filled with the players in their order."""
    tables, begin = [], 0
    for size in sizes:
        tables.append(list(players[begin : begin + size]))
        begin += size
    return tables
