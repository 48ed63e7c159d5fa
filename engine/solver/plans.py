"""Plans for a turn of a player who has opened: the tasks to solve, by the rules of manipulation; and families of plans.

A meld that must stay together is tied: it becomes a block that may be extended. Other melds are loose: the task may
rearrange their tiles. For a joker that may be replaced, a plan has the replacing tile and the joker's new place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from tilekeeper.engine.provenance.joker_fates import Release, fates, needs_new_set
from tilekeeper.engine.rules.meld import Kind, is_valid, readings
from tilekeeper.engine.rules.policies import FreedJoker, JokerSets, Regrouping, ReplacedFrom
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.joker_options import Option, joker_options, new_sets
from tilekeeper.engine.sweep.task import Block, Task
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile


@dataclass(frozen=True, slots=True)
class Plan:
    """A task, and what must be added to its solution to get the table after the turn."""

    task: Task
    rows: tuple[Meld, ...] = ()
    """Rows to add to the solution as they are."""
    staying: tuple[tuple[Tile, Meld], ...] = ()
    """For each joker that stays in its place: the tile that stands for it in the task, and the joker's old meld."""
    shifted: tuple[Meld, ...] = ()
    """The old meld of each joker that stays with a tile of its meld but in another place. In the task it is a joker."""

    def table(self, melds: Iterable[Meld]) -> Table:
        """Return the table after a solution of the task."""
        rows = list(melds)
        for stands_for, origin in self.staying:
            holding = [at for at, row in enumerate(rows) if stands_for in row]
            at = max(holding, key=lambda at: len(set(origin).intersection(rows[at])))
            place = rows[at].index(stands_for)
            rows[at] = (*rows[at][:place], JOKER, *rows[at][place + 1 :])
        return Table((*self.rows, *rows))


@dataclass(frozen=True, slots=True)
class Family:
    """The turns in which the jokers of tied melds have the same options."""

    loosest: tuple[Plan, ...]
    """The least constrained plans; one of them lays at least as much as every legal turn of the family."""
    replacing: Counter[Tile] | None = None
    """The tiles that replaced jokers, if jokers leave their sets in no other way; None otherwise."""
    narrower: Iterable[Plan] = ()
    """More constrained plans, for the case that no solution of `loosest` is legal."""
    complete: bool = False
    """Whether every legal turn of the family is a solution of a narrower plan; if there is none, of a loosest plan."""


def blocks_of(row: Meld, rules: RuleSet) -> list[Block]:
    """Return a block for each reading of a meld that can be extended in another way; all its groups count as one."""
    found: dict[object, Block] = {}
    for block in dict.fromkeys(Block.from_reading(row, reading) for reading in readings(row, rules)):
        first = block.reading.tiles[0]
        key = (block.reading.kind, first.number, block.row if block.reading.kind is Kind.RUN else ())
        found.setdefault(key, block)
    return list(found.values())


def families(table: Table, task: Task, rules: RuleSet) -> tuple[Iterator[Family], bool]:
    """Return the families of turns of a player, and whether they include every legal turn.

    The optional tiles of the task are the rack, with their weights. Legal turns may be missing if the table has an
    invalid meld, or if tiles may be taken back or may replace a joker of the table.
    """
    valid: list[Meld] = []
    broken: list[Meld] = []
    for meld in table.melds:
        (valid if is_valid(meld, rules) else broken).append(meld)
    from_rack = rules.joker.sets is JokerSets.LIKE_OTHERS or rules.joker.replaced_from is ReplacedFrom.RACK
    are_all = from_rack and not broken and not rules.manipulation.take_back
    return _all_families(valid, broken, task, rules), are_all


def _all_families(valid: list[Meld], broken: list[Meld], task: Task, rules: RuleSet) -> Iterator[Family]:
    yield from _families(valid, broken, task, rules)
    if broken:
        # An invalid meld that is left unchanged is not the player's fault.
        for family in _families(valid, [], task, rules):
            yield Family(
                tuple(_with_rows(broken, plan) for plan in family.loosest),
                narrower=(_with_rows(broken, plan) for plan in family.narrower),
                complete=family.complete,
            )


def _with_rows(rows: Sequence[Meld], plan: Plan) -> Plan:
    return replace(plan, rows=(*rows, *plan.rows))


