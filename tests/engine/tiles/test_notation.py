"""The notation: formatted tables parse to the same table, and wrong text is refused with a position."""

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilekeeper.engine.tiles.errors import ArgumentError, NotationError
from tilekeeper.engine.tiles.notation import (
    format_table,
    parse_meld,
    parse_rack,
    parse_table,
    parse_tile,
    point_at,
)
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Colour, Tile

tiles = st.one_of(st.just(JOKER), st.builds(Tile, st.sampled_from(Colour), st.integers(0, 999_999_999)))
tables = st.lists(st.lists(tiles, min_size=1).map(tuple)).map(tuple).map(Table)


@given(tables)
def test_formatted_table_parses_to_the_same_table(table: Table) -> None:
    """The order of melds and tiles is kept."""
    assert parse_table(format_table(table)).melds == table.melds
    assert eval(repr(table), {"Table": Table}).melds == table.melds == Table(str(table)).melds


@given(tables, st.data())
def test_lower_case_and_extra_spaces_are_parsed(table: Table, data: st.DataObject) -> None:
    """No space is needed beside a bar."""
    spaces, in_line = st.sampled_from(("", " ", "  ", "\t", "\n")), st.sampled_from(("", " ", "\t"))
    bar = data.draw(spaces) + data.draw(st.sampled_from(("|", "\n", "\r\n"))) + data.draw(spaces)
    gap = " " + data.draw(in_line)
    text = bar.join(gap.join(map(str, meld)) for meld in table.melds)
    assert parse_table(data.draw(spaces) + text.lower() + data.draw(spaces)).melds == table.melds


@given(st.text(alphabet="kKbBoOrRyYjJqQ0123456789 |\t-,٣ſ\u212a", max_size=30))
def test_any_text_is_a_table_or_an_error_with_a_position_in_the_text(text: str) -> None:
    """No text does anything else, and no position lies outside the text."""
    fault: NotationError | None = None
    table = Table()
    try:
        table = parse_table(text)
    except NotationError as error:
        fault = error
    assert parse_table(str(table)) == table
    assert fault is None or (str(fault) == fault.message and 0 <= fault.position < len(text))


def test_tiles_that_no_edition_has_are_parsed() -> None:
    """The judge reports them, not the parser."""
    assert parse_table("r14 y3 B0 J").melds == (
        (Tile(Colour.RED, 14), Tile(Colour.YELLOW, 3), Tile(Colour.BLUE, 0), JOKER),
    )


@pytest.mark.parametrize("text", ["", "   ", "\t\n"])
def test_empty_text_is_the_empty_table(text: str) -> None:
    """An empty rack too; but it is not a tile."""
    assert parse_table(text) == Table() == Table(text)
    assert parse_rack(text) == ()
    assert format_table(Table()) == ""


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("Q7", 0, "'Q' is not a colour"),
        ("R3 R4 | K7 q7", 11, "'q' is not a colour"),
        ("R", 0, "'R' has no number"),
        ("R3 R", 3, "'R' has no number"),
        ("R 3", 0, "'R' has no number"),
        ("R3 4", 3, "a colour is missing before this number"),
        ("R3 7R", 3, "a colour is missing before this number"),
        ("Rx", 1, "'x' is not a number"),
        ("R-3", 1, "'-' is not a number"),
        ("R٣", 1, "is not a number"),
        ("R3R4", 2, "'R' can't follow 'R3': put a space between tiles"),
        ("R3,R4", 2, "',' can't follow 'R3'"),
        ("R3 R4 R5;", 8, "';' can't follow 'R5'"),
        ("J1", 1, "a joker has no number"),
        ("R3 JJ", 4, "'J' can't follow 'J'"),
        ("R" + "1" * 5000, 1, "no tile has a number with 5000 digits"),
        ("\u212a7", 0, "is not a colour"),  # the Kelvin sign, whose lower case is k
        ("|", 0, "write a tile before this |"),
        ("| R3", 0, "write a tile before this |"),
        ("R3 R4 | | R5", 8, "write a tile before this |"),
        ("R3 || R5", 4, "write a tile before this |"),
        ("R3 R4 |", 6, "write a tile after this |"),
        ("R3 R4 |  ", 6, "write a tile after this |"),
        ("R3 R4 |\n", 6, "write a tile after this |"),
        ("R3 R4 |\n| R5", 8, "write a tile before this |"),
        ("\n| R3", 1, "write a tile before this |"),
    ],
)
def test_wrong_text_is_refused_with_a_reason_and_a_position(text: str, position: int, message: str) -> None:
    """The error says what is wrong and where."""
    with pytest.raises(NotationError) as caught:
        parse_table(text)
    assert caught.value.position == position
    assert message in str(caught.value)


