"""The ways in which jokers can have gone: they look alike, so every one of the rack or a changed meld may be any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilekeeper.engine.provenance.changes import Changes
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import JOKER


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
    """Every way in which the jokers in changed melds can have gone, one by one; what finds no goal is gone.

    There is none where no joker lay in them, or where more are to be followed than `most`: the table was misread.
    """
    on_table = joker_places(changes.before, changes.gone)
    goals = joker_places(changes.after, changes.new)
    origins: list[Place | None] = [*on_table, *[None] * changes.placed[JOKER]]
    if not on_table or max(len(origins), len(goals)) > most:
        return

    def follow(depth: int, left: list[Place | None], moves: Way) -> Iterator[Way]:
        if depth == len(goals):
            yield (*moves, *(Move(origin, None) for origin in left))
            return
        for origin in dict.fromkeys(left):
            others = list(left)
            others.remove(origin)
            yield from follow(depth + 1, others, (*moves, Move(origin, goals[depth])))

    yield from follow(0, origins, ())


def joker_places(table: Table, melds: tuple[int, ...]) -> list[Place]:
    """Where jokers lie in some melds of a table."""
    return [
        Place(index, position) for index in melds for position, tile in enumerate(table.melds[index]) if tile.is_joker
    ]
