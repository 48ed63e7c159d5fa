"""Solves a task by the sweep where that can, and by the exact cover where house rules ask for more."""

from __future__ import annotations

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.exact_cover import cover_task
from tilekeeper.engine.sweep.backtrace import sweep_task
from tilekeeper.engine.sweep.limits import can_sweep
from tilekeeper.engine.sweep.task import Solution, Task


def solve(task: Task, rules: RuleSet, most_states: int = 200_000) -> Solution | None:
    """The best arrangement of a task; none where not all that must be laid can be.

    Tiles that may be laid are to be tiles of the edition; that one that must be laid is none is found out here.

    Raises:
        TooManyWays: if only the exact cover can solve it, and it would look at more states than it may.
    """
    if not all(rules.stock.copies_of(tile) for tile in task.must):
        return None
    return sweep_task(task, rules) if can_sweep(task, rules) else cover_task(task, rules, most_states)