def test_each_line_of_a_text_is_a_meld() -> None:
    """A bar at the end of a line ends no second meld, and empty lines are ignored."""
    table = parse_table("R3 R4 R5\n\nK7 B7 O7 |\n R9 R10 R11\n")
    assert table.melds == parse_table("R3 R4 R5 | K7 B7 O7 | R9 R10 R11").melds


def test_meld_is_parsed_in_order_and_other_text_is_refused() -> None:
    """Text with no tile, or with two melds, is refused; the error gives the position."""
    assert parse_meld(" r3 J  R5\n") == (Tile("R3"), JOKER, Tile("R5"))
    for text, position, message in [("", 0, "no tile"), ("R3 R4 | K7", 8, "one set"), ("R3\n\nK7", 4, "one set")]:
        with pytest.raises(NotationError, match=message) as caught:
            parse_meld(text)
        assert caught.value.position == position


@given(st.lists(tiles))
def test_rack_is_parsed_in_order(rack: list[Tile]) -> None:
    """Bars between its rows are ignored."""
    assert parse_rack(" ".join(map(str, rack))) == tuple(rack)
    assert parse_rack(" | ".join(map(str, rack))) == tuple(rack)


@given(tiles, st.sampled_from(("", " ", "\t")))
def test_single_tile_is_parsed_with_spaces_around_it(tile: Tile, space: str) -> None:
    """Lower case too."""
    assert parse_tile(f"{space}{tile}{space}") is tile
    assert parse_tile(str(tile).lower()) is Tile(str(tile)) is tile


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "this text has no tile"),
        ("  ", 2, "this text has no tile"),
        ("R5 R6", 3, "another one begins here"),
        (" R5 | R6", 4, "another one begins here"),
        ("Q5", 0, "'Q' is not a colour"),
        ("  R", 2, "'R' has no number"),
        ("|", 0, "'|' is not a colour"),
    ],
)
def test_text_that_is_not_one_tile_is_refused_with_a_position(text: str, position: int, message: str) -> None:
    """The error says what is wrong and where, as it does of a table."""
    with pytest.raises(NotationError, match=re.escape(message)) as caught:
        parse_tile(text)
    assert caught.value.position == position


@pytest.mark.parametrize("parse", [parse_tile, parse_meld, parse_rack, parse_table])
@pytest.mark.parametrize("value", [7, None, b"R5", Tile("R5"), ["R5"]])
def test_argument_that_is_not_a_string_is_refused(parse: Callable[[str], object], value: object) -> None:
    """The error says what was expected, and what came instead."""
    with pytest.raises(ArgumentError, match=r"must be a str, such as 'R.*', not the \w+ "):
        parse(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "position", "width", "shown"),
    [
        ("R3 Q7", 3, 72, "R3 Q7\n   ^"),
        ("R3\tQ7", 3, 72, "R3 Q7\n   ^"),
        ("", 0, 72, "\n^"),
        ("abcdefghij", 0, 4, "abcd…\n^"),
        ("abcdefghij", 5, 4, "…defg…\n   ^"),
        ("abcdefghij", 9, 4, "…ghij\n    ^"),
    ],
)
def test_caret_is_under_the_position_in_a_long_text(text: str, position: int, width: int, shown: str) -> None:
    """The caret stands under the place, whatever of the text is shown."""
    assert point_at(text, position, width) == shown
