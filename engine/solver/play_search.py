"""The search for the best turn: solve a plan, judge the solution, and constrain the plan if it is illegal.

A plan leaves out rules that a task can't express, so its solution is an upper bound for the turns of its kind. The
judge decides whether a solution is legal. If not, narrower plans are solved, in which each joker is in one of its
possible sets, or no tile leaves its meld. A turn is proved to be the best once it lays as much as every failed plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Final

from tilekeeper.engine.judge.judge import judge_within
from tilekeeper.engine.judge.manipulation import find_legal_provenance
from tilekeeper.engine.judge.opening import find_rack_rows
from tilekeeper.engine.judge.opening_free import find_legal_opening
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.provenance.changes import find_changes
from tilekeeper.engine.provenance.single_moves import are_decisive, turn_budget
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.policies import FreedJoker, OpeningTable
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.exact_cover import Cover, SearchTooLarge
from tilekeeper.engine.solver.joker_sets import plans_around_jokers
from tilekeeper.engine.solver.plan import Family, Plan
from tilekeeper.engine.solver.solve import solve
from tilekeeper.engine.sweep.task import Solution, Task
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

_SEARCH_BUDGET: Final = 80_000
"""The steps of the whole search, of about 3 µs each on one core; every solved plan and judged turn costs steps."""
_SOLVE_STEPS: Final = 600
"""The steps for one solved plan, and the same again for each joker. A plan takes 2 ms on a table of 60 tiles."""
_MOST_SOLVED: Final = 140  # plans that are solved in all
_MOST_COVERED: Final = 20_000  # states of the exact cover for one plan, under house rules that the sweep can't handle
_MOST_STATES: Final = 4_000  # states of the exact cover when all arrangements are listed
_MOST_JUDGED: Final = 100  # arrangements that are judged then


@dataclass(frozen=True, slots=True)
class Found:
    """A legal turn."""

    after: Table
    verdict: Verdict
    weight: int


_Failed = tuple[Plan, int]
"""A plan whose solution is not proved to be legal, and the weight that it would lay: more than the best known turn."""


class PlaySearch:
    """The search for the best turn; `best` is the best turn found so far.

    Args:
        table: the table before the turn.
        task: its optional tiles are the rack, with their weights.
        context: the rules, and whether the player had opened.
    """

    def __init__(self, table: Table, task: Task, context: TurnContext) -> None:
        self._table, self._task, self._context = table, task, context
        self._on_table = table.counts
        self._budget = Budget(_SEARCH_BUDGET)
        self._plans_left = _MOST_SOLVED
        self._solved: dict[Hashable, Solution | None] = {}
        self._unproved = 0  # the number of turns that the judge could not decide
        self.best: Found | None = None

    @property
    def _solves_left(self) -> int:
        """The number of plans that may still be solved."""
        return min(self._plans_left, self._budget.left // _SOLVE_STEPS)

    def _pay_for_plan(self, task: Task) -> None:
        self._plans_left -= 1
        with suppress(BudgetExceeded):  # no plan is tried once nothing is left
            self._budget.spend(_SOLVE_STEPS * (1 + task.must[JOKER] + task.may[JOKER]))

    @property
    def _weight(self) -> int:
        return 0 if self.best is None else self.best.weight

    def try_table(self, after: Table) -> bool:
        """Store a turn as the best one if it lays more and is legal.

        Returns:
            Whether the turn lays more than the best one, but is not proved to be legal.
        """
        laid = after.counts - self._on_table
        weight = self._weigh(laid)
        if not laid or (self.best is not None and weight <= self.best.weight):
            return False
        if self._breaks_a_rule(after):
            return True
        verdict = self._judge(after)
        if not verdict.legal:
            self._unproved += verdict.undecided
            return True
        self.best = Found(after, verdict, weight)
        return False

    def _judge(self, after: Table) -> Verdict:
        """Return the verdict on a turn; it is undecided if the budget of the whole search is used up."""
        return judge_within(self._table, after, self._context, turn_budget(self._context.rules, self._budget))

    def _breaks_a_rule(self, after: Table) -> bool:
        """Return whether every provenance of a table breaks a rule; False also if this is not known.

        This is much faster than a verdict, which says which rule is broken.
        """
        rules = self._context.rules
        changes, budget = find_changes(self._table, after, rules), turn_budget(rules, self._budget)
        try:
            if self._context.opened or not rules.opening.minimum_points:
                return not are_decisive(rules) and find_legal_provenance(changes, rules, budget) is None
            if rules.opening.table is OpeningTable.FREE_ONCE_OPEN:
                return find_legal_opening(changes, find_rack_rows(changes, rules), rules, budget) is None
        except BudgetExceeded:
            pass
        return False

    def run(self, families: Iterator[Family], all_there: bool, more: Iterable[Plan] = ()) -> bool:
        """Search for the best turn.

        Args:
            families: the families of turns that the player can make.
            all_there: whether these families include every legal turn.
            more: plans for likely turns, which are tried first.

        Returns:
            Whether it is proved that no turn is better.
        """
        everything = self._weigh(self._task.may)
        bound = self._untied_bound(everything) if all_there else everything
        if self._weight >= bound:
            return True
        self._try_plans(more, bound)
        unproved = 0
        for family in families:
            if self._weight >= bound:
                return True
            if self._solves_left <= 0:
                unproved = bound
                break
            unproved = max(unproved, self._search_family(family))
        bound = min(bound, unproved) if all_there else bound
        return self._weight >= bound or self._try_all_arrangements(bound)

    def _untied_bound(self, everything: int) -> int:
        """Return the greatest weight that can be laid if no meld of the table is tied, and try this turn.

        Return `everything`, the weight of the rack, if the search is too large or its budget is used up.
        """
        if self._solves_left <= 0:
            return everything
        self._pay_for_plan(self._task)
        must, may, weights = Counter(self._on_table), Counter(self._task.may), dict(self._task.weights)
        if self._context.rules.joker.freed is FreedJoker.RACK:
            # Jokers of the table may go to the rack: laying one again does not count.
            may[JOKER] += must.pop(JOKER, 0)
            weights[JOKER] = 0
        try:
            solution = solve(Task(must, may, weights), self._context.rules, _MOST_COVERED)
        except SearchTooLarge:
            return everything
        assert solution is not None  # the table before the turn is one
        self.try_table(Table(solution.melds))
        return everything - sum(weights.get(tile, 1) * copies for tile, copies in solution.left.items())

    def _weigh(self, tiles: Counter[Tile]) -> int:
        return sum(self._task.weight(tile) * count for tile, count in tiles.items())

    def _search_family(self, family: Family) -> int:
        """Search the turns of one family; return an upper bound of the weight of its turns that were not found.

        The bound is 0 if none of them lays more than the best turn.
        """
        failed, unproved = self._try_plans(family.loosest)
        if unproved <= self._weight:
            return 0
        if family.complete:
            return self._try_plans(family.narrower)[1] if family.narrower else unproved
        if family.replacing is not None:
            unproved = self._retry_around_jokers(failed, unproved, family.replacing)
            if unproved <= self._weight:
                return 0
        self._try_plans(family.narrower, unproved)
        return unproved

    def _retry_around_jokers(self, failed: list[_Failed], bound: int, replacing: Counter[Tile]) -> int:
        """Retry failed plans with each joker in each of its possible sets.

        Args:
            failed: the plans, each with the weight that it would have laid.
            bound: the upper bound of all plans that were tried together with `failed`. It is above every weight in
                `failed` if some plans could not be tried.
            replacing: the tiles that replaced jokers.

        Returns:
            An upper bound of the weight of the turns that were not found.
        """
        unproved = bound if bound > max((weight for _, weight in failed), default=0) else 0
        for plan, least in failed:
            if least <= self._weight:
                continue
            for plans in plans_around_jokers(plan, replacing, self._context.rules):
                tighter, their_bound = self._try_plans(plans)
                if their_bound > self._weight:
                    their_bound = self._retry_around_jokers(tighter, their_bound, replacing)
                least = min(least, their_bound)
                if least <= self._weight:
                    break
            unproved = max(unproved, least)
        return unproved

    def _try_plans(self, plans: Iterable[Plan], enough: int | None = None) -> tuple[list[_Failed], int]:
        """Solve plans and try the tables, until the best turn lays `enough`.

        Returns:
            The failed plans, and the greatest weight that one of them would have laid. If some plans could not be
            tried, this weight is more than any turn lays.
        """
        failed: list[_Failed] = []
        unproved = 0
        for plan in plans:
            if self._solves_left <= 0:
                unproved = self._weigh(self._task.may) + 1
                break
            try:
                found = self._try_plan(plan)
            except SearchTooLarge:
                unproved = self._weigh(self._task.may) + 1
                continue
            if found is not None:
                failed.append(found)
                unproved = max(unproved, found[1])
            if enough is not None and self._weight >= enough:
                break
        return failed, unproved

    def _try_plan(self, plan: Plan) -> _Failed | None:
        solution = self._solve(plan.task)
        if solution is None:
            return None
        after = plan.table(solution.melds)
        if not self.try_table(after):
            return None
        return plan, self._weigh(after.counts - self._on_table)

    def _solve(self, task: Task) -> Solution | None:
        """Return the best arrangement of a task; None if no arrangement lays more than the best known turn.

        Different choices for the jokers often lead to the same task. A better known turn only rules out more, so a
        result holds for the rest of the search.
        """
        most_left = self._most_left()
        if most_left is not None and most_left < 0:
            return None
        key = (frozenset(task.must.items()), frozenset(task.may.items()), frozenset(Counter(task.blocks).items()))
        if key not in self._solved:
            self._pay_for_plan(task)
            self._solved[key] = solve(replace(task, most_left=most_left), self._context.rules, _MOST_COVERED)
        return self._solved[key]

    def _most_left(self) -> int | None:
        """Return the weight that a better turn may leave over; None if jokers may go to the rack."""
        if self._context.rules.joker.freed is FreedJoker.RACK:
            return None
        return self._weigh(self._task.may) - self._weight - 1

    def _try_all_arrangements(self, bound: int) -> bool:
        """Try every arrangement that lays more than the best turn and at most `bound`, greatest weight first.

        Returns:
            Whether it is proved that no turn lays more than the best one, which may be new.
        """
        rules = self._context.rules
        if rules.manipulation.take_back or not all(is_valid(meld, rules) for meld in self._table.melds):
            return False
        must, may, slack = Counter(self._on_table), Counter(self._task.may), 0
        if rules.joker.freed is FreedJoker.RACK:
            slack = must[JOKER] * self._task.weight(JOKER)
            may[JOKER] += must.pop(JOKER, 0)
        judged = 0
        everything = self._weigh(may)
        try:
            cover = Cover(Task(must, may, self._task.weights), rules, every_row=True, most_states=_MOST_STATES)
            for weight in range(bound, self._weight, -1):
                lost = everything - weight
                for solution in cover.arrangements(lost, lost - slack):
                    after = Table(solution.melds)
                    if self._weigh(after.counts - self._on_table) != weight:
                        continue
                    judged += 1
                    if judged > _MOST_JUDGED:
                        return False
                    unproved = self._unproved
                    if not self.try_table(after):
                        return True
                    if self._unproved > unproved:
                        return False
        except SearchTooLarge:
            return False
        return True
