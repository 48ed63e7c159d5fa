"""Arranges tiles in valid melds: all of them or as many as possible, with few moves from how they are now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.explanation import TileMove
from tilekeeper.engine.solver.nearest_arrangement import NearSearch, TooFar
from tilekeeper.engine.solver.solve import solve
from tilekeeper.engine.solver.tile_moves import find_moves
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile

_MOST_MOVED: Final = 12
_MOST_STEPS: Final = 3_000


@dataclass(frozen=True, slots=True)
class Arrangement:
    """Tiles in valid melds."""

    table: Table
    """The melds; unchanged valid melds come first, in their order on the table before."""
    left: tuple[Tile, ...]
    """The tiles that are in no meld, sorted: as few as possible. If there are any, it is proved that not all fit."""
    moves: tuple[TileMove, ...]
    """The fewest moves of tiles from the table before to this one, those of left-over tiles included."""
    nearest: bool
    """Whether it is proved that no other arrangement of equally many tiles takes fewer moves."""

    @property
    def complete(self) -> bool:
        """Whether all tiles are in valid melds."""
        return not self.left


def arrange(tiles: Table | Iterable[Tile], rules: RuleSet) -> Arrangement:
    """Arrange all these tiles in valid melds, or as many of them as possible.

    How many tiles fit is exact. Among the arrangements of so many tiles the one with the fewest moved tiles is
    returned; where the search for it takes too long, one that keeps as many valid melds as it can.

    Args:
        tiles: a table, or tiles that are in no meld yet. Tiles that the edition does not have are left over.
        rules: the edition in play; its rules of manipulation and jokers on the table do not matter here.

    Raises:
        SearchTooLarge: if house rules make the search too large; no printed edition does.
    """
    lying = tiles if isinstance(tiles, Table) else Table(tuple((tile,) for tile in tiles))
    if all(is_valid(meld, rules) for meld in lying.melds):
        return Arrangement(lying, (), (), True)
    counts = lying.counts
    strange = Counter({tile: count for tile, count in counts.items() if not rules.stock.copies_of(tile)})
    solution = solve(Task(counts - strange), rules) or solve(Task(Counter(), counts - strange), rules)
    assert solution is not None  # no tile at all is always an arrangement
    left = solution.left.total() + strange.total()
    try:
        found = NearSearch(lying.melds, rules, left, _MOST_MOVED, _MOST_STEPS).nearest()
    except TooFar:
        found = None
    table = found[0] if found else _keep_valid(lying, solution.left + strange, rules)
    moves = find_moves(lying, table)
    gone = sorted((counts - table.counts).elements(), key=lambda tile: tile.order)
    return Arrangement(table, tuple(gone), moves, found is not None)


@dataclass(frozen=True, slots=True)
class Fix:
    """How an illegal table can be made legal."""

    moves: tuple[TileMove, ...]
    """The tiles to move, from a place of the table to a place of the table after; without a goal: off the table."""
    after: Table
    """The table after these moves."""
    smallest: bool
    """Whether it is proved that fewer moves are not enough, with equally few tiles off the table."""


def nearest_fix(table: Table, rules: RuleSet) -> Fix:
    """The smallest set of tile moves that makes a table legal; no moves where it is legal.

    Tiles are taken off the table only where not all can be arranged, and then as few as possible.

    Raises:
        SearchTooLarge: if house rules make the search too large; no printed edition does.
    """
    arrangement = arrange(table, rules)
    return Fix(arrangement.moves, arrangement.table, arrangement.nearest)


def _keep_valid(lying: Table, left: Counter[Tile], rules: RuleSet) -> Table:
    """An arrangement without the left-over tiles that keeps valid melds where it can, the longest first."""
    must = lying.counts - left
    kept = []
    for meld in sorted(lying.melds, key=len, reverse=True):
        tiles = Counter(meld)
        if is_valid(meld, rules) and tiles <= must and solve(Task(must - tiles), rules) is not None:
            must -= tiles
            kept.append(meld)
    rest = solve(Task(must), rules)
    assert rest is not None  # a meld was only kept where the other tiles can still be arranged
    return Table((*[meld for meld in lying.melds if _take(meld, kept)], *rest.melds))


def _take(meld: tuple[Tile, ...], melds: list[tuple[Tile, ...]]) -> bool:
    if meld in melds:
        melds.remove(meld)
        return True
    return False
