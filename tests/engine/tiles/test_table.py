"""Tables: equality, places and wrong arguments."""

import re
from collections import namedtuple

import pytest

from tilekeeper.engine.tiles.errors import ArgumentError
from tilekeeper.engine.tiles.notation import parse_table
from tilekeeper.engine.tiles.table import Place, Table
from tilekeeper.engine.tiles.tile import Tile

named = namedtuple("named", "tile")


def test_tables_with_other_orders_of_melds_or_mirrored_rows_are_equal() -> None:
    """Equal tables have equal hashes."""
    table = parse_table("R3 R4 R5 | K7 B7 O7")
    same = parse_table("O7 B7 K7 | R3 R4 R5")
    assert table == same
    assert hash(table) == hash(same)


@pytest.mark.parametrize(
    "other", ["R3 R4 R5", "R3 R5 R4 | K7 B7 O7", "R3 R4 R5 | R3 R4 R5 | K7 B7 O7", "R3 R4 R5 K7 B7 O7"]
)
def test_tables_with_other_melds_or_orders_in_a_row_differ(other: str) -> None:
    """So do tables with one more meld, or with the same tiles divided differently."""
    assert parse_table("R3 R4 R5 | K7 B7 O7") != parse_table(other)


def test_table_and_its_text_differ() -> None:
    """A table equals only tables."""
    assert parse_table("R3") != "R3"


def test_table_is_a_container_of_its_melds() -> None:
    """It has a length, an iterator, an index, slices and members; tiles are members, too, and an empty one is false."""
    table = parse_table("R3 R4 J | K7 B7 O7 | R9 R10 R11")
    assert (len(table), list(table), table[-1]) == (3, list(table.melds), table.melds[2])
    assert (table[1:], bool(table), bool(Table())) == (parse_table("K7 B7 O7 | R9 R10 R11"), True, False)
    assert table.melds[0] in table
    assert list(table.melds[0][::-1]) in table
    assert Tile("B7") in table
    assert Tile("B8") not in table
    assert table.melds[0][:2] not in table
    assert "B7" not in table


def test_lists_are_accepted_in_place_of_tuples() -> None:
    """A table of lists equals the table of tuples, and later changes of the lists do not change it."""
    rows = [[Tile("R3"), Tile("R4")], (Tile("K7"),)]
    table = Table(rows)
    assert table.melds == ((Tile("R3"), Tile("R4")), (Tile("K7"),))
    rows.clear()
    assert (len(table), hash(table)) == (2, hash(parse_table("R3 R4 | K7")))


def test_each_tile_is_at_its_place() -> None:
    """Meld by meld."""
    table = parse_table("R3 J | K7")
    assert [(place.meld, place.position, str(tile)) for place, tile in table.places()] == [
        (0, 0, "R3"),
        (0, 1, "J"),
        (1, 0, "K7"),
    ]
    assert table.tile_at(Place(1, 0)) == Tile.from_label("black-7")
    with pytest.raises(ArgumentError):
        table.tile_at(Place(2, 0))
    assert table.counts[Tile.from_label("red-3")] == 1


@pytest.mark.parametrize(
    ("melds", "message"),
    [
        (((Tile("R3"),), ()), "meld 1 of 2 is empty"),
        (((Tile("R3"),), ["R4"]), r"meld 1 of 2 is the list ['R4']"),
        ([[]], "meld 0 of 1 is empty"),
        (((Tile("R3"), "R4"),), "meld 0 of 1 is the tuple (Tile('R3'), 'R4')"),
        (("R3", "R4"), "meld 0 of 2 is the str 'R3'"),
        ([Tile("R3")], "meld 0 of 1 is the Tile Tile('R3')"),
        ({(Tile("R3"),)}, "not the set {(Tile('R3'),)}"),
        (None, "a table is its notation, such as 'R3 R4 R5 | K7 B7 O7', or a tuple of melds"),
        (Tile("R3"), "not the Tile Tile('R3')"),
        ((named(Tile("R3")),), "meld 0 of 1 is the named named(tile=Tile('R3'))"),
    ],
)
def test_value_that_is_not_a_table_is_refused_with_the_wrong_meld(melds: object, message: str) -> None:
    """The message says what was expected, and which meld was wrong."""
    with pytest.raises(ArgumentError, match=re.escape(message)):
        Table(melds)  # type: ignore[arg-type]
