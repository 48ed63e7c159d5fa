"""The ledger: every tile of the box is on the table, on a rack, in the pool, or unaccounted for.

The tiles of the pool and the racks are not visible, so only their number is known: a draw moves one from the pool to a
rack, laying moves it from the rack to the table. Contradictions are returned as alarms: a count below 0, more copies of
a tile than the box holds, a rack that turns out to hold another number of tiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from tilekeeper.engine.game.stars import Bank
from tilekeeper.engine.rules.ruleset import Stock
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile


class AlarmCode(StrEnum):
    """The kinds of alarms."""

    UNKNOWN_TILE = "unknown-tile"
    """`found` copies of a tile are visible that the edition does not have."""
    TOO_MANY_COPIES = "too-many-copies"
    """`found` copies of a tile are visible, and the box holds `expected`."""
    TOO_MANY_TILES = "too-many-tiles"
    """`found` tiles are on the table, on racks and in the pool, and the box holds `expected`."""
    UNACCOUNTED = "unaccounted"
    """`found` tiles are on the table, on racks and in the pool, fewer than the `expected` of the box."""
    RACK_BELOW_ZERO = "rack-below-zero"
    """More tiles came from a rack than it can have held."""
    POOL_BELOW_ZERO = "pool-below-zero"
    """More tiles were drawn than the pool can have held."""
    DEAL_DIFFERS = "deal-differs"
    """A player took `found` tiles to begin with, not `expected`."""
    RACK_DIFFERS = "rack-differs"
    """A rack holds `found` tiles, by the ledger `expected`."""
    POOL_DIFFERS = "pool-differs"
    """The pool holds `found` tiles, by the ledger `expected`."""
    TABLE_DIFFERS = "table-differs"
    """`found` tiles are on the table, by the ledger `expected`."""
    NOT_RESTORED = "not-restored"
    """`found` tiles are on the table after a failed turn that should have gone back."""
    BANK_OWES = "bank-owes"
    """The bank owes a player `found` stars."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A contradiction in the ledger, or a count that differs from it."""

    code: AlarmCode
    found: int
    expected: int
    player: int | None = None
    """Whose rack or purse it concerns."""
    tile: Tile | None = None
    """Which tile it concerns."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where the tiles of the box are."""

    stock: Stock
    table: Table
    racks: tuple[int, ...]
    """How many tiles each rack holds, by seats."""
    shown: tuple[tuple[Tile, ...] | None, ...]
    """The tiles of the racks that were shown; none for the others."""
    pool: int
    bank: Bank | None
    lost: tuple[Tile | None, ...] = ()
    """The tiles missing from the box."""

    @property
    def size(self) -> int:
        """How many tiles the box holds without the lost ones."""
        return self.stock.size - len(self.lost)

    def copies_of(self, tile: Tile) -> int:
        """How many copies of a tile the box holds without those known to be lost."""
        return self.stock.copies_of(tile) - self.lost.count(tile)

    @property
    def total(self) -> int:
        """How many tiles are on the table, on racks and in the pool."""
        return self.table.counts.total() + sum(self.racks) + self.pool

    @property
    def unaccounted(self) -> int:
        """How many tiles of the box are missing; below 0 where there are too many."""
        return self.size - self.total

    @property
    def visible(self) -> Counter[Tile]:
        """The visible tiles: those on the table and on racks that were shown."""
        return self.table.counts + Counter(tile for rack in self.shown for tile in rack or ())

    def alarms(self) -> tuple[Alarm, ...]:
        """All contradictions of the present state."""
        return (*self.impossible_tiles(), *self._counts(), *self._debts())

    def impossible_tiles(self) -> Iterator[Alarm]:
        """Tiles of which more copies are visible than the box holds."""
        for tile, found in sorted(self.visible.items(), key=lambda item: item[0].order):
            copies = self.copies_of(tile)
            if found > copies:
                known = self.stock.copies_of(tile)
                code = AlarmCode.TOO_MANY_COPIES if known else AlarmCode.UNKNOWN_TILE
                yield Alarm(code, found, copies, tile=tile)

    def _counts(self) -> Iterator[Alarm]:
        for player, tiles in enumerate(self.racks):
            if tiles < 0:
                yield Alarm(AlarmCode.RACK_BELOW_ZERO, tiles, 0, player)
        if self.pool < 0:
            yield Alarm(AlarmCode.POOL_BELOW_ZERO, self.pool, 0)
        if self.unaccounted:
            code = AlarmCode.UNACCOUNTED if self.unaccounted > 0 else AlarmCode.TOO_MANY_TILES
            yield Alarm(code, self.total, self.size)

    def _debts(self) -> Iterator[Alarm]:
        if self.bank is not None:
            for player in range(len(self.bank.purses)):
                if owed := self.bank.owed(player):
                    yield Alarm(AlarmCode.BANK_OWES, owed, 0, player)


def difference(code: AlarmCode, found: int, expected: int, player: int | None = None) -> Sequence[Alarm]:
    """An alarm where a count differs from what was expected, and none where it does not."""
    return () if found == expected else (Alarm(code, found, expected, player),)
