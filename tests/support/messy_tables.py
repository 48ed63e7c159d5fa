"""Random cases for the solver: small boxes with their rules, and small tables with tiles out of order."""

from __future__ import annotations

import dataclasses
import random
from collections import Counter
from functools import lru_cache

from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.engine.rules.possible_rows import all_rows
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

LARGE = rule_set("large-numbers")


def small_rules(rng: random.Random) -> RuleSet:
    """Return the rules of a small box, with house rules."""
    return dataclasses.replace(
        LARGE,
        stock=dataclasses.replace(
            LARGE.stock,
            inks=LARGE.stock.inks[: rng.choice([2, 3, 4, 4])],
            numbers=rng.choice([4, 5, 6, 7, 8, 13]),
            copies=rng.choice([1, 2, 2, 3]),
            jokers=rng.choice([0, 1, 2, 2, 3, 4]),
        ),
        melds=dataclasses.replace(
            LARGE.melds, shortest=rng.choice([3, 3, 3, 2, 4]), largest_group=rng.choice([4, 4, 4, 3, None])
        ),
        joker=dataclasses.replace(LARGE.joker, most_in_set=rng.choice([None, None, None, 1, 2])),
    )


def box_of(rules: RuleSet) -> list[Tile]:
    """Return all tiles of a box."""
    numbers = range(1, rules.stock.numbers + 1)
    plain = [Tile(ink, number) for ink in rules.stock.inks for number in numbers for _ in range(rules.stock.copies)]
    return plain + [JOKER] * rules.stock.jokers


@lru_cache(maxsize=64)
def short_rows(rules: RuleSet) -> list[Meld]:
    """Return every valid row of up to four tiles of the box."""
    return [row for row in all_rows(Counter(box_of(rules)), rules) if len(row) <= 4]


def small_edition(rng: random.Random, rules: RuleSet) -> RuleSet:
    """Return an edition with fewer numbers and jokers, so that the tiles of a small table fit together."""
    jokers = rng.randint(0, min(rules.stock.jokers, 3))
    return dataclasses.replace(
        rules, stock=dataclasses.replace(rules.stock, numbers=rng.choice([4, 5, 6, 7]), jokers=jokers)
    )


def mix_tiles(rng: random.Random, table: Table) -> Table:
    """Return a table with all tiles mixed; the number and the lengths of the rows stay."""
    tiles = [tile for meld in table.melds for tile in meld]
    rng.shuffle(tiles)
    mixed_tiles = iter(tiles)
    return Table(tuple(tuple(next(mixed_tiles) for _ in meld) for meld in table.melds))


def move_tiles(rng: random.Random, table: Table, tiles: int) -> Table:
    """Return a table after some tiles were moved to random places."""
    melds = [list(meld) for meld in table.melds]
    for _ in range(tiles):
        source = rng.choice(melds)
        tile = source.pop(rng.randrange(len(source)))
        melds = [meld for meld in melds if meld]
        target = rng.randrange(len(melds) + 1)
        if target == len(melds):
            melds.append([tile])
        else:
            melds[target].insert(rng.randint(0, len(melds[target])), tile)
    return Table(tuple(map(tuple, melds)))


def messy_table(rng: random.Random, rules: RuleSet, most: int) -> Table:
    """Return a few tiles in disorder: some moved away from a legal table, or all mixed."""
    remaining = Counter(box_of(rules))
    melds: list[list[Tile]] = []
    for row in rng.sample(short_rows(rules), min(12, len(short_rows(rules)))):
        if Counter(row) <= remaining and sum(map(len, melds)) + len(row) <= most:
            remaining -= Counter(row)
            melds.append(list(row))
    if rng.random() < 0.3:
        return _strewn(rng, melds)
    for _ in range(rng.randint(0, 4)):
        source = rng.choice(melds)
        tile = source.pop(rng.randrange(len(source)))
        melds = [meld for meld in melds if meld]
        target = rng.choice([*melds, []])
        target.insert(rng.randint(0, len(target)), tile)
        melds += [target] if len(target) == 1 and target not in melds else []
    if rng.random() < 0.2 and melds:
        melds.append([rng.choice(list(remaining.elements()))])
    return Table(tuple(tuple(meld) for meld in melds if meld))


def _strewn(rng: random.Random, melds: list[list[Tile]]) -> Table:
    tiles = [tile for meld in melds for tile in meld]
    rng.shuffle(tiles)
    rows = []
    while tiles:
        count = rng.randint(1, 5)
        rows.append(tuple(tiles[:count]))
        tiles = tiles[count:]
    return Table(tuple(rows))
