"""All valid rows that can be made from given tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile


def all_rows(available: Counter[Tile], rules: RuleSet) -> Iterator[Meld]:
    """Yield every valid row that can be made from some of the tiles in `available`.

    A run is yielded only in rising order, and a group in only one order of its tiles. A row that is both a run and a
    group is yielded twice.
    """
    yield from _runs(available, rules)
    yield from _groups(available, rules)
    if rules.joker.alone:
        for length in range(rules.melds.shortest, available[JOKER] + 1):
            if is_valid((JOKER,) * length, rules):
                yield (JOKER,) * length


def _most_jokers(available: Counter[Tile], rules: RuleSet) -> int:
    """Return the largest number of jokers that a row can have."""
    limit = rules.joker.most_in_set
    return available[JOKER] if limit is None else min(limit, available[JOKER])


def _runs(available: Counter[Tile], rules: RuleSet) -> Iterator[Meld]:
    highest, shortest = rules.stock.numbers, rules.melds.shortest
    for ink in rules.stock.inks:
        for start in range(1, highest + 1):
            for length in range(shortest, highest + 1):
                last = start + length - 1
                if last > highest and not rules.melds.wraps:
                    break
                tiles = [Tile(ink, (number - 1) % highest + 1) for number in range(start, last + 1)]
                if sum(not available[tile] for tile in tiles) > _most_jokers(available, rules):
                    break  # a longer run lacks at least as many tiles
                yield from _with_jokers(tiles, available, _most_jokers(available, rules))


def _with_jokers(tiles: list[Tile], available: Counter[Tile], most: int) -> Iterator[Meld]:
    """Yield the rows made from a run or group by putting jokers in place of missing tiles and of any other tiles.

    A row has at most `most` jokers, and at least one tile that is no joker.
    """
    missing = [at for at, tile in enumerate(tiles) if not available[tile]]
    others = [at for at, tile in enumerate(tiles) if available[tile]]
    for more in range(most - len(missing) + 1):
        for chosen in combinations(others, more):
            at_jokers = {*missing, *chosen}
            if len(at_jokers) < len(tiles):
                yield tuple(JOKER if at in at_jokers else tile for at, tile in enumerate(tiles))


def _groups(available: Counter[Tile], rules: RuleSet) -> Iterator[Meld]:
    if rules.melds.largest_group is None:
        return
    inks = rules.stock.inks
    for number in range(1, rules.stock.numbers + 1):
        present = [tile for tile in (Tile(ink, number) for ink in inks) if available[tile]]
        for plain in range(1, len(present) + 1):
            for tiles in combinations(present, plain):
                for jokers in range(_most_jokers(available, rules) + 1):
                    if rules.melds.shortest <= plain + jokers <= min(rules.melds.largest_group, len(inks)):
                        yield (*tiles, *[JOKER] * jokers)
