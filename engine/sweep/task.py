"""Tasks of the solvers: tiles that must be in valid melds, tiles that may be, and old melds that stay together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from tilekeeper.engine.rules.meld import Kind, Reading
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile


@dataclass(frozen=True, slots=True)
class Block:
    """An old meld that stays together and may be extended."""

    row: Meld
    """The tiles; a run goes from its lowest number to its highest."""
    reading: Reading
    """The reading of these tiles, in the same order."""

    @classmethod
    def from_reading(cls, row: Meld, reading: Reading) -> Block:
        """Return the block of a meld in one of its readings; a falling run is reversed."""
        step = (reading.tiles[1].number or 0) - (reading.tiles[0].number or 0)
        # A rising run that wraps past the highest number has one long step, such as from 13 to 1.
        if reading.kind is Kind.RUN and (step == -1 or step > 1):
            return cls(row[::-1], Reading(reading.kind, reading.tiles[::-1]))
        return cls(row, reading)

    @property
    def jokers(self) -> int:
        """The number of jokers in the meld."""
        return self.row.count(JOKER)


@dataclass(frozen=True, slots=True)
class Task:
    """The tiles to arrange in valid melds.

    A solution has all tiles of `must` and every block in valid melds, and as much weight of `may` as possible.
    """

    must: Counter[Tile]
    """Tiles that must be in valid melds, without those of blocks."""
    may: Counter[Tile] = field(default_factory=Counter)
    """Tiles that may be in valid melds or be left over."""
    weights: Mapping[Tile, int] = field(default_factory=dict)
    """The weight of a tile of `may`, 1 or more (a joker 0 or more); 1 for a tile without an entry."""
    blocks: tuple[Block, ...] = ()
    """Old melds that may not be split."""
    old: frozenset[frozenset[Tile]] = frozenset()
    """The numbered tiles of melds of the table. A joker that no meld needs joins one of these, as it lay, only if no
    other meld has room: a freed joker must not be put there."""
    most_left: int | None = None
    """The greatest weight that a solution may leave over, so that the sweep can give up early; None for no limit. The
    exact cover ignores it."""

    def weight(self, tile: Tile) -> int:
        """Return the weight of a tile of `may`; 1 if `weights` has no entry for it."""
        return self.weights.get(tile, 1)


@dataclass(frozen=True, slots=True)
class Solution:
    """An arrangement, and the tiles of `may` that are left over."""

    melds: tuple[Meld, ...]
    """Valid melds; runs from the lowest number to the highest. The melds of the task's blocks come first, in the order
    of the blocks."""
    left: Counter[Tile]
