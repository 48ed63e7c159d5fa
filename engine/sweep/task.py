"""What is to be arranged: tiles that must lie in valid melds, tiles that may, and old melds that stay together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from tilekeeper.engine.rules.meld import Kind, Reading
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import JOKER, Tile


@dataclass(frozen=True, slots=True)
class Block:
    """An old meld that stays together, and may be put to."""

    row: Meld
    """Its tiles, a run from its lowest number to its highest."""
    reading: Reading
    """What each of them stands for, in the same order."""

    @classmethod
    def of(cls, row: Meld, reading: Reading) -> Block:
        """The meld as it is read; a run that falls is turned round."""
        step = (reading.tiles[1].number or 0) - (reading.tiles[0].number or 0)
        # A run that goes on past the highest number makes one long step: from 13 to 1 where it rises.
        if reading.kind is Kind.RUN and (step == -1 or step > 1):
            return cls(row[::-1], Reading(reading.kind, reading.tiles[::-1]))
        return cls(row, reading)

    @property
    def jokers(self) -> int:
        """How many jokers it holds."""
        return self.row.count(JOKER)


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be arranged.

    The aim is to lay tiles of `may` that weigh as much as possible, with all of `must` and every block in valid melds.
    """

    must: Counter[Tile]
    """Tiles that must lie in valid melds; those of blocks are not among them."""
    may: Counter[Tile] = field(default_factory=Counter)
    """Tiles that may."""
    weights: Mapping[Tile, int] = field(default_factory=dict)
    """What a tile of `may` weighs, 1 or more (a joker 0 or more); one that is not named weighs 1."""
    blocks: tuple[Block, ...] = ()
    """Old melds of which none is split."""

    def weight(self, tile: Tile) -> int:
        """What a tile weighs."""
        return self.weights.get(tile, 1)


@dataclass(frozen=True, slots=True)
class Solution:
    """One arrangement, and what of the tiles that may be laid is left over."""

    melds: tuple[Meld, ...]
    """Valid melds; runs from the lowest number to the highest. Melds that grew out of the task's blocks come first, in
    the order of the blocks."""
    left: Counter[Tile]
