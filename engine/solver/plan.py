"""Plans: a task to solve for a turn, and the rows and jokers beside it; and families of such plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from tilekeeper.engine.rules.meld import Kind, readings
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.sweep.task import Block, Task
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile


@dataclass(frozen=True, slots=True)
class Plan:
    """A task, and what the table after has beside its solution."""

    task: Task
    rows: tuple[Meld, ...] = ()
    """Further rows."""
    staying: tuple[tuple[Tile, Meld], ...] = ()
    """Jokers that stay in their place: the tile that each stands for in the task, and its meld."""
    shifted: tuple[Meld, ...] = ()
    """For each joker that stays with a tile of its meld in another place: its meld. In the task it is a joker."""

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
