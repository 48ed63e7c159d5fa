"""Every valid row that can be made of some tiles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile


def all_rows(there: Counter[Tile], rules: RuleSet) -> Iterator[Meld]:
    """Yield every valid row of the tiles in `there`, without mirror images and reordered groups."""
    yield from _runs(there, rules)
    yield from _groups(there, rules)
    if rules.joker.alone:
        for length in range(rules.melds.shortest, there[JOKER] + 1):
            if is_valid((JOKER,) * length, rules):
                yield (JOKER,) * length


def _most_jokers(there: Counter[Tile], rules: RuleSet) -> int:
    limit = rules.joker.most_in_set
    return there[JOKER] if limit is None else min(limit, there[JOKER])


def _runs(there: Counter[Tile], rules: RuleSet) -> Iterator[Meld]:
    highest, shortest = rules.stock.numbers, rules.melds.shortest
    for ink in rules.stock.inks:
        for start in range(1, highest + 1):
            for length in range(shortest, highest + 1):
                last = start + length - 1
                if last > highest and not rules.melds.wraps:
                    break
                tiles = [Tile(ink, (number - 1) % highest + 1) for number in range(start, last + 1)]
                if sum(not there[tile] for tile in tiles) > _most_jokers(there, rules):
                    break  # a longer one lacks as many
                yield from _with_jokers(tiles, there, _most_jokers(there, rules))


def _with_jokers(tiles: list[Tile], there: Counter[Tile], most: int) -> Iterator[Meld]:
    """Yield rows in which jokers replace the missing tiles, and any others."""
    missing = [at for at, tile in enumerate(tiles) if not there[tile]]
    others = [at for at, tile in enumerate(tiles) if there[tile]]
    for more in range(most - len(missing) + 1):
        for chosen in combinations(others, more):
            at_jokers = {*missing, *chosen}
            if len(at_jokers) < len(tiles):
                yield tuple(JOKER if at in at_jokers else tile for at, tile in enumerate(tiles))


def _groups(there: Counter[Tile], rules: RuleSet) -> Iterator[Meld]:
    if rules.melds.largest_group is None:
        return
    inks = rules.stock.inks
    for number in range(1, rules.stock.numbers + 1):
        present = [tile for tile in (Tile(ink, number) for ink in inks) if there[tile]]
        for plain in range(1, len(present) + 1):
            for tiles in combinations(present, plain):
                for jokers in range(_most_jokers(there, rules) + 1):
                    if rules.melds.shortest <= plain + jokers <= min(rules.melds.largest_group, len(inks)):
                        yield (*tiles, *[JOKER] * jokers)
