"""The ways in which jokers can have gone: they look alike, so every one of the rack or a changed meld may be any."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations

from tilekeeper.engine.changes import Changes
from tilekeeper.engine.table import Place, Table
from tilekeeper.engine.tile import JOKER


@dataclass(frozen=True, slots=True)
class Move:
    """Where one joker was and where it is."""

    origin: Place | None
    """Its place before; none for the rack."""
    goal: Place | None
    """Its place after; none where it is gone."""


Way = tuple[Move, ...]
"""One way in which the jokers in changed melds can have gone."""


def joker_ways(changes: Changes, most: int) -> Iterator[Way]:
    """Every way in which the jokers in changed melds can have gone; what finds no goal is gone.

    There is none where no joker lay in them, or where more are to be followed than `most`: the table was misread.
    """
    on_table = _joker_places(changes.before, changes.gone)
    goals = _joker_places(changes.after, changes.new)
    origins = [*on_table, *[None] * changes.placed[JOKER]]
    if not on_table or max(len(origins), len(goals)) > most:
        return
    for order in dict.fromkeys(permutations(origins, len(goals))):
        gone = Counter(origins) - Counter(order)
        yield (
            *(Move(origin, goal) for origin, goal in zip(order, goals, strict=True)),
            *(Move(origin, None) for origin in gone),
        )


def _joker_places(table: Table, melds: tuple[int, ...]) -> list[Place]:
    return [
        Place(index, position) for index in melds for position, tile in enumerate(table.melds[index]) if tile.is_joker
    ]
