"""Solve a task: by the sweep if possible, and by the exact cover under house rules that the sweep can't handle."""

from __future__ import annotations

from tilekeeper.engine.rules.meld import Kind
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.exact_cover import cover_task
from tilekeeper.engine.sweep.backtrace import sweep_task
from tilekeeper.engine.sweep.columns import joker_limit
from tilekeeper.engine.sweep.sweep import Pay
from tilekeeper.engine.sweep.task import Solution, Task


def solve(task: Task, rules: RuleSet, most_states: int = 200_000, pay: Pay = lambda _: None) -> Solution | None:
    """Return the best arrangement of a task; None if the tiles that must be laid have no arrangement.

    The sweep also returns None if every arrangement leaves over more than the task allows. `pay` pays for its steps;
    an exception ends it. Optional tiles must be tiles of the edition.

    Raises:
        SearchTooLarge: if only the exact cover can solve the task, and it needs more states.
    """
    if not all(rules.stock.copies_of(tile) for tile in task.must):
        return None
    return sweep_task(task, rules, pay) if can_sweep(task, rules) else cover_task(task, rules, most_states)


def can_sweep(task: Task, rules: RuleSet) -> bool:
    """Return whether the sweep can solve a task; under the rules of a printed edition it always can.

    The sweep can't solve a task in any of these cases:

    - Runs wrap past the highest number, or jokers alone are a set.
    - The rules limit the jokers in a set, and a block could take some of the task's jokers but not all.
    - A block is a group that lacks two tiles or more.
    - A block is a run whose reading does not go from its lowest number to its highest.
    """
    limit = joker_limit(task, rules)
    full = limit is None or all(block.jokers >= limit for block in task.blocks)
    largest = min(rules.melds.largest_group or 0, len(rules.stock.inks))
    groups = [block for block in task.blocks if block.reading.kind is Kind.GROUP]
    full = full and all(len(block.row) >= largest - 1 for block in groups)
    for block in task.blocks:
        first, last = block.reading.tiles[0].number or 0, block.reading.tiles[-1].number or 0
        full = full and (block.reading.kind is Kind.GROUP or last - first == len(block.row) - 1)
    return full and not rules.melds.wraps and not rules.joker.alone
