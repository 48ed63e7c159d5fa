"""What the page needs to draw a tile, as plain data for JSON."""

from typing import Any

from tilekeeper.companion.observation.observed_table import tile_of
from tilekeeper.engine.table import Table
from tilekeeper.engine.tile import Tile

Json = dict[str, Any]


def tile_json(tile: Tile) -> Json:
    """Return a tile's notation, ink and number; a joker has neither of the last two."""
    return {
        "text": str(tile),
        "name": name_of(tile.label),
        "ink": None if tile.colour is None else tile.colour.word,
        "number": tile.number,
    }


def name_of(label: str) -> str:
    """Return a label as people say it: `red-7` is "red 7", a label that names no tile is "no tile"."""
    return label.replace("-", " ") if tile_of(label) is not None else "no tile"


def choice_json(label: str) -> Json:
    """Return a label to choose, with what it takes to draw its tile where it names one."""
    tile = tile_of(label)
    return {"label": label, "name": name_of(label), "tile": None if tile is None else tile_json(tile)}


def melds_json(table: Table) -> list[list[Json]]:
    """Return the melds of a table, tile by tile."""
    return [[tile_json(tile) for tile in meld] for meld in table.melds]
