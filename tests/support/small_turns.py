"""Random turns on small tables: legal tables with some melds broken up and rearranged."""

import random
from collections import Counter
from functools import lru_cache
from itertools import combinations

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile


@lru_cache
def rows(rules: RuleSet) -> tuple[Meld, ...]:
    """Return every run and group of the box, with up to two jokers, one order of each."""
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
    """Return the tiles of the box."""
    return _box(rules).copy()


@lru_cache
def _box(rules: RuleSet) -> Counter[Tile]:
    stock = rules.stock
    plain = {Tile(ink, number): stock.copies for ink in stock.inks for number in range(1, stock.numbers + 1)}
    return Counter({**plain, JOKER: stock.jokers})


def small_table(rng: random.Random, rules: RuleSet, most: int) -> Table:
    """Return a legal table of up to `most` melds, often with jokers."""
    remaining = box(rules)
    melds: list[Meld] = []
    for _ in range(rng.randint(1, most)):
        row = next((row for row in rng.sample(rows(rules), 60) if Counter(row) <= remaining), None)
        if row is not None:
            remaining -= Counter(row)
            melds.append(row)
    return Table(tuple(melds))


def small_turn(rng: random.Random, rules: RuleSet, most_melds: int = 4, most_laid: int = 6) -> tuple[Table, Table]:
    """Return a turn from a legal table to one that nearly always consists of valid melds."""
    while True:
        before = small_table(rng, rules, most_melds)
        broken = rng.sample(range(len(before.melds)), rng.randint(0, min(3, len(before.melds))))
        pot = Counter(tile for index in broken for tile in before.melds[index])
        remaining = box(rules)
        remaining -= before.counts
        pot += Counter(rng.sample(list(remaining.elements()), min(remaining.total(), rng.randint(0, 2))))
        # New sets, and tiles that can replace jokers, make more turns possible.
        for _ in range(rng.randint(0, 2)):
            row = rng.choice(rows(rules))
            if Counter(row) <= remaining:
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
    """Return the tiles as melds in a random way; None if none is found soon. A joker may be left out."""
    by_tile = _rows_by_tile(rules)
    tries = 0

    def search(remaining: Counter[Tile]) -> list[Meld] | None:
        nonlocal tries
        tries += 1
        plain = [tile for tile in remaining if tile != JOKER]
        if not plain:
            return [] if remaining[JOKER] <= rng.choice((0, 0, 1)) else None
        fitting = [
            row for row in by_tile[min(plain, key=lambda tile: tile.order)] if all(tile in remaining for tile in row)
        ]
        for row in rng.sample(fitting, len(fitting)):
            if tries > 25:
                return None
            if Counter(row) <= remaining:
                found = search(remaining - Counter(row))
                if found is not None:
                    return [row, *found]
        return None

    return search(+pot)


def shuffle_and_mirror(rng: random.Random, table: Table) -> Table:
    """Return the table with its melds in another order, some of them mirrored."""
    melds = [meld[:: rng.choice((1, -1))] for meld in rng.sample(table.melds, len(table.melds))]
    return Table(tuple(melds))
