"""Moves that a random player finds: new sets, tiles added, fourth tiles and ends taken for new sets, jokers swapped."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tilekeeper.engine.meld import best_reading, is_valid, worth
from tilekeeper.engine.rules import RuleSet
from tilekeeper.engine.table import Meld, Table
from tilekeeper.engine.tile import JOKER, Tile


@dataclass(frozen=True, slots=True)
class Move:
    """A table as a player would leave it, legal or not."""

    after: Table


def moves(rng: random.Random, table: Table, hand: Sequence[Tile], opened: bool, rules: RuleSet) -> Iterator[Move]:
    """What a player might try, the best ideas first; the judge may refuse any of them."""
    melds = list(table.melds)
    left = list(hand)
    new = _new_melds(rng, left, rules)
    if opened:
        extended, rest = _extended(rng, [*melds, *new], left, rules)
        swapped = _joker_swapped(rng, extended, rest, rules)
        if swapped is not None:
            yield Move(Table(tuple(swapped)))
        borrowed = _borrowed(rng, extended, rest, rules)
        if borrowed is not None:
            yield Move(Table(tuple(borrowed)))
        if new or len(rest) < len(left):
            yield Move(Table(tuple(extended)))
    points = [worth(meld, reading, rules) for meld in new if (reading := best_reading(meld, rules)) is not None]
    if new and (opened or sum(points) >= rules.opening.minimum_points):
        yield Move(Table((*melds, *new)))


def muddle(rng: random.Random, table: Table, hand: Sequence[Tile]) -> Table:
    """A table that somebody has made a mess of: some melds torn apart, some tiles of the rack among them."""
    melds = list(table.melds)
    rng.shuffle(melds)
    torn = [tile for meld in melds[:2] for tile in meld] + rng.sample(list(hand), min(len(hand), rng.randint(0, 3)))
    rng.shuffle(torn)
    rows = [tuple(torn[at : at + 3]) for at in range(0, len(torn), 3)]
    return Table((*melds[2:], *rows))


def _new_melds(rng: random.Random, left: list[Tile], rules: RuleSet) -> list[Meld]:
    """Sets of the rack alone; their tiles are taken out of `left`."""
    chosen: list[Meld] = []
    candidates = [*_runs(left, rules), *_groups(left, rules)]
    rng.shuffle(candidates)
    candidates.sort(key=len, reverse=True)
    for meld in candidates:
        if _take(left, meld):
            chosen.append(meld)
    if JOKER in left:
        for tile in sorted(left, key=lambda tile: -(tile.number or 0)):
            meld = _with_joker(tile, left, rules)
            if meld is not None and _take(left, meld):
                chosen.append(meld)
                break
    return chosen


def _take(left: list[Tile], meld: Meld) -> bool:
    """Take a meld's tiles out of `left` if all are there."""
    rest = list(left)
    for tile in meld:
        if tile not in rest:
            return False
        rest.remove(tile)
    left[:] = rest
    return True


def _runs(hand: Sequence[Tile], rules: RuleSet) -> Iterator[Meld]:
    """The longest runs of plain tiles in each colour."""
    by_ink: defaultdict[object, set[int]] = defaultdict(set)
    for tile in hand:
        if tile.number is not None:
            by_ink[tile.colour].add(tile.number)
    for ink in rules.stock.inks:
        row: list[Tile] = []
        for number in range(1, rules.stock.numbers + 2):
            if number in by_ink[ink]:
                row.append(Tile(ink, number))
                continue
            if len(row) >= rules.melds.shortest:
                yield tuple(row)
            row = []


def _groups(hand: Sequence[Tile], rules: RuleSet) -> Iterator[Meld]:
    """The largest groups of plain tiles."""
    if rules.melds.largest_group is None:
        return
    there = set(hand)
    for number in range(1, rules.stock.numbers + 1):
        group = tuple(tile for ink in rules.stock.inks if (tile := Tile(ink, number)) in there)
        if rules.melds.shortest <= len(group):
            yield group[: rules.melds.largest_group]


def _with_joker(tile: Tile, hand: Sequence[Tile], rules: RuleSet) -> Meld | None:
    """A set of that tile, one more and a joker."""
    if tile.colour is None or tile.number is None:
        return None
    for step in (1, 2):
        if tile.number > step:
            other = Tile(tile.colour, tile.number - step)
            meld = (other, JOKER, tile) if step == 2 else (JOKER, other, tile)
            if other in hand and is_valid(meld, rules):
                return meld
    for ink in rules.stock.inks:
        other = Tile(ink, tile.number)
        if ink is not tile.colour and other in hand and is_valid((tile, other, JOKER), rules):
            return (tile, other, JOKER)
    return None


def _extended(
    rng: random.Random, melds: Sequence[Meld], left: Sequence[Tile], rules: RuleSet
) -> tuple[list[Meld], list[Tile]]:
    """Melds with tiles of the rack added wherever they fit, and what stays on the rack."""
    melds, rest = list(melds), []
    for tile in rng.sample(left, len(left)):
        for at, meld in enumerate(melds):
            if not _may_belong(tile, meld):
                continue
            longer = next((row for row in ((*meld, tile), (tile, *meld)) if is_valid(row, rules)), None)
            if longer is not None:
                melds[at] = longer
                break
        else:
            rest.append(tile)
    return melds, rest


def _may_belong(tile: Tile, meld: Meld) -> bool:
    """Whether a tile shares its colour or its number with a meld, which is quickly found out."""
    plain = next((other for other in meld if not other.is_joker), JOKER)
    return tile.is_joker or tile.colour is plain.colour or tile.number == plain.number


def _borrowed(rng: random.Random, melds: Sequence[Meld], rest: Sequence[Tile], rules: RuleSet) -> list[Meld] | None:
    """A tile that a meld of the table can spare, laid with two of the rack."""
    for at in rng.sample(range(len(melds)), len(melds)):
        meld = melds[at]
        for spare in {0, len(meld) - 1, rng.randrange(len(meld))}:
            shorter = meld[:spare] + meld[spare + 1 :]
            if meld[spare].is_joker or not is_valid(shorter, rules):
                continue
            pool = [meld[spare], *(tile for tile in rest if _may_belong(tile, (meld[spare],)))]
            if len(pool) < rules.melds.shortest:
                continue
            for new in (*_runs(pool, rules), *_groups(pool, rules)):
                if meld[spare] in new:
                    return [*melds[:at], shorter, *melds[at + 1 :], new]
    return None


def _joker_swapped(
    rng: random.Random, melds: Sequence[Meld], rest: Sequence[Tile], rules: RuleSet
) -> list[Meld] | None:
    """A joker of the table replaced by a tile of the rack, and laid in a new set or kept."""
    for at in rng.sample(range(len(melds)), len(melds)):
        meld = melds[at]
        if JOKER not in meld:
            continue
        place = meld.index(JOKER)
        for tile in rest:
            replaced = (*meld[:place], tile, *meld[place + 1 :])
            if tile.is_joker or not is_valid(replaced, rules):
                continue
            others = [*melds[:at], replaced, *melds[at + 1 :]]
            hand = [*rest, JOKER]
            hand.remove(tile)
            for first in hand:
                new = _with_joker(first, hand, rules)
                if new is not None:
                    return [*others, new]
            return others
    return None
