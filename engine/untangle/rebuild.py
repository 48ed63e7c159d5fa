"""Melds from the states through which a sweep went, and places for the jokers that nothing needed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.tile import JOKER, Tile
from tilekeeper.engine.untangle.groups import Grouping, deal
from tilekeeper.engine.untangle.sweep import Level, Sweep
from tilekeeper.engine.untangle.task import Solution, Task


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
        for here, there in zip(self._sweep.path, self._sweep.path[1:], strict=False):
            number = here[0]
            grouping, steps = self._choice(here, there)
            self._lay_groups(number, grouping)
            for colour, (laid, jokers, state) in enumerate(steps):
                codes = self._sweep.runs.states[state]
                open_rows[colour] = self._lay_runs(number, colour, open_rows[colour], laid, jokers, codes)

    def _choice(self, here: Level, there: Level) -> tuple[Grouping, list[tuple[int, int, int]]]:
        """Which tiles went to groups, and for each colour how many tiles and jokers went to runs, and its next state.

        Of the ways between two states, one that leaves over the least.
        """
        sweep, number = self._sweep, here[0]
        states, nexts = sweep.unpack(here[1], here[2]), sweep.unpack(there[1], there[2])
        best: tuple[int, Grouping, list[tuple[int, int, int]]] | None = None
        for grouping in sweep.groups[number]:
            options = [
                [step for step in sweep.table(number, colour, state, grouping.tiles[colour]) if step.state == after]
                for colour, (state, after) in enumerate(zip(states, nexts, strict=True))
            ]
            for steps in product(*options):
                lost = sum(step.lost for step in steps)
                used = grouping.jokers + sum(step.jokers for step in steps)
                if used == here[3] - there[3] and (best is None or lost < best[0]):
                    laid = [
                        (sweep.laid(number, colour, step.lost, grouping.tiles[colour]), step.jokers, step.state)
                        for colour, step in enumerate(steps)
                    ]
                    best = (lost, grouping, laid)
        assert best is not None  # the walk went this way
        return best[1], best[2]

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
            self.rows.append(_Row(tiles, None, block=block))
        if grouping.groups:
            for colours, jokers in deal(tuple(fresh), grouping.jokers, grouping.groups):
                tiles = [Tile(inks[colour], number) for colour in colours] + [JOKER] * jokers
                self.rows.append(_Row([self._take(tile) for tile in tiles], None))

    def _lay_runs(
        self, number: int, colour: int, rows: list[_Row], tiles: int, jokers: int, after: Sequence[int]
    ) -> list[_Row]:
        """Lay tiles and jokers of a number to the open runs of a colour in such a way that it has those codes."""
        sweep, runs = self._sweep, self._sweep.runs
        begins, ends = sweep.begin.get((colour, number), ()), sweep.end.get((colour, number), ())
        wanted = Counter(after) - Counter([runs.block_code] * len(ends))
        starts = (sweep.may_start(colour, number), sweep.joker_may_start(number))
        codes = tuple(row.code for row in rows)
        for taken in sweep.taken_up(codes, len(begins)):
            left = [at for at in range(len(codes)) if at not in taken]
            for laid in runs.ways(tuple(codes[at] for at in left), tiles, jokers, *starts):
                if Counter(code for code, _, _ in laid) == wanted:
                    self._begin_blocks(begins, [rows[at] if at >= 0 else None for at in taken])
                    return [
                        *(
                            self._longer(number, colour, rows[left[at]] if at >= 0 else None, code, by_joker)
                            for code, at, by_joker in laid
                        ),
                        *(self._ended_block(block) for block in ends),
                    ]
        raise AssertionError("the sweep takes no step that can't be laid")

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
    for spare in (False, True):
        sweep = Sweep(task, rules, spare)
        if sweep.solve() is None:
            return None
        rebuild = _Rebuild(task, rules, sweep)
        rebuild.follow()
        nothing_lies = not rebuild.rows and not task.must[JOKER]
        if spare or nothing_lies or rebuild.place_spare_jokers():
            break
    rows = sorted(rebuild.rows, key=lambda row: row.block if row.block >= 0 else len(task.blocks))
    return Solution(tuple(tuple(row.tiles) for row in rows), +rebuild.left)
