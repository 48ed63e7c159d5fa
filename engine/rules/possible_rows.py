"""Every valid row that can be made of some tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from tilekeeper.engine.rules.meld import is_valid, largest_group
from tilekeeper.engine.rules.policies import PastEnd
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile


def all_rows(there: Counter[Tile], rules: RuleSet) -> dict[Meld, None]:
    """Return every valid row of the tiles in `there` once, without mirror images and reordered groups.

    Only a group of one tile and jokers comes in each order, since some of these orders are runs.

    Returns:
        The rows as the keys of a dict, which keeps their order: runs from the lowest number up, then groups, those with
        few numbered tiles first.
    """
    limit = rules.joker.most_in_set
    jokers = there[JOKER] if limit is None else min(limit, there[JOKER])
    present = {tile for tile, count in there.items() if count > 0}
    runs, groups = (
        [
            filled
            for row, tiles in plain_rows
            if len(tiles - present) <= jokers
            for filled in _with_jokers(row, tiles - present, jokers, rules)
        ]
        for plain_rows in _plain_rows(rules)
    )
    groups.sort(key=lambda row: len(row) - row.count(JOKER))
    found = dict.fromkeys([*runs, *groups])
    if rules.joker.alone:
        alone = [(JOKER,) * length for length in range(rules.melds.shortest, there[JOKER] + 1)]
        found |= dict.fromkeys(row for row in alone if is_valid(row, rules))
    return found


@lru_cache(maxsize=64)
def _plain_rows(rules: RuleSet) -> tuple[list[tuple[Meld, frozenset[Tile]]], list[tuple[Meld, frozenset[Tile]]]]:
    """Return the runs and the groups of the box without jokers, each with the set of its tiles."""
    inks, shortest, numbers = rules.stock.inks, rules.melds.shortest, range(1, rules.stock.numbers + 1)
    runs = [
        tuple(Tile(ink, (number - 1) % len(numbers) + 1) for number in range(start, start + length))
        for ink in inks
        for start in numbers
        for length in range(shortest, len(numbers) + 1)
        if rules.melds.wraps or start + length - 1 <= len(numbers)
    ]
    groups = [
        tuple(Tile(ink, number) for ink in chosen)
        for number in numbers
        for size in range(shortest, (largest_group(rules) or 0) + 1)
        for chosen in combinations(inks, size)
    ]
    return [(row, frozenset(row)) for row in runs], [(row, frozenset(row)) for row in groups]


def _with_jokers(row: Meld, lacking: frozenset[Tile], jokers: int, rules: RuleSet) -> Iterator[Meld]:
    """Yield the rows in which jokers replace the lacking tiles of a run or group, and any others."""
    missing = [at for at, tile in enumerate(row) if tile in lacking]
    others = [at for at, tile in enumerate(row) if tile not in lacking]
    for more in range(min(jokers - len(missing), len(others) - 1) + 1):
        for chosen in combinations(others, more):
            filled = tuple(JOKER if at in missing or at in chosen else tile for at, tile in enumerate(row))
            if row[0].number == row[1].number:
                yield from _orders(filled)
            else:
                yield filled
                if rules.joker.past_end is PastEnd.OTHER_END:
                    yield from _past_the_other_end(filled)


def _orders(group: Meld) -> Iterator[Meld]:
    """Yield the orders of a group that count as different rows: with the jokers last, or a single tile anywhere."""
    plain = tuple(tile for tile in group if not tile.is_joker)
    jokers = len(group) - len(plain)
    for before in range(jokers if len(plain) == 1 else 0, -1, -1):
        yield (*[JOKER] * before, *plain, *[JOKER] * (jokers - before))


def _past_the_other_end(run: Meld) -> Iterator[Meld]:
    """Yield the variants of a run in which jokers of one end are at the other."""
    for turned in (run, run[::-1]):
        while turned[0].is_joker:
            turned = (*turned[1:], JOKER)
            yield turned
