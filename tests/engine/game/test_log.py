"""A game as JSON Lines: each event survives a round trip, and wrong lines are refused with their number."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.games import deal_game, tiles_laid
from tilekeeper.engine.game.events import (
    ENTRIES_BY_NAME,
    Commanded,
    Corrected,
    Dealt,
    Entry,
    GameStarted,
    StarterChosen,
    TileDrawn,
    TilesLaid,
    Undone,
)
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.log import (
    GameLogError,
    LostLine,
    format_entry,
    format_header,
    format_log,
    parse_log,
    read_log,
)
from tilekeeper.engine.tiles.table import Table
from tilekeeper.engine.tiles.tile import JOKER, Colour, Tile

HEADER = '{"tilekeeper": "game", "version": 1}'

tiles = st.one_of(st.just(JOKER), st.builds(Tile, st.sampled_from(Colour), st.integers(0, 99)))
rows = st.lists(tiles, min_size=1, max_size=4).map(tuple)
tables = st.lists(rows, max_size=4).map(tuple).map(Table)
st.register_type_strategy(Tile, tiles)
st.register_type_strategy(Table, tables)
plain = st.one_of(*(st.from_type(kind) for kind in ENTRIES_BY_NAME.values() if kind is not Corrected)).filter(
    lambda entry: getattr(entry, "seconds", 0) == getattr(entry, "seconds", 0)
)
events = plain.filter(lambda entry: not isinstance(entry, Undone | Commanded))  # which nothing is corrected to
entries = st.one_of(plain, st.builds(Corrected, st.integers(0, 99), events))


@given(st.lists(entries, max_size=5))
def test_each_kind_of_entry_survives_a_round_trip(written: list[Entry]) -> None:
    """With any names of players."""
    assert parse_log(format_log(written)) == tuple(written)


def test_file_has_a_header_and_one_line_for_each_event() -> None:
    """Tables are in notation."""
    assert format_header() == HEADER
    assert json.loads(format_entry(tiles_laid("K10 B10 J", 41.5))) == {
        "event": "tiles-laid",
        "after": "K10 B10 J",
        "seconds": 41.5,
        "overruled": False,
    }
    assert format_entry(TileDrawn()) == '{"event": "tile-drawn"}'
    assert json.loads(format_entry(Corrected(3, TileDrawn()))) == {
        "event": "corrected",
        "place": 3,
        "instead": {"event": "tile-drawn"},
    }


def test_game_read_from_a_file_has_the_same_state() -> None:
    """More events can be appended to the file."""
    game = deal_game().record(tiles_laid("K10 B10 O10")).undo().record(TileDrawn())
    assert Game.parse(game.format()) == game
    lines = [HEADER, *map(format_entry, game.entries)]
    assert game.format() == "".join(f"{line}\n" for line in lines)


def test_file_cut_anywhere_keeps_all_complete_lines() -> None:
    """The incomplete line is reported, and more can be appended."""
    game = Game.start(GameStarted(("Åsa", "Bo\u2028"), "travel")).record(StarterChosen(1, overruled=True))
    game = game.record(Dealt()).record(tiles_laid("K10 B10 O10")).undo().correct(1, StarterChosen(0, overruled=True))
    game = game.record(TileDrawn())
    data = game.format().encode()
    whole = [Game.replay(game.entries[:count]) for count in range(1, len(game.entries) + 1)]
    first = data.index(b"\n", data.index(b"\n") + 1)
    for end in range(first, len(data) + 1):
        for zeros in (0, 3):
            cut = data[:end] + bytes(zeros)
            read, lost = Game.read(cut)
            assert read == whole[len(read.entries) - 1]
            lines = data[:end].split(b"\n")
            complete = lines[-1] in data.split(b"\n") and (lines[-1] != b"" or not zeros)
            assert len(read.entries) == len(lines) - (2 if lines[-1] == b"" or not complete else 1)
            assert (lost is None) == complete
            assert lost is None or lost == LostLine(len(lines), lines[-1].decode(errors="replace"))
            joined = f"{read.format()}{format_entry(TileDrawn())}\n".encode()
            assert read_log(joined) == ((*read.entries, TileDrawn()), None)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "line 1: a game begins with"),
        (bytes(9), "line 1: a game begins with"),
        (b'{"tilekeeper": "ga', "line 1: this is not JSON"),
        (b"\xff\xfe", "line 1: this is not text in UTF-8"),
        (HEADER.encode() + b'\n{"event": "passed"}\n{"event": "\xff"}\n', "line 3: this is not text in UTF-8"),
        (HEADER.encode() + b'\n{"event": "pas\n{"event": "pas', "line 2: this is not JSON"),
        (HEADER.encode() + b'\n{"event": "checkmate"}', 'line 2: there is no event "checkmate"'),
        (HEADER.encode() + b'\n{"event": "passed"}\n\0\0{"event": "passed"}\n', "line 3: this is not JSON"),
    ],
)
def test_file_with_another_fault_than_the_last_line_is_refused(data: bytes, message: str) -> None:
    """Nothing of it is read."""
    with pytest.raises(GameLogError) as caught:
        read_log(data)
    assert str(caught.value).startswith(message)


def test_fields_with_defaults_can_be_missing() -> None:
    """So can the last line break."""
    text = f'{HEADER}\n{{"event": "game-started", "players": ["A\\u2028", "B"], "edition": "travel"}}'
    assert parse_log(text) == (GameStarted(("A\u2028", "B"), "travel"),)
    assert parse_log(f'{HEADER}\n{{"event": "tiles-laid", "after": ""}}') == (TilesLaid(Table()),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: a game begins with"),
        ("{}", "line 1: a game begins with"),
        ("game", "line 1: this is not JSON"),
        ("[1]", "line 1: a line must hold one JSON object"),
        ("[" * 100_000, "line 1: this is not JSON"),
        (
            '{"tilekeeper": "game", "version": 2}',
            "line 1: this is version 2 of the format, but this Tilekeeper reads version 1",
        ),
        ('{"tilekeeper": "game"}', "line 1: this is version null"),
        (HEADER + "\n\n", "line 2: this is not JSON"),
    ],
)
def test_file_without_a_header_is_refused(text: str, message: str) -> None:
    """Empty lines too."""
    with pytest.raises(GameLogError) as caught:
        parse_log(text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "there is no event null; choose game-started, "),
        ({"event": "checkmate"}, 'there is no event "checkmate"'),
        ({"event": ["passed"]}, "there is no event"),
        ({"event": "passed", "why": 1}, "passed has no why"),
        ({"event": "tiles-laid"}, "tiles-laid has no after"),
        ({"event": "tiles-laid", "after": "Q7"}, "tiles-laid, after: 'Q' is not a colour"),
        ({"event": "tiles-laid", "after": 7}, "tiles-laid, after: expected text, not 7"),
        ({"event": "tiles-laid", "after": "", "seconds": "7"}, 'tiles-laid, seconds: expected a number, not "7"'),
        ({"event": "tiles-laid", "after": "", "overruled": 1}, "overruled: expected true or false, not 1"),
        ({"event": "pool-counted", "tiles": True}, "expected a whole number, not true"),
        ({"event": "pool-counted", "tiles": 1.5}, "expected a whole number, not 1.5"),
        ({"event": "dealt", "counts": 14}, "dealt, counts: expected a list of whole numbers, not 14"),
        ({"event": "rack-shown", "player": 0, "tiles": "R1 | R2"}, "expected tiles without bars"),
        ({"event": "tile-pointed", "tile": "R1 R2"}, "expected one tile"),
        ({"event": "tile-pointed", "tile": ""}, "expected one tile"),
        ({"event": "corrected", "place": 1, "with": 5}, "corrected has no with"),
        (
            {"event": "corrected", "place": 1, "instead": 5},
            "corrected, instead: expected an event that can stand for another, not 5",
        ),
        (
            {"event": "corrected", "place": 1, "instead": {"event": "undone"}},
            'instead: expected an event that can stand for another, not {"event": "undone"}',
        ),
        ({"event": "corrected", "place": 1, "instead": {"event": "x"}}, 'there is no event "x"'),
    ],
)
def test_line_that_is_not_an_event_is_refused_with_its_number(document: dict[str, object], message: str) -> None:
    """The message gives the reason."""
    with pytest.raises(GameLogError) as caught:
        parse_log(f"{HEADER}\n{json.dumps(document)}\n")
    assert caught.value.line == 2
    assert message in str(caught.value)
