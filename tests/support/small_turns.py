"""Turns on small tables, drawn at random: legal tables, of which some melds are broken up and laid again otherwise."""

import random
from collections import Counter
from functools import lru_cache
from itertools import combinations

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile


@lru_cache
def rows(rules: RuleSet) -> tuple[Meld, ...]:
    """Every run and group of the box, and with up to two jokers in it, one order of each."""
    stock, found = rules.stock, []
    for ink in stock.inks:
        for first in range(1, stock.numbers):
            for last in range(first + rules.melds.shortest - 1, stock.numbers + 1):
                found.append(tuple(Tile(ink, number) for number in range(first, last + 1)))
    for number in range(1, stock.numbers + 1):
        for size in range(rules.melds.shortest, (rules.melds.largest_group or 0) + 1):
            found += [tuple(Tile(ink, number) for ink in inks) for inks in combinations(stock.inks, size)]
    most = min(2, stock.jokers if rules.joker.most_in_set is None else rules.joker.most_in_set)
    with_jokers = dict.fromkeys(
        tuple(JOKER if place in places else tile for place, tile in enumerate(row))
        for row in found
        for count in range(most + 1)
        for places in combinations(range(len(row)), count)
        if count < len(row)
    )
    return tuple(with_jokers)


@lru_cache
def _rows_by_tile(rules: RuleSet) -> dict[Tile, list[Meld]]:
    found: dict[Tile, list[Meld]] = {}
    for row in rows(rules):
        for tile in row:
            found.setdefault(tile, []).append(row)
    return found


def box(rules: RuleSet) -> Counter[Tile]:
    """Every tile of the box."""
    return _box(rules).copy()


@lru_cache
def _box(rules: RuleSet) -> Counter[Tile]:
    stock = rules.stock
    plain = {Tile(ink, number): stock.copies for ink in stock.inks for number in range(1, stock.numbers + 1)}
    return Counter({**plain, JOKER: stock.jokers})


def small_table(rng: random.Random, rules: RuleSet, most: int) -> Table:
    """A legal table of up to `most` melds; jokers lie on it often."""
    left = box(rules)
    melds: list[Meld] = []
    for _ in range(rng.randint(1, most)):
        row = next((row for row in rng.sample(rows(rules), 60) if Counter(row) <= left), None)
        if row is not None:
            left -= Counter(row)
            melds.append(row)
    return Table(tuple(melds))


def small_turn(rng: random.Random, rules: RuleSet, most_melds: int = 4, most_laid: int = 6) -> tuple[Table, Table]:
    """A turn from a legal table to one that is nearly always made of valid melds."""
    while True:
        before = small_table(rng, rules, most_melds)
        broken = rng.sample(range(len(before.melds)), rng.randint(0, min(3, len(before.melds))))
        pot = Counter(tile for index in broken for tile in before.melds[index])
        left = box(rules)
        left -= before.counts
        pot += Counter(rng.sample(list(left.elements()), min(left.total(), rng.randint(0, 2))))
        # Whole new sets, and tiles for which jokers of the table stood, make turns in which something can be done.
        for _ in range(rng.randint(0, 2)):
            row = rng.choice(rows(rules))
            if Counter(row) <= left:
                pot += Counter(row)
        found = partition(rng, pot, rules)
        if found is None:
            continue
        rest = [meld for index, meld in enumerate(before.melds) if index not in broken]
        after = Table((*rest, *found))
        laid = (after.counts - before.counts).total()
        if laid <= most_laid and all(count <= rules.stock.copies_of(tile) for tile, count in after.counts.items()):
            return before, after


def partition(rng: random.Random, pot: Counter[Tile], rules: RuleSet) -> list[Meld] | None:
    """The tiles laid as melds in a random way, or none where it is not found soon; a joker may be left out."""
    by_tile = _rows_by_tile(rules)
    tries = 0

    def lay(left: Counter[Tile]) -> list[Meld] | None:
        nonlocal tries
        tries += 1
        plain = [tile for tile in left if tile != JOKER]
        if not plain:
            return [] if left[JOKER] <= rng.choice((0, 0, 1)) else None
        fitting = [row for row in by_tile[min(plain, key=lambda tile: tile.order)] if all(tile in left for tile in row)]
        for row in rng.sample(fitting, len(fitting)):
            if tries > 25:
                return None
            if Counter(row) <= left:
                found = lay(left - Counter(row))
                if found is not None:
                    return [row, *found]
        return None

    return lay(+pot)


def mirrored(rng: random.Random, table: Table) -> Table:
    """The table with its melds in another order, and some of them seen from the other side."""
    melds = [meld[:: rng.choice((1, -1))] for meld in rng.sample(table.melds, len(table.melds))]
    return Table(tuple(melds))
