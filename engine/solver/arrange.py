"""Untangles tiles: a legal arrangement of all of them, or of as many as can be, near to how they lie."""

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
    """The melds; those that were valid and stay come in the order in which they lay."""
    left: tuple[Tile, ...]
    """The tiles that lie in no meld, sorted: as few as can be. That there are some proves that not all can be laid."""
    moves: tuple[TileMove, ...]
    """The fewest tile moves that lead there from how the tiles lay, tiles that are left over among them."""
    nearest: bool
    """Whether it is proved that no other arrangement of as many tiles takes fewer moves."""

    @property
    def complete(self) -> bool:
        """Whether all tiles lie in valid melds."""
        return not self.left


def arrange(tiles: Table | Iterable[Tile], rules: RuleSet) -> Arrangement:
    """Arrange all these tiles in valid melds, or the largest part of them.

    Whether all can be laid, and how many can, is found out exactly. Among several arrangements it is the one with the
    fewest moved tiles; where that takes too long to prove, one in which melds that are valid stay as far as they can.

    Args:
        tiles: how the tiles lie now, or tiles that lie nowhere yet. Tiles that the edition does not have are left over.
        rules: the edition in play; how tiles may get from meld to meld is not asked.

    Raises:
        SearchTooLarge: if house rules leave too many ways to be searched; no printed edition does.
    """
    lying = tiles if isinstance(tiles, Table) else Table(tuple((tile,) for tile in tiles))
    if all(is_valid(meld, rules) for meld in lying.melds):
        return Arrangement(lying, (), (), True)
    counts = lying.counts
    strange = Counter({tile: count for tile, count in counts.items() if not rules.stock.copies_of(tile)})
    solution = solve(Task(counts - strange), rules) or solve(Task(Counter(), counts - strange), rules)
    assert solution is not None  # nothing at all can always be laid
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
    """How an illegal table becomes legal."""

    moves: tuple[TileMove, ...]
    """What to move, from a place of the table as it lies to one of the table after; no goal: off the table."""
    after: Table
    """The table after these moves."""
    smallest: bool
    """Whether it is proved that no fewer moves, with as few tiles off the table, would do."""


def nearest_fix(table: Table, rules: RuleSet) -> Fix:
    """The smallest set of tile moves that makes a table legal; no moves where it is.

    Tiles come off the table only where there is no arrangement of all of them, and then as few as can be.

    Raises:
        SearchTooLarge: if house rules leave too many ways to be searched; no printed edition does.
    """
    arrangement = arrange(table, rules)
    return Fix(arrangement.moves, arrangement.table, arrangement.nearest)


def _keep_valid(lying: Table, left: Counter[Tile], rules: RuleSet) -> Table:
    """An arrangement without the tiles that are left over, in which valid melds stay as they are where they can."""
    must = lying.counts - left
    kept = []
    for meld in sorted(lying.melds, key=len, reverse=True):
        tiles = Counter(meld)
        if is_valid(meld, rules) and tiles <= must and solve(Task(must - tiles), rules) is not None:
            must -= tiles
            kept.append(meld)
    rest = solve(Task(must), rules)
    assert rest is not None  # it is what could be laid, less melds without which the rest still can
    return Table((*[meld for meld in lying.melds if _take(meld, kept)], *rest.melds))


def _take(meld: tuple[Tile, ...], melds: list[tuple[Tile, ...]]) -> bool:
    if meld in melds:
        melds.remove(meld)
        return True
    return False
