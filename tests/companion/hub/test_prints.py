"""Printed pages: each document in each language, lists over several sheets, and what is refused."""

import re
from datetime import UTC, datetime

import pytest
from flask.testing import FlaskClient

from tests.support.club_hall import LONG_NAMES
from tilekeeper.companion.hub import paper, prints
from tilekeeper.companion.hub.handouts import Award, certificates_pdf
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.listing import Column, Listing, print_listings
from tilekeeper.companion.hub.prints import DOCUMENTS
from tilekeeper.companion.hub.rounds import read_tournament
from tilekeeper.companion.hub.schema import HallRow, PlayerRow
from tilekeeper.companion.hub.table_views import _clock_ends, _clock_level
from tilekeeper.companion.hub.views import night_view

HOLDS = "hall"
pytestmark = pytest.mark.slow  # a hub with its database


@pytest.fixture
def backend() -> str:
    """Printing does not depend on the database."""
    return "sqlite"


def sheets(document: bytes) -> int:
    return len(re.findall(rb"/Type /Page\b", document))


def test_each_document_is_printed_in_each_language(
    client: FlaskClient, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three places of all players and three of the juniors get a certificate; a page keeps its own language.

    Even the longest names are printed whole; they go on in a second line.
    """
    with hub.database.writing() as session:
        for number in (3, 5, 10, 15):
            session.get_one(PlayerRow, number).category = "Juniorinnen und Junioren bis 14 Jahre"
        for number, name in enumerate(LONG_NAMES, start=1):
            session.get_one(PlayerRow, number).name = name
            session.get_one(PlayerRow, number).club = "Rummikub-Freunde Hamburg-Altona von 1987 e. V."
        session.get_one(HallRow, 1).name = "Finnische Meisterschaft im Rummikub, Vorrunde in Hämeenlinna"
    shorten, cut = paper._shorten, set()

    def watch(text: str, font: str, size: float, room: float) -> str:
        shortened = shorten(text, font, size, room)
        cut.update([text] if shortened != text else [])
        return shortened

    monkeypatch.setattr(paper, "_shorten", watch)
    found = {}
    for name in DOCUMENTS:
        for language in ("en", "de", "fi"):
            answer = client.get(f"/api/print/{name}.pdf?language={language}")
            assert answer.mimetype == "application/pdf"
            assert "Set-Cookie" not in answer.headers
            found[name] = sheets(answer.data)
    assert found == {
        "players": 1,
        "check-in": 1,
        "pairings": 1,
        "pairings-by-name": 1,
        "seats": 3,
        "cards": 3,
        "slips": 3,
        "standings": 3,
        "cross-table": 2,
        "prizes": 1,
        "certificates": 6,
    }
    assert cut == set()
    assert client.get("/api/print/other.pdf").status_code == 404


def test_prizes_have_no_column_that_is_empty_in_every_line(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without clubs and categories there are neither columns for them; a place among all players says so."""
    printed: list[Listing] = []
    monkeypatch.setattr(prints, "print_listings", lambda _, __, listings, **___: printed.extend(listings) or b"")
    for category in ("", "Juniors"):
        with hub.database.writing() as session:
            session.get_one(PlayerRow, 1).category = category
            session.get_one(PlayerRow, 1).club = category and "Nord"
        with hub.database.reading() as session:
            prints.print_document("prizes", night_view(session), read_tournament(session), "")
    heads = [[heading for heading, _ in listing.columns] for listing in printed]
    assert heads == [["Place", "Name", "Points", "Prize"], ["Place", "Name", "Club", "Category", "Points", "Prize"]]
    assert [row[3] for row in printed[1].rows] == ["all players", "all players", "all players", "Juniors"]


def test_text_goes_on_in_a_second_line_after_a_space_a_hyphen_or_any_letter() -> None:
    width = paper.width_of("Anna-Maria", 10)
    assert paper.wrap("Anna-Maria von Berg", 10, width) == ["Anna-Maria", "von Berg"]
    assert paper.wrap("Anna-Mariannes", 10, width) == ["Anna-", "Mariannes"]
    assert "".join(paper.wrap(LONG_NAMES[1], 10, width)) == LONG_NAMES[1]
    assert paper.wrap("", 10, width) == [""]


def test_long_list_goes_on_over_sheets_and_long_texts_over_lines() -> None:
    """Two hundred names with twelve columns of numbers; an empty list has a sheet, too."""
    heads = [("Name", Column.TEXT), *((f"Round {number}", Column.NUMBER) for number in range(12)), ("", Column.BLANK)]
    rows = [(f"{'Long name ' * 9}{number}", *["+1000"] * 12, "") for number in range(200)]
    assert 8 <= sheets(print_listings("Cup", "Cup", [Listing("All", heads, rows)], is_wide=True)) <= 60
    assert sheets(print_listings("Cup", "Cup", [Listing("None", heads, [])])) == 1


def test_certificate_has_a_sheet_of_its_own() -> None:
    awards = [Award(1, "Ada", "", "", "+10"), Award(1, "Bo", "A club", "Juniors", "+10")]
    assert sheets(certificates_pdf("Cup", "today", awards)) == 2


@pytest.mark.parametrize(
    ("left_s", "level"), [(None, ""), (60, "plenty"), (20, "short"), (5.1, "short"), (5, "last"), (-3, "last")]
)
def test_clock_is_green_then_yellow_then_red(left_s: float | None, level: str) -> None:
    assert _clock_level(left_s) == level


def test_running_clock_ends_by_the_clock_of_the_hub() -> None:
    """The table's clock is 100 s ahead; a clock that stands still has no end."""
    sent = datetime(2026, 1, 1, tzinfo=UTC)
    state = {"clock_runs": True, "left_s": 30.0, "sent_at": sent.isoformat()}
    assert _clock_ends(state, 100.0) == sent.timestamp() - 100 + 30
    assert _clock_ends({**state, "clock_runs": False}, 100.0) is None
