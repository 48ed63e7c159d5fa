"""Importing a list of players: file formats of spreadsheets, and errors with their line numbers."""

import pytest

from tests.support.club_desk import night
from tests.support.club_hall import plan
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.player_sheet import Line, ReadingChoices, read_sheet
from tilekeeper.companion.hub.rounds import players_of
from tilekeeper.companion.refusal import Refused

pytestmark = pytest.mark.slow  # a hub with its database for each


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ada\nBo\nada ", ["Line 3: ada is already in line 1.", "Nobody was added."]),
        ("name;club\nAda;x\n;y\n", ["Line 3: the name is empty.", "Nobody was added."]),
        ("\n\n", ["It contains no name.", "Nobody was added."]),
        ("Player 1\nNeu", ["Line 1: Player 1 is already on the list.", "Nobody was added."]),
        ("x" * 61, ["Line 1: “xxxxxxxxxxxxxxxxxxxx…” is too long"]),
        ('Ada\n"Bo\nCleo', ["Line 2: a quotation mark is not closed.", "Nobody was added."]),
        ("Ada\n" + "x" * 200_000, ["Line 2 can't be read.", "Nobody was added."]),
        ("\n".join(f"P {number}" for number in range(20_000)), ["At most 2000 players fit."]),
        ("Ada\n" * 20_000, ["Line 2: Ada is already in line 1.", "And 19992 more."]),
    ],
)
def test_list_with_errors_is_refused_with_each_line(database: Database, text: str, words: list[str]) -> None:
    """Doubled and empty names are reported with their lines, and no name is imported."""
    desk = night(database, 2)
    with pytest.raises(Refused) as refused:
        desk.import_players(plan(database), text.encode())
    for part in words:
        assert part in str(refused.value)
    with database.reading() as session:
        assert [row.name for row in players_of(session)] == ["Player 1", "Player 2"]


@pytest.mark.parametrize(
    "data",
    [
        "Ada\nJörg".encode(),
        "Ada\r\nJörg\r\n".encode("cp1252"),
        "\ufeffName\nAda\nJörg\n".encode(),
        "Ada\nJörg\n".encode("utf-16"),
        "Name;Verein\rAda;x\rJörg;y\r".encode("cp1252"),
        "nr;name\n1;Ada\n2;Jörg\n".encode(),
        'nr,Nimi\n1,"Ada"\n\n2,Jörg\n'.encode(),
    ],
)
def test_list_from_a_spreadsheet_is_read(data: bytes) -> None:
    """Commas, semicolons, headings, and the encodings of older Windows and Excel."""
    assert [line.name for line in read_sheet(data).lines] == ["Ada", "Jörg"]


LIST = "Nr;Nachname;Vorname;Verein;Klasse\n1;Żak;Łucja;SC  Nord;U14\n2;Bo;Ann;;\n"


def test_columns_for_first_name_club_and_category_are_found_by_their_headings() -> None:
    sheet = read_sheet(LIST.encode())
    assert sheet.lines == (Line(2, "Łucja Żak", "SC Nord", "U14"), Line(3, "Ann Bo"))
    assert sheet.reading == ReadingChoices("utf-8", {"name": 1, "first": 2, "club": 3, "category": 4}, True)


def test_zero_characters_are_left_out() -> None:
    """PostgreSQL can't store them."""
    assert read_sheet(b"name;club\nZed\0;a\0b\n", ReadingChoices()).lines == (Line(2, "Zed", "ab"),)


def test_chosen_encoding_and_columns_take_the_place_of_the_guess() -> None:
    """Windows-1250 has the same bytes as Windows-1252, so a person chooses it after a look at the preview."""
    data = LIST.encode("windows-1250")
    assert read_sheet(data).lines[0].name == "£ucja ¯ak"
    reading = ReadingChoices("windows-1250", {"name": 1, "club": 9}, True)
    assert [line.name for line in read_sheet(data, reading).lines] == ["Żak", "Bo"]
    assert read_sheet("Ada\nBo".encode("utf-16-le")).reading.encoding == "utf-16"
    assert [line.name for line in read_sheet(b"Ada\nBo", ReadingChoices(has_heading=True)).lines] == ["Bo"]


def test_players_who_are_on_the_list_can_be_left_out(database: Database) -> None:
    """A club sends its list again with two more players; clubs and categories are kept."""
    desk = night(database, 2)
    data = b"name,club,category\nplayer 1,X,Y\nCleo,Nord,Juniors\ncleo,,\n"
    assert desk.import_players(plan(database), data, leave_out=True) == 1
    with database.reading() as session:
        rows = [(row.name, row.club, row.category) for row in players_of(session)]
    assert rows[2:] == [("Cleo", "Nord", "Juniors")]
