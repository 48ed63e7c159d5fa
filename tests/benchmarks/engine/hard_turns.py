"""Turns for the measuring of the judge: on full tables, as they are played, and made up to be as hard as can be.

Every turn has all tiles of the box on one of its tables, or nearly. The judge must say whether any way leads from one
table to the other, so those are hard in which most tiles may be either of two copies, in which jokers may have
changed places, and in which an opening was taken apart as soon as it lay.
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
    """A legal table on which every tile of the box lies, drawn at random.

    The numbers of each copy are cut into stretches, each laid as one run a colour or as one group a number; jokers
    go to the ends of runs. Drawn again where no run has room for them.
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
    """Melds that hold every number in every colour once."""
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
    """A meld is laid to a table on which everything else lies."""
    table = full_table(rng, rules)
    gone = rng.randrange(len(table.melds))
    return Table(table.melds[:gone] + table.melds[gone + 1 :]), table, True


def _same(rng: random.Random, rules: RuleSet) -> Turn:
    """Nothing happens."""
    table = full_table(rng, rules)
    return table, table, True


def _regrouped(rng: random.Random, rules: RuleSet) -> Turn:
    """Everything lies otherwise than it lay, and some tiles are new."""
    before = full_table(rng, rules)
    return Table(before.melds[: rng.randrange(len(before.melds))]), full_table(rng, rules), True


def _swapped(rng: random.Random, rules: RuleSet) -> Turn:
    """A meld is laid, and all else regrouped: nearly every tile may be either of its copies."""
    before = full_table(rng, rules)
    return Table(before.melds[1:]), full_table(rng, rules), True


def _mirrored(rng: random.Random, rules: RuleSet) -> Turn:
    """Every row is seen from the other side."""
    table = full_table(rng, rules)
    return table, Table(tuple(meld[::-1] for meld in table.melds)), True


def _loose(rng: random.Random, rules: RuleSet) -> Turn:
    """Every tile lies by itself."""
    table = full_table(rng, rules)
    return table, Table(tuple((tile,) for meld in table.melds for tile in meld)), True


def _jumbled(rng: random.Random, rules: RuleSet) -> Turn:
    """The tiles of every row are out of order, or in rows of no kind."""
    tiles = [tile for meld in full_table(rng, rules).melds for tile in meld]
    rng.shuffle(tiles)
    return Table(), Table(tuple(tuple(tiles[at : at + 4]) for at in range(0, len(tiles), 4))), False


def _one_row(rng: random.Random, rules: RuleSet) -> Turn:
    """All tiles lie in one row."""
    table = full_table(rng, rules)
    return table, Table((tuple(tile for meld in table.melds for tile in meld),)), False


def _free_jokers(rng: random.Random, rules: RuleSet) -> Turn:
    """All jokers leave their melds for melds that lay there before."""
    table = full_table(rng, rules)
    plain = [tuple(tile for tile in meld if not tile.is_joker) for meld in table.melds]
    joined = rng.sample(range(len(plain)), rules.stock.jokers)
    return table, Table(tuple((*meld, JOKER) if at in joined else meld for at, meld in enumerate(plain))), True


def _jokers_change(rng: random.Random, rules: RuleSet) -> Turn:
    """Jokers within melds are replaced from the rack and go into each other's melds, while all else is regrouped.

    Half of them lie in new sets with tiles of the rack, as most editions want it, and half where others lay.
    """
    first = [list(meld) for meld in _one_copy(rng, rules)]
    others = [list(meld) for _ in range(rules.stock.copies - 1) for meld in _one_copy(rng, rules)]
    regrouped = [list(meld) for _ in range(rules.stock.copies - 1) for meld in _one_copy(rng, rules)] or others
    mended = [list(meld) for meld in first]
    jokers = min(rules.stock.jokers, len(first))
    laid = others[: (jokers + 1) // 2]
    for rank, at in enumerate(rng.sample(range(len(first)), jokers)):
        first[at][rng.randrange(len(first[at]))] = JOKER
        goal = rng.choice(mended if rank % 2 or not regrouped else regrouped)
        goal[rng.randrange(len(goal))] = JOKER
    before = [*first, *others[len(laid) :]]
    return Table(tuple(map(tuple, before))), Table(tuple(map(tuple, [*mended, *regrouped]))), True


def _contested(rng: random.Random, rules: RuleSet) -> Turn:
    """One copy of everything came from the rack, and every set of either copy could be made of it.

    Where there is but one copy, all of it came from the rack, as runs.
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
    """Somebody lays nearly the whole box at once, to the little that lies there."""
    table = full_table(rng, rules)
    return Table(full_table(rng, rules).melds[: rng.randrange(4)]), table, False


def _joined(rng: random.Random, rules: RuleSet) -> Turn:
    """Every tile of the rack goes to a meld of the table, so that no set of an opening lies there any more.

    One tile is missing in every meld before: the first or the last of a run, any of a group. Jokers are the rack's.
    """
    table = full_table(rng, rules)
    before, after = [], []
    for meld in table.melds:
        whole = tuple(tile for tile in meld if not tile.is_joker)
        at = rng.choice((0, len(whole) - 1))
        left = whole[:at] + whole[at + 1 :]
        before.append(left if len(left) >= rules.melds.shortest and rng.random() < 0.8 else whole)
        after.append(meld)
    return Table(tuple(before)), Table(tuple(after)), False


def _taken_apart(rng: random.Random, rules: RuleSet) -> Turn:
    """As that, but most of what lay there is regrouped besides."""
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
    """So many turns of a kind, each by a player who had opened and by one who had not; the same for the same seed."""
    rng = random.Random(f"{kind} {seed}")
    drawn = [TURNS[kind](rng, rules) for _ in range(count)]
    return [(before, after, either) for before, after, opened in drawn for either in (opened, not opened)]
