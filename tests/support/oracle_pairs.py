"""Pairs of tables for the oracle of the judge: as they are played, rearranged, with copies swapped, and near misses.

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


def played(rng: random.Random, rules: RuleSet) -> Pair:
    """What a random player lays on a small table."""
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
    """Some melds are taken apart and laid in other ways, with tiles of the rack."""
    return small_turn(rng, rules)


def swapped(rng: random.Random, rules: RuleSet) -> Pair:
    """Two melds share a tile of which there are two, and something is laid; where there is one copy, jokers do."""
    while True:
        melds: list[Meld] = []
        left = box(rules)
        for wanted in (1, rng.randint(1, 2), rng.randint(0, 1)):
            like = set(melds[0]) if len(melds) == 1 else set()
            fitting = (row for row in rng.sample(rows(rules), 60) if not like or not like.isdisjoint(row))
            for row in islice((row for row in fitting if Counter(row) <= left), wanted):
                if Counter(row) <= left:
                    melds.append(row)
                    left -= Counter(row)
        before = Table(tuple(melds))
        if len(melds) > 1:
            found = _relaid(rng, before, rng.sample(range(len(melds)), 2), rules)
            if found is not None:
                return before, found


def travelling(rng: random.Random, rules: RuleSet) -> Pair:
    """A joker leaves its meld for another or a new one, often replaced by the tile for which it stood."""
    while True:
        before = small_table(rng, rules, 3)
        holders = [index for index, meld in enumerate(before.melds) if JOKER in meld]
        if not holders:
            continue
        melds = [list(meld) for meld in before.melds]
        source = melds[rng.choice(holders)]
        at = source.index(JOKER)
        left = box(rules) - before.counts
        fitting = [row for row in rows(rules) if len(row) == len(source) and _differ_at(row, source, at)]
        tiles = [row[at] for row in fitting if left[row[at]]]
        if tiles and rng.random() < 0.8:
            source[at] = rng.choice(tiles)
            left -= Counter([source[at]])
        else:
            del source[at]
        _lay_joker(rng, melds, left, rules)
        if rng.random() < 0.4:
            spare = [row for row in rng.sample(rows(rules), 20) if Counter(row) <= left]
            melds += [list(row) for row in spare[:1]]
        after = Table(tuple(tuple(meld) for meld in melds if meld))
        if after.counts <= box(rules) and (after.counts - before.counts).total() <= _MOST_LAID:
            return before, after


def _differ_at(row: Meld, source: list[Tile], at: int) -> bool:
    """Whether a row is another one but for the joker at one place, in whose place it has a numbered tile."""
    return row[at] != JOKER and all(
        tile == there for place, (tile, there) in enumerate(zip(row, source, strict=True)) if place != at
    )


def _lay_joker(rng: random.Random, melds: list[list[Tile]], left: Counter[Tile], rules: RuleSet) -> None:
    """Lay a joker at an end of a meld, or in a new one with tiles of the rack."""
    new = [row for row in rng.sample(rows(rules), 60) if JOKER in row and Counter(row) <= left + Counter([JOKER])]
    if new and rng.random() < 0.5:
        melds.append(list(new[0]))
        left -= Counter(new[0]) - Counter([JOKER])
    else:
        goal = rng.choice(melds)
        goal.insert(rng.choice((0, len(goal))), JOKER)


def _relaid(rng: random.Random, before: Table, broken: list[int], rules: RuleSet) -> Table | None:
    """The table with some melds laid anew and one to three tiles of the rack, or none where it is not found soon."""
    left = box(rules) - before.counts
    pot = Counter(tile for index in broken for tile in before.melds[index])
    pot += Counter(rng.sample(list(left.elements()), min(left.total(), rng.randint(1, 3))))
    found = partition(rng, pot, rules)
    if found is None:
        return None
    return Table((*(meld for index, meld in enumerate(before.melds) if index not in broken), *found))


def near_miss(rng: random.Random, rules: RuleSet) -> Pair:
    """A pair of another kind with one thing done to the table after it."""
    before, after = rng.choice((played, rearranged, swapped, travelling))(rng, rules)
    melds = [list(meld) for meld in after.melds]
    source = rng.choice(melds)
    match rng.randrange(4):
        case 0:  # a tile goes to an end of another meld
            tile = source.pop(rng.randrange(len(source)))
            goal = rng.choice(melds)
            goal.insert(rng.choice((0, len(goal))), tile)
        case 1:  # a meld is parted
            at = rng.randrange(len(source))
            melds.append(source[at:])
            del source[at:]
        case 2:  # a tile is gone
            del source[rng.randrange(len(source))]
        case _:  # two tiles change places
            goal = rng.choice(melds)
            one, two = rng.randrange(len(source)), rng.randrange(len(goal))
            source[one], goal[two] = goal[two], source[one]
    return before, Table(tuple(tuple(meld) for meld in melds if meld))


KINDS: Final[Mapping[str, Callable[[random.Random, RuleSet], Pair]]] = MappingProxyType(
    {"played": played, "rearranged": rearranged, "swapped": swapped, "travelling": travelling, "near miss": near_miss}
)


def pair(rng: random.Random, kind: str, rules: RuleSet) -> Pair:
    """A pair of a kind, its melds in any order and some of them seen from the other side."""
    before, after = KINDS[kind](rng, rules)
    return before, shuffle_and_mirror(rng, after)
