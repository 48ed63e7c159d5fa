"""What happened in a turn: which old meld continues as which new one, and which tiles were moved, as few as possible.

Old and new melds are paired one to one so that as many tiles as possible stay in their meld: an assignment problem,
which is solved exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tilekeeper.engine.provenance.changes import Changes, find_changes
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Place, Table
from tilekeeper.engine.tiles.tile import Tile


@dataclass(frozen=True, slots=True)
class TileMove:
    """One tile that was laid, moved or taken."""

    tile: Tile
    origin: Place | None
    """Its place in the table before; none where it came from the rack."""
    goal: Place | None
    """Its place in the table after; none where it is not on that table."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What happened in a turn."""

    continued_from: Mapping[int, int]
    """The changed melds that continue: from the index after to the index before."""
    moves: tuple[TileMove, ...]
    """The tiles that were laid, moved or taken, in the order of the table after; taken ones last."""

    @property
    def moved(self) -> int:
        """How many tiles of the table were moved or taken."""
        return sum(move.origin is not None for move in self.moves)


def explain(before: Table, after: Table, rules: RuleSet) -> Explanation:
    """Explain the difference between two tables with the fewest moved tiles."""
    changes = find_changes(before, after, rules)
    continued_from = _pairs(changes)
    loose: dict[Tile, list[Place]] = {}
    for old in changes.changed_before:
        stayed = Counter(after.melds[_partner(continued_from, old)]) if old in continued_from.values() else Counter()
        for position, tile in enumerate(before.melds[old]):
            if stayed[tile]:
                stayed[tile] -= 1
            else:
                loose.setdefault(tile, []).append(Place(old, position))
    racked = Counter(changes.placed)
    moves = []
    for new in sorted(changes.changed_after, key=lambda index: not _is_from_rack(after.melds[index], changes)):
        moves += _moves_to(new, changes, continued_from, loose, racked)
    moves.sort(key=lambda move: move.goal or Place(0, 0))
    gone = [TileMove(tile, place, None) for tile, places in loose.items() for place in places]
    gone.sort(key=lambda move: move.origin or Place(0, 0))
    return Explanation(continued_from, (*moves, *gone))


def _moves_to(
    new: int,
    changes: Changes,
    continued_from: Mapping[int, int],
    loose: dict[Tile, list[Place]],
    racked: Counter[Tile],
) -> list[TileMove]:
    """The moves of tiles to one new meld; these tiles are removed from `loose` and `racked`."""
    meld = changes.after.melds[new]
    stayed = Counter(changes.before.melds[continued_from[new]]) if new in continued_from else Counter()
    rack_first = _is_from_rack(meld, changes)
    moves = []
    for position, tile in enumerate(meld):
        if stayed[tile]:
            stayed[tile] -= 1
        elif racked[tile] and (rack_first or not loose.get(tile)):
            racked[tile] -= 1
            moves.append(TileMove(tile, None, Place(new, position)))
        else:
            moves.append(TileMove(tile, loose[tile].pop(0), Place(new, position)))
    return moves


def _is_from_rack(meld: Meld, changes: Changes) -> bool:
    return Counter(meld) <= changes.placed


def _partner(continued_from: Mapping[int, int], old: int) -> int:
    return next(new for new, other in continued_from.items() if other == old)


def _pairs(changes: Changes) -> dict[int, int]:
    """Which old meld continues as which new one, so that most tiles stay in their meld."""
    rows = [Counter(changes.before.melds[index]) for index in changes.changed_before]
    columns = [Counter(changes.after.melds[index]) for index in changes.changed_after]
    shared = [[(row & column).total() for column in columns] for row in rows]
    return {
        changes.changed_after[column]: changes.changed_before[row]
        for row, column in best_pairs(shared)
        if shared[row][column] > 0
    }


def best_pairs(worth: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Pairs of a row and a column, each in one pair at most, with the greatest total worth (Kuhn and Munkres).

    Args:
        worth: what each pair is worth, row by row; 0 or more.
    """
    width = max(map(len, worth), default=0)
    size = max(len(worth), width)
    cost = [[0] * (size + 1) for _ in range(size + 1)]
    for row, values in enumerate(worth, start=1):
        for column, value in enumerate(values, start=1):
            cost[row][column] = -value
    row_price, column_price, row_of = [0] * (size + 1), [0] * (size + 1), [0] * (size + 1)
    for row in range(1, size + 1):
        _add_row(row, cost, row_price, column_price, row_of)
    return sorted((row_of[column] - 1, column - 1) for column in range(1, width + 1) if row_of[column] <= len(worth))


def _add_row(
    row: int, cost: Sequence[Sequence[int]], row_price: list[int], column_price: list[int], row_of: list[int]
) -> None:
    """Pair one more row by the cheapest augmenting path; prices and pairs are changed. Index 0 is a sentinel."""
    size = len(row_of) - 1
    row_of[0] = row
    came_from, slack, done = [0] * (size + 1), [10**9] * (size + 1), [False] * (size + 1)
    column = 0
    while row_of[column]:
        done[column] = True
        current, step, nearest = row_of[column], 10**9, 0
        for other in range(1, size + 1):
            if not done[other]:
                reduced = cost[current][other] - row_price[current] - column_price[other]
                if reduced < slack[other]:
                    slack[other], came_from[other] = reduced, column
                if slack[other] < step:
                    step, nearest = slack[other], other
        for other in range(size + 1):
            if done[other]:
                row_price[row_of[other]] += step
                column_price[other] -= step
            else:
                slack[other] -= step
        column = nearest
    while column:
        row_of[column] = row_of[came_from[column]]
        column = came_from[column]
