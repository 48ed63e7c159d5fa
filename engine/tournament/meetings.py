"""Seats players so that those who met before meet again as rarely as can be: a search that never looks at the time."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Final, TypeAlias

Seating: TypeAlias = list[list[int]]
"""Tables of players, who are numbers from 0."""
Meetings: TypeAlias = Sequence[Sequence[int]]
"""How often any two players have met, by their numbers; symmetric, with 0 for nobody with themselves."""
Apart: TypeAlias = Callable[[int, int], int]
"""What it costs besides that two players sit together; less than one meeting in all seatings together."""

_STARTS: Final = 6
"""So many seatings to begin with are mended before an exact search is tried."""
_STEPS_A_PLAYER: Final = 30
_MOST_STEPS: Final = 3000
_MOST_NODES: Final = 60_000
"""So many tables an exact search tries; enough to end it for fields of some twenty players."""


def meetings(players: Sequence[str], rounds: Sequence[Sequence[Sequence[str]]]) -> list[list[int]]:
    """How often any two of the players have sat together in rounds, each a list of tables."""
    number = {player: at for at, player in enumerate(players)}
    met = [[0] * len(players) for _ in players]
    for tables in rounds:
        for table in tables:
            for one, other in combinations([number[player] for player in table if player in number], 2):
                met[one][other] += 1
                met[other][one] += 1
    return met


def repeats(seating: Seating, met: Meetings) -> int:
    """How many meetings of a seating are repeated ones, the third time counting twice."""
    return sum(met[one][other] for table in seating for one, other in combinations(table, 2))


def least_repeats(sizes: Sequence[int], met: Meetings, rng: random.Random) -> Seating:
    """A seating chosen at random of those that repeat as few meetings as were found.

    Where one without a repeat exists, it is found: in small fields by an exact search, in large ones, where most
    seatings have few repeats, by mending.

    Args:
        sizes: of the tables; their sum is the number of players.
        met: how often they have met.
        rng: where chance comes from.
    """
    best: Seating = []
    for _ in range(_STARTS):
        players = list(range(len(met)))
        rng.shuffle(players)
        mended = mend(cut(players, sizes), met, rng)
        if not best or repeats(mended, met) < repeats(best, met):
            best = mended
        if not repeats(best, met):
            return best
    order = list(range(len(met)))
    rng.shuffle(order)
    return without_repeats(order, sizes, met) or best


def mend(seating: Seating, met: Meetings, rng: random.Random, apart: Apart | None = None) -> Seating:
    """Swap players of a seating until no meeting is repeated, or no swap has helped for long; returns the best one.

    Args:
        seating: to begin with.
        met: how often the players have met.
        rng: where chance comes from.
        apart: decides between swaps that repeat as many meetings.
    """
    seating = [list(table) for table in seating]
    at = {player: number for number, table in enumerate(seating) for player in table}
    now = repeats(seating, met)
    best, fewest = [list(table) for table in seating], now
    held: dict[tuple[int, int], int] = {}
    for step in range(min(_STEPS_A_PLAYER * len(at), _MOST_STEPS)):
        troubled = [player for table in seating for player in table if any(met[player][other] for other in table)]
        if not troubled:
            break
        player = rng.choice(troubled)
        swaps = [
            (
                _change(seating, met, at, player, other),
                0 if apart is None else apart(player, other),
                rng.random(),
                other,
            )
            for other in at
            if at[other] != at[player] and held.get((player, at[other]), -1) < step
        ]
        if not swaps:
            break
        change, _, _, other = min(swaps)
        held[player, at[player]] = held[other, at[other]] = step + rng.randint(3, 8)
        _swap(seating, at, player, other)
        now += change
        if now < fewest:
            best, fewest = [list(table) for table in seating], now
    return best


def _change(seating: Seating, met: Meetings, at: dict[int, int], one: int, other: int) -> int:
    """By how much a swap changes the repeated meetings."""
    with_one, with_other = seating[at[one]], seating[at[other]]
    before = sum(met[one][mate] for mate in with_one) + sum(met[other][mate] for mate in with_other)
    after = sum(met[other][mate] for mate in with_one) + sum(met[one][mate] for mate in with_other)
    return after - 2 * met[one][other] - before


def _swap(seating: Seating, at: dict[int, int], one: int, other: int) -> None:
    here, there = seating[at[one]], seating[at[other]]
    here[here.index(one)], there[there.index(other)] = other, one
    at[one], at[other] = at[other], at[one]


def without_repeats(order: Sequence[int], sizes: Sequence[int], met: Meetings) -> Seating | None:
    """The first seating without a repeated meeting, where who stands first in an order sits with those who follow.

    Args:
        order: every player once.
        sizes: of the tables; the larger ones go to the front of the order where that is possible.
        met: how often the players have met.

    Returns:
        None where there is no such seating, or where it was not found among `_MOST_NODES` tables.
    """
    nodes = iter(range(_MOST_NODES))

    def seat(left: list[int], sizes_left: Counter[int]) -> Seating | None:
        if not left:
            return []
        first, others = left[0], [player for player in left[1:] if not met[left[0]][player]]
        for size in sorted(+sizes_left, reverse=True):
            for mates in _strangers(others, size - 1, met):
                if next(nodes, None) is None:
                    return None
                table = [first, *mates]
                rest = seat([player for player in left if player not in table], sizes_left - Counter([size]))
                if rest is not None:
                    return [table, *rest]
        return None

    return seat(list(order), Counter(sizes))


def _strangers(players: Sequence[int], count: int, met: Meetings) -> Iterator[list[int]]:
    """Every choice of so many players of whom no two have met."""
    if count == 0:
        yield []
        return
    for at, player in enumerate(players):
        others = [other for other in players[at + 1 :] if not met[player][other]]
        for rest in _strangers(others, count - 1, met):
            yield [player, *rest]


def cut(players: Sequence[int], sizes: Sequence[int]) -> Seating:
    """Tables of these sizes, filled in the order of the players."""
    tables, begin = [], 0
    for size in sizes:
        tables.append(list(players[begin : begin + size]))
        begin += size
    return tables
