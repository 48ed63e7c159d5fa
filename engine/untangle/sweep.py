"""The best arrangement of tiles, by a sweep over the numbers with only the states that can be reached.

After each number the state is which runs are open in each colour (`OpenRuns`) and how many jokers are left; colours
meet only in groups. That there are few such states is shown by van Rijn, Takes and Vis (arXiv 1604.07553). Here they
are walked depth first for the least weight that can be left over, then for the next. What each colour alone would leave
over, were groups there for the asking, bounds what is worth trying; states that failed are remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Final, NamedTuple

from tilekeeper.engine.meld import Kind
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.tile import JOKER, Tile
from tilekeeper.engine.untangle.groups import Grouping, GroupRules, groupings
from tilekeeper.engine.untangle.runs import Codes, open_runs
from tilekeeper.engine.untangle.task import Block, Task

_NEVER: Final = 1 << 40
_SHIFT: Final = 16  # bits for one colour's state
_MASK: Final = (1 << _SHIFT) - 1
_NOTHING_TAKEN: Final[list[tuple[int, ...]]] = [()]


class Step(NamedTuple):
    """One way for a colour, or for some colours, to go on at one number."""

    state: int
    """The state afterwards; those of several colours are packed."""
    jokers: int
    """How many jokers are laid to runs."""
    lost: int
    """The weight of the tiles of this number that are left over."""
    bounds: Sequence[int]
    """The least weight that must be left over later, by how many jokers are left."""


Level = tuple[int, int, int, int]
"""Where the walk stands: a number, the packed states of either half of the colours before it, and the jokers left."""
_Where = tuple[int, int, int]


def joker_limit(task: Task, rules: RuleSet) -> int | None:
    """How many jokers a set may hold; none where all that there are may lie in one."""
    there = task.must[JOKER] + task.may[JOKER] + sum(block.jokers for block in task.blocks)
    limit = rules.joker.most_in_set
    return limit if limit is not None and limit < there else None


def can_sweep(task: Task, rules: RuleSet) -> bool:
    """Whether the sweep can solve a task: not where runs go past the highest number or jokers alone are a set.

    Where blocks could hold more jokers than they do, but not all that there are, a block would have to be followed
    with the run that it takes up; no edition has that.
    """
    limit = joker_limit(task, rules)
    full = limit is None or all(block.jokers >= limit for block in task.blocks)
    return full and not rules.melds.wraps and not rules.joker.alone and not _jokers_may_join(task, limit)


def _jokers_may_join(task: Task, limit: int | None) -> bool:
    """Whether a joker could be put to an old group that stays together."""
    loose = task.must[JOKER] + task.may[JOKER]
    groups = [block for block in task.blocks if block.reading.kind is Kind.GROUP]
    return loose > 0 and any(limit is None or block.jokers < limit for block in groups)


class Sweep:
    """One task, ready to be solved; `solve` says what the search found, `path` by which states.

    Args:
        task: what is to be arranged, of which `can_sweep` is true. Every numbered tile must be one of the edition's.
        rules: the edition in play.
        spare: whether jokers may be laid where nothing needs them. Where not, those that are left are not counted as
            left over: the caller finds places for them.
    """

    def __init__(self, task: Task, rules: RuleSet, spare: bool) -> None:
        self.inks, self.highest, shortest = rules.stock.inks, rules.stock.numbers, rules.melds.shortest
        numbers = range(self.highest + 2)
        self.must = [[task.must[Tile(ink, number)] for number in numbers] for ink in self.inks]
        self.may = [[task.may[Tile(ink, number)] for number in numbers] for ink in self.inks]
        self._weights = [[task.weight(Tile(ink, number)) for number in numbers] for ink in self.inks]
        self.jokers = task.must[JOKER] + task.may[JOKER]
        self._spare = spare
        self._joker_may_stay, self._joker_weight = task.may[JOKER], task.weight(JOKER)
        self.runs = open_runs(shortest, self.jokers, joker_limit(task, rules), spare)
        self._read_blocks(task.blocks, rules)
        group_rules = GroupRules(shortest, rules.melds.largest_group, rules.joker.most_in_set)
        self.groups: list[tuple[Grouping, ...]] = [()]
        self._in_groups: list[list[list[int]]] = [[]]
        for number in range(1, self.highest + 1):
            there = tuple(must[number] + may[number] for must, may in zip(self.must, self.may, strict=True))
            lacking = tuple(lacks for _, lacks in self.group_blocks.get(number, ()))
            found = groupings(there, self.jokers, group_rules, spare, lacking)
            self.groups.append(found)
            self._in_groups.append([sorted({way.tiles[colour] for way in found}) for colour in range(len(self.inks))])
        middle = (len(self.inks) + 1) // 2
        self._halves = (range(middle), range(middle, len(self.inks)))
        self._split = [[(way.tiles[:middle], way.tiles[middle:], way.jokers) for way in ways] for ways in self.groups]
        self._facts = [[self._facts_of(number, colour) for colour in range(len(self.inks))] for number in numbers]
        self._tables: dict[tuple[int, int, int, int], list[Step]] = {}
        self._bounds: dict[tuple[int, int, int], list[int]] = {}
        self._half_tables: dict[tuple[int, int, int, tuple[int, ...]], list[Step]] = {}
        self._half_bounds: dict[tuple[int, int, int], list[int]] = {}
        self._needs: dict[Level, int] = {}
        self.path: list[Level] = []

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
                lacks = tuple(colour for colour, ink in enumerate(self.inks) if room and ink not in there)
                self.group_blocks.setdefault(number, []).append((index, lacks))
            else:
                colour = self.inks.index(first.colour) if first.colour in self.inks else 0
                self.begin.setdefault((colour, number), []).append(index)
                self.end.setdefault((colour, last.number or 0), []).append(index)
                self._has_run_blocks[colour] = True

    def _facts_of(self, number: int, colour: int) -> tuple[int, int, int, int, int, tuple[bool, bool]]:
        """Of one tile: how many must and how many can be laid, what one weighs, how many blocks begin and end at it,
        and whether runs may start there with a tile or a joker."""
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

    def solve(self) -> int | None:
        """The least weight that must be left over; none where not all that must be laid can be."""
        start = (1, 0, 0, self.jokers)
        budget = _together(self._half_bounds_of(1, 0, 0), self._half_bounds_of(1, 1, 0), self.jokers)
        while budget < _NEVER:
            self.path = []
            need = self._walk(start, budget)
            if need <= budget:
                self.path.append(start)
                self.path.reverse()
                return need
            budget = need
        return None

    def _walk(self, level: Level, budget: int) -> int:
        """What must be left over from here on: exactly, with the path to it, up to the budget; at least, beyond it."""
        if level[0] > self.highest:
            if not self._spare:
                return 0
            return self._joker_weight * level[3] if level[3] <= self._joker_may_stay else _NEVER
        known = self._needs.get(level, 0)
        if known > budget:
            return known
        hopes, least = self._onward(level, budget)
        for (low, high, jokers), (_, lost) in hopes:
            after = (level[0] + 1, low, high, jokers)
            need = lost + self._walk(after, budget - lost)
            if need <= budget:
                self.path.append(after)
                return need
            least = min(least, need)
        self._needs[level] = least
        return least

    def _onward(self, level: Level, budget: int) -> tuple[list[tuple[_Where, tuple[int, int]]], int]:
        """The states after this number that may do within the budget, and what any other would leave over at least.

        The best come first, each with what is left over in all at least, and what of that at this number.
        """
        number, low, high, jokers = level
        hopes: dict[_Where, tuple[int, int]] = {}
        beyond = _NEVER
        for low_tiles, high_tiles, group_jokers in self._split[number]:
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
                    beyond = min(beyond, low_lost + low_bounds[left])
                    continue
                for high_state, high_jokers, high_lost, high_bounds in high_steps:
                    rest = left - high_jokers
                    if rest < 0:
                        continue
                    lost = low_lost + high_lost
                    if rest == 0:
                        need = lost + low_bounds[0] + high_bounds[0]
                    else:
                        need = lost + _together(low_bounds, high_bounds, rest)
                    if need > budget:
                        beyond = min(beyond, need)
                        continue
                    where = (low_state, high_state, rest)
                    known = hopes.get(where)
                    if known is None or need < known[0]:
                        hopes[where] = (need, lost)
        return sorted(hopes.items(), key=_promise), beyond

    def table(self, number: int, colour: int, state: int, grouped: int) -> list[Step]:
        """How the runs of a colour can go on at a number of which some tiles lie in groups."""
        key = (number, colour, state, grouped)
        found = self._tables.get(key)
        if found is not None:
            return found
        runs, codes = self.runs, self.runs.states[state]
        must, there, weight, begins, ends, starts = self._facts[number][colour]
        least: dict[tuple[int, int], int] = {}
        for taken in self.taken_up(codes, begins) if begins else _NOTHING_TAKEN:
            left = tuple(code for at, code in enumerate(codes) if at not in taken) if taken else codes
            for laid in range(max(must, grouped), there + 1):
                lost = weight * (there - laid)
                for jokers in range(self.jokers + 1):
                    for after in runs.steps(left, laid - grouped, jokers, *starts):
                        if ends:
                            after = tuple(sorted((*after, *[runs.block_code] * ends)))
                        way = (runs.number_of(after), jokers)
                        if way not in least or lost < least[way]:
                            least[way] = lost
        steps = [
            Step(after, jokers, lost, bounds)
            for (after, jokers), lost in least.items()
            if (bounds := self._bounds_of(number + 1, colour, after))[self.jokers - jokers] < _NEVER
        ]
        self._tables[key] = steps
        return steps

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
        if number > self.highest:
            closed = all(map(self.runs.may_end, self.runs.states[state]))
            bounds = [0 if closed else _NEVER] * (self.jokers + 1)
        else:
            bounds = [_NEVER] * (self.jokers + 1)
            for grouped in self._in_groups[number][colour]:
                for _, used, lost, later in self.table(number, colour, state, grouped):
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
            found = [0] * (self.jokers + 1)
            for place, colour in enumerate(self._halves[half]):
                bounds = self._bounds_of(number, colour, packed >> (_SHIFT * place) & _MASK)
                found = [_together(found, bounds, jokers) for jokers in range(self.jokers + 1)]
            self._half_bounds[key] = found
        return found

    def _half_table(self, number: int, half: int, packed: int, grouped: tuple[int, ...]) -> list[Step]:
        """How the runs of the colours of one half can go on at a number of which some tiles lie in groups."""
        key = (number, half, packed, grouped)
        found = self._half_tables.get(key)
        if found is None:
            least = {(0, 0): 0}
            for place, (colour, count) in enumerate(zip(self._halves[half], grouped, strict=True)):
                steps = self.table(number, colour, packed >> (_SHIFT * place) & _MASK, count)
                # No two steps of a colour lead to the same state with as many jokers, so nothing is overwritten.
                least = {
                    (state + (step.state << _SHIFT * place), jokers + step.jokers): lost + step.lost
                    for (state, jokers), lost in least.items()
                    for step in steps
                    if jokers + step.jokers <= self.jokers
                }
            found = self._half_tables[key] = [
                Step(state, jokers, lost, bounds)
                for (state, jokers), lost in least.items()
                if (bounds := self._half_bounds_of(number + 1, half, state))[self.jokers - jokers] < _NEVER
            ]
        return found

    def unpack(self, low: int, high: int) -> list[int]:
        """The state of each colour."""
        packed = ((low, self._halves[0]), (high, self._halves[1]))
        return [code >> (_SHIFT * place) & _MASK for code, half in packed for place in range(len(half))]


def _together(bounds: Sequence[int], others: Sequence[int], jokers: int) -> int:
    """What two parts must leave over that share some jokers."""
    if jokers == 1:
        return min(bounds[0] + others[1], bounds[1] + others[0])
    return min([bounds[ours] + others[jokers - ours] for ours in range(jokers + 1)])


def _promise(hope: tuple[_Where, tuple[int, int]]) -> tuple[int, int]:
    """What is tried first: where least must be left over, and then most jokers are left."""
    (_, _, jokers), (need, _) = hope
    return need, -jokers
