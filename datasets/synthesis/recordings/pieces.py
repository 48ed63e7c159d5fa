"""Pieces of a random game: the physical tiles of the box, rows of them, and those that are not on the table.

Equal `Tile`s cannot be told apart, but each piece has a key, so that a recording knows which of two red 7s moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Tile


@dataclass(frozen=True, slots=True)
class Piece:
    """One physical tile of the box; `key` is its number, from 0."""

    key: int
    tile: Tile


Row = tuple[Piece, ...]
Rows = tuple[Row, ...]


def whole_box(rules: RuleSet) -> tuple[Piece, ...]:
    """Return every piece of an edition's box."""
    stock = rules.stock
    tiles = [Tile(ink, number) for ink in stock.inks for number in range(1, stock.numbers + 1)] * stock.copies
    return tuple(Piece(key, tile) for key, tile in enumerate([*tiles, *[JOKER] * stock.jokers]))


def table_of(rows: Rows) -> Table:
    """Convert rows of pieces to the engine's table."""
    return Table(tuple(tuple(piece.tile for piece in row) for row in rows))


class Unseen:
    """The pieces that are not on the table, from which moves take tiles."""

    def __init__(self, box: Sequence[Piece], rows: Rows, rules: RuleSet) -> None:
        lying = {piece.key for row in rows for piece in row}
        self._left = [piece for piece in box if piece.key not in lying]
        self.rules = rules

    @property
    def counts(self) -> Counter[Tile]:
        """The number of remaining copies of each tile."""
        return Counter(piece.tile for piece in self._left)

    def take(self, tiles: Iterable[Tile]) -> Row | None:
        """Remove and return pieces with these tiles; if one is not available, return None and remove nothing."""
        remaining, taken = list(self._left), []
        for tile in tiles:
            piece = next((piece for piece in remaining if piece.tile == tile), None)
            if piece is None:
                return None
            remaining.remove(piece)
            taken.append(piece)
        self._left = remaining
        return tuple(taken)


def shuffled(rng: np.random.Generator, rows: Rows) -> list[int]:
    """Return the indices of the rows in random order."""
    return [int(index) for index in rng.permutation(len(rows))]


def with_row(rows: Rows, index: int, *instead: Row) -> Rows:
    """Return the rows with the row at `index` replaced by the rows `instead`."""
    return (*rows[:index], *instead, *rows[index + 1 :])


def is_plain_run(row: Row) -> bool:
    """Return whether a valid row is a run without jokers, that is, all its tiles have one colour."""
    return JOKER not in {piece.tile for piece in row} and len({piece.tile.colour for piece in row}) == 1


def is_plain_group(row: Row) -> bool:
    """Return whether a valid row is a group without jokers, that is, all its tiles have one number."""
    return JOKER not in {piece.tile for piece in row} and len({piece.tile.number for piece in row}) == 1


def draw_set(rng: np.random.Generator, rules: RuleSet, lowest: int = 1, highest: int | None = None) -> list[Tile]:
    """Sample a run of 3 to 5 tiles or a group of 3 or 4, with numbers from `lowest` to `highest`."""
    inks, highest = rules.stock.inks, highest or rules.stock.numbers
    if rng.random() < 0.5:
        number = int(rng.integers(lowest, highest + 1))
        return [Tile(inks[int(i)], number) for i in rng.permutation(len(inks))[: int(rng.integers(3, 5))]]
    length = min(int(rng.choice([3, 4, 5], p=[0.5, 0.3, 0.2])), highest - lowest + 1)
    start = int(rng.integers(lowest, highest - length + 2))
    ink = inks[int(rng.integers(len(inks)))]
    return [Tile(ink, start + step) for step in range(length)]
