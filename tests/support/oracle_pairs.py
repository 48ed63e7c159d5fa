"""Pairs of tables for the judge's oracle: random turns, rearranged tables, swapped copies, and near misses.

Every table before is legal and small. What follows from it is drawn at random: the ideas of a random player, the tiles
of some melds laid anew, tables on which most tiles lie twice, jokers that go from one meld to another, and any of these
with one thing done wrong. The same generator of chance draws the same pairs.
"""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Final

from tests.support.random_moves import Mover
from tests.support.small_turns import box, partition, rows, shuffle_and_mirror, small_table, small_turn
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

Pair = tuple[Table, Table]

_HAND = 8  # tiles of a random player
_MOST_LAID = 6


def play_pair(rng: random.Random, rules: RuleSet) -> Pair:
    """Return a turn of a random player on a small table."""
    while True:
        before = small_table(rng, rules, 4)
        rest = list((box(rules) - before.counts).elements())
        hand = rng.sample(rest, min(len(rest), _HAND))
        tables = [
            table
            for table in Mover(rng, rules).tables(before, hand, opened=True)
            if (table.counts - before.counts).total() <= _MOST_LAID
        ]
        if tables:
            return before, rng.choice(tables)


def rearranged(rng: random.Random, rules: RuleSet) -> Pair:
    """Return a turn in which some melds are rearranged with tiles of the rack."""
    return small_turn(rng, rules)


def swapped(rng: random.Random, rules: RuleSet) -> Pair:
    """Return a turn in which two melds share a tile with two copies; jokers if each tile has one copy."""
    while True:
        melds: list[Meld] = []
        remaining = box(rules)
        for wanted in (1, rng.randint(1, 2), rng.randint(0, 1)):
            like = set(melds[0]) if len(melds) == 1 else set()
            fitting = (row for row in rng.sample(rows(rules), 60) if not like or not like.isdisjoint(row))
            for row in islice((row for row in fitting if Counter(row) <= remaining), wanted):
                if Counter(row) <= remaining:
                    melds.append(row)
                    remaining -= Counter(row)
        before = Table(tuple(melds))
        if len(melds) > 1:
            found = _relaid(rng, before, rng.sample(range(len(melds)), 2), rules)
            if found is not None:
                return before, found


def travelling(rng: random.Random, rules: RuleSet) -> Pair:
    """Return a turn in which a joker leaves its meld, often replaced by the tile for which it stood."""
    while True:
        before = small_table(rng, rules, 3)
        holders = [index for index, meld in enumerate(before.melds) if JOKER in meld]
        if not holders:
            continue
        melds = [list(meld) for meld in before.melds]
        source = melds[rng.choice(holders)]
        at = source.index(JOKER)
        remaining = box(rules) - before.counts
        fitting = [row for row in rows(rules) if len(row) == len(source) and _differ_at(row, source, at)]
        tiles = [row[at] for row in fitting if remaining[row[at]]]
        if tiles and rng.random() < 0.8:
            source[at] = rng.choice(tiles)
            remaining -= Counter([source[at]])
        else:
            del source[at]
        _lay_joker(rng, melds, remaining, rules)
        if rng.random() < 0.4:
            spare = [row for row in rng.sample(rows(rules), 20) if Counter(row) <= remaining]
            melds += [list(row) for row in spare[:1]]
        after = Table(tuple(tuple(meld) for meld in melds if meld))
        if after.counts <= box(rules) and (after.counts - before.counts).total() <= _MOST_LAID:
            return before, after


def _differ_at(row: Meld, source: list[Tile], at: int) -> bool:
    """Return whether a row differs from a source, apart from one place where it has a tile instead of the joker."""
    return row[at] != JOKER and all(
        tile == source_tile for place, (tile, source_tile) in enumerate(zip(row, source, strict=True)) if place != at
    )


def _lay_joker(rng: random.Random, melds: list[list[Tile]], remaining: Counter[Tile], rules: RuleSet) -> None:
    """Lay a joker at an end of a meld, or in a new one with tiles of the rack."""
    new = [row for row in rng.sample(rows(rules), 60) if JOKER in row and Counter(row) <= remaining + Counter([JOKER])]
    if new and rng.random() < 0.5:
        melds.append(list(new[0]))
        remaining -= Counter(new[0]) - Counter([JOKER])
    else:
        goal = rng.choice(melds)
        goal.insert(rng.choice((0, len(goal))), JOKER)


def _relaid(rng: random.Random, before: Table, broken: list[int], rules: RuleSet) -> Table | None:
    """Return the table with some melds rearranged with one to three tiles of the rack; None if none is found soon."""
    remaining = box(rules) - before.counts
    pot = Counter(tile for index in broken for tile in before.melds[index])
    pot += Counter(rng.sample(list(remaining.elements()), min(remaining.total(), rng.randint(1, 3))))
    found = partition(rng, pot, rules)
    if found is None:
        return None
    return Table((*(meld for index, meld in enumerate(before.melds) if index not in broken), *found))


def near_miss(rng: random.Random, rules: RuleSet) -> Pair:
    """Return a pair of another kind with one change to its table after."""
    before, after = rng.choice((play_pair, rearranged, swapped, travelling))(rng, rules)
    melds = [list(meld) for meld in after.melds]
    source = rng.choice(melds)
    match rng.randrange(4):
        case 0:  # a tile goes to an end of another meld
            tile = source.pop(rng.randrange(len(source)))
            goal = rng.choice(melds)
            goal.insert(rng.choice((0, len(goal))), tile)
        case 1:  # a meld is split
            at = rng.randrange(len(source))
            melds.append(source[at:])
            del source[at:]
        case 2:  # a tile is removed
            del source[rng.randrange(len(source))]
        case _:  # two tiles are exchanged
            goal = rng.choice(melds)
            one, two = rng.randrange(len(source)), rng.randrange(len(goal))
            source[one], goal[two] = goal[two], source[one]
    return before, Table(tuple(tuple(meld) for meld in melds if meld))


KINDS: Final[Mapping[str, Callable[[random.Random, RuleSet], Pair]]] = MappingProxyType(
    {
        "played": play_pair,
        "rearranged": rearranged,
        "swapped": swapped,
        "travelling": travelling,
        "near miss": near_miss,
    }
)


def pair(rng: random.Random, kind: str, rules: RuleSet) -> Pair:
    """Return a pair of a kind, with its melds shuffled and some of them mirrored."""
    before, after = KINDS[kind](rng, rules)
    return before, shuffle_and_mirror(rng, after)
