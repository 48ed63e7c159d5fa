"""Words for editions, for the classifier's labels, and for moves of tiles."""

from tilekeeper.companion.text.boxes import BOXES
from tilekeeper.engine.language import gettext
from tilekeeper.engine.tiles.table import Meld
from tilekeeper.engine.tiles.tile import Tile
from tilekeeper.engine.tiles.words import meld_words, tile_words


def edition_words(key: str) -> str:
    """Return the name of an edition's box, such as `Standard box` for `large-numbers`."""
    return BOXES[key].name


def label_words(label: str) -> str:
    """Return a classifier's label in words: "red 7" for `red-7`, "no tile" for `no-tile`."""
    try:
        return tile_words(Tile.from_label(label))
    except ValueError:
        return gettext("no tile")


def move_words(tile: Tile, goal: Meld | None, from_table: bool) -> str:
    """Return an instruction to move a tile, without a capital letter: `move red 7 to red 5 and red 6`.

    Args:
        tile: the tile to move.
        goal: the meld after the move, with the tile in it; None to take the tile off the table.
        from_table: whether the tile is on the table now.
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
