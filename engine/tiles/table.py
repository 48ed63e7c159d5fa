"""Tables: the face-up melds in the play area, each a row of tiles in order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final, overload

from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.errors import ArgumentError, NotationError, describe, expect
from tilekeeper.engine.tiles.tile import Tile, read_tile

Meld = tuple[Tile, ...]
"""A row of one or more tiles in order, valid or not; a single tile is a meld of one."""


TABLE_EXAMPLE: Final = "Table('R3 R4 R5 | K7 B7 O7')"
"""Code that makes a table, for error messages."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """The place of a tile on a table: the index of its meld and its position in the meld, both from 0.

    Raises:
        ArgumentError: if `meld` or `position` is not an `int`.
    """

    meld: int
    position: int

    def __post_init__(self) -> None:
        if type(self.meld) is not int or type(self.position) is not int:
            raise ArgumentError(
                "a place is made of two whole numbers, such as Place(meld=0, position=2), "
                f"not of {describe(self.meld)} and {describe(self.position)}"
            )


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Table:
    """All face-up melds in the play area.

    A table is made from its notation, `Table("R3 R4 R5 | K7 B7 O7")`, which its `repr` shows, or from a tuple or list
    of melds. Two tables are equal if they hold the same melds in any order. A row and its mirror image are the same
    meld, since a row can be read from either side of the table.

    A table is a sequence of its melds: `len`, indices, slices and `for` work, and an empty table is false.

    Raises:
        NotationError: if the text can't be read; `position` is the index of the first fault.
        ArgumentError: if the argument does not hold rows of tiles, or a meld holds no tile.
    """

    melds: tuple[Meld, ...]

    def __init__(self, melds: Sequence[Sequence[Tile]] | str = ()) -> None:
        object.__setattr__(self, "melds", _read_melds(melds) if isinstance(melds, str) else _as_melds(melds))

    def __len__(self) -> int:
        return len(self.melds)

    def __iter__(self) -> Iterator[Meld]:
        return iter(self.melds)

    def __contains__(self, item: object) -> bool:
        """Return whether a tile, or a meld in either direction, is on the table."""
        if isinstance(item, Tile):
            return any(item in meld for meld in self.melds)
        meld = tuple(item) if isinstance(item, list) else item
        return isinstance(meld, tuple) and (meld in self.melds or meld[::-1] in self.melds)

    @overload
    def __getitem__(self, index: int) -> Meld: ...

    @overload
    def __getitem__(self, index: slice) -> Table: ...

    def __getitem__(self, index: int | slice) -> Meld | Table:
        return Table(self.melds[index]) if isinstance(index, slice) else self.melds[index]

    @property
    def counts(self) -> Counter[Tile]:
        """How many copies of each tile are on the table."""
        return Counter(chain.from_iterable(self.melds))

    def places(self) -> Iterator[tuple[Place, Tile]]:
        """Yield every tile with its place, meld by meld."""
        for index, meld in enumerate(self.melds):
            for position, tile in enumerate(meld):
                yield Place(index, position), tile

    def tile_at(self, place: Place) -> Tile:
        """Return the tile at a place.

        Raises:
            ArgumentError: if the argument is not a `Place`, or the table has no such place.
        """
        expect("place", place, Place, "Place(meld=0, position=2)")
        if 0 <= place.meld < len(self.melds) and 0 <= place.position < len(self.melds[place.meld]):
            return self.melds[place.meld][place.position]
        raise ArgumentError(f"place must be one of the table's {self.counts.total()} places, not {place}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.melds == other.melds or self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        return tuple(sorted(mirror_key(meld) for meld in self.melds))

    def __str__(self) -> str:
        return " | ".join(" ".join(map(str, meld)) for meld in self.melds)

    def __repr__(self) -> str:
        return f"Table({str(self)!r})"


def _as_melds(melds: object) -> tuple[Meld, ...]:
    """Return the melds of a tuple or list of rows, each a tuple or list of one or more tiles.

    Raises:
        ArgumentError: if the value is anything else, or a row is empty.
    """
    if not isinstance(melds, tuple | list):
        raise ArgumentError(
            f"a table is its notation, such as 'R3 R4 R5 | K7 B7 O7', or a tuple of melds, not {describe(melds)}"
        )
    rows = tuple(tuple(meld) if type(meld) is list else meld for meld in melds)
    for index, meld in enumerate(rows):
        if type(meld) is tuple and {*map(type, meld)} == {Tile}:
            continue
        which = f"meld {index} of {len(rows)}"
        if meld == ():
            raise ArgumentError(f"a meld holds at least one tile: {which} is empty")
        raise ArgumentError(f"a meld is a tuple of tiles: {which} is {describe(melds[index])}")
    return rows


_TOKEN: Final = re.compile(r"[|]|[\n\r]|[^\s|]+")


def _read_melds(text: str) -> tuple[Meld, ...]:
    """Parse melds, separated by bars or line breaks; extra spaces and empty lines are ignored."""
    melds: list[Meld] = []
    tiles: list[Tile] = []
    last_bar: int | None = None  # the index of the last bar in the text; None once a tile has followed it
    for token in _TOKEN.finditer(text):
        if token[0] not in "|\n\r":
            tiles.append(read_tile(token[0], token.start()))
            last_bar = None
            continue
        if tiles:
            melds.append(tuple(tiles))
            tiles.clear()
        elif token[0] == "|" and (last_bar is not None or not melds):
            raise NotationError(gettext("write a tile before this |; every set has at least one"), token.start())
        if token[0] == "|":
            last_bar = token.start()
    if tiles:
        melds.append(tuple(tiles))
    elif last_bar is not None:
        raise NotationError(gettext("write a tile after this |; every set has at least one"), last_bar)
    return tuple(melds)


def mirror_key(meld: Meld) -> tuple[tuple[int, int], ...]:
    """Return a key that a row shares with its mirror image and with no other row."""
    key = tuple(tile.order for tile in meld)
    return min(key, key[::-1])
