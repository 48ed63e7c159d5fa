"""Every legal turn of a player: the arrangements of table and rack by exact cover, filtered by the judge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import product
from typing import Final

from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.policies import FreedJoker, OpeningTable
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.best_play import can_open
from tilekeeper.engine.solver.exact_cover import Cover
from tilekeeper.engine.solver.plan import Plan
from tilekeeper.engine.solver.plans import families, tied_melds_stay_whole
from tilekeeper.engine.sweep.task import Task
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

_MOST_STATES: Final = 1 << 60
"""No limit: the caller decides how many turns to take."""


def legal_tables(table: Table, rack: Iterable[Tile], context: TurnContext) -> Iterator[Table]:
    """Yield the table after every legal turn, each once."""
    if can_open(table, rack, context) is False:
        return
    yielded = set[Table]()
    for after in _tables(table, rack, context):
        if after not in yielded and judge(table, after, context).legal:
            yielded.add(after)
            yield after


def _tables(table: Table, rack: Iterable[Tile], context: TurnContext) -> Iterator[Table]:
    """Yield tables, among them the table after every legal turn; invalid melds may stay as they are."""
    rules = context.rules
    held = Counter({tile: min(count, rules.stock.copies_of(tile)) for tile, count in Counter(rack).items()})
    has_opened = context.opened or not rules.opening.minimum_points
    if not has_opened and rules.opening.table is OpeningTable.LEFT_ALONE:
        yield from _arrangements(Plan(Task(Counter(), +held), table.melds), (), rules)
        return
    broken = [meld for meld in table.melds if not is_valid(meld, rules)]
    for stays in product((False, True), repeat=len(broken)):
        staying = tuple(meld for meld, stay in zip(broken, stays, strict=True) if stay)
        lying = list(table.melds)
        for meld in staying:
            lying.remove(meld)
        for plan in _plans(Table(lying), +held, rules):
            yield from _arrangements(replace(plan, rows=staying), lying, rules)


def _plans(table: Table, rack: Counter[Tile], rules: RuleSet) -> Iterator[Plan]:
    """Yield plans whose arrangements include every legal turn."""
    if tied_melds_stay_whole(rules):
        for family in families(table, Task(Counter(), rack), rules)[0]:
            yield from family.loosest
        return
    must, may = table.counts, Counter(rack)
    for tile in list(must):
        if rules.manipulation.take_back or (tile is JOKER and rules.joker.freed is FreedJoker.RACK):
            may[tile] += must.pop(tile)
    yield Plan(Task(must, may))


def _arrangements(plan: Plan, likely: Iterable[Meld], rules: RuleSet) -> Iterator[Table]:
    """Yield the table of every solution of a plan; tables with melds of `likely` tend to come first."""
    # Without weights every arrangement leaves over nothing.
    task = replace(plan.task, weights=dict.fromkeys(plan.task.may, 0))
    cover = Cover(task, rules, every_row=True, most_states=_MOST_STATES, likely=likely)
    for solution in cover.arrangements(0):
        yield plan.table(solution.melds)
