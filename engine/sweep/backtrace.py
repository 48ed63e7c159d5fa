"""Melds from the states through which a sweep went, and places for the jokers that nothing needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, product
from typing import Final

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.sweep.groups import JOKER_JOINS, Grouping, deal
from tilekeeper.engine.sweep.runs import Laid, Starts
from tilekeeper.engine.sweep.sweep import Level, Sweep
from tilekeeper.engine.sweep.task import Solution, Task
from tilekeeper.engine.sweep.transitions import taken_up
from tilekeeper.engine.tiles.tile import JOKER, Tile

_FIRST_PATIENCE: Final = 60


@dataclass(slots=True)
class _Row:
    """A meld that is being put together; `start` is the number of the first tile of a run, none for a group."""

    tiles: list[Tile]
    start: int | None
    code: int = 0
    block: int = -1


@dataclass(frozen=True, slots=True)
class _ColourStep:
    """What went to the runs of one colour at one number."""

    colour: int
    state: int
    """Its runs before."""
    tiles: int
    jokers: int
    after: int
    """Its runs afterwards."""


class _Rebuild:
    """The melds to which a sweep leads, in the order in which it meets the numbers."""

    def __init__(self, task: Task, rules: RuleSet, sweep: Sweep) -> None:
        self._task, self._rules, self._sweep = task, rules, sweep
        self._columns = sweep.columns
        self.rows: list[_Row] = []
        self.jokers_left = 0
        self._open: list[list[_Row]] = [[] for _ in sweep.columns.inks]  # in the order of the codes of their state

    def follow(self) -> None:
        """Lay what the sweep laid, number by number."""
        here = self._sweep.start
        for there, lost, grouping in self._sweep.path:
            number = here[0]
            self._lay_groups(number, grouping)
            for step in self._choice(here, there, lost, grouping):
                self._lay_runs(number, step)
            here = there
        self.jokers_left = here[3]

    def _choice(self, here: Level, there: Level, lost: int, grouping: Grouping) -> Iterator[_ColourStep]:
        """What went to the runs of each colour at a step of the walk."""
        sweep, number, grouped = self._sweep, here[0], grouping.tiles
        before, after = sweep.unpack(here[1], here[2]), sweep.unpack(there[1], there[2])
        options = []
        tables = sweep.steps(number)
        for colour, state in enumerate(before):
            steps = tables[colour][grouped[colour]][state]
            options.append(steps if len(steps) == 1 else [step for step in steps if step[0] == after[colour]])
        jokers = here[3] - there[3] - grouping.jokers
        chosen = next(
            steps
            for steps in product(*options)
            if sum([used for _, used, _ in steps]) == jokers and sum([over for _, _, over in steps]) == lost
        )
        for colour, (state, used, over) in enumerate(chosen):
            tiles = sweep.laid(number, colour, over, grouped[colour])
            if tiles or used or state or before[colour] or (colour, number) in self._columns.begins:
                yield _ColourStep(colour, before[colour], tiles, used, state)

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
        """Lay tiles and jokers of a number to the open runs of a colour, so that they come to its next state."""
        columns, runs, rows = self._columns, self._sweep.runs, self._open[step.colour]
        at = (step.colour, number)
        starts = columns.starts(*at)
        if at in columns.begins or at in columns.ends:
            self._lay_with_blocks(number, step, starts)
        else:
            laid = runs.laid(step.state, step.tiles, step.jokers, starts, step.after)
            self._open[step.colour] = self._lengthened(number, step.colour, rows, laid or ())

    def _lay_with_blocks(self, number: int, step: _ColourStep, starts: Starts) -> None:
        """The same where old runs that stay together begin or end."""
        columns, runs, rows = self._columns, self._sweep.runs, self._open[step.colour]
        begins, ends = columns.begins.get((step.colour, number), ()), columns.ends.get((step.colour, number), ())
        wanted = list(runs.states[step.after])
        for _ in ends:
            wanted.remove(runs.block_code)
        after = runs.number_of(tuple(wanted))

        def others(taken: Sequence[int]) -> list[_Row]:
            return [row for place, row in enumerate(rows) if place not in taken]

        def laid_to(left: Sequence[_Row]) -> Sequence[Laid] | None:
            state = runs.number_of(tuple(row.code for row in left))
            return runs.laid(state, step.tiles, step.jokers, starts, after)

        ways = taken_up(runs, runs.states[step.state], len(begins))
        taken = next(taken for taken in ways if laid_to(others(taken)) is not None)
        left = others(taken)
        for block, place in zip(begins, taken, strict=True):
            row = self._begun(number) if place < 0 else rows[place]
            row.tiles.extend(columns.as_it_lies(self._task.blocks[block].row))
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

    def _lengthened(self, number: int, colour: int, rows: Sequence[_Row], laid: Iterable[Laid]) -> list[_Row]:
        """The open runs of a colour after tiles and jokers were laid to them, or to new ones."""
        tile, longer = self._columns.tile(colour, number), []
        for code, place, by_joker in laid:
            row = rows[place] if place >= 0 else self._begun(number)
            row.tiles.append(JOKER if by_joker else tile)
            row.code = code
            longer.append(row)
        return longer

    def place_spare_jokers(self) -> bool:
        """Put the jokers that are left to melds with room for them; whether all that must be laid are.

        Those that may stay on the rack are put down as well, as long as there is room.
        """
        if not self.rows and not self._task.must[JOKER]:
            return True  # there is nothing to put them to
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
        """The melds, old ones first, and what is left over."""
        blocks = self._task.blocks
        rows = sorted(self.rows, key=lambda row: row.block if row.block >= 0 else len(blocks))
        lies = self._columns.as_it_lies
        melds = tuple(tuple(row.tiles) if row.start is None else lies(tuple(row.tiles)) for row in rows)
        left = self._task.must + self._task.may
        for block in blocks:
            left.update(block.row)
        left.subtract(chain.from_iterable(melds))
        return Solution(melds, +left)


def sweep_task(task: Task, rules: RuleSet) -> Solution | None:
    """The best arrangement of a task, by a sweep; none where not all that must be laid can be.

    Jokers are first laid only where they are needed. Hardly ever is there no room then for one that is left, and the
    sweep is made anew with jokers laid anywhere.
    """
    found = _laid(task, rules, False)
    if found is not None and not found.place_spare_jokers():
        found = _laid(task, rules, True)
    return None if found is None else found.solution()


def _laid(task: Task, rules: RuleSet, spare: bool) -> _Rebuild | None:
    """The melds to which a sweep leads; none where not all that must be laid can be."""
    sweep = _both_ways(task, rules, spare)
    if sweep is None:
        return None
    rebuild = _Rebuild(task, rules, sweep)
    rebuild.follow()
    return rebuild


def _both_ways(task: Task, rules: RuleSet, spare: bool) -> Sweep | None:
    """A sweep that has found the best; none where not all that must be laid can be.

    What is hard to see from one end is mostly plain from the other, so that both ways are tried in turn, each for
    longer than before. What one has found out must be left over at least, the other need not find out again.
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
