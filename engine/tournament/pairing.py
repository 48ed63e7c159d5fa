"""Pairs the players of a round: at random, by their standing (Swiss), or at fixed tables.

Tables are of four, and of three where four do not divide the field: 10 players sit at 4 + 3 + 3. Five players can't sit
so; one of them has a bye then, in turn. Two sit at one table.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias, assert_never

from tilekeeper.engine.language import gettext
from tilekeeper.engine.tournament.meetings import Seating, cut, least_repeats, meetings, mend, without_repeats
from tilekeeper.engine.tournament.schedule import schedule

Player: TypeAlias = str
"""Whatever names a player and nobody else, such as a number in a list of entries."""

FULL_TABLE: Final = 4
SMALL_TABLE: Final = 3
_LARGEST_SCHEDULE: Final = 64
"""For more players no schedule is built: rounds without a repeat are found for them anyway."""


class Pairing(StrEnum):
    """Ways of pairing."""

    RANDOM = "random"
    """By chance, with nobody meeting twice as long as that is possible."""
    SWISS = "swiss"
    """Those who stand near each other, with nobody meeting twice as long as that is possible."""
    FIXED = "fixed"
    """The same tables in every round."""


@dataclass(frozen=True, slots=True)
class PairedRound:
    """Who sits where in one round."""

    tables: tuple[tuple[Player, ...], ...]
    """Players clockwise."""
    byes: tuple[Player, ...] = ()
    """Who does not play in this round, since no table is left for them."""

    @property
    def players(self) -> frozenset[Player]:
        """Everybody in it, those with a bye too."""
        return frozenset(player for table in self.tables for player in table) | frozenset(self.byes)


def table_sizes(players: int) -> tuple[int, ...]:
    """How large the tables of a field are, the larger ones first; one of five or of less than two leaves one over.

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
    """The next round.

    Args:
        way: how players are paired.
        players: who takes part in it, in the order in which they were entered; who has left is not among them.
        past: the rounds before it.
        rng: where chance comes from; a generator of the same seed pairs the same way.
        ranking: the players as they stand, the best first; needed for `Pairing.SWISS` alone, and whoever is missing in
            it comes last.

    Raises:
        ValueError: if there are fewer than two players, or one of them twice; with a line for people.
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
        tables = _same_again(playing, past) or cut(range(len(playing)), sizes)
    elif way is Pairing.RANDOM:
        tables = _scheduled(playing, past, sizes, rng) or _strangers(playing, past, sizes, rng)
    else:
        tables = _neighbours(playing, past, sizes, rng)
    return PairedRound(tuple(tuple(playing[player] for player in table) for table in tables), byes)


def repeated_meetings(rounds: Sequence[PairedRound]) -> int:
    """How many times two players sat together who had done so before."""
    players = sorted({player for paired in rounds for player in paired.players})
    met = meetings(players, [paired.tables for paired in rounds])
    return sum(max(0, times - 1) for at, row in enumerate(met) for times in row[:at])


def _order(
    way: Pairing, players: Sequence[Player], past: Sequence[PairedRound], rng: random.Random, ranking: Sequence[Player]
) -> list[Player]:
    """The players in the order in which they are seated; whoever stands last has a bye first."""
    match way:
        case Pairing.FIXED:
            return list(players)
        case Pairing.RANDOM:
            return rng.sample(players, len(players))
        case Pairing.SWISS:
            place = {player: at for at, player in enumerate(ranking)} if past else {}
            return sorted(rng.sample(players, len(players)), key=lambda player: place.get(player, len(place)))
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)


def _byes(order: Sequence[Player], past: Sequence[PairedRound], count: int) -> tuple[Player, ...]:
    """Who does not play: of those with the fewest byes so far the last ones."""
    had = Counter(player for paired in past for player in paired.byes)
    return tuple(sorted(order, key=lambda player: (had[player], -order.index(player)))[:count])


def _same_again(playing: Sequence[Player], past: Sequence[PairedRound]) -> Seating:
    """The tables of the last round; none where other people play than did then."""
    number = {player: at for at, player in enumerate(playing)}
    if not past or past[-1].byes or past[-1].players != number.keys():
        return []
    return [[number[player] for player in table] for table in past[-1].tables]


def _strangers(
    playing: Sequence[Player], past: Sequence[PairedRound], sizes: Sequence[int], rng: random.Random
) -> Seating:
    """Tables with as few repeated meetings as are found."""
    return least_repeats(sizes, meetings(playing, [paired.tables for paired in past]), rng)


def _neighbours(
    playing: Sequence[Player], past: Sequence[PairedRound], sizes: Sequence[int], rng: random.Random
) -> Seating:
    """Tables of players who stand near each other, the best at the first, with as few repeated meetings as found."""
    met = meetings(playing, [paired.tables for paired in past])
    found = without_repeats(range(len(playing)), sizes, met)
    if found is not None:
        return found
    return mend(cut(range(len(playing)), sizes), met, rng, lambda one, other: abs(one - other))


def _scheduled(
    playing: Sequence[Player], past: Sequence[PairedRound], sizes: Sequence[int], rng: random.Random
) -> Seating:
    """A round of a schedule in which nobody meets twice; none where there is none, or people did not keep to it.

    The first round says where the players stand in the schedule: the table is the row, and the seat the column.
    """
    built = [] if len(playing) > _LARGEST_SCHEDULE else schedule(len(sizes), sizes[0])
    left = [fitting for each in built if (fitting := _without_empty_places(each, sizes)) is not None]
    if not past:
        return left[0] if left else []
    first = past[0]
    if first.players != set(playing) or [len(table) for table in first.tables] != list(sizes):
        return []
    label = {
        player: seat * len(sizes) + row for row, table in enumerate(first.tables) for seat, player in enumerate(table)
    }
    for paired in past:
        played = {frozenset(label[player] for player in table if player in label) for table in paired.tables}
        kept = [each for each in left if set(map(frozenset, each)) != played]
        if len(kept) == len(left):
            return []
        left = kept
    if not left:
        return []
    number = {label[player]: at for at, player in enumerate(playing)}
    tables = [rng.sample([number[one] for one in table], len(table)) for table in rng.choice(left)]
    rng.shuffle(tables)
    return sorted(tables, key=len, reverse=True)


def _without_empty_places(tables: Seating, sizes: Sequence[int]) -> Seating | None:
    """A round of a schedule without the places that nobody takes; none where its tables are of other sizes then."""
    taken = sum(sizes)
    seated = sorted(([player for player in table if player < taken] for table in tables), key=len, reverse=True)
    return seated if [len(table) for table in seated] == list(sizes) else None
