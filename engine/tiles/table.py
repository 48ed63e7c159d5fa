"""Tables: the melds face up in the play area, each a row of tiles in order."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Final

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
        ArgumentError: if one of them is not an `int`.
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
    """All melds face up in the play area.

    A table is made from its notation, `Table("R3 R4 R5 | K7 B7 O7")`, which its `repr` shows, or of a tuple of melds.
    Two tables are equal if they hold the same melds in any order. A row and its mirror image are the same meld, since
    a row can be read from either side of the table.

    Raises:
        NotationError: if the text can't be read; `position` is the index of the first fault.
        ArgumentError: if the argument is not a tuple of tuples of tiles, or a meld holds no tile.
    """

    melds: tuple[Meld, ...]

    def __init__(self, melds: tuple[Meld, ...] | str = ()) -> None:
        if isinstance(melds, str):
            melds = _read_melds(melds)
        elif not _are_melds(melds):
            raise ArgumentError(_melds_error(melds))
        object.__setattr__(self, "melds", melds)

    @property
    def counts(self) -> Counter[Tile]:
        """The number of copies of each tile on the table."""
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


def _are_melds(melds: object) -> bool:
    """Return whether a value is a tuple of melds, each a tuple of one or more tiles."""
    if type(melds) is not tuple:
        return False
    for meld in melds:
        if type(meld) is not tuple or not meld:
            return False
        for tile in meld:
            if type(tile) is not Tile:
                return False
    return True


def _melds_error(melds: object) -> str:
    """Return the message for a value that is not a tuple of melds."""
    if type(melds) is not tuple:
        return f"a table is its notation, such as 'R3 R4 R5 | K7 B7 O7', or a tuple of melds, not {describe(melds)}"
    index, meld = next((index, meld) for index, meld in enumerate(melds) if not _are_melds((meld,)))
    which = f"meld {index} of {len(melds)}"
    if meld == ():
        return f"a meld holds at least one tile: {which} is empty"
    return f"a meld is a tuple of tiles: {which} is {describe(meld)}"


_TOKEN: Final = re.compile(r"[|]|[^\s|]+")


def _read_melds(text: str) -> tuple[Meld, ...]:
    """Parse the melds of a line of notation; extra spaces are ignored."""
    melds: list[Meld] = []
    tiles: list[Tile] = []
    last_bar: int | None = None
    for token in _TOKEN.finditer(text):
        if token[0] == "|":
            if not tiles:
                raise NotationError(
                    gettext("there is no tile before this bar; a set has at least one tile"), token.start()
                )
            melds.append(tuple(tiles))
            tiles.clear()
            last_bar = token.start()
        else:
            tiles.append(read_tile(token[0], token.start()))
    if tiles:
        melds.append(tuple(tiles))
    elif last_bar is not None:
        raise NotationError(gettext("there is no tile after this bar; a set has at least one tile"), last_bar)
    return tuple(melds)


def mirror_key(meld: Meld) -> tuple[tuple[int, int], ...]:
    """Return a key that a row shares with its mirror image and with no other row."""
    key = tuple(tile.order for tile in meld)
    return min(key, key[::-1])
