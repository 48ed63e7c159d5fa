"""What happened in a turn: which melds went on as what, and which tiles were moved, as few as lead there.

A meld of the table goes on as the new meld with which it shares most, but no two go on as one, and none as two: the
pairs are chosen so that as many tiles as can be stay where they were (an assignment, solved exactly).
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
    """One tile that lies otherwise than before."""

    tile: Tile
    origin: Place | None
    """Its place in the table before; none where it came from the rack."""
    goal: Place | None
    """Its place in the table after; none where it lies there no more."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """What happened in a turn."""

    goes_on_as: Mapping[int, int]
    """The melds that changed, by what they go on as: from the meld after to the meld before."""
    moves: tuple[TileMove, ...]
    """The tiles that were laid, moved or taken, in the order of the table after; those that are gone last."""

    @property
    def moved(self) -> int:
        """How many tiles of the table were moved or taken."""
        return sum(move.origin is not None for move in self.moves)


def explain(before: Table, after: Table, rules: RuleSet) -> Explanation:
    """Say what happened between two tables, with the fewest tiles of the table moved."""
    changes = find_changes(before, after, rules)
    goes_on_as = _pairs(changes)
    loose: dict[Tile, list[Place]] = {}
    for old in changes.changed_before:
        stayed = Counter(after.melds[_partner(goes_on_as, old)]) if old in goes_on_as.values() else Counter()
        for position, tile in enumerate(before.melds[old]):
            if stayed[tile]:
                stayed[tile] -= 1
            else:
                loose.setdefault(tile, []).append(Place(old, position))
    racked = Counter(changes.placed)
    moves = []
    for new in sorted(changes.changed_after, key=lambda index: not _is_from_rack(after.melds[index], changes)):
        moves += _moves_to(new, changes, goes_on_as, loose, racked)
    moves.sort(key=lambda move: move.goal or Place(0, 0))
    gone = [TileMove(tile, place, None) for tile, places in loose.items() for place in places]
    gone.sort(key=lambda move: move.origin or Place(0, 0))
    return Explanation(goes_on_as, (*moves, *gone))


def _moves_to(
    new: int,
    changes: Changes,
    goes_on_as: Mapping[int, int],
    loose: dict[Tile, list[Place]],
    racked: Counter[Tile],
) -> list[TileMove]:
    """The tiles that came to one new meld; they are taken out of `loose` and `racked`."""
    meld = changes.after.melds[new]
    stayed = Counter(changes.before.melds[goes_on_as[new]]) if new in goes_on_as else Counter()
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


def _partner(goes_on_as: Mapping[int, int], old: int) -> int:
    return next(new for new, other in goes_on_as.items() if other == old)


def _pairs(changes: Changes) -> dict[int, int]:
    """Which changed meld goes on as which, so that most tiles stay where they were."""
    rows = [Counter(changes.before.melds[index]) for index in changes.changed_before]
    columns = [Counter(changes.after.melds[index]) for index in changes.changed_after]
    shared = [[(row & column).total() for column in columns] for row in rows]
    return {
        changes.changed_after[column]: changes.changed_before[row]
        for row, column in best_pairs(shared)
        if shared[row][column] > 0
    }


def best_pairs(worth: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Pairs of a row and a column, each in one pair at most, that are worth most together (Kuhn and Munkres).

    Args:
        worth: what each pair is worth, row by row; 0 or more.
    """
    size = max(len(worth), max(map(len, worth), default=0))
    cost = [[0] * (size + 1) for _ in range(size + 1)]
    for row, values in enumerate(worth, start=1):
        for column, value in enumerate(values, start=1):
            cost[row][column] = -value
    row_price, column_price = [0] * (size + 1), [0] * (size + 1)
    row_of = [0] * (size + 1)
    for row in range(1, size + 1):
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
    width = max(map(len, worth), default=0)
    return sorted((row_of[column] - 1, column - 1) for column in range(1, width + 1) if row_of[column] <= len(worth))
