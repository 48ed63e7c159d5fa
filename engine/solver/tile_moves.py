"""The fewest moves of tiles between two tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from tilekeeper.engine.solver.assignment import best_pairs
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import Tile

Staying = Callable[[Meld, Meld], list[tuple[int, int]]]
"""Returns the tiles of a meld that stay in a row, as pairs of a position in each."""

_NOWHERE: Final = Place(-1, -1)


@dataclass(frozen=True, slots=True)
class TileMove:
    """One tile that was laid, moved or taken."""

    tile: Tile
    origin: Place | None
    """The place in the table before; None for the rack."""
    goal: Place | None
    """The place in the table after; None if the tile is not on that table."""


def in_any_order(row: Meld) -> bool:
    """Return whether the order of a row's tiles does not matter.

    That is so if it has two or more tiles apart from jokers, all with one number.
    """
    numbers = [tile.number for tile in row if not tile.is_joker]
    return len(numbers) > 1 and len(set(numbers)) == 1


def _in_order(meld: Meld, row: Meld) -> list[tuple[int, int]]:
    """Return the longest common subsequence of a meld and a row, as pairs of a position in each."""
    longest = [[0] * (len(row) + 1) for _ in range(len(meld) + 1)]
    for at in range(len(meld) - 1, -1, -1):
        here, below = longest[at], longest[at + 1]
        for to in range(len(row) - 1, -1, -1):
            here[to] = below[to + 1] + 1 if meld[at] == row[to] else max(below[to], here[to + 1])
    pairs, at, to = [], 0, 0
    while at < len(meld) and to < len(row):
        if meld[at] == row[to]:
            pairs.append((at, to))
            at, to = at + 1, to + 1
        elif longest[at + 1][to] >= longest[at][to + 1]:
            at += 1
        else:
            to += 1
    return pairs


def find_moves(before: Table, after: Table, matched: Sequence[tuple[int, int]] | None = None) -> tuple[TileMove, ...]:
    """Return the fewest tile moves from one table to another; tiles may come from a rack or leave the table.

    The moves are in an order that suits a person at the table: one meld is finished after the other. First come melds
    that no foreign tile must leave, and melds that take tiles from melds with moved tiles. If foreign tiles must leave
    every unfinished meld, those of the next meld are moved first.

    `matched` has the pairs of a meld and the new meld that continues it, by their indices; None to find them by
    `continued`. A caller gives the pairs that it has used, since other pairs can be equally good.
    """
    if matched is None:
        matched = continued(before.melds, after.melds)
    return tuple(_meld_by_meld(pair_places(before, after, matched, stays), {new: old for old, new in matched}))


def pair_places(before: Table, after: Table, matched: Iterable[tuple[int, int]], staying: Staying) -> list[TileMove]:
    """Return the moves of all tiles that do not stay in a matched meld, sorted by tile.

    Of the copies of a tile, one of the rack goes into a meld that the rack alone can make.
    """
    pairs = [
        (Place(old, at), Place(new, to))
        for old, new in matched
        for at, to in staying(before.melds[old], after.melds[new])
    ]
    stays_before, stays_after = {place for place, _ in pairs}, {place for _, place in pairs}
    rack = after.counts - before.counts
    origins: dict[Tile, list[Place]] = {}
    goals: dict[Tile, list[Place]] = {}
    for place, tile in before.places():
        if place not in stays_before:
            origins.setdefault(tile, []).append(place)
    for place, tile in sorted(after.places(), key=lambda item: Counter(after.melds[item[0].meld]) <= rack):
        if place not in stays_after:
            goals.setdefault(tile, []).append(place)
    return [
        TileMove(tile, origin, goal)
        for tile in sorted({*origins, *goals})
        for origin, goal in zip_longest(origins.get(tile, ()), goals.get(tile, ()))
    ]


def _meld_by_meld(moves: Sequence[TileMove], place_of: Mapping[int, int]) -> Iterator[TileMove]:
    """Yield moves in the order of `find_moves`; `place_of` maps a new meld to the old meld that it continues."""
    coming: dict[int, list[TileMove]] = {}
    leaving: dict[int, list[TileMove]] = {}
    for move in sorted(moves, key=lambda move: move.goal or _NOWHERE):
        if move.goal is not None:
            coming.setdefault(move.goal.meld, []).append(move)
        if move.origin is not None and (move.goal is None or place_of.get(move.goal.meld) != move.origin.meld):
            leaving.setdefault(move.origin.meld, []).append(move)
    made: set[TileMove] = set()
    broken: set[int] = set()

    def in_the_way(new: int) -> list[TileMove]:
        return [move for move in leaving.get(place_of.get(new, -1), ()) if move not in made]

    def order(new: int) -> tuple[int, int, int, int]:
        sources = {move.origin.meld for move in coming[new] if move.origin is not None and move not in made}
        touched = broken & {*sources, place_of.get(new, -1)}
        return len(in_the_way(new)), len(sources - broken), -len(touched), new

    while coming:
        new = min(coming, key=order)
        for move in (*in_the_way(new), *coming.pop(new)):
            if move not in made:
                made.add(move)
                broken |= {move.origin.meld} if move.origin is not None else set()
                yield move
    yield from (move for move in moves if move not in made)


def stays(meld: Meld, row: Meld) -> list[tuple[int, int]]:
    """Return the tiles that stay when a meld becomes a row, as pairs of a position in the meld and one in the row.

    The tiles that stay keep their order, or its reverse, unless the order of the row does not matter.
    """
    if in_any_order(row):
        return shared(meld, row)
    pairs, mirrored = _in_order(meld, row), _in_order(meld, row[::-1])
    if len(mirrored) > len(pairs):
        return [(at, len(row) - 1 - to) for at, to in mirrored]
    return pairs


def shared(meld: Meld, row: Meld) -> list[tuple[int, int]]:
    """Return the tiles that are in a meld and in a row, in any order, as pairs of their positions."""
    left = list(enumerate(row))
    pairs = []
    for at, tile in enumerate(meld):
        found = next((each for each in left if each[1] is tile), None)
        if found is not None:
            left.remove(found)
            pairs.append((at, found[0]))
    return pairs


def continued(melds: Sequence[Meld], rows: Sequence[Meld], staying: Staying = stays) -> list[tuple[int, int]]:
    """Match melds with the rows that continue them, so that as many tiles as possible stay.

    Returns:
        Pairs of the index of a meld and the index of its row. A meld of which no tile stays is in no pair.
    """
    worth = [[0] * len(rows) for _ in melds]
    for old, meld in enumerate(melds):
        tiles = set(meld)
        for new, row in enumerate(rows):
            if not tiles.isdisjoint(row):
                worth[old][new] = len(staying(meld, row))
    return [(old, new) for old, new in best_pairs(worth) if worth[old][new]]


def lay_in_place(
    melds: Sequence[Meld], rows: Sequence[Meld], matched: Iterable[tuple[int, int]]
) -> tuple[Table, list[tuple[int, int]]]:
    """Return rows as a table: each in the place and order of the meld that it continues, new ones at the end.

    The matched pairs are returned, too, with the index of each row on this table.
    """
    old_of = {new: old for old, new in matched}
    in_order = sorted(range(len(rows)), key=lambda new: old_of.get(new, len(melds)))
    table = Table(tuple(_as_it_lay(melds[old_of[new]], rows[new]) if new in old_of else rows[new] for new in in_order))
    return table, [(old_of[new], at) for at, new in enumerate(in_order) if new in old_of]


def _as_it_lay(meld: Meld, row: Meld) -> Meld:
    """Return a row in the order of its old meld: a run from the same side, a group with the staying tiles first."""
    if row in (meld, meld[::-1]):
        return meld
    staying = stays(meld, row)
    if not in_any_order(row):
        return row if staying[0][1] <= staying[-1][1] else row[::-1]
    first = [to for _, to in staying]
    return tuple(row[to] for to in (*first, *(to for to in range(len(row)) if to not in first)))