def _families(valid: list[Meld], broken: list[Meld], task: Task, rules: RuleSet) -> Iterator[Family]:
    tied = [_is_tied(meld, rules) for meld in valid]
    if tied_melds_stay_whole(rules):
        for options in joker_options(valid, tied, task.may, rules):
            yield _family(options, tied, broken, task, rules)
        return
    narrower = _narrower(valid, tied, broken, task, rules)
    outcomes = _joker_outcomes(valid, task, rules)
    if outcomes is None:
        untied = tuple(Plan(each) for each in _untied_tasks([*valid, *broken], task, rules))
        yield Family(untied, narrower=narrower)
        return
    must = Counter(tile for meld in (*valid, *broken) for tile in meld)
    for outcome in product(*outcomes):
        replacing = Counter(tile for tile, _, stays in outcome if tile is not None and not stays)
        staying = tuple((tile, meld) for tile, meld, stays in outcome if tile is not None and stays)
        shifted = tuple(meld for tile, meld, _ in outcome if tile is None)
        tile_counts = must + replacing + Counter(tile for tile, _ in staying) - Counter({JOKER: len(staying)})
        loosest = Plan(Task(tile_counts, task.may - replacing, task.weights), (), staying, shifted)
        yield Family((loosest,), replacing)


_JokerOutcome = tuple[Tile | None, Meld, bool]
"""The tile for which a joker stands, its meld, and whether it stays; if it does not, the tile is laid in its place.

The tile is None for a joker that stays with a tile of its meld in another place.
"""


def _joker_outcomes(valid: Sequence[Meld], task: Task, rules: RuleSet) -> list[list[_JokerOutcome]] | None:
    """Return for each joker of the table its possible outcomes, if only a tile of the rack can free it.

    Return None if the edition has other ways, such as a joker that goes to the rack. Return None also if two jokers
    could stand for the same tile, since the judge then judges each of them by itself.
    """
    joker = rules.joker
    if joker.sets is not JokerSets.JOKER_STAYS or joker.replaced_from is not ReplacedFrom.RACK:
        return None
    if rules.manipulation.take_back or joker.freed is FreedJoker.RACK:
        return None
    outcomes: list[list[_JokerOutcome]] = []
    stood_for_before: set[Tile] = set()
    for meld in valid:
        for place in (at for at, tile in enumerate(meld) if tile.is_joker):
            ways = fates(meld, place, rules)
            if not stood_for_before.isdisjoint(ways[Release.STAYED]):
                return None
            stood_for_before.update(ways[Release.STAYED])
            outcomes.append(
                [
                    *((tile, meld, True) for tile in ways[Release.STAYED]),
                    *((tile, meld, False) for tile in ways[Release.REPLACED] if task.may[tile]),
                    *([(None, meld, True)] if Release.SHIFTED in ways else []),
                ]
            )
    return outcomes


def _untied_tasks(melds: Sequence[Meld], task: Task, rules: RuleSet) -> list[Task]:
    """Return the tasks in which no meld of the table is tied."""
    must = Counter(tile for meld in melds for tile in meld)
    if rules.joker.freed is not FreedJoker.RACK:
        return [Task(must, task.may, task.weights)]
    freed = must.pop(JOKER, 0)
    return [replace(each, must=must) for each in _with_freed(task.may, freed, task)]


def _with_freed(rack: Counter[Tile], freed: int, task: Task) -> list[Task]:
    """Return the tasks of laying a rack, together with `freed` jokers of the table that went to it.

    A laid joker counts only if it comes from the rack, but a task can't tell the jokers apart. So in the first task
    jokers have no weight, and in the second, if the rack has jokers, they have the weight of `task`. If
    `freed` is 0, one task is enough.
    """
    may = rack + Counter({JOKER: freed})
    as_they_weigh = Task(Counter(), may, task.weights)
    if not freed:
        return [as_they_weigh]
    no_weight = replace(as_they_weigh, weights={**task.weights, JOKER: 0})
    return [no_weight, as_they_weigh] if rack[JOKER] else [no_weight]


def tied_melds_stay_whole(rules: RuleSet) -> bool:
    """Return whether `_is_tied` alone decides which melds stay together, and tied melds lose nothing but jokers.

    A joker may leave if a tile of the rack replaces it or, in some editions, if the rest of its meld is valid. The
    result is False for example with `take_back`, or with `staying_together` unless the edition is `EXTEND_ONLY`.
    """
    if rules.joker.replaced_from is not ReplacedFrom.RACK or rules.manipulation.take_back:
        return False
    if rules.manipulation.regrouping is Regrouping.EXTEND_ONLY:
        return rules.joker.sets is not JokerSets.LIKE_OTHERS
    return rules.joker.sets is JokerSets.LOCKED and not rules.manipulation.staying_together


