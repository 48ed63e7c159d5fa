"""The best arrangement of tiles, by a sweep over the numbers with only the states that can be reached.

After each number the state is which runs are open in each colour (`OpenRuns`) and how many jokers are left; colours
meet only in groups. That there are few such states is shown by van Rijn, Takes and Vis (arXiv 1604.07553). Here they
are walked depth first for the least weight that can be left over, then for the next. What each colour alone would leave
over, were groups there for the asking, bounds what is worth trying; states that failed are remembered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final

from tilekeeper.engine.meld import Kind
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.tile import JOKER, Tile
from tilekeeper.engine.untangle.bounds import merged, together
from tilekeeper.engine.untangle.groups import JOKER_JOINS, Grouping, GroupRules, groupings
from tilekeeper.engine.untangle.limits import joker_limit
from tilekeeper.engine.untangle.runs import Codes, Onward, open_runs
from tilekeeper.engine.untangle.task import Block, Task

_NEVER: Final = 1 << 40
_FEW: Final = 40  # tiles of which all ways onward from a state are found at once, since most are needed
_PATIENCE: Final = 100  # states that failed before it pays to leave out those than which another is as good
_SHIFT: Final = 16  # bits for one colour's state
_MASK: Final = (1 << _SHIFT) - 1

Step = tuple[int, int, int, Sequence[int]]
"""One way for a colour, or for those of one half, to go on at one number.

