"""Whether a rack that was photographed can open: yes, no, or that the picture does not tell."""

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
"""Of so many tiles in doubt every combination of names is tried: 32 searches of some milliseconds each."""


class OpeningAdvice(StrEnum):
    """What a player is told, and nothing else of the rack."""

    YES = "yes"
    NO = "no"
    UNSURE = "unsure"


def opening_advice(reading: TableReading, tiles: int | None, table: Table, context: TurnContext) -> OpeningAdvice:
    """Whether the rack on a picture can open.

    What holds for every likely reading is said. A rack of which a part is seen may open with that part; that it can't
    is said only where all of it was seen.

    Args:
        reading: what was read of the rack.
        tiles: how many tiles there are on the rack; None where nobody knows.
        table: the table before the turn.
        context: the rules, and that the player has not opened.
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
    """The tiles that a doubtful one may be; None for no tile."""
    names = {tile.label, tile.runner_up, *(doubt.alternative for doubt in tile.doubts)}
    return {tile_of(name) for name in names if name is not None}
