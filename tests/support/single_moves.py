"""An oracle that tries every single move, for editions in which runs are only extended and a joker may be taken out.

It starts from the table before, with the tiles that came and every joker that may have been on the rack, and does all
that a hand may do: lay a new row, lay a tile or a joker at an end, replace a joker, take a joker out where every part
that remains is valid and lay it at the end of a row, push two rows together. A turn is legal if some sequence of such
moves ends at the table after. It shares no code with the judge but the data of the rules, tables and tiles.
"""

from collections import Counter, deque
from collections.abc import Iterator
from itertools import combinations, pairwise

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Meld, Table
from tilekeeper.engine.tiles.tile import JOKER, Tile

State = tuple[tuple[Meld, ...], tuple[Tile, ...], int]
"""The rows on the table, the numbered tiles still on the rack, and how many jokers are there."""


class TooManyMoves(Exception):  # noqa: N818 - says what happened
    """More tables can be reached than the limit."""


def reached(before: Table, after: Table, rules: RuleSet, most: int = 200_000) -> bool:
    """Return whether single moves lead from one table to another, with at least one tile from the rack.

    Raises:
        TooManyMoves: if more than `most` tables can be reached.
    """
    return fewest_replacements(before, after, rules, most) is not None


def fewest_replacements(before: Table, after: Table, rules: RuleSet, most: int = 200_000) -> int | None:
    """Return the least number of jokers that must be replaced; None if no moves lead to the table after.

    Raises:
        TooManyMoves: if more than `most` tables can be reached.
    """
    was, now = before.counts, after.counts
    added, removed = now - was, was - now
    if (
        not added
        or any(tile != JOKER for tile in removed)
        or any(now[tile] > rules.stock.copies_of(tile) for tile in now)
    ):
        return None
    search = _Search(after, rules)
    if not all(search.is_row(row) for row in after.melds):
        return None
    plain = tuple(sorted((tile for tile in added.elements() if tile != JOKER), key=str))
    start = (search.rows(before.melds), plain, rules.stock.jokers - was[JOKER])
    fewest, front = {start: 0}, deque([start])
    while front:
        state = front.popleft()
        if not state[1] and state[0] == search.goal:
            return fewest[state]
        for after_move in search.moves(state):
            is_replacement = after_move[2] > state[2]
            replaced = fewest[state] + is_replacement
            if replaced < fewest.get(after_move, replaced + 1):
                fewest[after_move] = replaced
                if is_replacement:
                    front.append(after_move)
                else:
                    front.appendleft(after_move)
        if len(fewest) > most:
            raise TooManyMoves
    return None


def most_stars(before: Table, after: Table, rules: RuleSet, most: int = 200_000) -> int | None:
    """Return the most stars that the turn can earn, without those for an empty rack; None if the turn is illegal.

    A replaced joker costs the star of the tile in its place, and brings at most one for a joker that is then laid. So
    the way with the fewest replaced jokers earns the most.

    Raises:
        TooManyMoves: if more than `most` tables can be reached.
    """
    replaced = fewest_replacements(before, after, rules, most)
    if replaced is None:
        return None
    old, new = before.counts, after.counts
    laid = sum(count - old[tile] for tile, count in new.items() if tile != JOKER) - replaced
    # The jokers on the rack at the start of the turn are laid before those that come back.
    jokers = min(new[JOKER] - old[JOKER] + replaced, rules.stock.jokers - old[JOKER])
    runs = sum(all(tile == JOKER or not old[tile] for tile in row) for row in after.melds)
    return laid + jokers + runs


