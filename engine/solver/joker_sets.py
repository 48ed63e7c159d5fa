"""The sets in which a joker of the table can be at the end of a turn, if jokers leave sets only when replaced.

A joker that stays in its place still stands for its tile, in a run or a group. A shifted joker stands for another tile
but is with a tile of its old set. A replaced joker is in a new set with tiles of the rack. Each plan ties the smallest
part of such a set, so that one of the plans lays at least as much as any legal turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, combinations, product

from tilekeeper.engine.rules.meld import Kind, is_group, readings
from tilekeeper.engine.rules.policies import FreedJoker
from tilekeeper.engine.rules.possible_rows import all_rows
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.plans import Plan, blocks_of
from tilekeeper.engine.sweep.task import Block, Task
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile

_Stays = tuple[Tile, Meld]
"""A joker that stays: the tile for which it stands, and its meld."""


@dataclass(frozen=True, slots=True)
class _Set:
    """The smallest part of a set that holds a joker."""

    row: Meld
    of_rack: Counter[Tile]
    """The tiles of `row` that come from the rack."""
    continues: Block | None = None
    """The block of another joker that is extended to this set; None for a set of its own."""


def plans_around_jokers(plan: Plan, replacing: Counter[Tile], rules: RuleSet) -> Iterator[Iterator[Plan]]:
    """Yield the plans for one joker after the other: in each plan, the joker is in one of its possible sets.

    Jokers whose sets can't be listed are skipped. Among the plans for one joker, some plan lays at least as much as any
    legal turn of the given plan. The task of this plan must lay the tile for which a staying joker stands, or the joker
    itself if it was replaced or shifted, and the tiles `replacing` jokers.
    """
    jokers, of_rack = plan.task.must[JOKER], plan.task.may[JOKER]
    if len(plan.task.blocks) > 1:
        return  # three or more sets may become one set
    if jokers and plan.shifted and not (of_rack and plan.task.blocks):
        for meld in dict.fromkeys(plan.shifted):
            rows = chain(_shifted_sets(plan, meld, rules), _joined_sets(plan, None, rules))
            yield _with_sets(plan, rows, None, rules, meld)
    elif plan.shifted or of_rack:
        return  # a joker of the rack may lie in any of these sets
    elif not jokers:
        for stays in plan.staying:
            if any(stays[0] in block.row for block in plan.task.blocks):
                continue  # the joker may be in this block already
            rows = chain(_old_sets(plan, stays, rules), _joined_sets(plan, stays[0], rules))
            yield _with_sets(plan, rows, stays, rules)
    elif rules.joker.freed is FreedJoker.NEW_SET:
        rows = chain(_new_sets(plan, replacing, rules), _joined_sets(plan, None, rules))
        yield _with_sets(plan, rows, None, rules)


def _with_sets(
    plan: Plan, sets: Iterable[_Set], stays: _Stays | None, rules: RuleSet, shifted_from: Meld | None = None
) -> Iterator[Plan]:
    """Yield the plans in which a joker is in one of its sets, if the tiles of the plan allow it.

    `stays` is given if the joker stays in its place, `shifted_from`, its old meld, if it is shifted.
    """
    shifted = list(plan.shifted)
    if shifted_from is not None:
        shifted.remove(shifted_from)
    for found in sets:
        must, blocks = plan.task.must, plan.task.blocks
        if found.continues is not None:
            blocks = tuple(block for block in blocks if block is not found.continues)
            must = must + Counter(found.continues.row)
        lying = Counter(found.row) - found.of_rack
        if stays is not None:
            lying += Counter({stays[0]: 1, JOKER: -1})
        if lying <= must and found.of_rack <= plan.task.may:
            for block in blocks_of(found.row, rules):
                yield replace(
                    plan,
                    task=replace(
                        plan.task, must=must - lying, may=plan.task.may - found.of_rack, blocks=(*blocks, block)
                    ),
                    staying=tuple(each for each in plan.staying if each is not stays),
                    shifted=tuple(shifted),
                )


def _joined_sets(plan: Plan, stands_for: Tile | None, rules: RuleSet) -> Iterator[_Set]:
    """Yield the sets of other jokers, which are blocks, that this joker joins, with the tiles between them.

    `stands_for` is None if the joker may stand for any tile.
    """
    for block in plan.task.blocks:
        first, last = block.reading.tiles[0], block.reading.tiles[-1]
        low, high = first.number or 0, last.number or 0
        if block.reading.kind is Kind.GROUP:
            if len(block.row) < (rules.melds.largest_group or 0) and (stands_for is None or stands_for.number == low):
                yield _Set((*block.row, JOKER), Counter(), block)
            continue
        for at in range(1, rules.stock.numbers + 1) if stands_for is None else [stands_for.number or 0]:
            if stands_for is not None and stands_for.colour is not first.colour:
                continue
            ahead = [JOKER if number == at else Tile(first.colour, number) for number in range(at, low)]
            after = [JOKER if number == at else Tile(first.colour, number) for number in range(high + 1, at + 1)]
            lacking = (tile for tile in (*ahead, *after) if not tile.is_joker and not plan.task.must[tile])
            if ahead or after:
                yield _Set((*ahead, *block.row, *after), Counter(lacking), block)


def _old_sets(plan: Plan, stays: _Stays, rules: RuleSet) -> Iterator[_Set]:
    """Yield the sets in which a joker stays: the shortest runs or groups with the tile for which it stands."""
    stands_for, meld = stays
    kinds = {reading.kind for reading in readings(meld, rules)}
    for row in _rows(plan.task, rules):
        if stands_for in row and len(row) == rules.melds.shortest:
            at = row.index(stands_for)
            if (Kind.GROUP if is_group(row, rules) else Kind.RUN) in kinds:
                yield _Set((*row[:at], JOKER, *row[at + 1 :]), Counter(row) - plan.task.must)


def _shifted_sets(plan: Plan, meld: Meld, rules: RuleSet) -> Iterator[_Set]:
    """Yield the smallest sets in which a joker is with a tile of its old meld."""
    plain = {tile for tile in meld if not tile.is_joker}
    for row in _rows(plan.task, rules):
        if JOKER not in row or plain.isdisjoint(row):
            continue
        places = _places(row, plain)
        for joker, other in product(_places(row, {JOKER}), places):
            is_nearest = not any(min(joker, other) < at < max(joker, other) for at in places)
            if is_nearest and _is_smallest(row, (joker, other), rules):
                yield _Set(row, Counter(row) - plan.task.must)
                break


def _new_sets(plan: Plan, replacing: Counter[Tile], rules: RuleSet) -> Iterator[_Set]:
    """Yield the smallest sets of a replaced joker with as many tiles of the rack as the rules ask for."""
    may, rack = plan.task.may, (plan.task.may + replacing).keys()
    for row in _rows(plan.task, rules):
        for of_rack in combinations(_places(row, rack), rules.joker.rack_tiles):
            if any(_is_smallest(row, (joker, *of_rack), rules) for joker in _places(row, {JOKER})):
                yield _Set(row, (Counter(row[at] for at in of_rack) - replacing) & may)


def _rows(task: Task, rules: RuleSet) -> tuple[Meld, ...]:
    """Return every valid row that the tiles of a task outside its blocks can make."""
    return _rows_of(frozenset((task.must + task.may).items()), rules)


@lru_cache(maxsize=32)  # many plans of a search have the same tiles
def _rows_of(tiles: frozenset[tuple[Tile, int]], rules: RuleSet) -> tuple[Meld, ...]:
    return tuple(all_rows(Counter(dict(tiles)), rules))


def _places(row: Meld, tiles: Collection[Tile]) -> list[int]:
    return [at for at, tile in enumerate(row) if tile in tiles]


def _is_smallest(row: Meld, places: Sequence[int], rules: RuleSet) -> bool:
    """Return whether the tiles at these places of a row can't be together in a shorter set."""
    if len(row) == rules.melds.shortest:
        return True
    return min(places) == 0 and max(places) == len(row) - 1 and not is_group(row, rules)
