"""The tiles of a task by colour and number, for a sweep from 1 up or, mirrored, from the highest number down.

In a mirrored sweep the highest number counts as number 1, and runs are reversed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from tilekeeper.engine.rules.meld import Kind
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.sweep.groups import JOKER_JOINS
from tilekeeper.engine.sweep.runs import OpenRuns, Starts
from tilekeeper.engine.sweep.task import Block, Task
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Colour, Tile

Grid = list[list[int]]
"""Values indexed by colour, then by number from 0 to one past the highest number."""


class Columns:
    """The tiles of one task, for a sweep in one direction. The edition must have every numbered tile."""

    def __init__(self, task: Task, rules: RuleSet, mirrored: bool, runs: OpenRuns) -> None:
        self.inks, self.highest = rules.stock.inks, rules.stock.numbers
        self.mirrored = mirrored
        self._flip = self.highest + 1 if mirrored else 0
        self._colours = {ink: colour for colour, ink in enumerate(self.inks)}
        self.jokers = task.must[JOKER] + task.may[JOKER]
        self.must = self._grid(task.must, 0)
        self.available = self._grid(task.may, 0)
        for colour, must in enumerate(self.must):
            self.available[colour] = [sure + maybe for sure, maybe in zip(must, self.available[colour], strict=True)]
        self.weights = self._grid(task.weights, 1)
        self.begins: dict[tuple[int, int], list[int]] = {}
        self.ends: dict[tuple[int, int], list[int]] = {}
        self.group_blocks: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
        self._run_blocks: set[int] = set()
        self._spare = runs.spare
        for index, block in enumerate(task.blocks):
            self._read_block(index, block, rules)
        self.starts = [self._find_starts(colour, runs) for colour in range(len(self.inks))]
        self._tiles = _tiles(self.inks, self.highest, mirrored)

    def _grid(self, values: Mapping[Tile, int], default: int) -> Grid:
        found = [[default] * (self.highest + 2) for _ in self.inks]
        for tile, value in values.items():
            if tile.colour is not None and tile.number is not None:
                found[self._colours[tile.colour]][abs(self._flip - tile.number)] = value
        return found

    def _read_block(self, index: int, block: Block, rules: RuleSet) -> None:
        """Record where the run of a block begins and ends, or which colours and jokers can join its group."""
        first, last = block.reading.tiles[0], block.reading.tiles[-1]
        numbers = sorted(abs(self._flip - (tile.number or 0)) for tile in (first, last))
        if block.reading.kind is Kind.GROUP:
            colours = {tile.colour for tile in block.row}
            room = len(block.row) < min(rules.melds.largest_group or 0, len(self.inks))
            missing = [colour for colour, ink in enumerate(self.inks) if room and ink not in colours]
            if room and self._spare and rules.joker.allows(block.jokers + 1):
                missing.append(JOKER_JOINS)
            self.group_blocks.setdefault(numbers[0], []).append((index, tuple(missing)))
        else:
            assert first.colour is not None  # a reading has no jokers
            colour = self._colours[first.colour]
            self.begins.setdefault((colour, numbers[0]), []).append(index)
            self.ends.setdefault((colour, numbers[1]), []).append(index)
            self._run_blocks.add(colour)

    def _find_starts(self, colour: int, runs: OpenRuns) -> list[Starts]:
        """Return for each number how many runs of a colour may start with a tile, and how many with a joker.

        A run counts if it can become long enough, alone or with a block. Unless jokers may join runs that do not need
        them, a run starts with a joker only at the last possible number: before that, `4 5 J` replaces `J 4 5`.
        """
        available, last = self.available[colour], self.highest - runs.shortest + 1
        if colour in self._run_blocks:
            starts = [
                (tiles, self.jokers if runs.spare or number == last else 0)
                for number, tiles in enumerate(available[: last + 1])
            ]
        else:
            windows = zip(range(last + 1), *[available[start:] for start in range(runs.shortest)], strict=False)
            starts = [runs.starts(tuple(window), runs.spare or number == last) for number, *window in windows]
        return starts + [(0, 0)] * (len(available) - len(starts))

    def tile(self, colour: int, number: int) -> Tile:
        """Return the tile of a colour and a number of this sweep."""
        return self._tiles[colour][number]

    def orient(self, row: Meld) -> Meld:
        """Reverse a run if the sweep is mirrored; a second call restores it."""
        return row[::-1] if self.mirrored else row


@lru_cache(maxsize=16)
def _tiles(inks: tuple[Colour, ...], highest: int, mirrored: bool) -> list[list[Tile]]:
    """Return the tiles of each colour, indexed by their number in the sweep."""
    numbers = range(highest + 1, -1, -1) if mirrored else range(highest + 2)
    return [[Tile(ink, number) for number in numbers] for ink in inks]


def joker_limit(task: Task, rules: RuleSet) -> int | None:
    """Return how many jokers a set may hold; None if it may hold all jokers of the task."""
    jokers = task.must[JOKER] + task.may[JOKER] + sum(block.jokers for block in task.blocks)
    limit = rules.joker.most_in_set
    return limit if limit is not None and limit < jokers else None
