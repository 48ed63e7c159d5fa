"""A slow and simple solver for arrangements and the best play: it tries everything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, permutations

from tilekeeper.engine.judge.judge import judge
from tilekeeper.engine.rules.meld import is_group, is_valid
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile


class Oracle:
    """Tries everything, for one rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self.rows = cache(self._rows)
        self.can_lie = cache(self._can_lie)

    def _rows(self, tiles: Meld) -> tuple[Meld, ...]:
        """Return every valid row of exactly these sorted tiles, one of mirror images and permuted groups."""
        found: dict[Meld, Meld] = {}
        plain = [tile for tile in tiles if not tile.is_joker]
        if len({tile.number for tile in plain}) > 1 and len({tile.colour for tile in plain}) > 1:
            return ()
        for row in permutations(tiles):
            if is_valid(row, self._rules):
                if is_group(row, self._rules) and len(set(row)) == len(row):
                    return (row,)
                key = min(row, row[::-1], key=lambda each: [tile.order for tile in each])
                found.setdefault(key, row)
        return tuple(found.values())

    def arrangements(self, tiles: Meld) -> Iterator[tuple[Meld, ...]]:
        """Yield every way to lay all these sorted tiles in valid rows."""
        if not tiles:
            yield ()
            return
        first, rest_tiles = tiles[0], tiles[1:]
        tried = set()
        for count in range(self._rules.melds.shortest - 1, min(len(rest_tiles), self._rules.stock.numbers - 1) + 1):
            for chosen in combinations(range(len(rest_tiles)), count):
                mates = tuple(rest_tiles[at] for at in chosen)
                if mates in tried:
                    continue
                tried.add(mates)
                rows = self.rows((first, *mates))
                if rows:
                    rest = tuple(tile for at, tile in enumerate(rest_tiles) if at not in chosen)
                    for others_rows in self.arrangements(rest):
                        for row in rows:
                            yield (row, *others_rows)

    def _can_lie(self, tiles: Meld) -> bool:
        return next(self.arrangements(tiles), None) is not None

    def most(self, must: Counter[Tile], may: Counter[Tile]) -> int | None:
        """Return the most optional tiles that can be laid with all required ones; None if those can not."""
        for laid in parts(may):
            if self.can_lie(in_order(must + laid)):
                return laid.total()
        return None

    def best_play(self, table: Table, rack: Counter[Tile], opened: bool) -> int:
        """Return the most tiles of a rack in a legal turn; 0 if there is none."""
        context = TurnContext(self._rules, opened)
        jokers = table.counts[JOKER]
        for laid in parts(rack):
            for taken in range(jokers + 1 if laid and not laid[JOKER] else 1):
                tiles = in_order(table.counts + laid - Counter({JOKER: taken}))
                for melds in self.arrangements(tiles) if laid else ():
                    if judge(table, Table(melds), context).legal:
                        return laid.total()
        return 0


def in_order(tiles: Counter[Tile]) -> Meld:
    """Return the tiles, sorted."""
    return tuple(sorted(tiles.elements(), key=lambda tile: tile.order))


def parts(tiles: Counter[Tile]) -> list[Counter[Tile]]:
    """Return every choice of some tiles, large ones first."""
    everything = in_order(tiles)
    found = {
        chosen: Counter(chosen)
        for count in range(len(everything), -1, -1)
        for chosen in combinations(everything, count)
    }
    return list(found.values())
