"""Turns on full tables for the benchmark of the judge: usual ones, and the hardest possible ones.

One of the tables of each turn holds all tiles of the box, or nearly all. The judge must decide whether a legal way
leads from one table to the other. Hard turns are those in which most tiles can be either of two copies, jokers may have
changed places, or the player took the opening apart again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from tilekeeper.engine.rules.meld import largest_group
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

Turn = tuple[Table, Table, bool]
"""The tables before and after, and whether the player had opened."""


def full_table(rng: random.Random, rules: RuleSet) -> Table:
    """Return a random legal table with every tile of the box.

    The numbers of each copy are cut into stretches. Each stretch becomes one run for each colour or one group for each
    number. Jokers go to the ends of runs; if no run has room for them, the table is drawn again.
    """
    while True:
        melds = [meld for _ in range(rules.stock.copies) for meld in _one_copy(rng, rules)]
        open_runs = [meld for meld in melds if meld[0].colour is meld[1].colour and len(meld) < rules.stock.numbers]
        if len(open_runs) >= rules.stock.jokers:
            for meld in rng.sample(open_runs, rules.stock.jokers):
                meld.insert(len(meld) if (meld[-1].number or 0) < rules.stock.numbers else 0, JOKER)
            rng.shuffle(melds)
            return Table(tuple(map(tuple, melds)))


def _one_copy(rng: random.Random, rules: RuleSet) -> Iterator[list[Tile]]:
    """Yield melds that hold each number of each colour once."""
    inks, highest, shortest = rules.stock.inks, rules.stock.numbers, rules.melds.shortest
    groups = largest_group(rules) is not None
    first = 1
    while first <= highest:
        last = rng.choice([highest, *range(first + shortest - 1, highest + 1 - (0 if groups else shortest))])
        stretch = range(first, last + 1)
        if not groups or (len(stretch) >= shortest and rng.random() < 0.7):
            yield from ([Tile(ink, number) for number in stretch] for ink in inks)
        else:
            yield from ([Tile(ink, number) for ink in rng.sample(inks, len(inks))] for number in stretch)
        first = last + 1


def _usual(rng: random.Random, rules: RuleSet) -> Turn:
    """Lay a meld on a table with all other tiles."""
    table = full_table(rng, rules)
    laid = rng.randrange(len(table.melds))
    return Table(table.melds[:laid] + table.melds[laid + 1 :]), table, True


def _same(rng: random.Random, rules: RuleSet) -> Turn:
    """Change nothing."""
    table = full_table(rng, rules)
    return table, table, True


def _regrouped(rng: random.Random, rules: RuleSet) -> Turn:
    """Regroup everything, with some new tiles."""
    before = full_table(rng, rules)
    return Table(before.melds[: rng.randrange(len(before.melds))]), full_table(rng, rules), True


def _swapped(rng: random.Random, rules: RuleSet) -> Turn:
    """Lay a meld and regroup all others: nearly every tile can be either of its copies."""
    before = full_table(rng, rules)
    return Table(before.melds[1:]), full_table(rng, rules), True


def _mirrored(rng: random.Random, rules: RuleSet) -> Turn:
    """Mirror every row."""
    table = full_table(rng, rules)
    return table, Table(tuple(meld[::-1] for meld in table.melds)), True


def _loose(rng: random.Random, rules: RuleSet) -> Turn:
    """Separate all tiles."""
    table = full_table(rng, rules)
    return table, Table(tuple((tile,) for meld in table.melds for tile in meld)), True


def _jumbled(rng: random.Random, rules: RuleSet) -> Turn:
    """Shuffle all tiles into rows of four."""
    tiles = [tile for meld in full_table(rng, rules).melds for tile in meld]
    rng.shuffle(tiles)
    return Table(), Table(tuple(tuple(tiles[at : at + 4]) for at in range(0, len(tiles), 4))), False


def _one_row(rng: random.Random, rules: RuleSet) -> Turn:
    """Put all tiles into one row."""
    table = full_table(rng, rules)
    return table, Table((tuple(tile for meld in table.melds for tile in meld),)), False


def _free_jokers(rng: random.Random, rules: RuleSet) -> Turn:
    """Move all jokers into other old melds."""
    table = full_table(rng, rules)
    plain = [tuple(tile for tile in meld if not tile.is_joker) for meld in table.melds]
    joined = rng.sample(range(len(plain)), rules.stock.jokers)
    return table, Table(tuple((*meld, JOKER) if at in joined else meld for at, meld in enumerate(plain))), True


def _jokers_change(rng: random.Random, rules: RuleSet) -> Turn:
    """Replace jokers within melds from the rack, move them into other melds, and regroup all the rest.

    Half of the jokers join new sets with tiles of the rack, as most editions require, and half replace other tiles.
    """
    first = [list(meld) for meld in _one_copy(rng, rules)]
    second_copy = [list(meld) for _ in range(rules.stock.copies - 1) for meld in _one_copy(rng, rules)]
    regrouped = [list(meld) for _ in range(rules.stock.copies - 1) for meld in _one_copy(rng, rules)] or second_copy
    mended = [list(meld) for meld in first]
    jokers = min(rules.stock.jokers, len(first))
    laid = second_copy[: (jokers + 1) // 2]
    for rank, at in enumerate(rng.sample(range(len(first)), jokers)):
        first[at][rng.randrange(len(first[at]))] = JOKER
        goal = rng.choice(mended if rank % 2 or not regrouped else regrouped)
        goal[rng.randrange(len(goal))] = JOKER
    before = [*first, *second_copy[len(laid) :]]
    return Table(tuple(map(tuple, before))), Table(tuple(map(tuple, [*mended, *regrouped]))), True


def _contested(rng: random.Random, rules: RuleSet) -> Turn:
    """Lay one copy of everything from the rack, so that every set can be made of either copy.

    If the box has one copy, lay all of it as runs.
    """
    numbers, inks = range(1, rules.stock.numbers + 1), rules.stock.inks
    groups: list[Meld] = [tuple(Tile(ink, number) for ink in inks) for number in numbers]
    runs: list[Meld] = [
        tuple(Tile(ink, number) for number in numbers[at : at + 3 if at + 6 <= len(numbers) else None])
        for ink in inks
        for at in range(0, len(numbers) - 3, 3)
    ]
    jokers = [(JOKER,)] * rules.stock.jokers
    if rules.stock.copies == 1:
        return Table(), Table((*runs, *jokers)), False
    loose = [(tile,) for meld in groups for tile in meld]
    rng.shuffle(loose)
    return Table(tuple(loose)), Table((*groups, *runs, *jokers)), False


def _huge_rack(rng: random.Random, rules: RuleSet) -> Turn:
    """Lay nearly the whole box at once."""
    table = full_table(rng, rules)
    return Table(full_table(rng, rules).melds[: rng.randrange(4)]), table, False


def _joined(rng: random.Random, rules: RuleSet) -> Turn:
    """Add every tile of the rack to a meld of the table, so that no set of the opening is left.

    Each meld before misses one tile: the first or the last of a run, any tile of a group. The jokers are on the rack.
    """
    table = full_table(rng, rules)
    before, after = [], []
    for meld in table.melds:
        whole = tuple(tile for tile in meld if not tile.is_joker)
        at = rng.choice((0, len(whole) - 1))
        rest = whole[:at] + whole[at + 1 :]
        before.append(rest if len(rest) >= rules.melds.shortest and rng.random() < 0.8 else whole)
        after.append(meld)
    return Table(tuple(before)), Table(tuple(after)), False


def _taken_apart(rng: random.Random, rules: RuleSet) -> Turn:
    """Like `_joined`, and regroup most old melds."""
    before, _, opened = _joined(rng, rules)
    return before, full_table(rng, rules), opened


TURNS: Final[Mapping[str, Callable[[random.Random, RuleSet], Turn]]] = MappingProxyType(
    {
        "usual": _usual,
        "same": _same,
        "regrouped": _regrouped,
        "swapped": _swapped,
        "mirrored": _mirrored,
        "loose": _loose,
        "jumbled": _jumbled,
        "one row": _one_row,
        "free jokers": _free_jokers,
        "jokers change": _jokers_change,
        "contested": _contested,
        "huge rack": _huge_rack,
        "joined": _joined,
        "taken apart": _taken_apart,
    }
)


def turns(kind: str, count: int, seed: int, rules: RuleSet) -> Sequence[Turn]:
    """Return turns of a kind, each with and without an earlier opening; the same seed gives the same turns."""
    rng = random.Random(f"{kind} {seed}")
    drawn = [TURNS[kind](rng, rules) for _ in range(count)]
    return [(before, after, either) for before, after, opened in drawn for either in (opened, not opened)]
