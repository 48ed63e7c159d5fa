"""Tables: the melds that are face up in the play area, each a row of tiles in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from tilekeeper.engine.tiles.tile import Tile

Meld = tuple[Tile, ...]
"""A row of one or more tiles in order, valid or not; a single tile is a meld of one."""


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """The place of a tile: the index of its meld in the table and its position in the meld, both from 0."""

    meld: int
    position: int


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """All melds that are face up in the play area.

    Two tables are equal if they hold the same melds in any order. A row and its mirror image are the same meld, since
    a row can be read from either side of the table.

    Raises:
        ValueError: if a meld holds no tile.
    """

    melds: tuple[Meld, ...] = ()

    def __post_init__(self) -> None:
        if not all(self.melds):
            raise ValueError(
                f"a meld holds at least one tile: meld {self.melds.index(())} of {len(self.melds)} is empty"
            )

    @property
    def counts(self) -> Counter[Tile]:
        """How many of each tile are on the table."""
        return Counter(chain.from_iterable(self.melds))

    def places(self) -> Iterator[tuple[Place, Tile]]:
        """Every tile with its place, meld by meld."""
        for index, meld in enumerate(self.melds):
            for position, tile in enumerate(meld):
                yield Place(index, position), tile

    def tile_at(self, place: Place) -> Tile:
        """The tile at a place.

        Raises:
            IndexError: if there is no such place.
        """
        return self.melds[place.meld][place.position]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Table):
            return NotImplemented
        return self.melds == other.melds or self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        return tuple(sorted(unmirrored(meld) for meld in self.melds))

    def __str__(self) -> str:
        return " | ".join(" ".join(map(str, meld)) for meld in self.melds)

    def __repr__(self) -> str:
        return f"parse_table({str(self)!r})"


def unmirrored(meld: Meld) -> tuple[tuple[int, int], ...]:
    """A key that a row shares with its mirror image, and with no other row."""
    key = tuple(tile.order for tile in meld)
    return min(key, key[::-1])
