"""Which tiles were moved between two arrangements: as few as can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tilekeeper.engine.table import Meld, Place, Table
from tilekeeper.engine.tile import Tile


@dataclass(frozen=True, slots=True)
class TileMove:
    """A tile that goes from one place to another."""

    tile: Tile
    origin: Place | None
    """Where it lay; none where it came from the rack."""
    goal: Place | None
    """Where it lies in the new arrangement; none where it is taken off the table."""


def kept_tiles(meld: Meld, row: Meld, any_order: bool) -> tuple[int, ...]:
    """The positions of the tiles of a meld that can stay where they lie when it becomes a row: as many as can be.

    They keep their order along the row, seen from whichever side; in a group the order says nothing.
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
    """The fewest tile moves that lead from one table to another; tiles that came from a rack or went are among them."""
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
    """The tiles that can stay when a meld becomes a row, as pairs of positions."""
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
    """Which meld becomes which row, so that as many tiles as can be stay: the assignment problem, by shortest paths."""
    size = max(len(melds), len(rows))
    if not size:
        return []
    cost = [[0] * size for _ in range(size)]
    for old, meld in enumerate(melds):
        tiles = set(meld)
        for new, row in enumerate(rows):
            if not tiles.isdisjoint(row):
                cost[old][new] = -len(_stays(meld, row))
    # The Hungarian method with potentials, as in any textbook; row and column 0 are a start for each path.
    left_potential, right_potential, partner = [0] * (size + 1), [0] * (size + 1), [0] * (size + 1)
    for old in range(1, size + 1):
        partner[0] = old
        column = 0
        least, before, used = [1 << 30] * (size + 1), [0] * (size + 1), [False] * (size + 1)
        while partner[column]:
            used[column] = True
            row_at, gap, following = partner[column], 1 << 30, 0
            for new in range(1, size + 1):
                if used[new]:
                    continue
                slack = cost[row_at - 1][new - 1] - left_potential[row_at] - right_potential[new]
                if slack < least[new]:
                    least[new], before[new] = slack, column
                if least[new] < gap:
                    gap, following = least[new], new
            for new in range(size + 1):
                if used[new]:
                    left_potential[partner[new]] += gap
                    right_potential[new] -= gap
                else:
                    least[new] -= gap
            column = following
        while column:
            partner[column] = partner[before[column]]
            column = before[column]
    return [
        (partner[new] - 1, new - 1)
        for new in range(1, size + 1)
        if partner[new] <= len(melds) and new <= len(rows) and cost[partner[new] - 1][new - 1] < 0
    ]
