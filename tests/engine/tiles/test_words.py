"""Tiles and rows in words."""

from tilekeeper.engine.language import either, listed
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Tile
from tilekeeper.engine.tiles.words import TileText, meld_words, tile_words


def test_words_for_tiles() -> None:
    """A tile by itself, and a row in the order in which it lies."""
    assert (tile_words(Tile("R3")), tile_words(JOKER)) == ("red 3", "joker")
    assert meld_words(Table("R3").melds[0]) == "red 3"
    assert meld_words(Table("R3 J K5").melds[0]) == "red 3, joker and black 5"


def test_lists() -> None:
    """One thing is told without "and"."""
    assert (listed(["a"]), either(["a", "b"]), listed("abc")) == ("a", "a or b", "a, b and c")


def test_a_sentence_gives_its_tiles_as_words_or_as_tiles() -> None:
    """Rows are told one by one, in the place of their name."""
    melds = Table("R3 J | K5").melds
    text = TileText("{melds}: too few", {"melds": melds})
    assert str(text) == "red 3 and joker; black 5: too few"
    assert list(text.parts()) == [melds[0], "; ", melds[1], ": too few"]
