"""Continuations of melds: every row that the tiles of a table can make, and how many tiles stay in place for it.

An arrangement is a choice of rows that use all tiles, and for each row at most one old meld that continues as this row;
the tiles that stay in place are those that old meld and row share. A row is left out if it can be cut into two valid
rows that keep as many tiles in place.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from tilekeeper.engine.rules.meld import is_valid
from tilekeeper.engine.rules.policies import PastEnd
from tilekeeper.engine.rules.possible_rows import all_rows
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.solver.tile_moves import count_kept, in_any_order
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile

NEW: Final = -1
"""The index in place of an old meld if the row is new."""
_AT_ONCE: Final = 400
_AT_ONCE_OF_ONE: Final = 8


class Continuation(NamedTuple):
    """One row, and the old meld that continues as this row."""

    gain: float
    """The reduced cost: its worth minus the prices of its tiles and its meld."""
    kept: int
    """The number of tiles that stay in place."""
    row: int
    """The index of the row."""
    meld: int
    """The index of the old meld, or `NEW`."""


class Continuations:
    """All rows of the tiles of a table, and the melds that can continue as each of them.

    Args:
        melds: the melds of the table.
        tiles: its tiles that are to be arranged.
        rules: the edition in play.
        removable: whether tiles may be taken off the table. A tile that is taken off is a row of one tile; it belongs
            to a meld of its own, whose index is the number of melds.
    """

    def __init__(self, melds: Sequence[Meld], tiles: Counter[Tile], rules: RuleSet, removable: bool) -> None:
        self.kinds: tuple[Tile, ...] = tuple(sorted(tiles, key=lambda tile: tile.order))
        self.melds = tuple(melds)
        self._at = {tile: at for at, tile in enumerate(self.kinds)}
        self._holding: dict[Tile, list[int]] = defaultdict(list)
        for index, meld in enumerate(melds):
            for tile in dict.fromkeys(meld):
                self._holding[tile].append(index)
        self._kept_known: dict[tuple[int, Meld, bool], int] = {}
        found = [each for row in _laid_out(tiles, rules) if (each := self._continued(row, rules.melds.shortest))]
        found.sort(key=lambda each: len(each[0]))
        self.rows: list[Meld] = [row for row, _, _ in found]
        self.may_be_new = [short for _, _, short in found]
        self.kept = [(kept, at, meld) for at, (_, melds, _) in enumerate(found) for kept, meld in melds]
        """The number of staying tiles by row and meld, if two or more stay."""
        if removable:
            self.kept += [(0, len(self.rows) + at, len(melds)) for at in range(len(self.kinds))]
            self.rows += [(tile,) for tile in self.kinds]
            self.may_be_new += [False] * len(self.kinds)
        self.uses = [tuple([self._at[tile] for tile in row]) for row in self.rows]
        self._by_length = [(length, list(uses)) for length, uses in groupby(self.uses, key=len)]
        self.sharing = [
            tuple({index: None for tile in row for index in self._holding[tile]}) if may_be_new else ()
            for row, may_be_new in zip(self.rows, self.may_be_new, strict=True)
        ]
        """The melds that share a tile with each possible new row."""

    def _continued(self, row: Meld, shortest: int) -> tuple[Meld, list[tuple[int, int]], bool] | None:
        """Return a row, the melds of which two or more tiles stay in it, and whether it has the length of a new row.

        Return None if for each of these melds the row can be cut in two, and one part keeps as many of its tiles.
        """
        any_order = in_any_order(row)
        shared: dict[int, list[int]] = {}
        for at, tile in enumerate(row):
            for index in self._holding[tile]:
                shared.setdefault(index, []).append(at)
        cuts = [] if any_order else _cuts(row, shortest)
        melds = []
        for index, places in shared.items():
            if len(places) < 2 or (cuts and (cuts[0] <= places[0] or cuts[-1] > places[-1])):
                continue
            kept = self._kept(index, row, any_order)
            parts = [part for at in cuts if len(places) > 2 for part in (row[:at], row[at:])]
            if kept > 1 and all(self._kept(index, part, False) < kept for part in parts):
                melds.append((kept, index))
        return (row, melds, not cuts) if melds or not cuts else None

    def _kept(self, index: int, row: Meld, any_order: bool) -> int:
        """Return how many tiles of a meld stay when it becomes a row."""
        meld = self.melds[index]
        shared = tuple([tile for tile in row if tile in meld])
        key = (index, shared, any_order)
        known = self._kept_known.get(key)
        if known is None:
            known = self._kept_known[key] = count_kept(meld, shared, any_order)
        return known

    def gaining(self, prices: Sequence[float], least: float) -> list[Continuation]:
        """Return the continuations with at least the gain `least` at these prices.

        Args:
            prices: the price of each kind of tile, then of each meld.
            least: the least gain.
        """
        of_rows, of_melds = self._prices_of_rows(prices), prices[len(self.kinds) :]
        found = self._keeping_more(of_rows, of_melds, least)
        for row, price in enumerate(of_rows):
            if price <= 1 - least and self.may_be_new[row]:
                if -price >= least:
                    found.append(Continuation(-price, 0, row, NEW))
                found += [
                    Continuation(gain, 1, row, meld)
                    for meld in self.sharing[row]
                    if (gain := 1 - price - of_melds[meld]) >= least
                ]
        return found

    def improving(self, prices: Sequence[float], least: float) -> list[Continuation]:
        """Return the continuations of `gaining` that are best for a meld, and the best new rows with each tile."""
        of_rows, of_melds = self._prices_of_rows(prices), prices[len(self.kinds) :]
        found = self._keeping_more(of_rows, of_melds, least)
        for row, price in enumerate(of_rows):
            if price <= 1 - least and self.may_be_new[row]:
                if -price >= least:
                    found.append(Continuation(-price, 0, row, NEW))
                costs = [of_melds[meld] for meld in self.sharing[row]]
                cost = min(costs)
                if 1 - price - cost >= least:
                    found.append(Continuation(1 - price - cost, 1, row, self.sharing[row][costs.index(cost)]))
        found.sort(reverse=True)
        chosen, chosen_of = [], Counter[int]()
        for each in found:
            key = each.meld if each.meld != NEW else -1 - self.uses[each.row][0]
            chosen_of[key] += 1
            if chosen_of[key] <= _AT_ONCE_OF_ONE:
                chosen.append(each)
                if len(chosen) == _AT_ONCE:
                    break
        return chosen

    def _keeping_more(self, of_rows: Sequence[float], of_melds: Sequence[float], least: float) -> list[Continuation]:
        """Return the continuations in which two or more tiles stay, and tiles that are taken off."""
        return [
            Continuation(gain, kept, row, meld)
            for kept, row, meld in self.kept
            if (gain := kept - of_rows[row] - of_melds[meld]) >= least
        ]

    def _prices_of_rows(self, prices: Sequence[float]) -> list[float]:
        found: list[float] = []
        for length, uses in self._by_length:
            if length == 3:
                found += [prices[a] + prices[b] + prices[c] for a, b, c in uses]
            elif length == 4:
                found += [prices[a] + prices[b] + prices[c] + prices[d] for a, b, c, d in uses]
            else:
                found += [sum([prices[at] for at in used]) for used in uses]
        return found

    def constraints(self, continuation: Continuation) -> tuple[int, ...]:
        """The indices of the prices that a continuation pays."""
        used = self.uses[continuation.row]
        return used if continuation.meld == NEW else (*used, len(self.kinds) + continuation.meld)


def _cuts(row: Meld, shortest: int) -> Sequence[int]:
    """Return the places at which a run can be cut in two runs; jokers alone may not be a run."""
    cuts = range(shortest, len(row) - shortest + 1)
    if row.count(JOKER) < shortest:
        return cuts
    return [at for at in cuts if _has_plain(row[:at]) and _has_plain(row[at:])]


def _has_plain(row: Meld) -> bool:
    return any(not tile.is_joker for tile in row)


def _laid_out(tiles: Counter[Tile], rules: RuleSet) -> Iterator[Meld]:
    """Yield every valid row, including those that differ only in the places of jokers."""
    for row in all_rows(tiles, rules):
        yield row
        jokers = row.count(JOKER)
        if jokers and jokers == len(row) - 1:
            plain = next(tile for tile in row if not tile.is_joker)
            for at in range(len(row)):
                other = (JOKER,) * at + (plain,) + (JOKER,) * (jokers - at)
                if other != row and is_valid(other, rules):
                    yield other
        elif jokers and rules.joker.past_end is PastEnd.OTHER_END:
            yield from _past_the_other_end(row)


def _past_the_other_end(row: Meld) -> Iterator[Meld]:
    """Yield the variants of a run in which jokers of one end are at the other."""
    for turned in (row, row[::-1]):
        while turned[0].is_joker:
            turned = (*turned[1:], JOKER)
            yield turned
