"""Words for editions, for labels of the classifier, and for moves of tiles."""

from tilekeeper.companion.text.boxes import BOXES
from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.engine.tiles.words import meld_words, tile_words


def edition_words(key: str) -> str:
    """Return the name of an edition's box: `Standard box` for `large-numbers`."""
    return BOXES[key].name


def label_words(label: str) -> str:
    """Return a label of the classifier in words: "red 7" for `red-7`, "no tile" for `no-tile`."""
    try:
        return tile_words(Tile.from_label(label))
    except ValueError:
        return gettext("no tile")


def move_words(tile: Tile, goal: Meld | None, from_table: bool) -> str:
    """Return an instruction to move a tile, without a capital: `move red 7 to red 5 and red 6`.

    Args:
        tile: the tile to move.
        goal: the meld to move it to; None takes it off the table.
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
