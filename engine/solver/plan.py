"""Plans: a task to solve for a turn, and the melds that it rearranges; and families of such plans.

A meld that must stay together is tied: it becomes a block that may be extended. Other melds are loose: the task may
rearrange their tiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from tilekeeper.engine.rules.meld import Kind, is_valid, readings
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.sweep.task import Block, Task
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile


@dataclass(frozen=True, slots=True)
class Plan:
    """A task, further rows of the turn, and the melds of the table whose tiles the task rearranges."""

    task: Task
    rows: tuple[Meld, ...] = ()
    loose: tuple[Meld, ...] = ()
    staying: tuple[tuple[Tile, Meld], ...] = ()
    """Jokers that stay in their place: the tile that each stands for in the task, and its meld."""
    shifted: tuple[Meld, ...] = ()
    """For each joker that stays with a tile of its meld in another place: its meld. In the task it is a joker."""

    def tied(self, meld: Meld, rules: RuleSet) -> Iterator[Plan]:
        """Yield the plans in which a valid part of a loose meld is tied."""
        at = self.loose.index(meld)
        others = (*self.loose[:at], *self.loose[at + 1 :])
        staying_here = [tile for tile, origin in self.staying if origin is meld]
        for part in _parts(meld, rules):
            for block in blocks_of(part, rules):
                tiles = Counter([*(tile for tile in part if not staying_here or not tile.is_joker), *staying_here])
                must, may = self.task.must - tiles, self.task.may - (tiles - self.task.must)
                yield replace(
                    self,
                    task=replace(self.task, must=must, may=may, blocks=(*self.task.blocks, block)),
                    loose=others,
                    staying=tuple(stays for stays in self.staying if stays[1] is not meld),
                    shifted=tuple(origin for origin in self.shifted if origin is not meld),
                )

    def table(self, melds: Iterable[Meld]) -> Table:
        """Return the table after a solution of the task."""
        rows = list(melds)
        for stands_for, origin in self.staying:
            holding = [at for at, row in enumerate(rows) if stands_for in row]
            at = max(holding, key=lambda at: len(set(origin).intersection(rows[at])))
            place = rows[at].index(stands_for)
            rows[at] = (*rows[at][:place], JOKER, *rows[at][place + 1 :])
        return Table((*self.rows, *rows))


@dataclass(frozen=True, slots=True)
class Family:
    """The turns in which the jokers of tied melds have the same options."""

    loosest: tuple[Plan, ...]
    """Plans; at least one of them lays as much as every legal turn of the family."""
    replacing: Counter[Tile] | None = None
    """The tiles that replaced jokers, if jokers leave their sets only so; empty otherwise."""
    narrower: Iterable[Plan] = ()
    """More constrained plans, for the case that no solution of `plans` is legal."""
    complete: bool = False
    """Whether every legal turn of the family is a solution of a narrower plan."""


def blocks_of(row: Meld, rules: RuleSet) -> list[Block]:
    """Return a block for each reading that can be extended differently; all readings as a group are equal."""
    found: dict[object, Block] = {}
    for block in dict.fromkeys(Block.from_reading(row, reading) for reading in readings(row, rules)):
        first = block.reading.tiles[0]
        key = (block.reading.kind, first.number, block.row if block.reading.kind is Kind.RUN else ())
        found.setdefault(key, block)
    return list(found.values())


def _parts(meld: Meld, rules: RuleSet) -> Iterator[Meld]:
    """Yield the meld, and every valid part of it that holds all its jokers, large ones first."""
    yield meld
    in_order = len({tile.number for tile in meld if not tile.is_joker}) > 1
    least = max(rules.melds.shortest, rules.manipulation.staying_together)
    for length in range(len(meld) - 1, least - 1, -1):
        if in_order:
            parts: Iterable[Meld] = (meld[start : start + length] for start in range(len(meld) - length + 1))
        else:
            parts = combinations(meld, length)
        for part in parts:
            if part.count(JOKER) == meld.count(JOKER) and is_valid(part, rules):
                yield part
