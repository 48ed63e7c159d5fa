"""The sweep over the numbers: iterative deepening over the states of a dynamic programme for the best arrangement.

The state after a number is the set of open runs in each colour (`OpenRuns`) and the number of remaining jokers. Colours
depend on each other only through groups. Van Rijn, Takes and Vis show that there are few such states (arXiv
1604.07553). The search is depth first with a budget for the weight left over, which grows until a path fits. Lower
bounds of the colours select the groups and next states that can fit. The lower bound of each failed state is stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import itemgetter
from typing import Final

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.sweep.bounds import (
    NEVER,
    Candidate,
    ColourBounds,
    Level,
    candidates_with,
    combine,
    combine_at,
    combine_colours,
)
from tilekeeper.engine.sweep.columns import Columns, joker_limit
from tilekeeper.engine.sweep.groups import GroupChoice, GroupChoices, half_count, list_group_choices
from tilekeeper.engine.sweep.runs import Transitions, TransitionsWithBlocks, open_runs
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.tiles.tile import JOKER

Pay = Callable[[int], object]
"""Pays for steps of a search, of about 3 µs each on one core; it may raise an exception to end the search."""

_STEPS_OF_A_SWEEP: Final = 130  # to prepare one
_STEPS_OF_A_NODE: Final = 6  # to visit one


class _PatienceExceeded(Exception):  # noqa: N818 - it is control flow, not an error
    """The limit of failed states is reached; the other direction is next."""


@dataclass(slots=True)
class _Node:
    """A node of the search with its candidates so far."""

    choices: list[tuple[int, GroupChoice]]
    """The choices of groups with their lower bounds, sorted by bound, then by jokers."""
    beyond: int
    """The least bound of the candidates that are not listed yet."""
    candidates: list[tuple[int, Candidate]] = field(default_factory=list)
    """The candidates with a bound below `beyond`, sorted, each with its bound."""


class Sweep:
    """The search for the best arrangement of one task.

    `tilekeeper.engine.solver.solve.can_sweep` must accept the task, and the edition must have every numbered tile.

    Args:
        spare: whether jokers may join melds that do not need them. If not, unused jokers do not count as left over, and
            the caller finds places for them.
        mirrored: whether the sweep goes from the highest number down.
    """

    def __init__(self, task: Task, rules: RuleSet, spare: bool, mirrored: bool, pay: Pay) -> None:
        pay(_STEPS_OF_A_SWEEP)
        self._pay = pay
        jokers = task.must[JOKER] + task.may[JOKER]
        self.runs = open_runs(rules.melds.shortest, jokers, joker_limit(task, rules), spare)
        self.columns = columns = Columns(task, rules, mirrored, self.runs)
        self.jokers, self._spare = jokers, spare
        self._joker_may_stay, self._joker_weight = task.may[JOKER], task.weight(JOKER)
        self._group_choices = self._find_group_choices(rules)
        self._bounds = self._find_bounds()
        self._over: dict[int, list[list[ColourBounds]]] = {}
        self._nodes: dict[Level, _Node] = {}
        self.start: Level = (1, (0,) * len(columns.inks), jokers)
        self._needs: list[dict[Level, int]] = [{} for _ in range(columns.highest + 1)]
        self._failed = 0
        self.least = reduce(combine, [bounds[0] for bounds in self._bounds[1]])[jokers]
        self._most_left = NEVER - 1 if task.most_left is None else task.most_left
        self._most_failed = 0
        self.possible = False
        self.path: list[Candidate] = []

    def _find_group_choices(self, rules: RuleSet) -> list[GroupChoices]:
        """Return for each number the choices of its tiles for groups."""
        blocks = self.columns.group_blocks
        return [
            list_group_choices(
                available, self.jokers, rules, self._spare, tuple(lacks for _, lacks in blocks.get(number, ()))
            )
            for number, available in enumerate(zip(*self.columns.available, strict=True))
        ]

    def _find_bounds(self) -> list[list[ColourBounds]]:
        """Return for each number and colour the bounds from this number on, for the best choices of groups."""
        beyond = [ColourBounds(self.runs, self.jokers, 0)] * len(self.columns.inks)
        found = [beyond]
        for number in range(self.columns.highest, 0, -1):
            groups, pays, later = self._group_choices[number], self._joker_payer(number), found[-1]
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
        found.append(beyond)  # a placeholder for the unused number 0
        return found[::-1]

    def _bounds_with(
        self, number: int, colour: int, grouped: int, may_group: Sequence[tuple[int, int]], later: ColourBounds
    ) -> ColourBounds:
        """Return the bounds of a colour from a number on, if `grouped` of its tiles of this number are in groups.

        `may_group` says how many further tiles may be: counts, each with the jokers charged to the colour.
        """
        columns, at = self.columns, (colour, number)
        begins, ends = len(columns.begins.get(at, ())), len(columns.ends.get(at, ()))
        available, starts = columns.available[colour][number], columns.starts[colour][number]
        least = columns.must[colour][number] - grouped
        tables: list[tuple[Transitions, int]] = []
        for more, charged in may_group:
            transitions = self.runs.transitions(max(least - more, 0), available - grouped, starts, more)
            if begins or ends:
                transitions = TransitionsWithBlocks(transitions, begins, ends)
            tables.append((transitions, charged))
        weight = columns.weights[colour][number]
        return ColourBounds(self.runs, self.jokers, available + begins + self.jokers, tables, weight, later)

    def _joker_payer(self, number: int) -> int | None:
        """Return the colour that is charged with the jokers of groups; None if no joker brings more tiles into groups.

        It is the colour with the fewest tiles of the two neighbouring numbers.
        """
        groups, available = self._group_choices[number], self.columns.available
        if groups.plain == groups.most:
            return None
        jokers_for_more = [colour for colour, needs in enumerate(groups.jokers_for_more) if needs]
        return min(jokers_for_more, key=lambda colour: available[colour][number - 1] + available[colour][number + 1])

    def _bounds_over(self, number: int) -> list[list[ColourBounds]]:
        """Return for each colour its bounds from a number on, indexed by the number of its tiles in groups there."""
        found = self._over.get(number)
        if found is None:
            alone = ((0, 0),)
            found = self._over[number] = [
                [self._bounds_with(number, colour, count, alone, later) for count in range(most + 1)]
                if most
                else [bounds_alone]
                for colour, (most, bounds_alone, later) in enumerate(
                    zip(self._group_choices[number].most, self._bounds[number], self._bounds[number + 1], strict=True)
                )
            ]
        return found

    def tiles_in_runs(self, number: int, colour: int, lost: int, grouped: int) -> int:
        """Return how many tiles of a number and colour are in runs, if a weight of `lost` is left over."""
        weight = self.columns.weights[colour][number]
        return self.columns.available[colour][number] - (lost // weight if weight else 0) - grouped

    def solve(self, most_failed: int) -> bool:
        """Search for the path with the least weight left over.

        The search stops after `most_failed` failed states; another call continues it. When it is done, `possible` says
        whether there is a solution, and `path` holds it.

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
        """Search on from a node and append the steps to `path`, last step first.

        Returns:
            The weight left over; if it exceeds the budget, a lower bound of it.
        """
        self._pay(_STEPS_OF_A_NODE)
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
        """Return a lower bound of a node: its own if it failed before, or that of a failed node that dominates it.

        Without a failed node of these kinds, return 0.
        """
        _, states, jokers = level
        failed = self._needs[level[0]]
        known = failed.get(level, 0)
        if known <= budget:
            dominates = self.runs.dominates
            for (_, other_states, jokers_left), need in failed.items():
                if (
                    need > budget
                    and (jokers_left == jokers if self._spare else jokers_left >= jokers)
                    and all(map(dominates, other_states, states))
                ):
                    return need
        return known

    def _candidates(self, level: Level, budget: int) -> Iterator[tuple[int, Candidate | None]]:
        """Yield the candidates after a node with their bounds, lowest first.

        The last item is the least bound of the candidates beyond the budget, with None.
        """
        node = self._nodes.get(level)
        if node is None:
            node = self._nodes[level] = self._make_node(level)
        for found in node.candidates:
            if found[0] > budget:
                yield found[0], None
                return
            yield found
        if node.beyond <= budget:
            yield from self._more_candidates(level, node, budget)
        yield node.beyond, None

    def _more_candidates(self, level: Level, node: _Node, most: int) -> Iterator[tuple[int, Candidate]]:
        """Yield the candidates with bounds from `node.beyond` to `most`, and add them to the node."""
        found: list[tuple[int, Candidate]] = []
        beyond = NEVER
        over = self._bounds_over(level[0])
        for need, group_choice in node.choices:
            if need > most:
                beyond = min(beyond, need)
                break
            rows = [(each[count], state) for each, count, state in zip(over, group_choice.tiles, level[1], strict=True)]
            ways, more = candidates_with(level, group_choice, rows, node.beyond, most)
            beyond = min(beyond, more)
            if most == node.beyond:
                # All these candidates have the same bound, so order is free; one of the first succeeds most often.
                yield from ways
            found += ways
        found.sort(key=itemgetter(0))
        if most > node.beyond:
            yield from found
        node.candidates += found
        node.beyond = beyond

    def _make_node(self, level: Level) -> _Node:
        """Return a new node with its choices of groups, still without candidates."""
        number, states, jokers = level
        groups, over = self._group_choices[number], self._bounds_over(number)
        if not jokers:
            least = [[each[state][0] for each in of_colour] for of_colour, state in zip(over, states, strict=True)]
            choices = [
                (sum([bound[count] for bound, count in zip(least, group_choice.tiles, strict=True)]), group_choice)
                for group_choice in groups.plain_options
            ]
        else:
            bounds = [[each[state] for each in of_colour] for of_colour, state in zip(over, states, strict=True)]
            middle = half_count(len(bounds))
            low, high = (
                [combine_colours(of_half, counts) for counts in half]
                for of_half, half in zip((bounds[:middle], bounds[middle:]), groups.halves, strict=True)
            )
            choices = [
                (combine_at(low[at], high[other], jokers - group_choice.jokers), group_choice)
                for at, other, group_choice in groups.split
                if group_choice.jokers <= jokers
            ]
        choices.sort(key=itemgetter(0))
        return _Node(choices, choices[0][0])
