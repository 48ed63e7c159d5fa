"""The rows in a search for single moves: each row gets a number, and the results of each move are cached.

Each tile is paired with the new meld that is its goal, so two copies of a tile can differ. A row is left out if no move
could separate two neighbours with different goals again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import product
from typing import Final

from tilekeeper.engine.rules.meld import is_group, is_valid, largest_group
from tilekeeper.engine.rules.policies import PastEnd
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.tile import JOKER, Tile

Piece = tuple[Tile, int]
"""A tile, and the new meld that is its goal."""
Row = tuple[Piece, ...]
"""The pieces of a row on the table, from one end to the other."""

JOKER_PIECE: Final[Piece] = (JOKER, -1)
"""A joker: it has no fixed goal, so -1 takes the place of the meld."""


class Rows:
    """The rows in a search, each with a number, and for each row the rows into which one move changes it.

    A row has the same number as its mirror image, and a group has one number for all orders.
    """

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._row_list: list[Row] = []
        self.jokers: list[int] = []
        """The number of jokers of each row."""
        self._numbers: dict[Row, int] = {}
        # A search asks for the same rows thousands of times.
        self.may_lie = cache(self._may_lie)
        self.longer = cache(self._longer)
        self.with_joker_replaced = cache(self._with_joker_replaced)
        self.parts = cache(self._parts)
        self.joined = cache(self._joined)
        self.new = cache(self._new)

    def number(self, row: Row) -> int:
        """Return the number of a row; a new row gets the next number."""
        if row not in self._numbers:
            if is_group(tuple(tile for tile, _ in row), self._rules):
                first = tuple(sorted(row, key=piece_key))
            else:
                first = min(row, row[::-1], key=lambda side: tuple(map(piece_key, side)))
            if first not in self._numbers:
                self._numbers[first] = len(self._row_list)
                self._row_list.append(first)
                self.jokers.append(first.count(JOKER_PIECE))
            self._numbers[row] = self._numbers[first]
        return self._numbers[row]

    def pieces(self, row: int) -> Row:
        """Return the pieces of a row."""
        return self._row_list[row]

    def _longer(self, row: int, piece: Piece) -> tuple[int, ...]:
        """Return the valid rows that result if a piece is added at an end of a row."""
        row_pieces = self._row_list[row]
        return self._valid_ones([(*row_pieces, piece), (piece, *row_pieces)])

    def _with_joker_replaced(self, row: int, piece: Piece) -> tuple[int, ...]:
        """Return the valid rows that result if a piece replaces a joker of a row."""
        row_pieces = self._row_list[row]
        places = [at for at, other in enumerate(row_pieces) if other is JOKER_PIECE]
        return self._valid_ones([(*row_pieces[:at], piece, *row_pieces[at + 1 :]) for at in places])

    def _parts(self, row: int) -> tuple[tuple[int, ...], ...]:
        """Return the ways to take a joker out of a row: for each, the one or two valid rows that remain."""
        row_pieces, found = self._row_list[row], []
        for at in [at for at, other in enumerate(row_pieces) if other is JOKER_PIECE]:
            parts = [part for part in (row_pieces[:at], row_pieces[at + 1 :]) if part]
            if all(map(self.may_lie, parts)):
                found.append(tuple(map(self.number, parts)))
        return tuple(dict.fromkeys(found))

    def _joined(self, row: int, other: int) -> tuple[int, ...]:
        """Return the valid rows that result if two rows are pushed together."""
        one, two = self._row_list[row], self._row_list[other]
        return self._valid_ones([(*first, *second) for first, second in product((one, one[::-1]), (two, two[::-1]))])

    def _new(self, rack: frozenset[Piece], goals: tuple[int, ...]) -> tuple[tuple[int, int, frozenset[Piece]], ...]:
        """Return the valid new rows of tiles from the rack and jokers, rows of the table after the turn first.

        For each new row: its number, how many jokers it holds, and the rack without its tiles.
        """
        lines = self._lines(rack, [self._row_list[goal] for goal in goals])
        rows = dict.fromkeys(row for line in lines for row in self._stretches(line))
        found = [(self.number(row), row.count(JOKER_PIECE), rack.difference(row)) for row in rows]
        return tuple(sorted(found, key=lambda new: new[0] not in goals))

    def _lines(self, rack: frozenset[Piece], goals: Iterable[Row]) -> Iterator[Row]:
        """Yield the longest lines of which parts can be new rows; a joker fills each place without a tile of the rack.

        There is a line from 1 to the highest number for each colour, and for each colour and goal. In editions with
        groups each row of `goals` is a line, too. If jokers alone may be a set, all jokers of the box are a line.
        """
        numbers = range(1, self._rules.stock.numbers + 1)
        pieces = sorted(rack, key=piece_key)
        for colour, goal in dict.fromkeys((tile.colour, goal) for tile, meld in pieces for goal in (meld, -1)):
            there: dict[int | None, Piece] = {
                piece[0].number: piece for piece in pieces if piece[0].colour is colour and goal in (-1, piece[1])
            }
            yield tuple(there.get(number, JOKER_PIECE) for number in numbers)
        for meld in goals if self._rules.melds.largest_group is not None else ():
            yield tuple(piece if piece in rack else JOKER_PIECE for piece in meld)
        if self._rules.joker.alone:
            yield (JOKER_PIECE,) * self._rules.stock.jokers

    def _stretches(self, line: Row) -> Iterator[Row]:
        """Yield the valid rows within a line, with no more jokers than the box holds."""
        for first in range(len(line)):
            for last in range(first + self._rules.melds.shortest, len(line) + 1):
                row = line[first:last]
                if row.count(JOKER_PIECE) <= self._rules.stock.jokers and self.may_lie(row):
                    yield row

    def _valid_ones(self, rows: Iterable[Row]) -> tuple[int, ...]:
        return tuple(dict.fromkeys(self.number(row) for row in rows if self.may_lie(row)))

    def _may_lie(self, row: Row) -> bool:
        """Return whether a row is valid and moves can separate all neighbours with different goals again."""
        return can_be_parted(row, self._rules) and is_valid(tuple(tile for tile, _ in row), self._rules)


def can_be_parted(row: Row, rules: RuleSet) -> bool:
    """Return whether a joker that can leave is between any two neighbouring tiles of the row with different goals."""
    last, jokers = JOKER_PIECE, 0
    for piece in row:
        if piece is JOKER_PIECE:
            jokers += 1
            continue
        if piece[1] != last[1] and last is not JOKER_PIECE and not (jokers and has_gap(last[0], piece[0], rules)):
            return False
        last, jokers = piece, 0
    return True


def has_gap(tile: Tile, other: Tile, rules: RuleSet) -> bool:
    """Return whether a joker between two tiles of a run can leave it: a run must fit on each side of the joker.

    Always True in editions with other melds than plain runs.
    """
    if not only_plain_runs(rules):
        return True
    low, high = sorted((tile.number or 0, other.number or 0))
    shortest = rules.melds.shortest
    return any(shortest < place <= rules.stock.numbers - shortest for place in range(low + 1, high))


def only_plain_runs(rules: RuleSet) -> bool:
    """Return whether every meld is a run in which a tile has one place."""
    return largest_group(rules) is None and not rules.melds.wraps and rules.joker.past_end is PastEnd.NOTHING


def piece_key(piece: Piece) -> tuple[tuple[int, int], int]:
    """Return a sort key of a piece: by its tile, then by its goal."""
    return piece[0].order, piece[1]
