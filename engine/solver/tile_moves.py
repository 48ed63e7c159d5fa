"""Which tiles were moved between two tables: as few as possible."""

from __future__ import annotations

from collections.abc import Sequence

from tilekeeper.engine.solver.explanation import TileMove, best_pairs
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import Tile


def kept_tiles(meld: Meld, row: Meld, any_order: bool) -> tuple[int, ...]:
    """The positions of as many tiles of a meld as possible that stay in place when it becomes another row.

    Args:
        meld: the tiles before.
        row: the tiles after.
        any_order: whether the order of the tiles does not matter, as in a group. Otherwise the tiles that stay have
            the same order in both, or the reverse one.
    """
    if any_order:
        left = list(row)
        kept = []
        for at, tile in enumerate(meld):
            if tile in left:
                left.remove(tile)
                kept.append(at)
        return tuple(kept)
    pairs = max(_in_order(meld, row), _in_order(meld, row[::-1]), key=len)
    return tuple(at for at, _ in pairs)


def _in_order(meld: Meld, row: Meld) -> list[tuple[int, int]]:
    """The longest common subsequence of two rows, as pairs of positions."""
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


def find_moves(before: Table, after: Table) -> tuple[TileMove, ...]:
    """The fewest tile moves from one table to another, with tiles that came from a rack or were taken away."""
    matched = _matched(before.melds, after.melds)
    origins: dict[Tile, list[Place]] = {}
    goals: dict[Tile, list[Place]] = {}
    stays_before: set[Place] = set()
    stays_after: set[Place] = set()
    for old, new in matched:
        for at, to in _stays(before.melds[old], after.melds[new]):
            stays_before.add(Place(old, at))
            stays_after.add(Place(new, to))
    for place, tile in before.places():
        if place not in stays_before:
            origins.setdefault(tile, []).append(place)
    for place, tile in after.places():
        if place not in stays_after:
            goals.setdefault(tile, []).append(place)
    moves = []
    for tile in sorted({*origins, *goals}, key=lambda tile: tile.order):
        ours, theirs = origins.get(tile, []), goals.get(tile, [])
        for number in range(max(len(ours), len(theirs))):
            origin = ours[number] if number < len(ours) else None
            goal = theirs[number] if number < len(theirs) else None
            moves.append(TileMove(tile, origin, goal))
    return tuple(moves)


def _stays(meld: Meld, row: Meld) -> list[tuple[int, int]]:
    """The tiles that stay when a meld becomes a row, as pairs of positions."""
    if len({tile.number for tile in row if not tile.is_joker}) > 1:
        pairs, mirrored = _in_order(meld, row), _in_order(meld, row[::-1])
        if len(mirrored) > len(pairs):
            return [(at, len(row) - 1 - to) for at, to in mirrored]
        return pairs
    left = list(enumerate(row))
    pairs = []
    for at, tile in enumerate(meld):
        found = next((each for each in left if each[1] == tile), None)
        if found is not None:
            left.remove(found)
            pairs.append((at, found[0]))
    return pairs


def _matched(melds: Sequence[Meld], rows: Sequence[Meld]) -> list[tuple[int, int]]:
    """Which meld becomes which row, so that as many tiles as possible stay."""
    shared = [[0] * len(rows) for _ in melds]
    for old, meld in enumerate(melds):
        tiles = set(meld)
        for new, row in enumerate(rows):
            if not tiles.isdisjoint(row):
                shared[old][new] = len(_stays(meld, row))
    return [(old, new) for old, new in best_pairs(shared) if shared[old][new]]
