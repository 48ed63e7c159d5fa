"""Tiles: labels and letters give the same tile back, and a tile needs a colour and a number."""

import copy
import pickle

import pytest

from tilekeeper.engine.tiles.errors import ArgumentError
from tilekeeper.engine.tiles.tile import JOKER, Colour, Tile


def test_tile_has_a_notation_a_label_and_a_repr() -> None:
    """A tile has one name in each of its three scripts."""
    tile = Tile(Colour.RED, 7)
    assert (str(tile), tile.label, repr(tile)) == ("R7", "red-7", "Tile('R7')")
    assert (str(JOKER), JOKER.label, repr(JOKER)) == ("J", "joker", "Tile('J')")
    assert (Colour.ORANGE.letter, Colour.ORANGE.word) == ("O", "orange")


@pytest.mark.parametrize(
    "tile", [JOKER, *(Tile(colour, number) for colour in Colour for number in (1, 10, 13))], ids=str
)
def test_label_and_repr_give_the_same_tile_back(tile: Tile) -> None:
    """Equal tiles have equal hashes."""
    same = Tile.from_label(tile.label)
    assert same == tile == eval(repr(tile), {"Tile": Tile})
    assert hash(same) == hash(tile)


def test_equal_tiles_are_one_object_after_parsing_copying_and_pickling() -> None:
    """A whole number of another type is accepted."""
    tile = Tile(Colour.RED, 7)
    assert all(
        other is tile
        for other in (
            Tile("R7"),
            Tile("r7"),
            Tile.from_label("red-7"),
            Tile(Colour.RED, 7.0),
            pickle.loads(pickle.dumps(tile)),
        )  # type: ignore[arg-type]
    )
    assert copy.deepcopy([tile, JOKER]) == [tile, JOKER]
    assert type(Tile(Colour.RED, 98.0).number) is int  # type: ignore[arg-type]
    assert tile != Tile(Colour.RED, 8) != Tile(Colour.BLUE, 8)


def test_attribute_of_a_tile_can_not_be_set() -> None:
    """Otherwise one assignment would change all red 7s."""
    with pytest.raises(AttributeError):
        Tile(Colour.RED, 7).number = 8  # type: ignore[misc]


@pytest.mark.parametrize(
    "label", ["", "red", "red-", "red-x", "red-٣", "red--3", "pink-3", "Joker", "red-7 ", "joker-1"]
)
def test_unknown_label_is_refused_with_examples(label: str) -> None:
    """The message shows the label and what labels look like."""
    with pytest.raises(ValueError, match="labels look like 'red-7' or 'joker'"):
        Tile.from_label(label)


@pytest.mark.parametrize(
    ("colour", "number"),
    [
        (Colour.RED, None),
        (None, 7),
        (Colour.RED, -1),
        (Colour.RED, 7.5),
        (Colour.RED, "7"),
        (Colour.RED, float("inf")),
        ("R", 7),
        (7, None),
        ([], {}),
    ],
)
def test_tile_without_colour_or_number_is_refused(colour: object, number: object) -> None:
    """The message names the values that came."""
    with pytest.raises(ArgumentError, match="a Colour and a whole number from 0 up") as caught:
        Tile(colour, number)  # type: ignore[call-overload]
    assert f"{type(colour).__name__} {colour!r}" in str(caught.value)


@pytest.mark.parametrize("value", [None, Colour.RED, 7])
def test_single_value_that_is_no_notation_is_refused(value: object) -> None:
    """Otherwise a reader that returns None for a tile that it did not see would make jokers."""
    with pytest.raises(ArgumentError, match=r"a joker of None and None, not of the \w+ [^,]+$"):
        Tile(value)  # type: ignore[call-overload]


def test_tile_is_not_compared_with_other_types() -> None:
    """The other type may know how; otherwise Python raises its usual error."""

    class Highest:
        def __gt__(self, other: object) -> bool:
            return True

    assert Tile("R5") < Highest()
    with pytest.raises(TypeError, match="not supported between instances of 'Tile' and 'int'"):
        _ = Tile("R5") < 5


def test_tiles_sort_by_colour_and_number_with_jokers_last() -> None:
    """The order is that of the colours in the enumeration."""
    tiles = [JOKER, Tile(Colour.RED, 1), Tile(Colour.BLACK, 13), Tile(Colour.BLACK, 2), Tile(Colour.YELLOW, 1)]
    assert " ".join(map(str, sorted(tiles))) == "K2 K13 R1 Y1 J"
    assert sorted(tiles) == sorted(tiles, key=lambda tile: tile.order)
