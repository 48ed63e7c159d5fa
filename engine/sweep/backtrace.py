"""The backtrace of a sweep: build the melds along its path, and place the jokers that were not needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.sweep.bounds import Level, Step
from tilekeeper.engine.sweep.groups import JOKER_JOINS, GroupChoice, deal
from tilekeeper.engine.sweep.runs import Placement, Starts, block_joins
from tilekeeper.engine.sweep.sweep import Pay, Sweep
from tilekeeper.engine.sweep.task import Solution, Task
from tilekeeper.engine.tiles.tile import JOKER, Tile

_FIRST_FAILED_STATES: Final = 60  # failed states of the first try; each later round doubles the limit


@dataclass(slots=True)
class _Row:
    """An unfinished meld.

    `start` is the number of the first tile of a run, None for a group. `code` is the code of an open run. `block` is
    the index of the block in the meld, -1 for none.
    """

    tiles: list[Tile]
    start: int | None
    code: int = 0
    block: int = -1


@dataclass(frozen=True, slots=True)
class _ColourStep:
    """The tiles and jokers added to the runs of one colour at one number."""

    colour: int
    state: int
    """The state of the runs before."""
    tiles: int
    jokers: int
    after: int
    """The state of the runs after."""


class _Backtrace:
    """Builds the melds along the path of a sweep, number by number."""

    def __init__(self, task: Task, rules: RuleSet, sweep: Sweep) -> None:
        self._task, self._rules, self._sweep = task, rules, sweep
        self._columns = sweep.columns
        self.rows: list[_Row] = []
        self.jokers_left = 0
        self._open: list[list[_Row]] = [[] for _ in sweep.columns.inks]  # sorted by code, like the codes of a state

    def follow(self) -> None:
        """Build the melds of every step of the path."""
        level = self._sweep.start
        for next_level, _, group_choice, steps in self._sweep.path:
            self._lay_groups(level[0], group_choice)
            for step in self._steps(level, group_choice, steps):
                self._lay_runs(level[0], step)
            level = next_level
        self.jokers_left = level[2]

    def _steps(self, level: Level, group_choice: GroupChoice, steps: Sequence[Step]) -> Iterator[_ColourStep]:
        """Yield the tiles and jokers added to the runs of each colour at one number; skip colours without runs."""
        number, states, _ = level
        for colour, (state, grouped, (after, jokers, lost)) in enumerate(
            zip(states, group_choice.tiles, steps, strict=True)
        ):
            tiles = self._sweep.tiles_in_runs(number, colour, lost, grouped)
            if tiles or jokers or state or after or (colour, number) in self._columns.begins:
                yield _ColourStep(colour, state, tiles, jokers, after)

    def _lay_groups(self, number: int, group_choice: GroupChoice) -> None:
        columns = self._columns
        fresh = list(group_choice.tiles)
        for (block, _), colour in zip(columns.group_blocks.get(number, ()), group_choice.joined, strict=True):
            tiles = list(self._task.blocks[block].row)
            if colour >= 0:
                tiles.append(columns.tile(colour, number))
                fresh[colour] -= 1
            elif colour == JOKER_JOINS:
                tiles.append(JOKER)
            self.rows.append(_Row(tiles, None, block=block))
        if group_choice.groups:
            in_new = group_choice.jokers - group_choice.joined.count(JOKER_JOINS)
            for colours, jokers in deal(tuple(fresh), in_new, group_choice.groups):
                self.rows.append(_Row([columns.tile(colour, number) for colour in colours] + [JOKER] * jokers, None))

    def _lay_runs(self, number: int, step: _ColourStep) -> None:
        """Add tiles and jokers of a number to the open runs of a colour to reach the next state."""
        columns, runs, rows = self._columns, self._sweep.runs, self._open[step.colour]
        at = (step.colour, number)
        starts = columns.starts[step.colour][number]
        if at in columns.begins or at in columns.ends:
            self._lay_with_blocks(number, step, starts)
        else:
            laid = runs.placements(step.state, step.tiles, step.jokers, starts, step.after)
            self._open[step.colour] = self._lengthen(number, step.colour, rows, laid or ())

    def _lay_with_blocks(self, number: int, step: _ColourStep, starts: Starts) -> None:
        """Like `_lay_runs`, for a number at which runs of blocks begin or end."""
        columns, runs, rows = self._columns, self._sweep.runs, self._open[step.colour]
        begins, ends = columns.begins.get((step.colour, number), ()), columns.ends.get((step.colour, number), ())
        wanted = list(runs.states[step.after])
        for _ in ends:
            wanted.remove(runs.block_code)
        after = runs.number_of(tuple(wanted))

        def rows_without(taken: Sequence[int]) -> list[_Row]:
            return [row for place, row in enumerate(rows) if place not in taken]

        def find_placements(remaining: Sequence[_Row]) -> Sequence[Placement] | None:
            state = runs.number_of(tuple(row.code for row in remaining))
            return runs.placements(state, step.tiles, step.jokers, starts, after)

        options = block_joins(runs, runs.states[step.state], len(begins))
        taken = next(taken for taken in options if find_placements(rows_without(taken)) is not None)
        remaining = rows_without(taken)
        for block, place in zip(begins, taken, strict=True):
            row = self._start_run(number) if place < 0 else rows[place]
            row.tiles.extend(columns.orient(self._task.blocks[block].row))
            row.block = block
        longer = self._lengthen(number, step.colour, remaining, find_placements(remaining) or ())
        for block in ends:
            row = next(row for row in self.rows if row.block == block)
            row.code = runs.block_code
            longer.append(row)
        self._open[step.colour] = sorted(longer, key=lambda row: row.code)

    def _start_run(self, number: int) -> _Row:
        """Start a new run."""
        row = _Row([], number)
        self.rows.append(row)
        return row

    def _lengthen(self, number: int, colour: int, rows: Sequence[_Row], laid: Iterable[Placement]) -> list[_Row]:
        """Add tiles and jokers to open runs or start new ones; return the open runs afterwards."""
        tile, longer = self._columns.tile(colour, number), []
        for code, place, by_joker in laid:
            row = rows[place] if place >= 0 else self._start_run(number)
            row.tiles.append(JOKER if by_joker else tile)
            row.code = code
            longer.append(row)
        return longer

    def place_spare_jokers(self) -> bool:
        """Add the unused jokers to melds with room, even jokers that may stay on the rack.

        Returns:
            Whether all of them have a place, or there is no meld and no joker must be laid.
        """
        if not self.rows and not self._task.must[JOKER]:
            return True  # there is no meld that could take them
        while self.jokers_left:
            rows = [row for row in self.rows if self._has_room(row)]
            if not rows:
                return False
            row = next((row for row in rows if frozenset(row.tiles) - {JOKER} not in self._task.old), rows[0])
            self.jokers_left -= 1
            if row.start is None or row.start + len(row.tiles) <= self._columns.highest:
                row.tiles.append(JOKER)
            else:
                row.tiles.insert(0, JOKER)
                row.start -= 1
        return True

    def _has_room(self, row: _Row) -> bool:
        rules = self._rules
        if not rules.joker.allows(row.tiles.count(JOKER) + 1):
            return False
        if row.start is not None:
            return len(row.tiles) < self._columns.highest
        return len(row.tiles) < min(rules.melds.largest_group or 0, len(self._columns.inks))

    def solution(self) -> Solution:
        """Return the melds, blocks first, and the tiles left over."""
        blocks = self._task.blocks
        rows = sorted(self.rows, key=lambda row: row.block if row.block >= 0 else len(blocks))
        orient = self._columns.orient
        melds = tuple(tuple(row.tiles) if row.start is None else orient(tuple(row.tiles)) for row in rows)
        remaining = self._task.must + self._task.may
        for block in blocks:
            remaining.update(block.row)
        remaining.subtract(chain.from_iterable(melds))
        return Solution(melds, +remaining)


def sweep_task(task: Task, rules: RuleSet, pay: Pay = lambda _: None) -> Solution | None:
    """Return the best arrangement of a task by a sweep; None if the tiles that must be laid have no arrangement.

    The first sweep uses jokers only where runs and groups need them. If an unused joker then finds no place, which is
    rare, the sweep is repeated with jokers also where no run or group needs them. The task must be one that
    `tilekeeper.engine.solver.solve.can_sweep` accepts.
    """
    found = _trace(task, rules, False, pay)
    if found is not None and not found.place_spare_jokers():
        found = _trace(task, rules, True, pay)
    return None if found is None else found.solution()


def _trace(task: Task, rules: RuleSet, spare: bool, pay: Pay) -> _Backtrace | None:
    """Return the backtrace of the best path; None if there is no solution.

    `spare` says whether jokers may join melds that do not need them.
    """
    sweep = _solved_sweep(task, rules, spare, pay)
    if sweep is None:
        return None
    backtrace = _Backtrace(task, rules, sweep)
    backtrace.follow()
    return backtrace


def _solved_sweep(task: Task, rules: RuleSet, spare: bool, pay: Pay) -> Sweep | None:
    """Return a sweep that has found the best arrangement; None if there is none.

    Most tasks that are slow in one direction are fast in the other. So the two directions take turns, each time with
    a higher limit of failed states, and share their lower bounds.
    """
    sweeps: list[Sweep] = []
    least, most_failed = 0, _FIRST_FAILED_STATES
    while True:
        for mirrored in (False, True):
            if len(sweeps) < 2:
                sweeps.append(Sweep(task, rules, spare, mirrored, pay))
            sweep = sweeps[mirrored]
            sweep.least = max(sweep.least, least)
            if sweep.solve(most_failed):
                return sweep if sweep.possible else None
            least = sweep.least
        most_failed *= 2
