"""Melds from the states through which a sweep went, and places for the jokers that nothing needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.tile import JOKER, Tile
from tilekeeper.engine.untangle.groups import JOKER_JOINS, Grouping, deal
from tilekeeper.engine.untangle.sweep import Level, Sweep
from tilekeeper.engine.untangle.task import Solution, Task

_FIRST_PATIENCE: Final = 150


@dataclass(slots=True)
class _Row:
    """A meld that is being put together; `start` is the number of the first tile of a run, none for a group."""

    tiles: list[Tile]
    start: int | None
    code: int = 0
    block: int = -1


class _Rebuild:
    def __init__(self, task: Task, rules: RuleSet, sweep: Sweep) -> None:
        self._task, self._rules, self._sweep = task, rules, sweep
        self.rows: list[_Row] = []
        self.left = task.must + task.may

    def follow(self) -> None:
        open_rows: list[list[_Row]] = [[] for _ in self._sweep.inks]
        here = self._sweep.start
        for there, lost, grouping in self._sweep.path:
            number = here[0]
            self._lay_groups(number, grouping)
            for colour, (laid, jokers, state) in enumerate(self._choice(here, there, lost, grouping)):
                codes = self._sweep.runs.states[state]
                open_rows[colour] = self._lay_runs(number, colour, open_rows[colour], laid, jokers, codes)
            here = there

    def _choice(self, here: Level, there: Level, lost: int, grouping: Grouping) -> list[tuple[int, int, int]]:
        """For each colour, how many tiles and jokers went to runs at a step of the walk, and its next state."""
        sweep, number = self._sweep, here[0]
        options = [
            [step for step in sweep.table(number, colour, state, grouping.tiles[colour]) if step[0] == after]
            for colour, (state, after) in enumerate(
                zip(sweep.unpack(here[1], here[2]), sweep.unpack(there[1], there[2]), strict=True)
            )
        ]
        jokers = here[3] - there[3] - grouping.jokers
        steps = next(
            steps
            for steps in product(*options)
            if sum(used for _, used, _, _ in steps) == jokers and sum(over for _, _, over, _ in steps) == lost
        )
        return [
            (sweep.laid(number, colour, over, grouping.tiles[colour]), used, state)
            for colour, (state, used, over, _) in enumerate(steps)
        ]

    def _take(self, tile: Tile) -> Tile:
        self.left[tile] -= 1
        return tile

    def _lay_groups(self, number: int, grouping: Grouping) -> None:
        inks = self._sweep.inks
        fresh = list(grouping.tiles)
        for (block, _), colour in zip(self._sweep.group_blocks.get(number, ()), grouping.joined, strict=True):
            tiles = list(self._task.blocks[block].row)
            if colour >= 0:
                tiles.append(self._take(Tile(inks[colour], number)))
                fresh[colour] -= 1
            elif colour == JOKER_JOINS:
                tiles.append(self._take(JOKER))
            self.rows.append(_Row(tiles, None, block=block))
        if grouping.groups:
            in_new = grouping.jokers - grouping.joined.count(JOKER_JOINS)
            for colours, jokers in deal(tuple(fresh), in_new, grouping.groups):
                tiles = [Tile(inks[colour], number) for colour in colours] + [JOKER] * jokers
                self.rows.append(_Row([self._take(tile) for tile in tiles], None))

    def _lay_runs(
        self, number: int, colour: int, rows: list[_Row], tiles: int, jokers: int, after: Sequence[int]
    ) -> list[_Row]:
        """Lay tiles and jokers of a number to the open runs of a colour in such a way that it has those codes."""
        sweep, runs = self._sweep, self._sweep.runs
        begins, ends = sweep.begin.get((colour, number), ()), sweep.end.get((colour, number), ())
        if not (rows or tiles or jokers or begins or ends):
            return []
        wanted = sorted(after)
        for _ in ends:
            wanted.remove(runs.block_code)
        starts = (sweep.may_start(colour, number), sweep.joker_may_start(number))
        codes = tuple(row.code for row in rows)
        for taken in sweep.taken_up(codes, len(begins)) if begins else [()]:
            left = [at for at in range(len(codes)) if at not in taken]
            for laid in runs.ways(tuple(codes[at] for at in left), tiles, jokers, *starts):
                if sorted([code for code, _, _ in laid]) == wanted:
                    self._begin_blocks(begins, [rows[at] if at >= 0 else None for at in taken])
                    return [
                        *(
                            self._longer(number, colour, rows[left[at]] if at >= 0 else None, code, by_joker)
                            for code, at, by_joker in laid
                        ),
                        *(self._ended_block(block) for block in ends),
                    ]
        raise AssertionError("the sweep takes no step that can't be laid")  # pragma: no cover - nor does it

    def _longer(self, number: int, colour: int, row: _Row | None, code: int, by_joker: bool) -> _Row:
        if row is None:
            row = _Row([], number)
            self.rows.append(row)
        row.tiles.append(self._take(JOKER if by_joker else Tile(self._sweep.inks[colour], number)))
        row.code = code
        return row

    def _begin_blocks(self, blocks: Sequence[int], rows: Sequence[_Row | None]) -> None:
        for block, taken in zip(blocks, rows, strict=True):
            row = taken
            if row is None:
                row = _Row([], self._task.blocks[block].reading.tiles[0].number)
                self.rows.append(row)
            row.tiles.extend(self._task.blocks[block].row)
            row.block = block

    def _ended_block(self, block: int) -> _Row:
        row = next(row for row in self.rows if row.block == block)
        row.code = self._sweep.runs.block_code
        return row

    def place_spare_jokers(self) -> bool:
        """Put the jokers that are left to melds with room for them; whether all that must be laid are.

        Those that may stay on the rack are put down as well, as long as there is room.
        """
        if not self.rows and not self._task.must[JOKER]:
            return True  # there is nothing to put them to
        while self.left[JOKER]:
            row = next((row for row in self.rows if self._has_room(row)), None)
            if row is None:
                return False
            if row.start is None or row.start + len(row.tiles) <= self._sweep.highest:
                row.tiles.append(self._take(JOKER))
            else:
                row.tiles.insert(0, self._take(JOKER))
                row.start -= 1
        return True

    def _has_room(self, row: _Row) -> bool:
        rules = self._rules
        if not rules.joker.allows(row.tiles.count(JOKER) + 1):
            return False
        if row.start is not None:
            return len(row.tiles) < self._sweep.highest
        return len(row.tiles) < min(rules.melds.largest_group or 0, len(self._sweep.inks))


def sweep_task(task: Task, rules: RuleSet) -> Solution | None:
    """The best arrangement of a task, by a sweep; none where not all that must be laid can be.

    Jokers are first laid only where they are needed. Hardly ever is there no room then for one that is left, and the
    sweep is made anew with jokers laid anywhere.
    """
    found = _laid(task, rules, False)
    if found is not None and not found[0].place_spare_jokers():
        found = _laid(task, rules, True)
    if found is None:
        return None
    rebuild, mirrored = found
    rows = sorted(rebuild.rows, key=lambda row: row.block if row.block >= 0 else len(task.blocks))
    solution = Solution(tuple(tuple(row.tiles) for row in rows), +rebuild.left)
    return solution.mirrored(rules.stock.numbers) if mirrored else solution


def _laid(task: Task, rules: RuleSet, spare: bool) -> tuple[_Rebuild, bool] | None:
    """The melds to which a sweep leads, and whether these count from the highest number down."""
    found = _both_ways(task, rules, spare)
    if found is None:
        return None
    sweep, mirrored = found
    rebuild = _Rebuild(task.mirrored(rules.stock.numbers) if mirrored else task, rules, sweep)
    rebuild.follow()
    return rebuild, mirrored


def _both_ways(task: Task, rules: RuleSet, spare: bool) -> tuple[Sweep, bool] | None:
    """A sweep that has found the best, and whether it counts from the highest number down; none where there is none.

    What is hard to see from one end is mostly plain from the other, so that both ways are tried in turn, each for
    longer than before.
    """
    sweeps: dict[bool, Sweep] = {}
    most_failed = _FIRST_PATIENCE
    while True:
        for mirrored in (False, True):
            if mirrored not in sweeps:
                sweeps[mirrored] = Sweep(task.mirrored(rules.stock.numbers) if mirrored else task, rules, spare)
            if sweeps[mirrored].solve(most_failed):
                return (sweeps[mirrored], mirrored) if sweeps[mirrored].possible else None
        most_failed *= 3
