"""The best arrangement of tiles, by a sweep over the numbers: dynamic programming over the reachable states.

The state after a number is which runs are open in each colour (`OpenRuns`) and how many jokers are left; the colours
depend on each other only through groups. That there are few such states is shown by van Rijn, Takes and Vis (arXiv
1604.07553). They are searched depth first with a budget for the weight left over, which grows until a path fits. The
bounds of the colours say which groups and which states after them may fit, so that few others are looked at, and what
a state needs at least is remembered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import itemgetter

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.sweep.bounds import NEVER, ColourBounds, joint, joint_of, together
from tilekeeper.engine.sweep.candidates import Candidate, Level, candidates_with
from tilekeeper.engine.sweep.columns import Columns, joker_limit
from tilekeeper.engine.sweep.groups import Grouping, Groupings, GroupRules, groupings, half_of
from tilekeeper.engine.sweep.runs import Transitions, open_runs
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.sweep.transitions import TransitionsWithBlocks
from tilekeeper.engine.tiles.tile import JOKER


class _PatienceExceeded(Exception):  # noqa: N818 - says what happened
    """As many states have failed as may before the other direction is tried."""


@dataclass(slots=True)
class _Node:
    """A node that was reached, and what was found out about it."""

    choices: list[tuple[int, Grouping]]
    """The choices of groups, with what each needs at least: those that need least first, then those with few jokers."""
    beyond: int
    """The least that any candidate needs that is not listed."""
    candidates: list[tuple[int, Candidate]] = field(default_factory=list)
    """The candidates that need less than that, those that need least first, with what each needs."""


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
        jokers = task.must[JOKER] + task.may[JOKER]
        self.runs = open_runs(rules.melds.shortest, jokers, joker_limit(task, rules), spare)
        self.columns = columns = Columns(task, rules, mirrored, self.runs)
        self.jokers, self._spare = jokers, spare
        self._joker_may_stay, self._joker_weight = task.may[JOKER], task.weight(JOKER)
        self._groupings = self._find_groupings(rules)
        self._bounds = self._find_bounds()
        self._over: dict[int, list[list[ColourBounds]]] = {}
        self._nodes: dict[Level, _Node] = {}
        self.start: Level = (1, (0,) * len(columns.inks), jokers)
        self._needs: list[dict[Level, int]] = [{} for _ in range(columns.highest + 1)]
        self._failed = 0
        self.least = reduce(joint, [bounds[0] for bounds in self._bounds[1]])[jokers]
        self._most_left = NEVER - 1 if task.most_left is None else task.most_left
        self._most_failed = 0
        self.possible = False
        self.path: list[Candidate] = []

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
        """For each number and colour, the bounds from there on, with as many tiles in groups as is best."""
        beyond = [ColourBounds(self.runs, self.jokers, 0)] * len(self.columns.inks)
        found = [beyond]
        for number in range(self.columns.highest, 0, -1):
            groups, pays, later = self._groupings[number], self._joker_payer(number), found[-1]
            found.append(
                [
                    self._bounds_with(
                        number,
                        colour,
                        0,
                        ((groups.plain[colour], 0), *groups.jokers_for_more[colour])
                        if colour == pays
                        else ((most, 0),),
                        later[colour],
                    )
                    for colour, most in enumerate(groups.most)
                ]
            )
        found.append(beyond)  # in the place of 0, which is no number
        return found[::-1]

    def _bounds_with(
        self, number: int, colour: int, grouped: int, may_group: Sequence[tuple[int, int]], later: ColourBounds
    ) -> ColourBounds:
        """The bounds of a colour from a number on with `grouped` tiles in groups, and some more.

        Args:
            number: the number.
            colour: the colour.
            grouped: how many of its tiles are in groups.
            may_group: how many more may be, each with the jokers that the colour is charged for that.
            later: the bounds from the next number on.
        """
        columns, at = self.columns, (colour, number)
        begins, ends = len(columns.begins.get(at, ())), len(columns.ends.get(at, ()))
        there, starts = columns.there[colour][number], columns.starts[colour][number]
        least = columns.must[colour][number] - grouped
        tables: list[tuple[Transitions, int]] = []
        for more, charged in may_group:
            transitions = self.runs.transitions(max(least - more, 0), there - grouped, starts, more)
            if begins or ends:
                transitions = TransitionsWithBlocks(transitions, begins, ends)
            tables.append((transitions, charged))
        weight = columns.weights[colour][number]
        return ColourBounds(self.runs, self.jokers, there + begins + self.jokers, tables, weight, later)

    def _joker_payer(self, number: int) -> int | None:
        """The colour that is charged with the jokers that groups of a number need: one with few neighbouring tiles."""
        groups, there = self._groupings[number], self.columns.there
        if groups.plain == groups.most:
            return None
        jokers_for_more = [colour for colour, needs in enumerate(groups.jokers_for_more) if needs]
        return min(jokers_for_more, key=lambda colour: there[colour][number - 1] + there[colour][number + 1])

    def _bounds_over(self, number: int) -> list[list[ColourBounds]]:
        """For each colour its bounds from a number on, by how many of its tiles are in groups."""
        found = self._over.get(number)
        if found is None:
            alone = ((0, 0),)
            found = self._over[number] = [
                [self._bounds_with(number, colour, count, alone, later) for count in range(most + 1)] if most else [own]
                for colour, (most, own, later) in enumerate(
                    zip(self._groupings[number].most, self._bounds[number], self._bounds[number + 1], strict=True)
                )
            ]
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
        while self.least <= self._most_left:
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
            return self._joker_weight * level[2] if level[2] <= self._joker_may_stay else NEVER
        known = self._known_need(level, budget)
        if known > budget:
            return known
        least = NEVER
        for need, candidate in self._candidates(level, budget):
            if candidate is not None:
                after, lost, _, _ = candidate
                need = lost + self._search(after, budget - lost)
                if need <= budget:
                    self.path.append(candidate)
                    return need
            least = min(least, need)
        failed = self._needs[level[0]]
        self._failed += level not in failed
        failed[level] = least
        if self._failed > self._most_failed:
            raise _PatienceExceeded
        return least

    def _known_need(self, level: Level, budget: int) -> int:
        """A lower bound of a node from what failed before: itself, or one that has every continuation that it has."""
        _, states, jokers = level
        failed = self._needs[level[0]]
        known = failed.get(level, 0)
        if known <= budget:
            dominates = self.runs.dominates
            for (_, others, left), need in failed.items():
                if (
                    need > budget
                    and (left == jokers if self._spare else left >= jokers)
                    and all(map(dominates, others, states))
                ):
                    return need
        return known

    def _candidates(self, level: Level, budget: int) -> Iterator[tuple[int, Candidate | None]]:
        """What each candidate after a node needs at least, those that need least first.

        The last one is what all candidates need that do not fit the budget.
        """
        node = self._nodes.get(level)
        if node is None:
            node = self._nodes[level] = self._node(level)
        for found in node.candidates:
            if found[0] > budget:
                yield found[0], None
                return
            yield found
        if node.beyond <= budget:
            yield from self._more_candidates(level, node, budget)
        yield node.beyond, None

    def _more_candidates(self, level: Level, node: _Node, most: int) -> Iterator[tuple[int, Candidate]]:
        """The next candidates after a node, up to those that need `most`."""
        found: list[tuple[int, Candidate]] = []
        beyond = NEVER
        over = self._bounds_over(level[0])
        for need, grouping in node.choices:
            if need > most:
                beyond = min(beyond, need)
                break
            rows = [(each[count], state) for each, count, state in zip(over, grouping.tiles, level[1], strict=True)]
            ways, more = candidates_with(level, grouping, rows, node.beyond, most)
            beyond = min(beyond, more)
            if most == node.beyond:
                # All that fit need equally much. One of the first leads to the end most often.
                yield from ways
            found += ways
        found.sort(key=itemgetter(0))
        if most > node.beyond:
            yield from found
        node.candidates += found
        node.beyond = beyond

    def _node(self, level: Level) -> _Node:
        """A node that is reached for the first time."""
        number, states, jokers = level
        groups, over = self._groupings[number], self._bounds_over(number)
        if not jokers:
            least = [[each[state][0] for each in of_colour] for of_colour, state in zip(over, states, strict=True)]
            choices = [
                (sum([bound[count] for bound, count in zip(least, grouping.tiles, strict=True)]), grouping)
                for grouping in groups.plain_options
            ]
        else:
            bounds = [[each[state] for each in of_colour] for of_colour, state in zip(over, states, strict=True)]
            middle = half_of(len(bounds))
            low, high = (
                [joint_of(of_half, counts) for counts in half]
                for of_half, half in zip((bounds[:middle], bounds[middle:]), groups.halves, strict=True)
            )
            choices = [
                (together(low[at], high[other], jokers - grouping.jokers), grouping)
                for at, other, grouping in groups.split
                if grouping.jokers <= jokers
            ]
        choices.sort(key=itemgetter(0))
        return _Node(choices, choices[0][0])
