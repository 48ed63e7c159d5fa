"""Words for editions, for labels of the reader, and for what a player is to do with a tile."""

from tilekeeper.companion.text.boxes import BOXES
from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.engine.tiles.words import meld_words, tile_words


def edition_words(key: str) -> str:
    """Return what people call the box of an edition: `Standard box` for `large-numbers`."""
    return BOXES[key].name


def label_words(label: str) -> str:
    """A label of the reader in words: `red-7` is "red 7", a label that names no tile is "no tile"."""
    try:
        return tile_words(Tile.from_label(label))
    except ValueError:
        return gettext("no tile")


def move_words(tile: Tile, goal: Meld | None, from_table: bool) -> str:
    """What a player is to do with a tile, as a sentence without its capital: `move red 7 to red 5 and red 6`.

    Args:
        tile: the tile to be moved.
        goal: the meld that it belongs to afterwards; none for off the table.
        from_table: whether it is on the table now.
    """
    if goal is None:
        return gettext("take {tile} off the table", tile=tile_words(tile))
    companions = list(goal)
    companions.remove(tile)
    if not companions:
        return gettext("put {tile} by itself", tile=tile_words(tile))
    if from_table:
        return gettext("move {tile} to {meld}", tile=tile_words(tile), meld=meld_words(tuple(companions)))
    return gettext("lay {tile} next to {meld}", tile=tile_words(tile), meld=meld_words(tuple(companions)))
