"""Validation of a pairing: missing or doubled players, wrong tables, forbidden or repeated meetings, second byes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from types import MappingProxyType

from tilekeeper.companion.tournament.pairing import FORBIDDEN, MOST_AT_TABLE
from tilekeeper.companion.tournament.record import ByeKind, PairedRound, Player


class ConflictKind(StrEnum):
    """The kind of a conflict in a pairing."""

    MISSING = "missing"
    """A player of the round has neither a seat nor a bye."""
    TWICE = "twice"
    """A player has two seats, or a seat and a bye."""
    STRANGER = "stranger"
    """A seat belongs to somebody who does not play in this round."""
    LEFT = "left"
    """A player who has left the event has a seat."""
    TABLE_SIZE = "table-size"
    """A table has one player, or more than a full table."""
    FORBIDDEN = "forbidden"
    """Two players who must never meet sit together."""
    UNWANTED = "unwanted"
    """Two players of one club sit together in a round in which clubs are kept apart."""
    MET_BEFORE = "met-before"
    """Two players who have met before sit together."""
    SECOND_BYE = "second-bye"
    """A player who has had a bye with points gets an allocated bye."""


_IMPOSSIBLE = (ConflictKind.MISSING, ConflictKind.TWICE, ConflictKind.STRANGER, ConflictKind.TABLE_SIZE)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A conflict in a pairing, with the players concerned."""

    kind: ConflictKind
    players: tuple[Player, ...]

    @property
    def is_impossible(self) -> bool:
        """Whether the conflict makes the pairing unplayable; an arbiter may accept any other conflict."""
        return self.kind in _IMPOSSIBLE


def find_conflicts(
    paired: PairedRound,
    players: Sequence[Player],
    past: Sequence[PairedRound],
    *,
    table_size: int = MOST_AT_TABLE,
    apart: Mapping[frozenset[Player], int] = MappingProxyType({}),
    left: Set[Player] = frozenset(),
) -> tuple[Conflict, ...]:
    """Return the conflicts of a pairing, those that make it impossible first.

    Args:
        paired: the pairing.
        players: the players of the round.
        past: the earlier rounds.
        table_size: the number of players at a full table.
        apart: pairs of players to keep apart, each with its cost `FORBIDDEN` or `UNWANTED`.
        left: the players who have left the event.
    """
    places = Counter(player for table in paired.tables for player in table)
    places.update(bye.player for bye in paired.byes)
    found = [Conflict(ConflictKind.MISSING, (player,)) for player in players if not places[player]]
    found += [Conflict(ConflictKind.TWICE, (player,)) for player, count in places.items() if count > 1]
    seated = (player for table in paired.tables for player in table)
    found += [Conflict(ConflictKind.STRANGER, (player,)) for player in seated if player not in set(players)]
    found += [Conflict(ConflictKind.TABLE_SIZE, table) for table in paired.tables if not 2 <= len(table) <= table_size]
    found += [Conflict(ConflictKind.LEFT, (player,)) for table in paired.tables for player in table if player in left]
    return (*found, *_find_meetings(paired, past, apart), *_find_second_byes(paired, past))


def _find_meetings(
    paired: PairedRound, past: Sequence[PairedRound], apart: Mapping[frozenset[Player], int]
) -> Iterator[Conflict]:
    met = {frozenset(two) for before in past for table in before.tables for two in combinations(table, 2)}
    for table in paired.tables:
        for two in combinations(table, 2):
            cost = apart.get(frozenset(two), 0)
            if cost:
                kind = ConflictKind.FORBIDDEN if cost >= FORBIDDEN else ConflictKind.UNWANTED
                yield Conflict(kind, two)
            if frozenset(two) in met:
                yield Conflict(ConflictKind.MET_BEFORE, two)


def _find_second_byes(paired: PairedRound, past: Sequence[PairedRound]) -> Iterator[Conflict]:
    had = {bye.player for before in past for bye in before.byes if bye.kind is not ByeKind.ZERO}
    for bye in paired.byes:
        if bye.kind is ByeKind.ALLOCATED and bye.player in had:
            yield Conflict(ConflictKind.SECOND_BYE, (bye.player,))
