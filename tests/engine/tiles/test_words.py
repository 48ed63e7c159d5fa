"""Tiles and rows in words."""

from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Tile
from tilekeeper.engine.tiles.words import counted, listed, meld_words, tile_words


def test_words_for_tiles() -> None:
    """A tile by itself, and a row in the order in which it lies."""
    assert (tile_words(Tile("R3")), tile_words(JOKER)) == ("red 3", "joker")
    assert meld_words(Table("R3").melds[0]) == "red 3"
    assert meld_words(Table("R3 J K5").melds[0]) == "red 3, joker and black 5"


def test_lists_and_counts() -> None:
    """One thing is told without "and", and has no plural."""
    assert (listed(["a"]), listed(["a", "b"], "or"), listed("abc")) == ("a", "a or b", "a, b and c")
    assert [counted(number, "tile") for number in (0, 1, 2)] == ["0 tiles", "1 tile", "2 tiles"]