def _is_tied(meld: Meld, rules: RuleSet) -> bool:
    """Return whether a meld must stay together; a meld that only its jokers tie is free once they are replaced."""
    if rules.manipulation.regrouping is Regrouping.EXTEND_ONLY:
        return True
    return JOKER in meld and rules.joker.sets is not JokerSets.LIKE_OTHERS


def _narrower(
    valid: list[Meld], tied: Sequence[bool], broken: list[Meld], task: Task, rules: RuleSet
) -> Iterator[Plan]:
    for options in joker_options(valid, tied, task.may, rules) if any(tied) else ():
        family = _family(options, tied, broken, task, rules)
        yield from family.narrower if needs_new_set(rules) and family.narrower else family.loosest
    # If no tile leaves a meld, no rule of manipulation can be broken.
    untouched = [Option((meld,)) for meld in valid]
    yield from _with_blocks(untouched, [True] * len(valid), broken, task.may, task, rules)


def _family(
    options: Sequence[Option], tied: Sequence[bool], broken: Sequence[Meld], task: Task, rules: RuleSet
) -> Family:
    """Return the family of turns in which exactly the jokers of these options are replaced or taken out."""
    used = Counter(tile for option in options for tile in option.used)
    freed, moved = used.total(), sum(option.moved for option in options)
    rack = task.may - used
    still = [
        bound and (rules.manipulation.regrouping is Regrouping.EXTEND_ONLY or any(JOKER in row for row in option.rows))
        for option, bound in zip(options, tied, strict=True)
    ]
    loose = [*broken, *([(JOKER,) * moved] if moved else [])]
    if not freed:
        return Family(tuple(_with_blocks(options, still, loose, rack, task, rules)), complete=True)
    if rules.joker.freed is FreedJoker.RACK:
        weighed = _with_freed(rack, freed, task)
        plans = [plan for each in weighed for plan in _with_blocks(options, still, loose, each.may, each, rules)]
        return Family(tuple(plans), complete=True)
    anywhere = tuple(_with_blocks(options, still, [*loose, (JOKER,) * freed], rack, task, rules))
    if not needs_new_set(rules):
        return Family(anywhere)
    # A set is free once its jokers are replaced: the replacing tiles may join the new sets.
    free = Counter(tile for option, bound in zip(options, still, strict=True) if not bound for tile in option.used)
    # Further tiles may join a new set after it was laid.
    narrower = (
        plan
        for rows in new_sets(rack + free, freed, rules)
        for plan in _with_blocks(
            [*options, *[Option((row,)) for row in rows]],
            [*still, *[True] * len(rows)],
            loose,
            rack - _laid(rows, freed),
            task,
            rules,
            _laid(rows, freed) - rack,
        )
    )
    return Family(anywhere, narrower=narrower, complete=rules.joker.freed is FreedJoker.SET_FROM_RACK)


def _laid(rows: Iterable[Meld], freed: int) -> Counter[Tile]:
    """Return the tiles of new sets, without `freed` jokers."""
    laid = Counter(tile for row in rows for tile in row)
    laid[JOKER] -= min(freed, laid[JOKER])
    return laid


def _with_blocks(
    options: Sequence[Option],
    tied: Sequence[bool],
    loose: Sequence[Meld],
    rack: Counter[Tile],
    task: Task,
    rules: RuleSet,
    moved: Counter[Tile] | None = None,
) -> Iterator[Plan]:
    """Yield the plans in which tied melds are blocks, one for each combination of their readings.

    Tiles of `loose` rows must be laid anywhere; the tiles `moved` are those of them that are in tied melds now.
    """
    free = [row for option, bound in zip(options, tied, strict=True) if not bound for row in option.rows]
    must = Counter(tile for row in (*loose, *free) for tile in row) - (moved or Counter())
    bound_rows = [row for option, bound in zip(options, tied, strict=True) if bound for row in option.rows]
    for blocks in product(*[blocks_of(row, rules) for row in bound_rows]):
        yield Plan(Task(must, rack, task.weights, blocks))
