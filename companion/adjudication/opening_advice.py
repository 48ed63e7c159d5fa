"""Decides whether a photographed rack can open: yes, no, or unsure."""

from __future__ import annotations

from enum import StrEnum
from itertools import product
from typing import Final

from tilekeeper.companion.observation.observed_table import tile_of
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.engine.solver.best_play import can_open
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.vision.types import OK, ReadTile, TableReading

MOST_DOUBTFUL: Final = 5
"""The maximum number of doubtful tiles for which all combinations of labels are tried. With two labels each, five tiles
need 32 searches of some milliseconds."""


class OpeningAdvice(StrEnum):
    """Whether the photographed rack can open; the player sees nothing else about the rack."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


def opening_advice(reading: TableReading, tiles: int | None, table: Table, context: TurnContext) -> OpeningAdvice:
    """Return whether the rack in an image can open; UNSURE if the likely readings disagree.

    For YES a part of the rack is enough. For NO all tiles of the rack must be visible.

    Args:
        reading: the reading of the rack.
        tiles: the number of tiles on the rack; None if it is unknown.
        table: the table before the turn.
        context: the rules; the player has not opened.
    """
    doubtful = [tile for tile in reading.tiles if tile.doubtful]
    if reading.status != OK or not reading.tiles or len(doubtful) > MOST_DOUBTFUL:
        return OpeningAdvice.UNSURE
    sure = [tile_of(tile.label) for tile in reading.tiles if not tile.doubtful]
    racks = [
        [tile for tile in (*sure, *likely) if tile is not None] for likely in product(*map(_likely_tiles, doubtful))
    ]
    if tiles is not None and max(map(len, racks)) > tiles >= 0:
        return OpeningAdvice.UNSURE
    answers = {can_open(table, rack, context) for rack in racks}
    if answers == {True}:
        return OpeningAdvice.YES
    whole = tiles is not None and min(map(len, racks)) == tiles
    return OpeningAdvice.NO if whole and answers == {False} else OpeningAdvice.UNSURE


def _likely_tiles(tile: ReadTile) -> set[Tile | None]:
    """Return the tiles that a doubtful tile may be; None in the set stands for "not a tile"."""
    labels = {tile.label, tile.runner_up, *(doubt.alternative for doubt in tile.doubts)}
    return {tile_of(label) for label in labels if label is not None}
