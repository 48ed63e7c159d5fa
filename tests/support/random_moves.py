"""What a random player finds to lay: new sets, tiles added, tiles borrowed from melds for new sets, jokers swapped."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from tilekeeper.engine.rules.meld import best_reading, is_valid, worth
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

_TORN: Final = 3  # how long the rows of a muddled table are at most


class Mover:
    """A player who is no master, one for all seats of a game.

    Args:
        rng: where all chance comes from.
        rules: the edition in play.
    """

    def __init__(self, rng: random.Random, rules: RuleSet) -> None:
        self._rng, self._rules = rng, rules
        self._known = _known_rows(rules)
        self._by_ink, self._by_number = self._known.by_ink, self._known.by_number

    def tables(self, table: Table, hand: Sequence[Tile], opened: bool) -> Iterator[Table]:
        """The tables that a player might leave, the best ideas first; the judge may refuse any of them."""
        melds, rest = list(table.melds), list(hand)
        new = self._new_melds(rest)
        if opened:
            extended, left = self._extended([*melds, *new], rest)
            swapped = self._joker_swapped(extended, left)
            if swapped is not None:
                yield Table(tuple(swapped))
            borrowed = self._borrowed(extended, left)
            if borrowed is not None:
                yield Table(tuple(borrowed))
            if new or len(left) < len(rest):
                yield Table(tuple(extended))
        if new and (opened or sum(map(self._points, new)) >= self._rules.opening.minimum_points):
            yield Table((*melds, *new))

    def muddled(self, table: Table, hand: Sequence[Tile]) -> Table:
        """A table that somebody has made a mess of: some melds torn apart, some tiles of the rack among them."""
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
        """Sets of the rack alone; their tiles are taken out of `rest`."""
        chosen: list[Meld] = []
        there = set(rest)
        candidates = [*self._runs(there), *self._groups(there)]
        self._rng.shuffle(candidates)
        candidates.sort(key=len, reverse=True)
        for meld in candidates:
            if _take(rest, meld):
                chosen.append(meld)
        if JOKER in rest and (with_joker := self._with_joker(rest)):
            _take(rest, with_joker)
            chosen.append(with_joker)
        return chosen

    def _runs(self, there: set[Tile]) -> Iterator[Meld]:
        """The longest runs of plain tiles in each colour."""
        for tiles in self._by_ink.values():
            row: list[Tile] = []
            for tile in (*tiles, None):
                if tile in there:
                    row.append(tile)
                    continue
                if len(row) >= self._rules.melds.shortest:
                    yield tuple(row)
                row = []

    def _groups(self, there: set[Tile]) -> Iterator[Meld]:
        """The largest groups of plain tiles."""
        largest = self._rules.melds.largest_group or 0
        for tiles in self._by_number:
            group = tuple(tile for tile in tiles if tile in there)[:largest]
            if len(group) >= self._rules.melds.shortest:
                yield group

    def _with_joker(self, hand: Sequence[Tile]) -> Meld | None:
        """A set of two plain tiles and a joker, the higher tile as high as can be."""
        there = {tile for tile in hand if not tile.is_joker}
        for tile in sorted(there, key=lambda tile: (-(tile.number or 0), tile.order)):
            for other in sorted(there, key=lambda other: other.order):
                for meld in ((other, JOKER, tile), (JOKER, other, tile)) if other is not tile else ():
                    if self._known.is_valid(meld):
                        return meld
        return None

    def _extended(self, melds: Sequence[Meld], rest: Sequence[Tile]) -> tuple[list[Meld], list[Tile]]:
        """Melds with tiles of the rack added wherever they fit, and what stays on the rack."""
        melds, left = list(melds), []
        fitting = [self._known.fitting(meld) for meld in melds]
        for tile in self._rng.sample(rest, len(rest)):
            for at, fits in enumerate(fitting):
                if tile in fits:
                    melds[at] = fits[tile]
                    fitting[at] = self._known.fitting(melds[at])
                    break
            else:
                left.append(tile)
        return melds, left

    def _borrowed(self, melds: Sequence[Meld], rest: Sequence[Tile]) -> list[Meld] | None:
        """A tile that a meld of the table can spare, laid with two or more of the rack."""
        there = set(rest)
        for at in self._rng.sample(range(len(melds)), len(melds)):
            meld = melds[at]
            for spare in {0, len(meld) - 1, self._rng.randrange(len(meld))}:
                tile, shorter = meld[spare], meld[:spare] + meld[spare + 1 :]
                if tile.is_joker or not self._known.is_valid(shorter):
                    continue
                new = self._set_with(tile, there)
                if new is not None:
                    return [*melds[:at], shorter, *melds[at + 1 :], new]
        return None

    def _set_with(self, tile: Tile, there: set[Tile]) -> Meld | None:
        """The longest run or group of a plain tile of the edition and tiles that are there."""
        assert tile.colour is not None and tile.number is not None  # noqa: PT018 - it is a plain one
        row, low, high = self._by_ink[tile.colour], tile.number - 1, tile.number
        while low > 0 and row[low - 1] in there:
            low -= 1
        while high < len(row) and row[high] in there:
            high += 1
        mates = [other for other in self._by_number[tile.number - 1] if other is not tile and other in there]
        group = (tile, *mates)[: self._rules.melds.largest_group or 0]
        longest = max(tuple(row[low:high]), group, key=len)
        return longest if len(longest) >= self._rules.melds.shortest else None

    def _joker_swapped(self, melds: Sequence[Meld], rest: Sequence[Tile]) -> list[Meld] | None:
        """A joker of the table replaced by a tile of the rack, and laid in a new set or kept."""
        for at in self._rng.sample(range(len(melds)), len(melds)):
            meld = melds[at]
            if JOKER not in meld:
                continue
            place = meld.index(JOKER)
            for tile in rest:
                replaced = (*meld[:place], tile, *meld[place + 1 :])
                if tile.is_joker or not self._known.is_valid(replaced):
                    continue
                others = [*melds[:at], replaced, *melds[at + 1 :]]
                hand = list(rest)
                hand.remove(tile)
                new = self._with_joker(hand)
                return others if new is None else [*others, new]
        return None


class _KnownRows:
    """What was found out about rows under some rules: the same ones lie on tables again and again."""

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

    def fitting(self, meld: Meld) -> dict[Tile, Meld]:
        """The kinds of tiles that can be put to a meld, each with what it becomes."""
        found = self._longer.get(meld)
        if found is None:
            found = self._longer[meld] = {
                tile: row
                for tile in self._akin(meld)
                if (row := next(filter(self.is_valid, ((*meld, tile), (tile, *meld))), None)) is not None
            }
        return found

    def _akin(self, meld: Meld) -> Iterator[Tile]:
        """The kinds of tiles that might be put to a valid meld: of its number, or next to its ends in its colour."""
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
    """What is known of rows under these rules, kept from one game to the next."""
    return _KnownRows(rules)


def _take(left: list[Tile], meld: Meld) -> bool:
    """Take a meld's tiles out of `left` if all are there."""
    rest = list(left)
    for tile in meld:
        if tile not in rest:
            return False
        rest.remove(tile)
    left[:] = rest
    return True
