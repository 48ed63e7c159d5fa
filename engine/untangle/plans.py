"""Which tasks to solve for a turn of a player who is in the game, as the edition lets the table be used.

What a rule ties together becomes a block that may be put to; what it leaves free is arranged anew. A replaced joker
is planned for: which tile takes its place, and where it goes then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from tilekeeper.engine.meld import is_valid, readings
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.rules_policies import FreedJoker, JokerSets, Regrouping, ReplacedFrom
from tilekeeper.engine.table import Meld, Table
from tilekeeper.engine.tile import JOKER, Tile
from tilekeeper.engine.untangle.rows import all_rows
from tilekeeper.engine.untangle.task import Block, Task


@dataclass(frozen=True, slots=True)
class Plan:
    """A task, and rows that lie besides."""

    task: Task
    rows: tuple[Meld, ...] = ()


@dataclass(frozen=True, slots=True)
class _Swap:
    """A meld of the table in which tiles took the place of jokers."""

    row: Meld
    tiles: tuple[Tile, ...]
    """The tiles that were laid there, each for one joker."""


def plans(table: Table, task: Task, rules: RuleSet) -> Iterator[Plan]:
    """The tasks to try, those that leave most open first; `task` has the rack, and what each tile weighs.

    What comes of a plan is to be judged: not every rule about the way is built into it.
    """
    valid: list[Meld] = []
    broken: list[Meld] = []
    for meld in table.melds:
        (valid if is_valid(meld, rules) else broken).append(meld)
    yield from _plans(valid, broken, task, rules)
    if broken:
        # What lay wrongly and lies so still is nobody's fault.
        for plan in _plans(valid, [], task, rules):
            yield Plan(plan.task, (*broken, *plan.rows))


def _plans(valid: Sequence[Meld], broken: Sequence[Meld], task: Task, rules: RuleSet) -> Iterator[Plan]:
    loose = Counter(tile for meld in broken for tile in meld)
    tied = [_is_tied(meld, rules) for meld in valid]
    untouched = [_Swap(meld, ()) for meld in valid]
    yield from _with_blocks(untouched, tied, loose, task.may, (), task, rules)
    for swaps in _swapped(valid, tied, task.may, rules):
        yield from _after_swaps(swaps, tied, loose, task, rules)
    if rules.manipulation.staying_together or not all(tied):
        # With everything tied nothing is taken from anywhere, so no rule about that can be broken.
        yield from _with_blocks(untouched, [True] * len(valid), loose, task.may, (), task, rules)


def _is_tied(meld: Meld, rules: RuleSet) -> bool:
    """Whether a meld stays together as long as its jokers are not replaced."""
    if rules.manipulation.regrouping is Regrouping.EXTEND_ONLY:
        return True
    return JOKER in meld and rules.joker.sets is not JokerSets.LIKE_OTHERS


def _swapped(valid: Sequence[Meld], tied: Sequence[bool], rack: Counter[Tile], rules: RuleSet) -> Iterator[list[_Swap]]:
    """Every choice of jokers to be replaced, at least one, by tiles of the rack, or of the table where that may be."""
    there = Counter(rack)
    if rules.joker.replaced_from is ReplacedFrom.ANYWHERE:
        there += Counter(tile for meld, bound in zip(valid, tied, strict=True) if not bound for tile in meld)
    options = [
        [_Swap(meld, ()), *(_swaps(meld, there, rules) if bound else ())]
        for meld, bound in zip(valid, tied, strict=True)
    ]
    for choice in product(*options):
        tiles = Counter(tile for swap in choice for tile in swap.tiles)
        if tiles and tiles <= there:
            yield list(choice)


def _swaps(meld: Meld, there: Counter[Tile], rules: RuleSet) -> Iterator[_Swap]:
    seen = set()
    for reading in readings(meld, rules):
        places = [at for at, tile in enumerate(meld) if tile.is_joker and there[reading.tiles[at]]]
        for chosen in product((False, True), repeat=len(places)):
            swapped = {at for at, swap in zip(places, chosen, strict=True) if swap}
            row = tuple(reading.tiles[at] if at in swapped else tile for at, tile in enumerate(meld))
            if swapped and row not in seen:
                seen.add(row)
                yield _Swap(row, tuple(reading.tiles[at] for at in sorted(swapped)))


def _after_swaps(
    swaps: list[_Swap], tied: Sequence[bool], loose: Counter[Tile], task: Task, rules: RuleSet
) -> Iterator[Plan]:
    used = Counter(tile for swap in swaps for tile in swap.tiles)
    freed = used.total()
    rack = task.may - used
    from_table = used - task.may
    still = [
        bound and (rules.manipulation.regrouping is Regrouping.EXTEND_ONLY or JOKER in swap.row)
        for swap, bound in zip(swaps, tied, strict=True)
    ]
    swaps = _without(swaps, from_table, still)
    match rules.joker.freed:
        case FreedJoker.RACK:
            with_jokers = Task(Counter(), rack + Counter({JOKER: freed}), task.weights)
            yield from _with_blocks(swaps, still, loose, with_jokers.may, (), task, rules)
        case FreedJoker.NEW_SET | FreedJoker.SET_FROM_RACK:
            for rows in _new_sets(rack, freed, rules):
                laid = Counter(tile for row in rows for tile in row)
                laid[JOKER] -= min(freed, laid[JOKER])
                yield from _with_blocks(swaps, still, loose, rack - laid, rows, task, rules)
        case FreedJoker.ANY_MELD | FreedJoker.NEW_COMBINATION:
            yield from _with_blocks(swaps, still, loose + Counter({JOKER: freed}), rack, (), task, rules)


def _without(swaps: list[_Swap], tiles: Counter[Tile], still: list[bool]) -> list[_Swap]:
    """The melds without tiles of the table that took the place of a joker elsewhere; what is left of them is loose."""
    left = Counter(tiles)
    found = []
    for swap, bound in zip(swaps, still, strict=True):
        row = list(swap.row)
        if not bound and not swap.tiles:
            for tile in list(row):
                if left[tile] > 0:
                    left[tile] -= 1
                    row.remove(tile)
        found.append(_Swap(tuple(row), swap.tiles))
    return found


def _new_sets(rack: Counter[Tile], freed: int, rules: RuleSet) -> Iterator[tuple[Meld, ...]]:
    """New sets of the rack's tiles that take up all freed jokers, small ones first."""
    rows = [row for row in all_rows(rack + Counter({JOKER: freed}), rules) if JOKER in row]
    rows = [row for row in rows if len(row) - row.count(JOKER) >= rules.joker.rack_tiles]
    rows.sort(key=len)
    for row in rows:
        left = rack + Counter({JOKER: freed})
        if not Counter(row) <= left:
            continue
        left -= Counter(row)
        taken = min(freed, row.count(JOKER))
        if taken == freed:
            yield (row,)
        else:
            for others in _new_sets(left - Counter({JOKER: freed - taken}), freed - taken, rules):
                yield (row, *others)


def _with_blocks(
    swaps: Sequence[_Swap],
    tied: Sequence[bool],
    loose: Counter[Tile],
    rack: Counter[Tile],
    rows: tuple[Meld, ...],
    task: Task,
    rules: RuleSet,
) -> Iterator[Plan]:
    """The plans in which tied melds are blocks, one for each way to read these."""
    must = loose + Counter(tile for swap, bound in zip(swaps, tied, strict=True) if not bound for tile in swap.row)
    bound_rows = [swap.row for swap, bound in zip(swaps, tied, strict=True) if bound]
    ways = [dict.fromkeys(Block.of(row, reading) for reading in readings(row, rules)) for row in bound_rows]
    for blocks in product(*[_apart(list(way)) for way in ways]):
        yield Plan(Task(must, rack, task.weights, blocks), rows)


def _apart(blocks: list[Block]) -> list[Block]:
    """One block for each way in which the readings differ for what may be put to them: groups are all alike."""
    found: dict[object, Block] = {}
    for block in blocks:
        first = block.reading.tiles[0]
        key = (block.reading.kind, first.number, block.row if first.number != block.reading.tiles[-1].number else ())
        found.setdefault(key, block)
    return list(found.values())
