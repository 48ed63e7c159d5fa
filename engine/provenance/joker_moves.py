"""The moves of jokers: jokers look alike, so each one in a changed meld can have come from several places."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tilekeeper.engine.provenance.changes import Changes
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import JOKER


@dataclass(frozen=True, slots=True)
class JokerMove:
    """The place of one joker before a turn and after it."""

    origin: Place | None
    """The place before; None for the rack."""
    goal: Place | None
    """The place after; None if it is not on the table."""


JokerMoves = tuple[JokerMove, ...]
"""One possible move for every joker of the changed melds."""


def joker_moves(changes: Changes, most: int) -> Iterator[JokerMoves]:
    """Yield every possible assignment of origins to the jokers in changed melds.

    Yield nothing if no joker was in these melds before, or if there are more than `most` jokers, because the table was
    misread then.
    """
    on_table = joker_places(changes.before, changes.changed_before)
    goals = joker_places(changes.after, changes.changed_after)
    origins: list[Place | None] = [*on_table, *[None] * changes.placed[JOKER]]
    if not on_table or max(len(origins), len(goals)) > most:
        return

    def assign(depth: int, left: list[Place | None], moves: JokerMoves) -> Iterator[JokerMoves]:
        if depth == len(goals):
            yield (*moves, *(JokerMove(origin, None) for origin in left))
            return
        for origin in dict.fromkeys(left):
            others = list(left)
            others.remove(origin)
            yield from assign(depth + 1, others, (*moves, JokerMove(origin, goals[depth])))

    yield from assign(0, origins, ())


def joker_places(table: Table, melds: tuple[int, ...]) -> list[Place]:
    """The places of the jokers in some melds of a table."""
    return [
        Place(index, position) for index in melds for position, tile in enumerate(table.melds[index]) if tile.is_joker
    ]
