"""The sets in which a joker of the table can be at the end of a turn, if jokers leave sets only when replaced.

A joker that stays in its place is in a run at its place, or in a group of its number. One that is shifted is with a
tile of its set, and a replaced one in a new set with two tiles of the rack. Each plan ties the smallest part of such a
set, so that one plan lays as much as any legal turn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations
from typing import Final

from tilekeeper.engine.rules.meld import Kind, readings
from tilekeeper.engine.rules.policies import FreedJoker
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.plan import Plan, blocks_of
from tilekeeper.engine.sweep.task import Block
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile

_OF_RACK: Final = 2
"""The number of tiles of the rack beside a replaced joker; the sets are listed for this number only."""

_MOST_JOKERS: Final = 2
"""The sets of a shifted joker are listed with one other joker at most, as many as any printed edition has."""

_Stays = tuple[Tile, Meld]
"""A joker that stays: the tile for which it stands, and its meld."""


@dataclass(frozen=True, slots=True)
class _Set:
    """The smallest part of a set that holds a joker."""

    row: Meld
    of_rack: Counter[Tile]
    """Its tiles that come from the rack."""
    continues: Block | None = None
    """The set of another joker that this set continues."""


def plans_around_jokers(plan: Plan, replacing: Counter[Tile], rules: RuleSet) -> Iterator[Iterator[Plan]]:
    """Yield choices of plans, one for each joker whose sets can be listed; each has a plan that lays the most.

    Args:
        plan: the plan without places for the jokers: a staying one is given as the tile for which it stands,
            a replaced one as a joker.
        replacing: the tiles that replaced jokers; they are among those that must lie.
        rules: the edition in play.
    """
    jokers, of_rack = plan.task.must[JOKER], plan.task.may[JOKER]
    if len(plan.task.blocks) > 1:
        return  # more than two sets may become one
    if jokers and plan.shifted and jokers + of_rack <= _MOST_JOKERS and not (of_rack and plan.task.blocks):
        for meld in dict.fromkeys(plan.shifted):
            rows = chain(_shifted_sets(plan, meld, rules), _joined_sets(plan, None, rules))
            yield _with_sets(plan, rows, None, rules, meld)
    elif plan.shifted or of_rack:
        return  # a joker of the rack may lie in any of these sets
    elif not jokers:
        for stays in plan.staying:
            if any(stays[0] in block.row for block in plan.task.blocks):
                continue  # it may lie there already
            rows = chain(_old_sets(plan, stays, rules), _joined_sets(plan, stays[0], rules))
            yield _with_sets(plan, rows, stays, rules)
    elif rules.joker.freed is FreedJoker.NEW_SET and rules.joker.rack_tiles == _OF_RACK:
        rows = chain(_new_sets(plan, replacing, rules), _joined_sets(plan, None, rules))
        yield _with_sets(plan, rows, None, rules)


def _with_sets(
    plan: Plan, sets: Iterable[_Set], stays: _Stays | None, rules: RuleSet, shifted_from: Meld | None = None
) -> Iterator[Plan]:
    """Yield the plans in which a joker is in one of some sets; a set replaces another one that it continues."""
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
    """Yield the sets of other jokers, extended by tiles of the table or rack up to this joker.

    Args:
        plan: the plan, in which the other jokers are in blocks.
        stands_for: the tile for which the joker stands; None if it may stand for any.
        rules: the edition in play.
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
    """Yield the sets in which a joker stays: three tiles of a run around its place, or of a group."""
    stands_for, meld = stays
    must, may = plan.task.must, plan.task.may
    for row in _rows_around(stands_for, {reading.kind for reading in readings(meld, rules)}, rules):
        of_rack = Counter(tile for tile in row if not tile.is_joker and not must[tile])
        if all(may[tile] for tile in of_rack):
            yield _Set(row, of_rack)


