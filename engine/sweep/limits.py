"""Which tasks the sweep over the numbers can solve, and how many jokers it need count in a set."""

from __future__ import annotations

from tilekeeper.engine.rules.meld import Kind
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.sweep.task import Block, Task
from tilekeeper.engine.tiles.tile import JOKER


def joker_limit(task: Task, rules: RuleSet) -> int | None:
    """How many jokers a set may hold; none where all that there are may lie in one."""
    there = task.must[JOKER] + task.may[JOKER] + sum(block.jokers for block in task.blocks)
    limit = rules.joker.most_in_set
    return limit if limit is not None and limit < there else None


def can_sweep(task: Task, rules: RuleSet) -> bool:
    """Whether the sweep can solve a task: not where runs go past the highest number or jokers alone are a set.

    Where blocks could hold more jokers than they do, but not all that there are, a block would have to be followed
    with the run that it takes up; no edition has that. Nor has any an old group to which two tiles could be put, or an
    old run with a joker that lies at one end and stands for the tile at the other.
    """
    limit = joker_limit(task, rules)
    full = limit is None or all(block.jokers >= limit for block in task.blocks)
    largest = min(rules.melds.largest_group or 0, len(rules.stock.inks))
    groups = [block for block in task.blocks if block.reading.kind is Kind.GROUP]
    full = full and all(len(block.row) >= largest - 1 for block in groups)
    full = full and all(_is_in_order(block) for block in task.blocks if block.reading.kind is Kind.RUN)
    return full and not rules.melds.wraps and not rules.joker.alone


def _is_in_order(block: Block) -> bool:
    first, last = block.reading.tiles[0], block.reading.tiles[-1]
    return (last.number or 0) - (first.number or 0) == len(block.row) - 1
