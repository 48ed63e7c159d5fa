"""The backtrace of a sweep: the melds of its path through the states, and places for jokers that nothing needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.sweep.bounds import Step
from tilekeeper.engine.sweep.candidates import Level
from tilekeeper.engine.sweep.groups import JOKER_JOINS, Grouping, deal
from tilekeeper.engine.sweep.runs import Placement, Starts
from tilekeeper.engine.sweep.sweep import Sweep
from tilekeeper.engine.sweep.task import Solution, Task
from tilekeeper.engine.sweep.transitions import block_joins
from tilekeeper.engine.tiles.tile import JOKER, Tile

_FIRST_PATIENCE: Final = 60


@dataclass(slots=True)
class _Row:
    """A meld in the making; `start` is the number of the first tile of a run, none for a group."""

    tiles: list[Tile]
    start: int | None
    code: int = 0
    block: int = -1


@dataclass(frozen=True, slots=True)
class _ColourStep:
    """What was added to the runs of one colour at one number."""

    colour: int
    state: int
    """The state before."""
    tiles: int
    jokers: int
    after: int
    """The state after."""


class _Backtrace:
    """Builds the melds along the path of a sweep, number by number."""

    def __init__(self, task: Task, rules: RuleSet, sweep: Sweep) -> None:
        self._task, self._rules, self._sweep = task, rules, sweep
        self._columns = sweep.columns
        self.rows: list[_Row] = []
        self.jokers_left = 0
        self._open: list[list[_Row]] = [[] for _ in sweep.columns.inks]  # in the order of the codes of their state

    def follow(self) -> None:
        """Build the melds of every step of the path."""
        here = self._sweep.start
        for there, _, grouping, steps in self._sweep.path:
            self._lay_groups(here[0], grouping)
            for step in self._steps(here, grouping, steps):
                self._lay_runs(here[0], step)
            here = there
        self.jokers_left = here[2]

    def _steps(self, here: Level, grouping: Grouping, steps: Sequence[Step]) -> Iterator[_ColourStep]:
        """What was added to the runs of each colour at one number."""
        number, states, _ = here
        for colour, (state, grouped, (after, jokers, lost)) in enumerate(
            zip(states, grouping.tiles, steps, strict=True)
        ):
            tiles = self._sweep.tiles_in_runs(number, colour, lost, grouped)
            if tiles or jokers or state or after or (colour, number) in self._columns.begins:
                yield _ColourStep(colour, state, tiles, jokers, after)

    def _lay_groups(self, number: int, grouping: Grouping) -> None:
        columns = self._columns
        fresh = list(grouping.tiles)
        for (block, _), colour in zip(columns.group_blocks.get(number, ()), grouping.joined, strict=True):
            tiles = list(self._task.blocks[block].row)
            if colour >= 0:
                tiles.append(columns.tile(colour, number))
                fresh[colour] -= 1
            elif colour == JOKER_JOINS:
                tiles.append(JOKER)
            self.rows.append(_Row(tiles, None, block=block))
        if grouping.groups:
            in_new = grouping.jokers - grouping.joined.count(JOKER_JOINS)
            for colours, jokers in deal(tuple(fresh), in_new, grouping.groups):
                self.rows.append(_Row([columns.tile(colour, number) for colour in colours] + [JOKER] * jokers, None))

    def _lay_runs(self, number: int, step: _ColourStep) -> None:
        """Add tiles and jokers of a number to the open runs of a colour, so that they reach the next state."""
        columns, runs, rows = self._columns, self._sweep.runs, self._open[step.colour]
        at = (step.colour, number)
        starts = columns.starts[step.colour][number]
        if at in columns.begins or at in columns.ends:
            self._lay_with_blocks(number, step, starts)
        else:
            laid = runs.placements(step.state, step.tiles, step.jokers, starts, step.after)
            self._open[step.colour] = self._lengthened(number, step.colour, rows, laid or ())

    def _lay_with_blocks(self, number: int, step: _ColourStep, starts: Starts) -> None:
        """The same where runs of blocks begin or end."""
        columns, runs, rows = self._columns, self._sweep.runs, self._open[step.colour]
        begins, ends = columns.begins.get((step.colour, number), ()), columns.ends.get((step.colour, number), ())
        wanted = list(runs.states[step.after])
        for _ in ends:
            wanted.remove(runs.block_code)
        after = runs.number_of(tuple(wanted))

        def others(taken: Sequence[int]) -> list[_Row]:
            return [row for place, row in enumerate(rows) if place not in taken]

        def laid_to(left: Sequence[_Row]) -> Sequence[Placement] | None:
            state = runs.number_of(tuple(row.code for row in left))
            return runs.placements(state, step.tiles, step.jokers, starts, after)

        options = block_joins(runs, runs.states[step.state], len(begins))
        taken = next(taken for taken in options if laid_to(others(taken)) is not None)
        left = others(taken)
        for block, place in zip(begins, taken, strict=True):
            row = self._begun(number) if place < 0 else rows[place]
            row.tiles.extend(columns.oriented(self._task.blocks[block].row))
            row.block = block
        longer = self._lengthened(number, step.colour, left, laid_to(left) or ())
        for block in ends:
            row = next(row for row in self.rows if row.block == block)
            row.code = runs.block_code
            longer.append(row)
        self._open[step.colour] = sorted(longer, key=lambda row: row.code)

    def _begun(self, number: int) -> _Row:
        """A new run."""
        row = _Row([], number)
        self.rows.append(row)
        return row

    def _lengthened(self, number: int, colour: int, rows: Sequence[_Row], laid: Iterable[Placement]) -> list[_Row]:
        """The open runs of a colour after tiles and jokers were added to them or started new ones."""
        tile, longer = self._columns.tile(colour, number), []
        for code, place, by_joker in laid:
            row = rows[place] if place >= 0 else self._begun(number)
            row.tiles.append(JOKER if by_joker else tile)
            row.code = code
            longer.append(row)
        return longer

    def place_spare_jokers(self) -> bool:
        """Add the jokers that are left to melds with room, also those that may stay on the rack.

        Returns:
            Whether every joker that must be laid has a place.
        """
        if not self.rows and not self._task.must[JOKER]:
            return True  # there is no meld to add them to
        while self.jokers_left:
            row = next((row for row in self.rows if self._has_room(row)), None)
            if row is None:
                return False
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
        """The melds, those of blocks first, and what is left over."""
        blocks = self._task.blocks
        rows = sorted(self.rows, key=lambda row: row.block if row.block >= 0 else len(blocks))
        oriented = self._columns.oriented
        melds = tuple(tuple(row.tiles) if row.start is None else oriented(tuple(row.tiles)) for row in rows)
        left = self._task.must + self._task.may
        for block in blocks:
            left.update(block.row)
        left.subtract(chain.from_iterable(melds))
        return Solution(melds, +left)


def sweep_task(task: Task, rules: RuleSet) -> Solution | None:
    """The best arrangement of a task, by a sweep; none where the tiles that must be laid have no arrangement.

    Jokers are first used only where they are needed. In the rare case that there is no room for one that is left,
    the sweep is repeated with jokers anywhere.
    """
    found = _traced(task, rules, False)
    if found is not None and not found.place_spare_jokers():
        found = _traced(task, rules, True)
    return None if found is None else found.solution()


def _traced(task: Task, rules: RuleSet, spare: bool) -> _Backtrace | None:
    """The backtrace of the best path; none where there is no solution."""
    sweep = _solved_sweep(task, rules, spare)
    if sweep is None:
        return None
    backtrace = _Backtrace(task, rules, sweep)
    backtrace.follow()
    return backtrace


def _solved_sweep(task: Task, rules: RuleSet, spare: bool) -> Sweep | None:
    """A sweep that has found the best arrangement; none where there is none.

    A task that is slow in one direction is mostly fast in the other, so both are tried in turn, each time with more
    patience. A lower bound found in one direction is used in the other.
    """
    sweeps: list[Sweep] = []
    least, most_failed = 0, _FIRST_PATIENCE
    while True:
        for mirrored in (False, True):
            if len(sweeps) < 2:
                sweeps.append(Sweep(task, rules, spare, mirrored))
            sweep = sweeps[mirrored]
            sweep.least = max(sweep.least, least)
            if sweep.solve(most_failed):
                return sweep if sweep.possible else None
            least = sweep.least
        most_failed *= 2
