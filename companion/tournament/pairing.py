"""Pairing of the players of a round: random, Swiss (by standing), at fixed tables, or by knock-out.

Full tables have 2, 3 or 4 players. If the players do not fill them, some tables have one player fewer: 10 players sit
at 4 + 3 + 3. At tables of two one player of an odd number gets a bye; at tables of four one of five players.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from enum import StrEnum
from itertools import combinations
from types import MappingProxyType
from typing import Final, assert_never

from tilekeeper.companion.tournament.exact_seating import cheapest_seating
from tilekeeper.companion.tournament.meetings import (
    Seating,
    fill_tables,
    improve,
    least_repeats,
    meetings,
    without_repeats,
)
from tilekeeper.companion.tournament.record import Bye, ByeKind, PairedRound, Player
from tilekeeper.companion.tournament.schedule import schedule
from tilekeeper.engine.language import gettext

MOST_AT_TABLE: Final = 4
_LARGEST_SCHEDULE: Final = 64
"""Schedules are used up to this number of players; with more players the search finds rounds without repeats anyway."""
FORBIDDEN: Final = 1000
"""The cost of a forbidden pair, in repeated meetings; the pair is seated together only if nothing else is possible."""
UNWANTED: Final = 10
"""The cost of two players of one club in the first rounds, in repeated meetings."""


class Pairing(StrEnum):
    """The way in which players are assigned to the tables of a round."""

    RANDOM = "random"
    """At random, without repeated meetings if possible."""
    SWISS = "swiss"
    """Neighbours in the standings sit together, without repeated meetings if possible."""
    FIXED = "fixed"
    """The same tables in every round."""
    KNOCK_OUT = "knock-out"
    """By the standings in a serpentine, so that the best players meet late; repeated meetings are allowed."""


def table_sizes(players: int, table_size: int = MOST_AT_TABLE) -> tuple[int, ...]:
    """Return the sizes of the tables for a number of players, largest first; players without a seat get a bye.

    >>> table_sizes(11), table_sizes(9), table_sizes(5), table_sizes(2)
    ((4, 4, 3), (3, 3, 3), (4,), (2,))
    >>> table_sizes(7, 3), table_sizes(4, 3), table_sizes(7, 2)
    ((3, 2, 2), (2, 2), (2, 2, 2))
    """
    if table_size == 2:
        return (2,) * (players // 2)
    small = -players % table_size
    full = (players - small * (table_size - 1)) // table_size
    if full >= 0:
        return (table_size,) * full + (table_size - 1,) * small
    return (table_size,) if players == table_size + 1 else (players,) if players > 1 else ()


def pair(
    way: Pairing,
    players: Sequence[Player],
    past: Sequence[PairedRound],
    rng: random.Random,
    ranking: Sequence[Player] = (),
    *,
    table_size: int = MOST_AT_TABLE,
    apart: Mapping[frozenset[Player], int] = MappingProxyType({}),
) -> PairedRound:
    """Pair the players of the next round.

    Args:
        way: how players are assigned to tables: at random, by standing, fixed, or knock-out.
        players: the players of this round, in the order of entry.
        past: the rounds so far.
        rng: the source of chance; the same seed gives the same pairing.
        ranking: the standings, best first, for `Pairing.SWISS` and `Pairing.KNOCK_OUT`; missing players come last.
        table_size: the number of players at a full table.
        apart: pairs of players to keep apart, each with its cost `FORBIDDEN` or `UNWANTED`; not for `Pairing.FIXED`.

    Raises:
        ValueError: if there are fewer than two players, or a player twice. The message has no capital letter and no
            full stop, so that it fits into a sentence.
    """
    if doubled := [player for player, count in Counter(players).items() if count > 1]:
        raise ValueError(gettext("{name} is among the players twice", name=doubled[0]))
    sizes = table_sizes(len(players), table_size)
    if not sizes:
        raise ValueError(gettext("a round needs at least two players"))
    order = _order(way, players, past, rng, ranking)
    byes = _byes(way, order, past, len(order) - sum(sizes))
    playing = [player for player in order if player not in byes]
    met = meetings(playing, [paired.tables for paired in past], apart)
    match way:
        case Pairing.FIXED:
            tables = _repeat_tables(playing, past) or fill_tables(range(len(playing)), sizes)
        case Pairing.RANDOM:
            tables = _follow_schedule(playing, past, sizes, rng)
            if not tables or any(met[one][other] for table in tables for one, other in combinations(table, 2)):
                tables = least_repeats(sizes, met, rng)
        case Pairing.SWISS:
            tables = _seat_neighbours(met, sizes, rng)
        case Pairing.KNOCK_OUT:
            tables = improve(_serpentine(sizes), meetings(playing, [], apart), rng, lambda one, other: abs(one - other))
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)
    return PairedRound(
        tuple(tuple(playing[player] for player in table) for table in tables),
        tuple(Bye(player, ByeKind.ALLOCATED) for player in byes),
    )


def repeated_meetings(rounds: Sequence[PairedRound]) -> int:
    """Return the number of repeated meetings in these rounds; a third meeting of two players counts twice."""
    players = sorted({player for paired in rounds for player in paired.players})
    met = meetings(players, [paired.tables for paired in rounds])
    return sum(max(0, times - 1) for index, row in enumerate(met) for times in row[:index])


def _order(
    way: Pairing, players: Sequence[Player], past: Sequence[PairedRound], rng: random.Random, ranking: Sequence[Player]
) -> list[Player]:
    """Return the players in the order in which they are seated."""
    match way:
        case Pairing.FIXED:
            return list(players)
        case Pairing.RANDOM:
            return rng.sample(players, len(players))
        case Pairing.SWISS | Pairing.KNOCK_OUT:
            place = {player: index for index, player in enumerate(ranking)} if past else {}
            return sorted(rng.sample(players, len(players)), key=lambda player: place.get(player, len(place)))
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def _byes(way: Pairing, order: Sequence[Player], past: Sequence[PairedRound], count: int) -> tuple[Player, ...]:
    """Return the `count` players who get a bye.

    In a knock-out these are the first of the order. Otherwise they are players with the fewest byes that counted
    points; among players with equally many, the last of the order.
    """
    if way is Pairing.KNOCK_OUT:
        return tuple(order[:count])
    byes = Counter(bye.player for paired in past for bye in paired.byes if bye.kind is not ByeKind.ZERO)
    return tuple(sorted(order, key=lambda player: (byes[player], -order.index(player)))[:count])


def _repeat_tables(playing: Sequence[Player], past: Sequence[PairedRound]) -> Seating:
    """Return the tables of the last round; empty if the players have changed since."""
    number = {player: index for index, player in enumerate(playing)}
    if not past or past[-1].byes or past[-1].players != number.keys():
        return []
    return [[number[player] for player in table] for table in past[-1].tables]


def _serpentine(sizes: Sequence[int]) -> Seating:
    """Return tables filled in a serpentine (every second row backwards), so that all are about equally strong."""
    tables: Seating = [[] for _ in sizes]
    player = 0
    for row in range(max(sizes)):
        numbers = range(len(sizes)) if row % 2 == 0 else range(len(sizes) - 1, -1, -1)
        for number in numbers:
            if row < sizes[number]:
                tables[number].append(player)
                player += 1
    return tables


def _seat_neighbours(met: Sequence[Sequence[int]], sizes: Sequence[int], rng: random.Random) -> Seating:
    """Return tables of neighbours in the standings, the best first, with as few repeated meetings as possible."""
    order = range(len(met))
    found = without_repeats(order, sizes, met)
    if found is None:
        found = cheapest_seating(order, sizes, met)
    if found is None:
        found = improve(fill_tables(order, sizes), met, rng, lambda one, other: abs(one - other))
    return found


def _follow_schedule(
    playing: Sequence[Player], past: Sequence[PairedRound], sizes: Sequence[int], rng: random.Random
) -> Seating:
    """Return the next round of a schedule without repeated meetings; empty if no schedule fits the rounds so far.

    The first round defines the players' positions in the schedule: the table is the row, and the seat is the column.
    """
    built = [] if len(playing) > _LARGEST_SCHEDULE else schedule(len(sizes), sizes[0])
    rounds = [fitting for tables in built if (fitting := _drop_empty_seats(tables, sizes)) is not None]
    if not past:
        return rounds[0] if rounds else []
    first = past[0]
    if first.players != set(playing) or [len(table) for table in first.tables] != list(sizes):
        return []
    label = {
        player: seat * len(sizes) + row for row, table in enumerate(first.tables) for seat, player in enumerate(table)
    }
    for paired in past:
        played = {frozenset(label[player] for player in table if player in label) for table in paired.tables}
        unplayed = [tables for tables in rounds if set(map(frozenset, tables)) != played]
        if len(unplayed) == len(rounds):
            return []
        rounds = unplayed
    if not rounds:
        return []
    number = {label[player]: index for index, player in enumerate(playing)}
    tables = [rng.sample([number[player] for player in table], len(table)) for table in rng.choice(rounds)]
    rng.shuffle(tables)
    return sorted(tables, key=len, reverse=True)


def _drop_empty_seats(tables: Seating, sizes: Sequence[int]) -> Seating | None:
    """Remove the unused seats from a round of a schedule; return None if the tables then do not have `sizes`."""
    players = sum(sizes)
    seated = sorted(([player for player in table if player < players] for table in tables), key=len, reverse=True)
    return seated if [len(table) for table in seated] == list(sizes) else None
