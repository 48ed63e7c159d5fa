"""Moves of a random player: new sets, extended melds, borrowed tiles, swapped jokers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from tilekeeper.engine.rules.meld import best_reading, is_valid, worth
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

_TORN: Final = 3  # tiles in each torn row of a muddled table


class Mover:
    """A beginner who plays for all seats of a game.

    Args:
        rng: the source of chance.
        rules: the edition in play.
    """

    def __init__(self, rng: random.Random, rules: RuleSet) -> None:
        self._rng, self._rules = rng, rules
        self._known = _known_rows(rules)
        self._by_ink, self._by_number = self._known.by_ink, self._known.by_number

    def tables(self, table: Table, hand: Sequence[Tile], opened: bool) -> Iterator[Table]:
        """Yield the tables that a player might leave, best ideas first; the judge may refuse them."""
        melds, rest = list(table.melds), list(hand)
        new = self._new_melds(rest)
        if opened:
            extended, remaining = self._extend([*melds, *new], rest)
            swapped = self._swap_joker(extended, remaining)
            if swapped is not None:
                yield Table(tuple(swapped))
            borrowed = self._borrow(extended, remaining)
            if borrowed is not None:
                yield Table(tuple(borrowed))
            if new or len(remaining) < len(rest):
                yield Table(tuple(extended))
        if new and (opened or sum(map(self._points, new)) >= self._rules.opening.minimum_points):
            yield Table((*melds, *new))

    def muddle(self, table: Table, hand: Sequence[Tile]) -> Table:
        """Return a table with some torn melds, with tiles of the rack among them."""
        rng, melds = self._rng, list(table.melds)
        rng.shuffle(melds)
        torn = [tile for meld in melds[:2] for tile in meld] + rng.sample(list(hand), min(len(hand), rng.randint(0, 3)))
        rng.shuffle(torn)
        rows = [tuple(torn[at : at + _TORN]) for at in range(0, len(torn), _TORN)]
        return Table((*melds[2:], *rows))

    def _points(self, meld: Meld) -> int:
        reading = best_reading(meld, self._rules)
        return 0 if reading is None else worth(meld, reading, self._rules)

    def _new_melds(self, rest: list[Tile]) -> list[Meld]:
        """Return sets from the rack alone; their tiles are removed from `rest`."""
        chosen: list[Meld] = []
        available = set(rest)
        candidates = [*self._runs(available), *self._groups(available)]
        self._rng.shuffle(candidates)
        candidates.sort(key=len, reverse=True)
        for meld in candidates:
            if _take(rest, meld):
                chosen.append(meld)
        if JOKER in rest and (with_joker := self._with_joker(rest)):
            _take(rest, with_joker)
            chosen.append(with_joker)
        return chosen

    def _runs(self, available: set[Tile]) -> Iterator[Meld]:
        """Yield the longest runs of numbered tiles in each colour."""
        for tiles in self._by_ink.values():
            row: list[Tile] = []
            for tile in (*tiles, None):
                if tile in available:
                    row.append(tile)
                    continue
                if len(row) >= self._rules.melds.shortest:
                    yield tuple(row)
                row = []

    def _groups(self, available: set[Tile]) -> Iterator[Meld]:
        """Yield the largest groups of numbered tiles."""
        largest = self._rules.melds.largest_group or 0
        for tiles in self._by_number:
            group = tuple(tile for tile in tiles if tile in available)[:largest]
            if len(group) >= self._rules.melds.shortest:
                yield group

    def _with_joker(self, hand: Sequence[Tile]) -> Meld | None:
        """Return a set of two numbered tiles and a joker, with a high number."""
        available = {tile for tile in hand if not tile.is_joker}
        for tile in sorted(available, key=lambda tile: (-(tile.number or 0), tile.order)):
            for other in sorted(available, key=lambda other: other.order):
                for meld in ((other, JOKER, tile), (JOKER, other, tile)) if other is not tile else ():
                    if self._known.is_valid(meld):
                        return meld
        return None

    def _extend(self, melds: Sequence[Meld], rest: Sequence[Tile]) -> tuple[list[Meld], list[Tile]]:
        """Return melds extended by tiles of the rack, and the remaining rack."""
        melds, remaining = list(melds), []
        fitting = [self._known.extensions(meld) for meld in melds]
        for tile in self._rng.sample(rest, len(rest)):
            for at, fits in enumerate(fitting):
                if tile in fits:
                    melds[at] = fits[tile]
                    fitting[at] = self._known.extensions(melds[at])
                    break
            else:
                remaining.append(tile)
        return melds, remaining

    def _borrow(self, melds: Sequence[Meld], rest: Sequence[Tile]) -> list[Meld] | None:
        """Return melds after one gave a spare tile to a new set from the rack."""
        available = set(rest)
        for at in self._rng.sample(range(len(melds)), len(melds)):
            meld = melds[at]
            for spare in {0, len(meld) - 1, self._rng.randrange(len(meld))}:
                tile, shorter = meld[spare], meld[:spare] + meld[spare + 1 :]
                if tile.is_joker or not self._known.is_valid(shorter):
                    continue
                new = self._set_with(tile, available)
                if new is not None:
                    return [*melds[:at], shorter, *melds[at + 1 :], new]
        return None

    def _set_with(self, tile: Tile, available: set[Tile]) -> Meld | None:
        """Return the longest run or group of a numbered tile and available tiles."""
        assert tile.colour is not None and tile.number is not None  # noqa: PT018 - the tile is numbered
        row, low, high = self._by_ink[tile.colour], tile.number - 1, tile.number
        while low > 0 and row[low - 1] in available:
            low -= 1
        while high < len(row) and row[high] in available:
            high += 1
        mates = [other for other in self._by_number[tile.number - 1] if other is not tile and other in available]
        group = (tile, *mates)[: self._rules.melds.largest_group or 0]
        longest = max(tuple(row[low:high]), group, key=len)
        return longest if len(longest) >= self._rules.melds.shortest else None

    def _swap_joker(self, melds: Sequence[Meld], rest: Sequence[Tile]) -> list[Meld] | None:
        """Return melds after a tile of the rack replaced a joker, which is laid in a new set or kept."""
        for at in self._rng.sample(range(len(melds)), len(melds)):
            meld = melds[at]
            if JOKER not in meld:
                continue
            place = meld.index(JOKER)
            for tile in rest:
                replaced = (*meld[:place], tile, *meld[place + 1 :])
                if tile.is_joker or not self._known.is_valid(replaced):
                    continue
                swapped = [*melds[:at], replaced, *melds[at + 1 :]]
                hand = list(rest)
                hand.remove(tile)
                new = self._with_joker(hand)
                return swapped if new is None else [*swapped, new]
        return None


class _KnownRows:
    """A cache of facts about rows under some rules, because the same rows come again and again."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._valid: dict[Meld, bool] = {}
        self._longer: dict[Meld, dict[Tile, Meld]] = {}
        inks, numbers = rules.stock.inks, range(1, rules.stock.numbers + 1)
        self.by_ink = {ink: [Tile(ink, number) for number in numbers] for ink in inks}
        self.by_number = [[Tile(ink, number) for ink in inks] for number in numbers]

    def is_valid(self, meld: Meld) -> bool:
        """Whether a row is a valid meld: what `tilekeeper.engine.rules.meld` says, asked once for each row."""
        found = self._valid.get(meld)
        if found is None:
            found = self._valid[meld] = is_valid(meld, self._rules)
        return found

    def extensions(self, meld: Meld) -> dict[Tile, Meld]:
        """Return the tiles that can extend a meld, each with the longer meld."""
        found = self._longer.get(meld)
        if found is None:
            found = self._longer[meld] = {
                tile: row
                for tile in self._related_tiles(meld)
                if (row := next(filter(self.is_valid, ((*meld, tile), (tile, *meld))), None)) is not None
            }
        return found

    def _related_tiles(self, meld: Meld) -> Iterator[Tile]:
        """Yield tiles that might extend a valid meld: of its number, or next to its ends in its colour."""
        yield JOKER
        plain = [tile for tile in meld if not tile.is_joker]
        first, numbers = plain[0], [tile.number or 0 for tile in plain]
        if first.number == plain[-1].number:
            yield from self.by_number[numbers[0] - 1]
        if first.colour is plain[-1].colour and first.colour is not None:
            row, jokers = self.by_ink[first.colour], len(meld) - len(plain)
            for distance in range(1, jokers + 2):
                yield from {
                    row[(min(numbers) - 1 - distance) % len(row)],
                    row[(max(numbers) - 1 + distance) % len(row)],
                }


@lru_cache(maxsize=8)
def _known_rows(rules: RuleSet) -> _KnownRows:
    """Return the cache for these rules, shared between games."""
    return _KnownRows(rules)


def _take(rack: list[Tile], meld: Meld) -> bool:
    """Remove the tiles of a meld from a rack if it holds them all; return whether it did."""
    rest = list(rack)
    for tile in meld:
        if tile not in rest:
            return False
        rest.remove(tile)
    rack[:] = rest
    return True
