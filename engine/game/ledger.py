"""The ledger: counts of the tiles on the table, on racks and in the pool.

The tiles of the pool and the racks are not visible, so the ledger only counts them. A draw moves a tile from the pool
to a rack; laying moves a tile from a rack to the table. Contradictions become alarms: a count below 0, more copies of a
tile than the box holds, a rack that was counted and does not hold the number of tiles in the ledger.
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
    """`found` copies of a tile are visible, but the edition does not have the tile."""
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
    """A player took `found` tiles at the deal, not `expected`."""
    RACK_DIFFERS = "rack-differs"
    """A rack holds `found` tiles; the ledger has `expected`."""
    POOL_DIFFERS = "pool-differs"
    """The pool holds `found` tiles; the ledger has `expected`."""
    TABLE_DIFFERS = "table-differs"
    """`found` tiles are on the table; the ledger has `expected`."""
    NOT_RESTORED = "not-restored"
    """`found` tiles are still on the table after a failed turn, but should have gone back."""
    BANK_OWES = "bank-owes"
    """The bank owes a player `found` stars."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """A contradiction in the ledger, or a count that differs from it."""

    code: AlarmCode
    found: int
    expected: int
    player: int | None = None
    """The player whose rack or purse the alarm is about; None if it is about no player."""
    tile: Tile | None = None
    """The tile that the alarm is about; None if it is about no particular tile."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where the tiles of the box are: the table, and the numbers of tiles elsewhere."""

    stock: Stock
    table: Table
    racks: tuple[int, ...]
    """The number of tiles on each rack, by seat."""
    shown: tuple[tuple[Tile, ...] | None, ...]
    """The tiles of each rack that was shown; None for a rack that was not."""
    pool: int
    bank: Bank | None
    lost: tuple[Tile | None, ...] = ()
    """The tiles missing from the box."""

    @property
    def size(self) -> int:
        """The number of tiles in the box without the lost ones."""
        return self.stock.size - len(self.lost)

    def copies_of(self, tile: Tile) -> int:
        """Return the number of copies of a tile in the box, without copies known to be lost."""
        return self.stock.copies_of(tile) - self.lost.count(tile)

    @property
    def total(self) -> int:
        """The number of tiles on the table, on racks and in the pool."""
        return self.table.counts.total() + sum(self.racks) + self.pool

    @property
    def unaccounted(self) -> int:
        """The number of tiles in no known place; below 0 if the ledger has more tiles than the box."""
        return self.size - self.total

    @property
    def visible(self) -> Counter[Tile]:
        """The number of copies of each tile on the table and on shown racks."""
        return self.table.counts + Counter(tile for rack in self.shown for tile in rack or ())

    def alarms(self) -> tuple[Alarm, ...]:
        """Return an alarm for each contradiction."""
        return (*self.impossible_tiles(), *self._counts(), *self._debts())

    def impossible_tiles(self) -> Iterator[Alarm]:
        """Yield an alarm for each tile with more visible copies than the box holds."""
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
                if owed := self.bank.debt_to(player):
                    yield Alarm(AlarmCode.BANK_OWES, owed, 0, player)


def difference(code: AlarmCode, found: int, expected: int, player: int | None = None) -> Sequence[Alarm]:
    """Return one alarm if `found` differs from `expected`, else an empty tuple."""
    return () if found == expected else (Alarm(code, found, expected, player),)
