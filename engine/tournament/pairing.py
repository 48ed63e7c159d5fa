"""Pairing of the players of a round: random, Swiss (by standing), or at fixed tables.

Tables have four players, or three if four do not divide the field: 10 players sit at 4 + 3 + 3. With five players one
has a bye, by turns. Two players share a table.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias, assert_never

from tilekeeper.engine.language import gettext
from tilekeeper.engine.tournament.meetings import (
    Seating,
    fill_tables,
    improve,
    least_repeats,
    meetings,
    without_repeats,
)
from tilekeeper.engine.tournament.schedule import schedule

Player: TypeAlias = str
"""The unique id of a player, such as a number in a list of entries."""

FULL_TABLE: Final = 4
SMALL_TABLE: Final = 3
_LARGEST_SCHEDULE: Final = 64
"""The most players for a schedule; for larger fields the search finds rounds without repeats anyway."""


class Pairing(StrEnum):
    """A way of pairing."""

    RANDOM = "random"
    """At random; nobody meets twice while that is possible."""
    SWISS = "swiss"
    """By standing, neighbours first; nobody meets twice while that is possible."""
    FIXED = "fixed"
    """The same tables in every round."""


@dataclass(frozen=True, slots=True)
class PairedRound:
    """The seating of one round."""

    tables: tuple[tuple[Player, ...], ...]
    """The players of each table, clockwise."""
    byes: tuple[Player, ...] = ()
    """The players who do not play in this round."""

    @property
    def players(self) -> frozenset[Player]:
        """All players of the round, byes included."""
        return frozenset(player for table in self.tables for player in table) | frozenset(self.byes)


def table_sizes(players: int) -> tuple[int, ...]:
    """Return the sizes of the tables for a number of players, largest first; five players leave one over.

    >>> table_sizes(11), table_sizes(9), table_sizes(5), table_sizes(2)
    ((4, 4, 3), (3, 3, 3), (4,), (2,))
    """
    small = -players % FULL_TABLE
    full = (players - small * SMALL_TABLE) // FULL_TABLE
    if full >= 0:
        return (FULL_TABLE,) * full + (SMALL_TABLE,) * small
    return (FULL_TABLE,) if players == FULL_TABLE + 1 else (players,) if players > 1 else ()


def pair(
    way: Pairing,
    players: Sequence[Player],
    past: Sequence[PairedRound],
    rng: random.Random,
    ranking: Sequence[Player] = (),
) -> PairedRound:
    """Pair the players of the next round.

    Args:
        way: the way of pairing.
        players: the players of this round, in the order of entry.
        past: the rounds so far.
        rng: the source of chance; the same seed gives the same pairing.
        ranking: the standings, best first, for `Pairing.SWISS`; missing players come last.

    Raises:
        ValueError: if there are fewer than two players, or a player twice; the message is for people.
    """
    if doubled := [player for player, count in Counter(players).items() if count > 1]:
        raise ValueError(gettext("{name} is among the players twice", name=doubled[0]))
    sizes = table_sizes(len(players))
    if not sizes:
        raise ValueError(gettext("a round needs at least two players"))
    order = _order(way, players, past, rng, ranking)
    byes = _byes(order, past, len(order) - sum(sizes))
    playing = [player for player in order if player not in byes]
    if way is Pairing.FIXED:
        tables = _repeat_tables(playing, past) or fill_tables(range(len(playing)), sizes)
    elif way is Pairing.RANDOM:
        tables = _follow_schedule(playing, past, sizes, rng) or _seat_strangers(playing, past, sizes, rng)
    else:
        tables = _seat_neighbours(playing, past, sizes, rng)
    return PairedRound(tuple(tuple(playing[player] for player in table) for table in tables), byes)


def repeated_meetings(rounds: Sequence[PairedRound]) -> int:
    """Return the number of repeated meetings in some rounds."""
    players = sorted({player for paired in rounds for player in paired.players})
    met = meetings(players, [paired.tables for paired in rounds])
    return sum(max(0, times - 1) for index, row in enumerate(met) for times in row[:index])


def _order(
    way: Pairing, players: Sequence[Player], past: Sequence[PairedRound], rng: random.Random, ranking: Sequence[Player]
) -> list[Player]:
    """Return the players in the order of seating; the last ones get a bye first."""
    match way:
        case Pairing.FIXED:
            return list(players)
        case Pairing.RANDOM:
            return rng.sample(players, len(players))
        case Pairing.SWISS:
            place = {player: index for index, player in enumerate(ranking)} if past else {}
            return sorted(rng.sample(players, len(players)), key=lambda player: place.get(player, len(place)))
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def _byes(order: Sequence[Player], past: Sequence[PairedRound], count: int) -> tuple[Player, ...]:
    """Return the last players among those with the fewest byes."""
    byes = Counter(player for paired in past for player in paired.byes)
    return tuple(sorted(order, key=lambda player: (byes[player], -order.index(player)))[:count])


def _repeat_tables(playing: Sequence[Player], past: Sequence[PairedRound]) -> Seating:
    """Return the tables of the last round; empty if other people play now."""
    number = {player: index for index, player in enumerate(playing)}
    if not past or past[-1].byes or past[-1].players != number.keys():
        return []
    return [[number[player] for player in table] for table in past[-1].tables]


def _seat_strangers(
    playing: Sequence[Player], past: Sequence[PairedRound], sizes: Sequence[int], rng: random.Random
) -> Seating:
    """Return random tables with few repeated meetings."""
    return least_repeats(sizes, meetings(playing, [paired.tables for paired in past]), rng)


def _seat_neighbours(
    playing: Sequence[Player], past: Sequence[PairedRound], sizes: Sequence[int], rng: random.Random
) -> Seating:
    """Return tables of neighbours in the standings, the best players first, with few repeated meetings."""
    met = meetings(playing, [paired.tables for paired in past])
    found = without_repeats(range(len(playing)), sizes, met)
    if found is not None:
        return found
    return improve(fill_tables(range(len(playing)), sizes), met, rng, lambda one, other: abs(one - other))


def _follow_schedule(
    playing: Sequence[Player], past: Sequence[PairedRound], sizes: Sequence[int], rng: random.Random
) -> Seating:
    """Return the next round of a schedule without repeated meetings; empty if there is none or it was not followed.

    The first round defines the positions of the players in the schedule: the table is the row, and the seat the column.
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
    """Drop the unused seats of a round of a schedule; return None if the tables then have other sizes."""
    players = sum(sizes)
    seated = sorted(([player for player in table if player < players] for table in tables), key=len, reverse=True)
    return seated if [len(table) for table in seated] == list(sizes) else None
