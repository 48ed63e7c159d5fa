"""Plans for a turn: a task to solve, with the rows and jokers that the table has besides; and families of plans."""

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
    """A task, and what must be added to its solution to get the table after the turn."""

    task: Task
    rows: tuple[Meld, ...] = ()
    """Rows to add to the solution as they are."""
    staying: tuple[tuple[Tile, Meld], ...] = ()
    """For each joker that stays in its place: the tile that stands for it in the task, and the joker's old meld."""
    shifted: tuple[Meld, ...] = ()
    """The old meld of each joker that stays with a tile of its meld but in another place. In the task it is a joker."""

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
    """The least constrained plans; one of them lays at least as much as every legal turn of the family."""
    replacing: Counter[Tile] | None = None
    """The tiles that replaced jokers, if jokers leave their sets in no other way; None otherwise."""
    narrower: Iterable[Plan] = ()
    """More constrained plans, for the case that no solution of `loosest` is legal."""
    complete: bool = False
    """Whether every legal turn of the family is a solution of a narrower plan; if there is none, of a loosest plan."""


def blocks_of(row: Meld, rules: RuleSet) -> list[Block]:
    """Return a block for each reading of a meld that can be extended in another way; all its groups count as one."""
    found: dict[object, Block] = {}
    for block in dict.fromkeys(Block.from_reading(row, reading) for reading in readings(row, rules)):
        first = block.reading.tiles[0]
        key = (block.reading.kind, first.number, block.row if block.reading.kind is Kind.RUN else ())
        found.setdefault(key, block)
    return list(found.values())
