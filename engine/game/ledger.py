"""The ledger: every tile of the box is on the table, on a rack, in the pool, or unaccounted for.

The pool and the racks are counted, not seen: a tile drawn goes from one to the other, a tile laid from the rack to the
table. What can't be is told at once, as values: a count below 0, more of a tile than the box holds, a rack that turns
out to hold another number of tiles.
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
    """What a ledger can find."""

    UNKNOWN_TILE = "unknown-tile"
    """`found` of a tile that the edition does not have are seen."""
    TOO_MANY_COPIES = "too-many-copies"
    """`found` of a tile are seen, and the box holds `expected`."""
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
    """A rack holds `found` tiles, where `expected` were counted."""
    POOL_DIFFERS = "pool-differs"
    """The pool holds `found` tiles, where `expected` were counted."""
    TABLE_DIFFERS = "table-differs"
    """`found` tiles lie on the table, where `expected` lay."""
    NOT_RESTORED = "not-restored"
    """`found` tiles lie on the table after a failed turn that should not."""
    BANK_OWES = "bank-owes"
    """The bank owes a player `found` stars."""


@dataclass(frozen=True, slots=True)
class Alarm:
    """Something that can't be, or was counted otherwise."""

    code: AlarmCode
    found: int
    expected: int
    player: int | None = None
    """Whose rack or purse it concerns."""
    tile: Tile | None = None
    """Which tile it concerns."""


@dataclass(frozen=True, slots=True)
class Ledger:
    """Where the tiles of a box are."""

    stock: Stock
    table: Table
    racks: tuple[int, ...]
    """How many tiles each rack holds, by seats."""
    shown: tuple[tuple[Tile, ...] | None, ...]
    """What is on the racks that were shown."""
    pool: int
    bank: Bank | None
    lost: tuple[Tile | None, ...] = ()
    """The tiles that are in the box no more."""

    @property
    def size(self) -> int:
        """How many tiles the box holds still."""
        return self.stock.size - len(self.lost)

    def copies_of(self, tile: Tile) -> int:
        """How many of a tile the box holds still, as far as is known."""
        return self.stock.copies_of(tile) - self.lost.count(tile)

    @property
    def total(self) -> int:
        """How many tiles are on the table, on racks and in the pool."""
        return self.table.counts.total() + sum(self.racks) + self.pool

    @property
    def unaccounted(self) -> int:
        """How many tiles of the box are nowhere; below 0 where there are more than there can be."""
        return self.size - self.total

    @property
    def seen(self) -> Counter[Tile]:
        """The tiles that were seen, on the table and on racks that were shown."""
        return self.table.counts + Counter(tile for rack in self.shown for tile in rack or ())

    def alarms(self) -> tuple[Alarm, ...]:
        """Everything that can't be as it stands."""
        return (*self.impossible_tiles(), *self._counts(), *self._debts())

    def impossible_tiles(self) -> Iterator[Alarm]:
        """Tiles of which more are seen than the box holds."""
        for tile, found in sorted(self.seen.items(), key=lambda item: item[0].order):
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