def _shifted_sets(plan: Plan, meld: Meld, rules: RuleSet) -> Iterator[_Set]:
    """Yield the sets in which a joker is with a tile of its meld, and with the tiles between in a run."""
    must, may = plan.task.must, plan.task.may
    own = [tile for tile in meld if not tile.is_joker]
    for row in dict.fromkeys(row for tile in own for row in _rows_with_own(tile, own, rules)):
        others = [at for at, tile in enumerate(row) if tile not in (JOKER, *own)]
        of_rack = [row[at] for at in others if not must[row[at]]]
        if all(may[tile] for tile in of_rack):
            yield _Set(row, Counter(of_rack))
        if must[JOKER] + may[JOKER] > 1:
            # Another joker may be beside or between them.
            joker_of_rack = [JOKER] if must[JOKER] < 2 else []
            for at in others:
                lacking = [row[other] for other in others if other != at and not must[row[other]]]
                if all(may[tile] for tile in lacking):
                    yield _Set((*row[:at], JOKER, *row[at + 1 :]), Counter([*lacking, *joker_of_rack]))


def _rows_with_own(own: Tile, all_own: Sequence[Tile], rules: RuleSet) -> Iterator[Meld]:
    """Yield the shortest rows of a tile and a joker: groups, and runs with no other tile of the meld between them."""
    number, shortest, highest = own.number or 0, rules.melds.shortest, rules.stock.numbers
    if rules.melds.largest_group:
        others = [Tile(ink, number) for ink in rules.stock.inks if ink is not own.colour]
        for chosen in combinations(others, shortest - 2):
            yield (own, *chosen, JOKER)
    near = {tile.number or 0 for tile in all_own if tile.colour is own.colour and tile is not own}
    for place in range(1, highest + 1):
        first, last = min(number, place), max(number, place)
        if place == number or near.intersection(range(first + 1, last)):
            continue
        for start in range(max(1, last - max(shortest, last - first + 1) + 1), first + 1):
            end = start + max(shortest, last - first + 1)
            if end <= highest + 1:
                yield tuple(JOKER if at == place else Tile(own.colour, at) for at in range(start, end))


def _rows_around(stands_for: Tile, kinds: Iterable[Kind], rules: RuleSet) -> Iterator[Meld]:
    """Yield the shortest rows in which a joker stands for a tile."""
    number, shortest = stands_for.number or 0, rules.melds.shortest
    if Kind.RUN in kinds:
        for start in range(max(1, number - shortest + 1), min(number, rules.stock.numbers - shortest + 1) + 1):
            line = range(start, start + shortest)
            yield tuple(JOKER if at == number else Tile(stands_for.colour, at) for at in line)
    if Kind.GROUP in kinds:
        others = [Tile(ink, number) for ink in rules.stock.inks if ink is not stands_for.colour]
        for chosen in combinations(others, shortest - 1):
            yield (*chosen, JOKER)


def _new_sets(plan: Plan, replacing: Counter[Tile], rules: RuleSet) -> Iterator[_Set]:
    """Yield the sets of a replaced joker with two tiles of the rack and, in a run, tiles of the table between."""
    must, may = plan.task.must, plan.task.may
    rack = sorted((may + replacing).keys(), key=lambda tile: tile.order)
    for one, two in combinations(rack, _OF_RACK):
        of_rack = (Counter([one, two]) - replacing) & may
        for row in _rows_with(one, two, rules):
            between = [at for at, tile in enumerate(row) if tile not in (JOKER, one, two)]
            lacking = [at for at in between if not must[row[at]]]
            if not lacking:
                yield _Set(row, of_rack)
            if must[JOKER] > 1 and len(lacking) < 2:
                # Another replaced joker may be between them.
                for at in lacking or between:
                    yield _Set((*row[:at], JOKER, *row[at + 1 :]), of_rack)


def _rows_with(one: Tile, two: Tile, rules: RuleSet) -> Iterator[Meld]:
    """Yield the shortest rows of two tiles, the lower one first, a joker and, in a run, others between them."""
    if one.number == two.number and one.colour is not two.colour and rules.melds.largest_group:
        yield one, two, JOKER
    if one.colour is two.colour and one.number != two.number:
        first, last = one.number or 0, two.number or 0
        for joker in range(1, rules.stock.numbers + 1):
            line = range(min(first, joker), max(last, joker) + 1)
            if joker not in (first, last) and len(line) >= rules.melds.shortest:
                yield tuple(JOKER if at == joker else Tile(one.colour, at) for at in line)
