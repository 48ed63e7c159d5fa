"""The best arrangement of tiles, by a sweep over the numbers with only the states that can be reached.

After each number the state is which runs are open in each colour (`OpenRuns`) and how many jokers are left; colours
meet only in groups. That there are few such states is shown by van Rijn, Takes and Vis (arXiv 1604.07553). Here they
are walked depth first for the least weight that can be left over, then for the next. What each colour alone would leave
over, were groups there for the asking, bounds what is worth trying; states that failed are remembered.
"""

from __future__ import annotations

from typing import Final

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.sweep.bounds import MASK, NEVER, SHIFT, ColourBounds, JointBounds, together
from tilekeeper.engine.sweep.columns import Columns, joker_limit
from tilekeeper.engine.sweep.groups import Grouping, Groupings, GroupRules, groupings, half_of
from tilekeeper.engine.sweep.runs import Onwards, open_runs
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.sweep.transitions import ColourSteps, JointSteps, OnwardsWithBlocks
from tilekeeper.engine.tiles.tile import JOKER

_FEW: Final = 40  # tiles of which all ways onward from a state are found at once, since most are needed
_PATIENCE: Final = 100  # states that failed before it pays to leave out those than which another is as good

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
        mirrored: whether the numbers are swept from the highest down.
    """

    def __init__(self, task: Task, rules: RuleSet, spare: bool, mirrored: bool = False) -> None:
        self.columns = columns = Columns(task, rules, mirrored, spare)
        self.jokers = columns.jokers
        self._spare = spare
        self._joker_may_stay, self._joker_weight = task.may[JOKER], task.weight(JOKER)
        self.runs = open_runs(rules.melds.shortest, self.jokers, joker_limit(task, rules), spare)
        middle = half_of(len(columns.inks))
        self._halves = (range(middle), range(middle, len(columns.inks)))
        self._groupings = self._find_groupings(rules)
        self._bounds = self._find_bounds()
        self._joint_bounds = [
            [JointBounds([bounds[colour] for colour in half], self.jokers) for half in self._halves]
            for bounds in self._bounds
        ]
        self._steps: dict[int, list[list[ColourSteps]]] = {}
        self._split: dict[int, list[tuple[JointSteps, JointSteps, int, Grouping]]] = {}
        self._better: dict[tuple[int, int, int], bool] = {}
        self.start: Level = (1, 0, 0, self.jokers)
        self._needs: dict[Level, int] = {}
        self._few = task.must.total() + task.may.total() <= _FEW
        self._all_onward: dict[Level, tuple[list[tuple[_Where, _Hope]], int]] = {}
        self.least = together(self._joint_bounds[1][0][0], self._joint_bounds[1][1][0], self.jokers)
        self._most_failed = 0
        self.possible = False
        self.path: list[tuple[Level, int, Grouping]] = []

    def _find_groupings(self, rules: RuleSet) -> list[Groupings]:
        """For each number, which of its tiles can lie in groups together."""
        columns = self.columns
        bounds = GroupRules(rules.melds.shortest, rules.melds.largest_group, rules.joker.most_in_set)
        old = columns.group_blocks
        return [
            groupings(there, self.jokers, bounds, self._spare, tuple(lacks for _, lacks in old.get(number, ())))
            for number, there in enumerate(zip(*columns.there, strict=True))
        ]

    def _find_bounds(self) -> list[list[ColourBounds]]:
        """For each number and colour, what the colour must leave over from there on."""
        columns, jokers = self.columns, self.jokers
        beyond = [ColourBounds(self.runs, jokers, 0) for _ in columns.inks]
        found = [beyond]
        for number in range(columns.highest, 0, -1):
            later, groups = found[-1], self._groupings[number]
            pays = self._who_pays(number)
            bounds = []
            for colour in range(len(columns.inks)):
                grouped = (
                    [(groups.plain[colour], 0), *groups.dear[colour]] if colour == pays else [(groups.most[colour], 0)]
                )
                onwards = [(self._onwards(number, colour, 0, count), dear) for count, dear in grouped]
                room = columns.there[colour][number] + len(columns.begins.get((colour, number), ())) + jokers
                weight = columns.weights[colour][number]
                bounds.append(ColourBounds(self.runs, jokers, room, onwards, weight, later[colour]))
            found.append(bounds)
        found.append(beyond)  # in the place of 0, which is no number
        return found[::-1]

    def _who_pays(self, number: int) -> int | None:
        """The colour to which the jokers are counted that groups of a number need: one with few tiles beside it."""
        groups, there = self._groupings[number], self.columns.there
        if groups.plain == groups.most:
            return None
        dear = [colour for colour, needs in enumerate(groups.dear) if needs]
        return min(dear, key=lambda colour: there[colour][number - 1] + there[colour][number + 1])

    def _onwards(self, number: int, colour: int, grouped: int, may_group: int = 0) -> Onwards:
        """How the runs of a colour go on at a number of which some tiles lie in groups, and some more may."""
        columns = self.columns
        must, there = columns.must[colour][number], columns.there[colour][number]
        least, at = max(must - grouped - may_group, 0), (colour, number)
        onwards = self.runs.onwards(least, there - grouped, columns.starts(colour, number), may_group)
        if columns.begins and (at in columns.begins or at in columns.ends):
            return OnwardsWithBlocks(onwards, len(columns.begins.get(at, ())), len(columns.ends.get(at, ())))
        return onwards

    def steps(self, number: int) -> list[list[ColourSteps]]:
        """For each colour, how its runs can go on at a number, by how many of the tiles lie in groups."""
        found = self._steps.get(number)
        if found is None:
            most, jokers = self._groupings[number].most, self.jokers
            found = self._steps[number] = [
                [
                    ColourSteps(self._onwards(number, colour, count), weights[number], jokers, later)
                    for count in range(most[colour] + 1)
                ]
                for colour, (weights, later) in enumerate(
                    zip(self.columns.weights, self._bounds[number + 1], strict=True)
                )
            ]
        return found

    def _splits(self, number: int) -> list[tuple[JointSteps, JointSteps, int, Grouping]]:
        """For each way to lay tiles of a number in groups, the steps of either half of the colours."""
        found = self._split.get(number)
        if found is None:
            steps, groups = self.steps(number), self._groupings[number]
            low, high = (
                [
                    JointSteps(
                        [steps[at][count] for at, count in zip(colours, counts, strict=True)], self.jokers, later
                    )
                    for counts in ways
                ]
                for colours, ways, later in zip(
                    self._halves, groups.halves, self._joint_bounds[number + 1], strict=True
                )
            )
            found = self._split[number] = [(low[a], high[b], way.jokers, way) for a, b, way in groups.split]
        return found

    def laid(self, number: int, colour: int, lost: int, grouped: int) -> int:
        """How many tiles of a number went to runs of a colour, where tiles of that weight were left over."""
        weight = self.columns.weights[colour][number]
        return self.columns.there[colour][number] - (lost // weight if weight else 0) - grouped

    def solve(self, most_failed: int) -> bool:
        """Search until it is known how to leave over least, or that not all that must be laid can be; whether it is.

        What was found out is kept, so that it can be gone on with after so many states had failed. `possible` says then
        what came of it, and `path` how.
        """
        self._most_failed = most_failed
        while self.least < NEVER:
            self.path = []
            try:
                need = self._walk(self.start, self.least)
            except _Enough:
                return False
            if need <= self.least:
                self.path.reverse()
                self.possible = True
                return True
            self.least = need
        return True

    def _walk(self, level: Level, budget: int) -> int:
        """What must be left over from here on: exactly, with the path to it, up to the budget; at least, beyond it."""
        if level[0] > self.columns.highest:
            if not self._spare:
                return 0
            return self._joker_weight * level[3] if level[3] <= self._joker_may_stay else NEVER
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
            found = self._all_onward[level] = self._onward(level, NEVER - 1)
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
        beyond = NEVER
        for low_table, high_table, group_jokers, grouping in self._splits(number):
            if group_jokers > jokers:
                break
            low_steps = low_table[low]
            high_steps = high_table[high] if low_steps else ()
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
                self.runs.beats(states[packed >> SHIFT * place & MASK], states[other >> SHIFT * place & MASK])
                for place in range(len(self._halves[half]))
            )
        return found

    def unpack(self, low: int, high: int) -> list[int]:
        """The state of each colour."""
        packed = ((low, self._halves[0]), (high, self._halves[1]))
        return [code >> (SHIFT * place) & MASK for code, half in packed for place in range(len(half))]


def _promise(hope: tuple[_Where, _Hope]) -> tuple[int, int]:
    """What is tried first: where least must be left over, and then most jokers are left."""
    (_, _, jokers), (need, _, _) = hope
    return need, -jokers