class _Search:
    """The moves from a table; moves that separate or join numbered tiles depend on the goal."""

    def __init__(self, after: Table, rules: RuleSet) -> None:
        self._rules = rules
        self._shortest, self._numbers = rules.melds.shortest, rules.stock.numbers
        self._known: dict[Meld, bool] = {}
        self.goal = self.rows(after.melds)
        self._rows_of = {tile: {at for at, row in enumerate(after.melds) if tile in row} for tile in after.counts}

    def rows(self, rows: tuple[Meld, ...] | list[Meld]) -> tuple[Meld, ...]:
        """Return rows in a normal order, each seen from one side, groups in a sorted order."""
        return tuple(
            sorted(
                (
                    tuple(sorted(row, key=lambda tile: tile.order))
                    if self._is_group(row)
                    else min(row, row[::-1], key=_key)
                    for row in rows
                ),
                key=_key,
            )
        )

    def is_row(self, row: Meld) -> bool:
        """Return whether a row is a run or a group; jokers alone are not."""
        if row not in self._known:
            self._known[row] = self._is_group(row) or any(self._is_run(side) for side in (row, row[::-1]))
        return self._known[row]

    def _is_group(self, row: Meld) -> bool:
        plain = [tile for tile in row if tile != JOKER]
        if not plain or not self._shortest <= len(row) <= (self._rules.melds.largest_group or 0):
            return False
        return len({tile.number for tile in plain}) == 1 and len({tile.colour for tile in plain}) == len(plain)

    def _is_run(self, row: Meld) -> bool:
        plain = [(at, tile) for at, tile in enumerate(row) if tile != JOKER]
        if not plain or len(row) < self._shortest or len({tile.colour for _, tile in plain}) != 1:
            return False
        starts = {(tile.number or 0) - at for at, tile in plain}
        return len(starts) == 1 and min(starts) >= 1 and min(starts) + len(row) - 1 <= self._numbers

    def moves(self, state: State) -> Iterator[State]:
        """Yield every state after one move."""
        rows, rack, jokers = state
        for at, row in enumerate(rows):
            other_rows = [*rows[:at], *rows[at + 1 :]]
            for changed, rack_left, jokers_left in self._added_to(row, rack, jokers):
                yield self.rows([*other_rows, changed]), rack_left, jokers_left
            for parts in self._without_joker(row):
                for changed_rows in self._with_joker([*other_rows, *parts]):
                    yield self.rows(changed_rows), rack, jokers
            for joined, remaining_rows in self._joined(row, other_rows):
                yield self.rows([*remaining_rows, joined]), rack, jokers
        for row in self._new_rows(rack, jokers):
            left_over = tuple(sorted((Counter(rack) - Counter(row)).elements(), key=str))
            yield self.rows([*rows, row]), left_over, jokers - row.count(JOKER)

    def _added_to(self, row: Meld, rack: tuple[Tile, ...], jokers: int) -> Iterator[tuple[Meld, tuple[Tile, ...], int]]:
        for tile, rack_left, jokers_left in self._laid(rack, jokers):
            for longer in self._longer(row, tile):
                yield longer, rack_left, jokers_left
        for at, tile in enumerate(rack):
            for mended in self._replaced(row, tile):
                yield mended, rack[:at] + rack[at + 1 :], jokers + 1

    def _with_joker(self, rows: list[Meld]) -> Iterator[list[Meld]]:
        for at, row in enumerate(rows):
            for longer in self._longer(row, JOKER):
                yield [*rows[:at], longer, *rows[at + 1 :]]

    def _laid(self, rack: tuple[Tile, ...], jokers: int) -> Iterator[tuple[Tile, tuple[Tile, ...], int]]:
        for at, tile in enumerate(rack):
            yield tile, rack[:at] + rack[at + 1 :], jokers
        if jokers:
            yield JOKER, rack, jokers - 1

    def _longer(self, row: Meld, tile: Tile) -> Iterator[Meld]:
        for longer in ((*row, tile), (tile, *row)):
            if self._may_lie(longer):
                yield longer

    def _replaced(self, row: Meld, tile: Tile) -> Iterator[Meld]:
        for at, old_tile in enumerate(row):
            mended = (*row[:at], tile, *row[at + 1 :])
            if old_tile == JOKER and self._may_lie(mended):
                yield mended

    def _without_joker(self, row: Meld) -> Iterator[list[Meld]]:
        for at, tile in enumerate(row):
            parts = [part for part in (row[:at], row[at + 1 :]) if part]
            if tile == JOKER and all(self.is_row(part) for part in parts):
                yield parts

    def _joined(self, row: Meld, other_rows: list[Meld]) -> Iterator[tuple[Meld, list[Meld]]]:
        for at, other in enumerate(other_rows):
            for one in (row, row[::-1]):
                for joined in ((*one, *other), (*other, *one)):
                    if self._may_lie(joined):
                        yield joined, [*other_rows[:at], *other_rows[at + 1 :]]

    def _new_rows(self, rack: tuple[Tile, ...], jokers: int) -> Iterator[Meld]:
        found: set[Meld] = set()

        def grow(row: Meld, rack_tiles: tuple[Tile, ...], jokers_left: int) -> Iterator[Meld]:
            if self._may_lie(row) and row not in found:
                found.add(row)
                yield row
            for tile, rack_left, remaining_jokers in self._laid(rack_tiles, jokers_left):
                longer = (*row, tile)
                if self._may_rise(longer):
                    yield from grow(longer, rack_left, remaining_jokers)

        yield from grow((), rack, jokers)
        for size in range(self._shortest, (self._rules.melds.largest_group or 0) + 1):
            for row in combinations((*dict.fromkeys(rack), *[JOKER] * jokers), size):
                if self._is_group(row) and row not in found:
                    found.add(row)
                    yield row

    def _may_rise(self, row: Meld) -> bool:
        """Return whether a row can be the beginning of a rising run."""
        plain = [(at, tile) for at, tile in enumerate(row) if tile != JOKER]
        starts = {((tile.number or 0) - at, tile.colour) for at, tile in plain}
        return len(row) <= self._numbers and len(starts) < 2 and all(start >= 1 for start, _ in starts)

    def _may_lie(self, row: Meld) -> bool:
        """Return whether a row is valid, and its numbered neighbours have one final row, as nothing separates them."""
        return self.is_row(row) and all(
            JOKER in (tile, next_tile) or self._rows_of.get(tile, set()) & self._rows_of.get(next_tile, set())
            for tile, next_tile in pairwise(row)
        )


def _key(row: Meld) -> tuple[tuple[int, int], ...]:
    return tuple(tile.order for tile in row)
