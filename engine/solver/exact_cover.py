"""Exact cover: arrangements of tiles under any rules, slower than the sweep.

A multiset of tiles is one integer with a few bits for each kind of tile, so that one subtraction tells whether a row
can be made of it. The kinds are covered in the order of their numbers: each copy of the first kind that remains is in a
row with later kinds, or is left over. The remaining tiles are the state of the search; the least weight that must be
left over is stored for every state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final

from tilekeeper.engine.rules.meld import Kind, is_group
from tilekeeper.engine.rules.possible_rows import all_rows
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.sweep.task import Block, Solution, Task
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import Tile

_NEVER: Final = 1 << 40
_BITS: Final = 8


class SearchTooLarge(Exception):  # noqa: N818 - `except SearchTooLarge` reads well without "Error"
    """The search needs more states than it may visit."""

    __module__ = "tilekeeper.engine"  # the import path that tracebacks show


class Cover:
    """The exact cover of one task: its best arrangement, or all arrangements.

    Numbered tiles that the edition does not have fit in no row. The search may visit `most_states` states.

    Args:
        every_row: whether rows of the same tiles count as different if a joker is at another place.
        likely: melds whose tiles are tried as one row first.
    """

    def __init__(
        self,
        task: Task,
        rules: RuleSet,
        every_row: bool = False,
        most_states: int = 200_000,
        likely: Iterable[Meld] = (),
    ) -> None:
        self._task = task
        self._states_left = most_states
        available = task.must + task.may
        # Rows are short and of one number or of numbers in sequence, so dead ends are found soon.
        in_order = sorted(available, key=lambda tile: (tile.is_joker, tile.number or 0, tile.order))
        kinds: list[Tile | int] = [*range(len(task.blocks)), *in_order]
        self._shift = {kind: _BITS * at for at, kind in enumerate(kinds)}
        self._guard = sum(1 << (_BITS * at + _BITS - 1) for at in range(len(kinds)))
        self.everything = self._pack(available) + sum(1 << self._shift[index] for index in range(len(task.blocks)))
        self._may_stay = [0 if isinstance(kind, int) else task.may[kind] for kind in kinds]
        self._weight = [0 if isinstance(kind, int) else task.weight(kind) for kind in kinds]
        self._rows: list[list[tuple[int, Meld, int]]] = [[] for _ in kinds]
        listed: set[int] = set()
        for row in all_rows(available, rules):
            need = self._pack(Counter(row))
            if every_row or need not in listed:
                listed.add(need)
                self._add(need, row, -1)
        for index, block in enumerate(task.blocks):
            listed.clear()
            for row, added in rows_with(block, available, rules).items():
                need = self._pack(added) + (1 << self._shift[index])
                if every_row or need not in listed:
                    listed.add(need)
                    self._add(need, row, index)
        first = {self._pack(Counter(meld)) for meld in likely if available.keys() >= set(meld)}
        for rows in self._rows:
            rows.sort(key=lambda each: (each[0] not in first, -len(each[1])))
        self._least: dict[int, int] = {0: 0}

    def _pack(self, tiles: Counter[Tile]) -> int:
        return sum(count << self._shift[tile] for tile, count in tiles.items())

    def _add(self, need: int, row: Meld, block: int) -> None:
        first = ((need & -need).bit_length() - 1) // _BITS
        self._rows[first].append((need, row, block))

    def least(self) -> int | None:
        """Return the least weight that must be left over; None if the tiles that must be laid have no arrangement.

        Raises:
            SearchTooLarge: if the search needs too many states.
        """
        least = self._least_of(self.everything)
        return None if least >= _NEVER else least

    def _least_of(self, left: int) -> int:
        known = self._least.get(left)
        if known is not None:
            return known
        self._states_left -= 1
        if self._states_left < 0:
            raise SearchTooLarge
        least = _NEVER
        for rest, lost, _ in self.branches(left):
            if lost < least:
                least = min(least, lost + self._least_of(rest))
            if not least:
                break
        self._least[left] = least
        return least

    def branches(self, left: int) -> Iterator[tuple[int, int, tuple[Meld, int] | None]]:
        """Yield the choices for the first kind of the remaining tiles: each row with one copy, and no row if allowed.

        Each choice has the tiles that remain after it, the weight left over, and the row with the index of its block
        (-1 for no block). Without a row it is None, and all copies of the kind are left over.
        """
        first = ((left & -left).bit_length() - 1) // _BITS
        guarded = left | self._guard
        for need, row, block in self._rows[first]:
            if (guarded - need) & self._guard == self._guard:
                yield left - need, 0, (row, block)
        count = left >> (_BITS * first) & ((1 << _BITS) - 1)
        if count <= self._may_stay[first]:
            yield left - (count << _BITS * first), count * self._weight[first], None

    def arrangements(self, most_lost: int, least_lost: int = 0) -> Iterator[Solution]:
        """Yield every arrangement that leaves over a weight from `least_lost` to `most_lost`, each set of rows once.

        Raises:
            SearchTooLarge: if the search needs too many states.
        """
        yield from self._arrangements(self.everything, most_lost, least_lost, [], 0)

    def _arrangements(
        self, left: int, most: int, least: int, chosen: list[tuple[Meld, int]], last_need: int
    ) -> Iterator[Solution]:
        if not left:
            if least <= 0:
                in_order = sorted(chosen, key=lambda each: each[1] if each[1] >= 0 else len(self._task.blocks))
                melds = tuple(row for row, _ in in_order)
                laid = Counter(tile for row in melds for tile in row)
                for block in self._task.blocks:
                    laid -= Counter(block.row)
                yield Solution(melds, self._task.must + self._task.may - laid)
            return
        if self._least_of(left) > most:
            return
        first = ((left & -left).bit_length() - 1) // _BITS
        rows = self._rows[first]
        for rest, lost, row in self.branches(left):
            if lost > most:
                continue
            # Two rows with this kind are chosen in the order of the list, so that each pair comes once.
            order = next(at for at, each in enumerate(rows) if (each[1], each[2]) == row) if row else len(rows)
            if last_need >> 32 == first + 1 and order < last_need & 0xFFFFFFFF:
                continue
            self._states_left -= 1
            if self._states_left < 0:
                raise SearchTooLarge
            mark = (first + 1 << 32) + order
            yield from self._arrangements(rest, most - lost, least - lost, [*chosen, row] if row else chosen, mark)


def cover_task(task: Task, rules: RuleSet, most_states: int = 200_000) -> Solution | None:
    """Return the best arrangement of a task, by exact cover; None if the tiles that must be laid can't be arranged.

    Raises:
        SearchTooLarge: if the search needs more than `most_states` states.
    """
    cover = Cover(task, rules, most_states=most_states)
    least = cover.least()
    return None if least is None else next(cover.arrangements(least), None)


def rows_with(block: Block, there: Counter[Tile], rules: RuleSet) -> dict[Meld, Counter[Tile]]:
    """Return a map from each valid row that extends a block by tiles of `there` to the added tiles.

    The block itself is the first row, with no added tile.
    """
    tiles, colour = Counter(block.row), block.reading.tiles[0].colour
    found: dict[Meld, Counter[Tile]] = {block.row: Counter()}
    for row in all_rows(there + tiles, rules):
        added = Counter(row)
        added.subtract(tiles)
        if min(added.values()) < 0:
            continue
        if block.reading.kind is Kind.GROUP:
            if is_group(row, rules):
                found[(*block.row, *(+added).elements())] = +added
        elif all(tile.is_joker or tile.colour is colour for tile in row):
            stretches = zip(*[row[at:] for at in range(len(block.row))], strict=False)
            if block.row in stretches:
                found[row] = +added
    return found
