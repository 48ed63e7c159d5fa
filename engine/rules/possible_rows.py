"""All valid rows that can be made from given tiles."""

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


def all_rows(available: Counter[Tile], rules: RuleSet) -> dict[Meld, None]:
    """Return once every valid row that can be made from the tiles in `available`.

    Of the mirror images of a run only the rising one is listed, and of the orders of a group only one. A group of one
    tile and jokers is listed in each order, since some of these orders are runs.

    Returns:
        The rows as keys of a dict, which keeps their order: first runs, from the lowest number up; then groups, those
        with few numbered tiles first.
    """
    limit = rules.joker.most_in_set
    jokers = available[JOKER] if limit is None else min(limit, available[JOKER])
    present = {tile for tile, count in available.items() if count > 0}
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
        alone = [(JOKER,) * length for length in range(rules.melds.shortest, available[JOKER] + 1)]
        found |= dict.fromkeys(row for row in alone if is_valid(row, rules))
    return found


@lru_cache(maxsize=64)
def _plain_rows(rules: RuleSet) -> tuple[list[tuple[Meld, frozenset[Tile]]], list[tuple[Meld, frozenset[Tile]]]]:
    """Return all runs and all groups without jokers that the box allows, each with the set of its tiles."""
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
    """Yield the rows made from a run or group by putting jokers in place of the `lacking` and of any other tiles.

    A row has at most `jokers` jokers, and at least one tile that is no joker.
    """
    missing = [at for at, tile in enumerate(row) if tile in lacking]
    fixed_places = [at for at, tile in enumerate(row) if tile not in lacking]
    for more in range(min(jokers - len(missing), len(fixed_places) - 1) + 1):
        for chosen in combinations(fixed_places, more):
            filled = tuple(JOKER if at in missing or at in chosen else tile for at, tile in enumerate(row))
            if row[0].number == row[1].number:
                yield from _orders(filled)
            else:
                yield filled
                if rules.joker.past_end is PastEnd.OTHER_END:
                    yield from _past_the_other_end(filled)


def _orders(group: Meld) -> Iterator[Meld]:
    """Yield the orders of a group that count as different rows: jokers last; a single tile also between jokers."""
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
