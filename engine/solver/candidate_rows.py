"""Every valid row that can be made of some tiles, and every valid extension of a block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product

from tilekeeper.engine.rules.meld import Kind, is_valid
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.sweep.task import Block
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


def rows_with(block: Block, there: Counter[Tile], rules: RuleSet) -> Iterator[tuple[Meld, Counter[Tile]]]:
    """Yield every valid row of a block with some of the tiles in `there`, and these tiles."""
    yield block.row, Counter()
    if block.reading.kind is Kind.GROUP:
        yield from _grown_groups(block, there, rules)
        return
    before = [(), *_stretches(block, -1, there, rules)]
    after = [(), *_stretches(block, 1, there, rules)]
    for front, back in product(before, after):
        added = Counter(front) + Counter(back)
        row = (*front[::-1], *block.row, *back)
        if added and added <= there and is_valid(row, rules):
            yield row, added


def _stretches(block: Block, step: int, there: Counter[Tile], rules: RuleSet) -> list[Meld]:
    """Return the rows that can follow one end of a block's run, starting next to it."""
    end = block.reading.tiles[-1 if step > 0 else 0]
    found: list[Meld] = []
    rows: list[Meld] = [()]
    for distance in range(1, rules.stock.numbers - len(block.row) + 1):
        number = (end.number or 0) + step * distance
        if not 1 <= number <= rules.stock.numbers:
            if not rules.melds.wraps:
                break
            number = (number - 1) % rules.stock.numbers + 1
        next_tiles = [tile for tile in (Tile(end.colour, number), JOKER) if there[tile]]
        rows = [(*row, tile) for row in rows for tile in next_tiles if (*row, tile).count(tile) <= there[tile]]
        found += rows
    return found


def _grown_groups(block: Block, there: Counter[Tile], rules: RuleSet) -> Iterator[tuple[Meld, Counter[Tile]]]:
    number = block.reading.tiles[0].number
    kinds = [tile for tile in (*(Tile(ink, number) for ink in rules.stock.inks), JOKER) if there[tile]]
    for count in range(1, (rules.melds.largest_group or 0) - len(block.row) + 1):
        for tiles in combinations([tile for tile in kinds for _ in range(count if tile.is_joker else 1)], count):
            row = (*block.row, *tiles)
            if Counter(tiles) <= there and is_valid(row, rules):
                yield row, Counter(tiles)
