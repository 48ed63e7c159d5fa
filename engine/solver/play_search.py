"""The search for the turn that lays most: plans are solved, their solutions judged, and what fails is tied tighter.

A plan leaves off rules that its task can't hold, so what it lays at most bounds what any turn of its kind does. The
judge says of each solution whether it is legal. Where it is not, the melds against whose rules it went are tied
together, and the task is solved again. A turn is proved to be best once it lays as much as every plan that failed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Final

from tilekeeper.engine.judge.judge import TurnContext, judge
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.policies import FreedJoker
from tilekeeper.engine.rules.violations import Side
from tilekeeper.engine.solver.exact_cover import Cover, SearchTooLarge
from tilekeeper.engine.solver.plans import Family, Plan
from tilekeeper.engine.solver.solve import solve
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

_MOST_SOLVED: Final = 80  # plans that are solved in all
_MOST_TIED: Final = 30  # and of these, after solutions of others were found illegal
_MOST_CHILDREN: Final = 8
_MOST_COVERED: Final = 20_000  # states of the exact cover for one plan, where house rules leave it to that
_MOST_STATES: Final = 4_000
_MOST_JUDGED: Final = 100


@dataclass(frozen=True, slots=True)
class Found:
    """A legal turn."""

    after: Table
    verdict: Verdict
    weight: int


@dataclass(frozen=True, slots=True)
class _Failed:
    """A plan whose solution would be better than what is known, and is not legal."""

    plan: Plan
    weight: int
    verdict: Verdict


class PlaySearch:
    """The best turn that was found so far, and the means to find a better one.

    Args:
        table: the table before the turn.
        task: its tiles that may be laid are the rack, with what each weighs.
        context: the rules, and whether the player had opened.
    """

    def __init__(self, table: Table, task: Task, context: TurnContext) -> None:
        self._table, self._task, self._context = table, task, context
        self._on_table = table.counts
        self._solves_left = _MOST_SOLVED
        self._order = count()
        self.best: Found | None = None

    @property
    def _weight(self) -> int:
        return 0 if self.best is None else self.best.weight

    def try_table(self, after: Table) -> Verdict | None:
        """Remember a turn if it is legal and better than what is known; the verdict where it would be and is not."""
        laid = after.counts - self._on_table
        weight = self._weigh(laid)
        if not laid or (self.best is not None and weight <= self.best.weight):
            return None
        verdict = judge(self._table, after, self._context)
        if not verdict.legal or not verdict.proved:
            return verdict
        self.best = Found(after, verdict, weight)
        return None

    def run(self, families: Iterator[Family], all_there: bool, more: Iterable[Plan] = ()) -> bool:
        """Look for the best turn; whether it is proved that none is better.

        Args:
            families: what the player might do.
            all_there: whether every legal turn is in one of the families.
            more: plans to try besides, of turns that are in the families.
        """
        everything = self._weigh(self._task.may)
        bound = self._untied_bound(everything) if all_there else everything
        if self._weight >= bound:
            return True
        missed = 0
        for family in families:
            if self._weight >= bound:
                return True
            if self._solves_left <= 0:
                missed = bound
                break
            missed = max(missed, self._look_into(family))
        if self._weight < min(bound, missed):
            self._try_plans(more, min(bound, missed))
        bound = min(bound, missed) if all_there else bound
        return self._weight >= bound or self._look_through(bound)

    def _untied_bound(self, everything: int) -> int:
        """What could be laid at most if no tiles of the table were tied together: the turn is tried, too."""
        if self._solves_left <= 0:
            return everything
        self._solves_left -= 1
        must, may, weights = Counter(self._on_table), Counter(self._task.may), dict(self._task.weights)
        if self._context.rules.joker.freed is FreedJoker.RACK:
            # That a joker of the table is laid again counts for nothing; each of the rack may count.
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

    def _look_into(self, family: Family) -> int:
        """Look for a turn of one family; what is the most that one may lay which was not found."""
        failed, missed = self._try_plans(family.loosest)
        if missed <= self._weight:
            return 0
        if family.complete:
            return self._try_plans(family.narrower)[1] if family.narrower else missed
        self._tie(failed, _MOST_TIED)
        if missed > self._weight:
            failed, _ = self._try_plans(family.narrower, missed)
            self._tie(failed, _MOST_TIED)
        return missed

    def _try_plans(self, plans: Iterable[Plan], enough: int | None = None) -> tuple[list[_Failed], int]:
        """Try plans; those that failed, and the most that any of them would have laid."""
        failed: list[_Failed] = []
        missed = 0
        for plan in plans:
            if self._solves_left <= 0:
                missed = self._weigh(self._task.may)
                break
            try:
                found = self._try_plan(plan)
            except SearchTooLarge:
                missed = self._weigh(self._task.may)
                continue
            if found is not None:
                failed.append(found)
                missed = max(missed, found.weight)
            if enough is not None and self._weight >= enough:
                break
        return failed, missed

    def _try_plan(self, plan: Plan) -> _Failed | None:
        self._solves_left -= 1
        solution = solve(plan.task, self._context.rules, _MOST_COVERED)
        if solution is None:
            return None
        after = plan.table(solution.melds)
        verdict = self.try_table(after)
        return None if verdict is None else _Failed(plan, self._weigh(after.counts - self._on_table), verdict)

    def _tie(self, failed: list[_Failed], most: int) -> None:
        """Tie the melds together that solutions treated wrongly, those first that would lay most."""
        heap = [(-each.weight, next(self._order), each) for each in failed]
        heapify(heap)
        while heap and most > 0:
            weight, _, worst = heappop(heap)
            if -weight <= self._weight:
                return
            for number, plan in enumerate(self._tighter(worst)):
                if number >= _MOST_CHILDREN or most <= 0 or self._solves_left <= 0:
                    break
                most -= 1
                for found in self._try_plans([plan])[0]:
                    heappush(heap, (-found.weight, next(self._order), found))

    def _tighter(self, failed: _Failed) -> Iterator[Plan]:
        """The plan with everything tied that was treated wrongly, and those in which so much is of one such meld."""
        plan, rules = failed.plan, self._context.rules
        blamed = [
            self._table.melds[index]
            for violation in failed.verdict.violations
            if violation.side is Side.BEFORE
            for index in violation.melds
        ]
        blamed = list((Counter(blamed) & Counter(plan.loose)).elements())
        blamed = blamed or [meld for meld in plan.loose if JOKER in meld]
        together = plan
        for meld in blamed:
            together = next(together.tied(meld, rules), together)
        if len(blamed) > 1:
            yield together
        if blamed:
            yield from plan.tied(blamed[0], rules)

    def _look_through(self, bound: int) -> bool:
        """Judge every arrangement that lays more than what is known, best first; whether none was left out."""
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
                    verdict = self.try_table(after)
                    if verdict is None:
                        return True
                    if not verdict.proved:
                        return False
        except SearchTooLarge:
            return False
        return True
