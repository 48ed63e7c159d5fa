"""Tiles and melds in words."""

from tilekeeper.engine.language import join_with_and, join_with_or
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Tile
from tilekeeper.engine.tiles.words import TileText, meld_words, tile_words


def test_tile_and_meld_become_words_in_the_order_of_the_tiles() -> None:
    """One tile, a meld of one tile, and a meld with a joker."""
    assert (tile_words(Tile("R3")), tile_words(JOKER)) == ("red 3", "joker")
    assert meld_words(Table("R3").melds[0]) == "red 3"
    assert meld_words(Table("R3 J K5").melds[0]) == "red 3, joker and black 5"


def test_words_are_joined_with_commas_and_a_last_and_or_or() -> None:
    """A single word gets neither."""
    assert (join_with_and(["a"]), join_with_or(["a", "b"]), join_with_and("abc")) == ("a", "a or b", "a, b and c")


def test_sentence_returns_its_tiles_as_words_or_as_tiles() -> None:
    """The rows replace their name in braces, separated by semicolons."""
    melds = Table("R3 J | K5").melds
    text = TileText("{melds}: too few", {"melds": melds})
    assert str(text) == "red 3 and joker; black 5: too few"
    assert list(text.parts()) == [melds[0], "; ", melds[1], ": too few"]
