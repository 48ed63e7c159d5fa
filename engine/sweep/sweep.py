"""The best arrangement of tiles, by a sweep over the numbers: dynamic programming over the reachable states.

The state after a number is which runs are open in each colour (`OpenRuns`) and how many jokers are left; the colours
depend on each other only through groups. That there are few such states is shown by van Rijn, Takes and Vis (arXiv
1604.07553). They are searched depth first with a budget for the weight left over, which grows until a path fits. The
bounds of the colours prune the search, and what a state needs at least is remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.sweep.bounds import MASK, NEVER, SHIFT, ColourBounds, JointBounds, together
from tilekeeper.engine.sweep.columns import Columns, joker_limit
from tilekeeper.engine.sweep.groups import Grouping, Groupings, GroupRules, groupings, half_of
from tilekeeper.engine.sweep.runs import Transitions, open_runs
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.sweep.transitions import ColourSteps, JointStep, JointSteps, TransitionsWithBlocks
from tilekeeper.engine.tiles.tile import JOKER

_FEW: Final = 40  # up to so many tiles all candidates after a state are computed at once: most are needed
_PATIENCE: Final = 100  # failed states after which it pays to leave out candidates that another one dominates

Level = tuple[int, int, int, int]
"""A node of the search: a number, the packed states of both halves of the colours before it, and the jokers left."""
_Reached = tuple[int, int, int]
"""The packed states of both halves after a number, and the jokers left."""
_Candidate = tuple[int, int, Grouping]
"""The weight left over in all at least, the part of it at this number, and the groups of this number."""


class _PatienceExceeded(Exception):  # noqa: N818 - says what happened
    """As many states have failed as may before the other direction is tried."""


class Sweep:
    """One task, ready to be solved.

    Args:
        task: what is to be arranged; the sweep must be able to solve it (`tilekeeper.engine.solver.solve.can_sweep`).
            Every numbered tile must be one of the edition's.
        rules: the edition in play.
        spare: whether jokers may be used where nothing needs them. If not, unused jokers are not counted as left
            over: the caller finds places for them.
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
        self._dominating: dict[tuple[int, int, int], bool] = {}
        self.start: Level = (1, 0, 0, self.jokers)
        self._needs: dict[Level, int] = {}
        self._few = task.must.total() + task.may.total() <= _FEW
        self._candidates_known: dict[Level, tuple[list[tuple[_Reached, _Candidate]], int]] = {}
        self.least = together(self._joint_bounds[1][0][0], self._joint_bounds[1][1][0], self.jokers)
        self._most_failed = 0
        self.possible = False
        self.path: list[tuple[Level, int, Grouping]] = []

    def _find_groupings(self, rules: RuleSet) -> list[Groupings]:
        """For each number, the choices of its tiles for groups."""
        columns = self.columns
        bounds = GroupRules(rules.melds.shortest, rules.melds.largest_group, rules.joker.most_in_set)
        old = columns.group_blocks
        return [
            groupings(there, self.jokers, bounds, self._spare, tuple(lacks for _, lacks in old.get(number, ())))
            for number, there in enumerate(zip(*columns.there, strict=True))
        ]

    def _find_bounds(self) -> list[list[ColourBounds]]:
        """For each number and colour, the bound of the colour from there on."""
        columns, jokers = self.columns, self.jokers
        beyond = [ColourBounds(self.runs, jokers, 0) for _ in columns.inks]
        found = [beyond]
        for number in range(columns.highest, 0, -1):
            later, groups = found[-1], self._groupings[number]
            pays = self._joker_payer(number)
            bounds = []
            for colour in range(len(columns.inks)):
                grouped = (
                    [(groups.plain[colour], 0), *groups.jokers_for_more[colour]]
                    if colour == pays
                    else [(groups.most[colour], 0)]
                )
                transitions = [
                    (self._transitions(number, colour, 0, count), jokers_for_more) for count, jokers_for_more in grouped
                ]
                room = columns.there[colour][number] + len(columns.begins.get((colour, number), ())) + jokers
                weight = columns.weights[colour][number]
                bounds.append(ColourBounds(self.runs, jokers, room, transitions, weight, later[colour]))
            found.append(bounds)
        found.append(beyond)  # in the place of 0, which is no number
        return found[::-1]

    def _joker_payer(self, number: int) -> int | None:
        """The colour that is charged with the jokers that groups of a number need: one with few neighbouring tiles."""
        groups, there = self._groupings[number], self.columns.there
        if groups.plain == groups.most:
            return None
        jokers_for_more = [colour for colour, needs in enumerate(groups.jokers_for_more) if needs]
        return min(jokers_for_more, key=lambda colour: there[colour][number - 1] + there[colour][number + 1])

    def _transitions(self, number: int, colour: int, grouped: int, may_group: int = 0) -> Transitions:
        """The transitions of a colour over a number with `grouped` tiles in groups, and up to `may_group` more."""
        columns = self.columns
        must, there = columns.must[colour][number], columns.there[colour][number]
        least, at = max(must - grouped - may_group, 0), (colour, number)
        transitions = self.runs.transitions(least, there - grouped, columns.starts(colour, number), may_group)
        if columns.begins and (at in columns.begins or at in columns.ends):
            return TransitionsWithBlocks(transitions, len(columns.begins.get(at, ())), len(columns.ends.get(at, ())))
        return transitions

    def steps(self, number: int) -> list[list[ColourSteps]]:
        """For each colour its transitions over a number, by how many of the tiles are in groups."""
        found = self._steps.get(number)
        if found is None:
            most, jokers = self._groupings[number].most, self.jokers
            found = self._steps[number] = [
                [
                    ColourSteps(self._transitions(number, colour, count), weights[number], jokers, later)
                    for count in range(most[colour] + 1)
                ]
                for colour, (weights, later) in enumerate(
                    zip(self.columns.weights, self._bounds[number + 1], strict=True)
                )
            ]
        return found

    def _splits(self, number: int) -> list[tuple[JointSteps, JointSteps, int, Grouping]]:
        """For each choice of groups of a number, the transitions of both halves of the colours."""
        found = self._split.get(number)
        if found is None:
            steps, groups = self.steps(number), self._groupings[number]
            low, high = (
                [
                    JointSteps(
                        [steps[at][count] for at, count in zip(colours, counts, strict=True)], self.jokers, later
                    )
                    for counts in options
                ]
                for colours, options, later in zip(
                    self._halves, groups.halves, self._joint_bounds[number + 1], strict=True
                )
            )
            found = self._split[number] = [(low[a], high[b], option.jokers, option) for a, b, option in groups.split]
        return found

    def tiles_in_runs(self, number: int, colour: int, lost: int, grouped: int) -> int:
        """How many tiles of a number went to runs of a colour, given the weight that was left over."""
        weight = self.columns.weights[colour][number]
        return self.columns.there[colour][number] - (lost // weight if weight else 0) - grouped

    def solve(self, most_failed: int) -> bool:
        """Search for the path that leaves over least, until it is found or proved not to exist.

        After `most_failed` failed states the search stops and can be continued by another call. When it is done,
        `possible` says whether there is a solution, and `path` holds it.

        Returns:
            Whether the search is done.
        """
        self._most_failed = most_failed
        while self.least < NEVER:
            self.path = []
            try:
                need = self._search(self.start, self.least)
            except _PatienceExceeded:
                return False
            if need <= self.least:
                self.path.reverse()
                self.possible = True
                return True
            self.least = need
        return True

    def _search(self, level: Level, budget: int) -> int:
        """The weight left over from a node on: exact, with the path, up to the budget; beyond it a lower bound."""
        if level[0] > self.columns.highest:
            if not self._spare:
                return 0
            return self._joker_weight * level[3] if level[3] <= self._joker_may_stay else NEVER
        known = self._known_need(level)
        if known > budget:
            return known
        candidates, least = (
            self._all_candidates(level) if self._few or level in self._needs else self._candidates(level, budget)
        )
        for (low, high, jokers), (candidate, lost, grouping) in candidates:
            if candidate > budget:
                least = min(least, candidate)
                break
            after = (level[0] + 1, low, high, jokers)
            need = lost + self._search(after, budget - lost)
            if need <= budget:
                self.path.append((after, lost, grouping))
                return need
            least = min(least, need)
        self._needs[level] = least
        if len(self._needs) > self._most_failed:
            raise _PatienceExceeded
        return least

    def _all_candidates(self, level: Level) -> tuple[list[tuple[_Reached, _Candidate]], int]:
        """All candidates after a node, within any budget; cached for nodes that are reached again."""
        found = self._candidates_known.get(level)
        if found is None:
            found = self._candidates_known[level] = self._candidates(level, NEVER - 1)
        return found

    def _known_need(self, level: Level) -> int:
        """The known lower bound of a node; where jokers may stay unused, more jokers can't make it higher."""
        known = self._needs.get(level, 0)
        if not self._spare:
            number, low, high, jokers = level
            for more in range(jokers + 1, self.jokers + 1):
                known = max(known, self._needs.get((number, low, high, more), 0))
        return known

    def _candidates(self, level: Level, budget: int) -> tuple[list[tuple[_Reached, _Candidate]], int]:
        """The candidates after a node that fit the budget, best first, and the lower bound of all others."""
        number, low, high, jokers = level
        found: dict[_Reached, _Candidate] = {}
        beyond = NEVER
        for low_table, high_table, group_jokers, grouping in self._splits(number):
            if group_jokers > jokers:
                break
            low_steps = low_table[low]
            high_steps = high_table[high] if low_steps else ()
            if high_steps:
                beyond = min(beyond, _join(low_steps, high_steps, jokers - group_jokers, budget, grouping, found))
        ranked = sorted(found.items(), key=_rank)
        return (self._undominated(ranked) if len(self._needs) > _PATIENCE else ranked), beyond

    def _undominated(self, ranked: list[tuple[_Reached, _Candidate]]) -> list[tuple[_Reached, _Candidate]]:
        """The candidates that no other one dominates."""
        best: list[tuple[_Reached, _Candidate]] = []
        for where, candidate in sorted(ranked, key=lambda each: each[1][1]):
            low, high, jokers = where
            for other_low, other_high, other_jokers in [each for each, _ in best]:
                jokers_do = other_jokers == jokers if self._spare else other_jokers >= jokers
                if jokers_do and self._dominates(0, other_low, low) and self._dominates(1, other_high, high):
                    break
            else:
                best.append((where, candidate))
        return sorted(best, key=_rank)

    def _dominates(self, half: int, packed: int, other: int) -> bool:
        """Whether the packed states of one half have every continuation that the other ones have."""
        if packed == other:
            return True
        key = (half, packed, other)
        found = self._dominating.get(key)
        if found is None:
            states = self.runs.states
            found = self._dominating[key] = all(
                self.runs.dominates(states[packed >> SHIFT * place & MASK], states[other >> SHIFT * place & MASK])
                for place in range(len(self._halves[half]))
            )
        return found

    def unpack(self, low: int, high: int) -> list[int]:
        """The state of each colour."""
        packed = ((low, self._halves[0]), (high, self._halves[1]))
        return [code >> (SHIFT * place) & MASK for code, half in packed for place in range(len(half))]


def _join(
    low_steps: Sequence[JointStep],
    high_steps: Sequence[JointStep],
    jokers: int,
    budget: int,
    grouping: Grouping,
    found: dict[_Reached, _Candidate],
) -> int:
    """Join the transitions of both halves of the colours, and add the candidates within the budget to `found`.

    Returns:
        The least weight that any other pair must leave over.
    """
    beyond = NEVER
    for low_state, low_jokers, low_lost, low_bounds in low_steps:
        left = jokers - low_jokers
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
            need = lost + (together(low_bounds, high_bounds, rest) if rest else low_bounds[0] + high_bounds[0])
            if need > budget:
                if need < beyond:
                    beyond = need
                continue
            reached = (low_state, high_state, rest)
            known = found.get(reached)
            if known is None or need < known[0]:
                found[reached] = (need, lost, grouping)
    return beyond


def _rank(candidate: tuple[_Reached, _Candidate]) -> tuple[int, int]:
    """The order in which candidates are tried: least left over first, then most jokers left."""
    (_, _, jokers), (need, _, _) = candidate
    return need, -jokers
