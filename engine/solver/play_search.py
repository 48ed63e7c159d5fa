"""The search for the best turn: solve a plan, judge the solution, and constrain the plan if it is illegal.

A plan leaves out rules that a task can't express, so its solution is an upper bound for the turns of its kind. The
judge decides whether a solution is legal. If not, narrower plans are solved, in which each joker is in one of its
possible sets, or no tile leaves its meld. A turn is proved to be the best once it lays as much as every failed plan.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from tilekeeper.engine.judge.judge import decide
from tilekeeper.engine.judge.verdict import Outcome
from tilekeeper.engine.provenance.budget import Budget, BudgetExceeded
from tilekeeper.engine.provenance.single_moves import turn_budget
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.policies import FreedJoker
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.exact_cover import Cover, SearchTooLarge
from tilekeeper.engine.solver.joker_sets import plans_around_jokers
from tilekeeper.engine.solver.plans import Family, Plan
from tilekeeper.engine.solver.solve import solve
from tilekeeper.engine.sweep.task import Solution, Task
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

_SEARCH_BUDGET: Final = 80_000
"""The steps of the whole search, of about 3 µs each on one core; every solved plan and judged turn costs steps."""
_RETRY_BUDGET: Final = 18_000
"""The part of these steps for narrower plans. They prove 759 of 800 random plays of `cards`; 30,000 prove 768."""
_STEPS_OF_A_PLAN: Final = 50  # to list and compare one
_STEPS_OF_A_STATE: Final = 4  # of the exact cover when all arrangements are listed
_MOST_COVERED: Final = 20_000  # states of the exact cover for one plan, under house rules that the sweep can't handle
_MOST_STATES: Final = 4_000  # states of the exact cover when all arrangements are listed
_MOST_JUDGED: Final = 100  # arrangements that are judged then


@dataclass(frozen=True, slots=True)
class Found:
    """A legal turn."""

    after: Table
    laid: Counter[Tile]
    """The tiles that it lays."""
    weight: int


_Failed = tuple[Plan, int]
"""A plan whose solution is not proved to be legal, and the weight that it would lay: more than the best known turn."""


class PlaySearch:
    """The search for the best turn; `best` is the best turn found so far.

    The optional tiles of the task are the rack, with their weights.
    """

    def __init__(self, table: Table, task: Task, context: TurnContext) -> None:
        self._table, self._task, self._context = table, task, context
        self._on_table = table.counts
        self._old = frozenset(frozenset(tile for tile in meld if not tile.is_joker) for meld in table.melds)
        self._budget = Budget(_SEARCH_BUDGET)
        self._retry_budget = Budget(_RETRY_BUDGET, within=self._budget)
        self._undecided = 0  # the number of turns that the judge could not decide
        self.best: Found | None = None

    @property
    def _weight(self) -> int:
        return 0 if self.best is None else self.best.weight

    def try_table(self, after: Table) -> bool:
        """Store a turn as the best one if it lays more and is legal.

        Return whether the turn lays more than the best one, but is not proved to be legal.
        """
        laid = after.counts - self._on_table
        weight = self._weigh(laid)
        if not laid or (self.best is not None and weight <= self.best.weight):
            return False
        outcome = decide(self._table, after, self._context, turn_budget(self._context.rules, self._budget))
        if outcome is Outcome.LEGAL:
            self.best = Found(after, laid, weight)
            return False
        self._undecided += outcome is Outcome.UNDECIDED
        return True

    def run(self, families: Iterator[Family], all_there: bool, more: Iterable[Plan] = ()) -> bool:
        """Search for the best turn; return whether it is proved that none is better.

        `all_there` says whether the families include every legal turn; the plans `more` are tried first.
        """
        everything = self._weigh(self._task.may)
        bound = self._untied_bound(everything) if all_there else everything
        if self._weight >= bound:
            return True
        self._try_plans(more, self._budget, bound)
        unproved = 0
        for family in families:
            if self._weight >= bound:
                return True
            if not self._budget.left:
                unproved = bound
                break
            unproved = max(unproved, self._search_family(family))
        bound = min(bound, unproved) if all_there else bound
        return self._weight >= bound or self._try_all_arrangements(bound)

    def _untied_bound(self, everything: int) -> int:
        """Return the greatest weight that can be laid if no meld of the table is tied, and try this turn.

        Return `everything`, the weight of the rack, if the search is too large or its budget is used up.
        """
        must, may, weights = Counter(self._on_table), Counter(self._task.may), dict(self._task.weights)
        if self._context.rules.joker.freed is FreedJoker.RACK:
            # Jokers of the table may go to the rack: laying one again does not count.
            may[JOKER] += must.pop(JOKER, 0)
            weights[JOKER] = 0
        try:
            task = Task(must, may, weights, old=self._old)
            solution = solve(task, self._context.rules, _MOST_COVERED, self._budget.spend)
        except (SearchTooLarge, BudgetExceeded):
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
        failed, unproved = self._try_plans(family.loosest, self._budget)
        if unproved <= self._weight:
            return 0
        if family.complete:
            return self._try_plans(family.narrower, self._budget)[1] if family.narrower else unproved
        if family.replacing is not None:
            unproved = self._retry_around_jokers(failed, unproved, family.replacing)
            if unproved <= self._weight:
                return 0
        self._try_plans(family.narrower, self._retry_budget, unproved)
        return unproved

    def _retry_around_jokers(self, failed: list[_Failed], bound: int, replacing: Counter[Tile]) -> int:
        """Retry failed plans with each joker in each of its possible sets.

        Return an upper bound of the weight of the turns that were not found. `bound` is that of all plans that were
        tried together with `failed`; it is above every weight in `failed` if some of them could not be tried.
        """
        unproved = bound if bound > max((weight for _, weight in failed), default=0) else 0
        for plan, least in failed:
            if least <= self._weight:
                continue
            for plans in plans_around_jokers(plan, replacing, self._context.rules):
                tighter, their_bound = self._try_plans(plans, self._retry_budget)
                if their_bound > self._weight:
                    their_bound = self._retry_around_jokers(tighter, their_bound, replacing)
                least = min(least, their_bound)
                if least <= self._weight:
                    break
            unproved = max(unproved, least)
        return unproved

    def _try_plans(self, plans: Iterable[Plan], budget: Budget, enough: int | None = None) -> tuple[list[_Failed], int]:
        """Solve plans and try the tables, until the best turn lays `enough` or the budget is used up.

        Return the failed plans, and the greatest weight that one of them would have laid: more than any turn lays if
        some plans could not be tried.
        """
        failed: list[_Failed] = []
        unproved = 0
        for plan in plans:
            try:
                budget.spend(_STEPS_OF_A_PLAN)
                found = self._try_plan(plan, budget)
            except BudgetExceeded:
                unproved = self._weigh(self._task.may) + 1
                break
            except SearchTooLarge:
                unproved = self._weigh(self._task.may) + 1
                continue
            if found is not None:
                failed.append(found)
                unproved = max(unproved, found[1])
            if enough is not None and self._weight >= enough:
                break
        return failed, unproved

    def _try_plan(self, plan: Plan, budget: Budget) -> _Failed | None:
        solution = self._solve(plan.task, budget)
        if solution is None:
            return None
        after = plan.table(solution.melds)
        if not self.try_table(after):
            return None
        return plan, self._weigh(after.counts - self._on_table)

    def _solve(self, task: Task, budget: Budget) -> Solution | None:
        """Return the best arrangement of a task; None if no arrangement lays more than the best known turn."""
        most_left = self._most_left()
        if most_left is not None and most_left < 0:
            return None
        task = replace(task, most_left=most_left, old=self._old)
        return solve(task, self._context.rules, _MOST_COVERED, budget.spend)

    def _most_left(self) -> int | None:
        """Return the weight that a better turn may leave over; None if jokers may go to the rack."""
        if self._context.rules.joker.freed is FreedJoker.RACK:
            return None
        return self._weigh(self._task.may) - self._weight - 1

    def _try_all_arrangements(self, bound: int) -> bool:
        """Try every arrangement that lays more than the best turn and at most `bound`, greatest weight first.

        Return whether it is proved that no turn lays more than the best one, which may be new.
        """
        rules = self._context.rules
        most_states = min(_MOST_STATES, self._retry_budget.left // _STEPS_OF_A_STATE)
        if (
            not most_states
            or rules.manipulation.take_back
            or not all(is_valid(meld, rules) for meld in self._table.melds)
        ):
            return False
        must, may, slack = Counter(self._on_table), Counter(self._task.may), 0
        if rules.joker.freed is FreedJoker.RACK:
            slack = must[JOKER] * self._task.weight(JOKER)
            may[JOKER] += must.pop(JOKER, 0)
        judged = 0
        everything = self._weigh(may)
        try:
            cover = Cover(Task(must, may, self._task.weights), rules, every_row=True, most_states=most_states)
            for weight in range(bound, self._weight, -1):
                lost = everything - weight
                for solution in cover.arrangements(lost, lost - slack):
                    after = Table(solution.melds)
                    if self._weigh(after.counts - self._on_table) != weight:
                        continue
                    judged += 1
                    if judged > _MOST_JUDGED:
                        return False
                    undecided = self._undecided
                    if not self.try_table(after):
                        return True
                    if self._undecided > undecided:
                        return False
        except SearchTooLarge:
            return False
        return True