The state afterwards (packed), how many jokers are laid to runs, the weight of the tiles of this number that are left
over, and what must be left over later at least, by how many jokers are left. A plain tuple: there are thousands."""

Level = tuple[int, int, int, int]
"""Where the walk stands: a number, the packed states of either half of the colours before it, and the jokers left."""
_Where = tuple[int, int, int]
_Hope = tuple[int, int, Grouping]


class _Enough(Exception):  # noqa: N818 - says what there has been of the search
    """As many states have failed as may for now."""


class Sweep:
    """One task, ready to be solved.

    Args:
        task: what is to be arranged, of which `can_sweep` is true. Every numbered tile must be one of the edition's.
        rules: the edition in play.
        spare: whether jokers may be laid where nothing needs them. Where not, those that are left are not counted as
            left over: the caller finds places for them.
    """

    def __init__(self, task: Task, rules: RuleSet, spare: bool) -> None:
        self.inks, self.highest, shortest = rules.stock.inks, rules.stock.numbers, rules.melds.shortest
        numbers = range(self.highest + 2)
        self.must = self._by_colour(task.must, 0)
        self.may = self._by_colour(task.may, 0)
        self._weights = self._by_colour(task.weights, 1)
        self.jokers = task.must[JOKER] + task.may[JOKER]
        self._spare = spare
        self._joker_may_stay, self._joker_weight = task.may[JOKER], task.weight(JOKER)
        self.runs = open_runs(shortest, self.jokers, joker_limit(task, rules), spare)
        self._read_blocks(task.blocks, rules)
        group_rules = GroupRules(shortest, rules.melds.largest_group, rules.joker.most_in_set)
        groups: list[tuple[Grouping, ...]] = [()]
        self._most_in_groups: list[list[int]] = [[]]
        for number in range(1, self.highest + 1):
            there = tuple(must[number] + may[number] for must, may in zip(self.must, self.may, strict=True))
            lacking = tuple(lacks for _, lacks in self.group_blocks.get(number, ()))
            found = groupings(there, self.jokers, group_rules, spare, lacking)
            groups.append(found)
            self._most_in_groups.append([max(counts) for counts in zip(*[way.tiles for way in found], strict=True)])
        middle = (len(self.inks) + 1) // 2
        self._halves = (range(middle), range(middle, len(self.inks)))
        self._split = [[(way.tiles[:middle], way.tiles[middle:], way.jokers, way) for way in ways] for ways in groups]
        self._facts = [[self._facts_of(number, colour) for colour in range(len(self.inks))] for number in numbers]
        # How many runs that may not end yet can go on at a number; none beyond the highest.
        self._room = [
            [there + begins + self.jokers if number <= self.highest else 0 for _, there, _, begins, _, _ in facts]
            for number, facts in enumerate(self._facts)
        ]
        self._free = [0] * (self.jokers + 1)
        self._tables: dict[tuple[int, int, int, int], list[Step]] = {}
        self._bounds: dict[tuple[int, int, int], list[int]] = {}
        self._half_tables: dict[tuple[int, int, int, tuple[int, ...]], list[Step]] = {}
        self._half_bounds: dict[tuple[int, int, int], list[int]] = {}
        self._better: dict[tuple[int, int, int], bool] = {}
        self.start: Level = (1, 0, 0, self.jokers)
        self._needs: dict[Level, int] = {}
        self._few = (task.must + task.may).total() <= _FEW
        self._all_onward: dict[Level, tuple[list[tuple[_Where, _Hope]], int]] = {}
        self._budget: int | None = None
        self._most_failed = 0
        self.possible = False
        self.path: list[tuple[Level, int, Grouping]] = []

    def _by_colour(self, values: Mapping[Tile, int], default: int) -> list[list[int]]:
        """A value for each number of each colour, from 0 to one past the highest."""
        found = [[default] * (self.highest + 2) for _ in self.inks]
        for tile, value in values.items():
            if tile.colour is not None and tile.number is not None:
                found[self.inks.index(tile.colour)][tile.number] = value
        return found

    def _read_blocks(self, blocks: Sequence[Block], rules: RuleSet) -> None:
        """Where blocks begin and end: a run takes up an open run before it, and is an open run again after it."""
        self.begin: dict[tuple[int, int], list[int]] = {}
        self.end: dict[tuple[int, int], list[int]] = {}
        self.group_blocks: dict[int, list[tuple[int, tuple[int, ...]]]] = {}
        self._has_run_blocks = [False] * len(self.inks)
        for index, block in enumerate(blocks):
            first, last = block.reading.tiles[0], block.reading.tiles[-1]
            number = first.number or 0
            if block.reading.kind is Kind.GROUP:
                there = {tile.colour for tile in block.row}
                room = len(block.row) < min(rules.melds.largest_group or 0, len(self.inks))
                lacks = [colour for colour, ink in enumerate(self.inks) if room and ink not in there]
                if room and self._spare and rules.joker.allows(block.jokers + 1):
                    lacks.append(JOKER_JOINS)
                self.group_blocks.setdefault(number, []).append((index, tuple(lacks)))
            else:
                colour = self.inks.index(first.colour) if first.colour in self.inks else 0
                self.begin.setdefault((colour, number), []).append(index)
                self.end.setdefault((colour, last.number or 0), []).append(index)
                self._has_run_blocks[colour] = True

    def _facts_of(self, number: int, colour: int) -> tuple[int, int, int, int, int, tuple[bool, bool]]:
        """How many of a tile must and can be laid, its weight, how many blocks begin and end there, and what may start.

        Of the last two, one is for runs that start with a tile, the other for those that start with a joker.
        """
        must = self.must[colour][number]
        begins, ends = len(self.begin.get((colour, number), ())), len(self.end.get((colour, number), ()))
        starts = (self.may_start(colour, number), self.joker_may_start(number))
        return must, must + self.may[colour][number], self._weights[colour][number], begins, ends, starts

    def may_start(self, colour: int, number: int) -> bool:
        """Whether a run of this colour that starts at this number can become long enough."""
        return number <= self.highest - self.runs.shortest + 1 or self._has_run_blocks[colour]

    def joker_may_start(self, number: int) -> bool:
        """Whether a run may start with a joker: `J 4 5` is as good as `4 5 J`, but at the end of the numbers."""
        return self._spare or number == self.highest - self.runs.shortest + 1

    def taken_up(self, codes: Codes, blocks: int) -> list[tuple[int, ...]]:
        """Every way for so many blocks that begin to take up open runs: which run each takes, -1 for none.

        A run that may end as it is gains nothing by it.
        """
        runs = self.runs
        free = [at for at, code in enumerate(codes) if not runs.may_end(code) and runs.jokers_of(code) == 0]
        ways = product((-1, *free), repeat=blocks)
        return [way for way in ways if all(at < 0 or way.count(at) == 1 for at in way)]

    def solve(self, most_failed: int) -> bool:
        """Search until it is known how to leave over least, or that not all that must be laid can be; whether it is.

        What was found out is kept, so that it can be gone on with after so many states had failed. `possible` says then
        what came of it, and `path` how.
        """
        if self._budget is None:
            low, high = self._half_bounds_of(1, 0, 0), self._half_bounds_of(1, 1, 0)
            self._budget = together(low, high, self.jokers)
        self._most_failed = most_failed
        while self._budget < _NEVER:
            self.path = []
            try:
                need = self._walk(self.start, self._budget)
            except _Enough:
                return False
            if need <= self._budget:
                self.path.reverse()
                self.possible = True
                return True
            self._budget = need
        return True

    def _walk(self, level: Level, budget: int) -> int:
        """What must be left over from here on: exactly, with the path to it, up to the budget; at least, beyond it."""
        if level[0] > self.highest:
            if not self._spare:
                return 0
            return self._joker_weight * level[3] if level[3] <= self._joker_may_stay else _NEVER
        known = self._known_need(level)
        if known > budget:
            return known
        hopes, least = (
            self._everything_onward(level) if self._few or level in self._needs else self._onward(level, budget)
        )
        for (low, high, jokers), (hope, lost, grouping) in hopes:
            if hope > budget:
                least = min(least, hope)
                break
            after = (level[0] + 1, low, high, jokers)
            need = lost + self._walk(after, budget - lost)
            if need <= budget:
                self.path.append((after, lost, grouping))
                return need
            least = min(least, need)
        self._needs[level] = least
        if len(self._needs) > self._most_failed:
            raise _Enough
        return least

    def _everything_onward(self, level: Level) -> tuple[list[tuple[_Where, _Hope]], int]:
        """All that may do within any budget: for a state that is come to again with a larger one, maybe many times."""
        found = self._all_onward.get(level)
        if found is None:
            found = self._all_onward[level] = self._onward(level, _NEVER - 1)
        return found

    def _known_need(self, level: Level) -> int:
        """What is known to be left over at least: as much as with more jokers, which need not be laid here."""
        known = self._needs.get(level, 0)
        if not self._spare:
            number, low, high, jokers = level
            for more in range(jokers + 1, self.jokers + 1):
                known = max(known, self._needs.get((number, low, high, more), 0))
        return known

    def _onward(self, level: Level, budget: int) -> tuple[list[tuple[_Where, _Hope]], int]:
        """The states after this number that may do within the budget, and what any other would leave over at least.

        The best come first, each with what is left over in all at least, and what of that at this number.
        """
        number, low, high, jokers = level
        hopes: dict[_Where, _Hope] = {}
        beyond = _NEVER
        for low_tiles, high_tiles, group_jokers, grouping in self._split[number]:
            if group_jokers > jokers:
                break
            low_steps = self._half_table(number, 0, low, low_tiles)
            high_steps = self._half_table(number, 1, high, high_tiles) if low_steps else ()
            if not high_steps:
                continue
            for low_state, low_jokers, low_lost, low_bounds in low_steps:
                left = jokers - group_jokers - low_jokers
                if left < 0:
                    continue
                if low_lost + low_bounds[left] > budget:
                    if low_lost + low_bounds[left] < beyond:
                        beyond = low_lost + low_bounds[left]
                    continue
                for high_state, high_jokers, high_lost, high_bounds in high_steps:
                    rest = left - high_jokers
                    if rest < 0:
                        continue
                    lost = low_lost + high_lost
                    if rest:
                        need = lost + together(low_bounds, high_bounds, rest)
                    else:
                        need = lost + low_bounds[0] + high_bounds[0]
                    if need > budget:
                        if need < beyond:
                            beyond = need
                        continue
                    where = (low_state, high_state, rest)
                    known = hopes.get(where)
                    if known is None or need < known[0]:
                        hopes[where] = (need, lost, grouping)
        ranked = sorted(hopes.items(), key=_promise)
        return (self._best_of(ranked) if len(self._needs) > _PATIENCE else ranked), beyond

    def _best_of(self, ranked: list[tuple[_Where, _Hope]]) -> list[tuple[_Where, _Hope]]:
        """The states of which no other can come to all that they can."""
        best: list[tuple[_Where, _Hope]] = []
        for where, hope in sorted(ranked, key=lambda each: each[1][1]):
            low, high, jokers = where
            for other_low, other_high, other_jokers in [each for each, _ in best]:
                jokers_do = other_jokers == jokers if self._spare else other_jokers >= jokers
                if jokers_do and self._is_better(0, other_low, low) and self._is_better(1, other_high, high):
                    break
            else:
                best.append((where, hope))
        return sorted(best, key=_promise)

    def _is_better(self, half: int, packed: int, other: int) -> bool:
        """Whether the runs of one half can come to whatever others can."""
        if packed == other:
            return True
        key = (half, packed, other)
        found = self._better.get(key)
        if found is None:
            states = self.runs.states
            found = self._better[key] = all(
                self.runs.beats(states[packed >> _SHIFT * place & _MASK], states[other >> _SHIFT * place & _MASK])
                for place in range(len(self._halves[half]))
            )
        return found

    def table(self, number: int, colour: int, state: int, grouped: int) -> list[Step]:
        """How the runs of a colour can go on at a number of which some tiles lie in groups."""
        key = (number, colour, state, grouped)
        found = self._tables.get(key)
        if found is not None:
            return found
        must, there, weight, _, _, _ = self._facts[number][colour]
        onward = self._onward_of(number, colour, state, max(must - grouped, 0), there - grouped, 0)
        steps = [
            (after, jokers, weight * over, bounds)
            for after, jokers, over in onward
            if (bounds := self._bounds_of(number + 1, colour, after))[self.jokers - jokers] < _NEVER
        ]
        self._tables[key] = steps
        return steps

    def _onward_of(
        self, number: int, colour: int, state: int, least: int, most: int, elsewhere: int
    ) -> Sequence[Onward]:
        """How the runs of a colour can go on at a number of which so many tiles are laid to runs."""
        _, _, _, begins, ends, starts = self._facts[number][colour]
        runs = self.runs
        if not begins and not ends:
            return runs.onward(state, least, most, *starts, elsewhere)
        codes = runs.states[state]
        best: dict[tuple[int, int], int] = {}
        for taken in self.taken_up(codes, begins):
            left = tuple(code for at, code in enumerate(codes) if at not in taken)
            for after, jokers, over in runs.onward(runs.number_of(left), least, most, *starts, elsewhere):
                with_ended = tuple(sorted((*runs.states[after], *[runs.block_code] * ends)))
                way = (runs.number_of(with_ended), jokers)
                best[way] = min(over, best.get(way, over))
        return [(after, jokers, over) for (after, jokers), over in best.items()]

    def laid(self, number: int, colour: int, lost: int, grouped: int) -> int:
        """How many tiles of a number went to runs of a colour, where tiles of that weight were left over."""
        weight = self._weights[colour][number]
        may = self.may[colour][number]
        return self.must[colour][number] + may - (lost // weight if weight else 0) - grouped

    def _bounds_of(self, number: int, colour: int, state: int) -> list[int]:
        """What a colour must leave over from a number on, if groups are there for the asking, by jokers left."""
        key = (number, colour, state)
        found = self._bounds.get(key)
        if found is not None:
            return found
        runs_open = self.runs.unfinished[state]
        if runs_open > self._room[number][colour]:
            bounds = [_NEVER] * (self.jokers + 1)
        elif number > self.highest:
            bounds = [0] * (self.jokers + 1)
        else:
            bounds = [_NEVER] * (self.jokers + 1)
            must, there, weight, _, _, _ = self._facts[number][colour]
            grouped = self._most_in_groups[number][colour]
            for after, used, over in self._onward_of(number, colour, state, max(must - grouped, 0), there, grouped):
                lost = weight * over
                later = self._bounds_of(number + 1, colour, after)
                for jokers in range(used, self.jokers + 1):
                    need = lost + later[jokers - used]
                    if need < bounds[jokers]:
                        bounds[jokers] = need
        self._bounds[key] = bounds
        return bounds

    def _half_bounds_of(self, number: int, half: int, packed: int) -> list[int]:
        """What the colours of one half must leave over from a number on, by jokers left."""
        key = (number, half, packed)
        found = self._half_bounds.get(key)
        if found is None:
            found = self._bounds_of(number, self._halves[half][0], packed & _MASK) if self._halves[half] else self._free
            for place, colour in enumerate(self._halves[half][1:], 1):
                found = merged(found, self._bounds_of(number, colour, packed >> (_SHIFT * place) & _MASK))
            self._half_bounds[key] = found
        return found

    def _half_table(self, number: int, half: int, packed: int, grouped: tuple[int, ...]) -> list[Step]:
        """How the runs of the colours of one half can go on at a number of which some tiles lie in groups."""
        key = (number, half, packed, grouped)
        found = self._half_tables.get(key)
        if found is None:
            ways = [(0, 0, 0)]
            for place, (colour, count) in enumerate(zip(self._halves[half], grouped, strict=True)):
                steps = self.table(number, colour, packed >> (_SHIFT * place) & _MASK, count)
                ways = [
                    (state + (after << _SHIFT * place), jokers + used, lost + over)
                    for state, jokers, lost in ways
                    for after, used, over, _ in steps
                    if jokers + used <= self.jokers
                ]
            found = self._half_tables[key] = [
                (state, jokers, lost, bounds)
                for state, jokers, lost in ways
                if (bounds := self._half_bounds_of(number + 1, half, state))[self.jokers - jokers] < _NEVER
            ]
        return found

    def unpack(self, low: int, high: int) -> list[int]:
        """The state of each colour."""
        packed = ((low, self._halves[0]), (high, self._halves[1]))
        return [code >> (_SHIFT * place) & _MASK for code, half in packed for place in range(len(half))]


def _promise(hope: tuple[_Where, _Hope]) -> tuple[int, int]:
    """What is tried first: where least must be left over, and then most jokers are left."""
    (_, _, jokers), (need, _, _) = hope
    return need, -jokers
