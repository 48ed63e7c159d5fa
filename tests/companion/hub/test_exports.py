"""Exports of a night: CSV and JSON agree with the page."""

import csv
import io
import re

import pytest
from flask.testing import FlaskClient

from tests.support.club_hall import plan
from tilekeeper.companion.hub.hub import Hub

pytestmark = pytest.mark.slow  # a hub with its database for each


@pytest.fixture(scope="module")
def holds() -> str:
    """A night in its second round."""
    return "hall"


def test_csv_and_json_have_the_results_of_the_page(client: FlaskClient) -> None:
    """They include the round under way, as far as it has been played."""
    results = client.get("/results.json").get_json()
    assert (results["tilekeeper"], results["version"], results["name"]) == ("club-night", 2, "Herbstturnier")
    assert [line["name"] for line in results["standings"][:2]] == ["Aino Virtanen", "Małgorzata Nowak"]
    assert [one["state"] for one in results["rounds"]] == ["over", "running"]
    assert sum(int(line["score"]) for line in results["standings"]) == 0
    rows = list(
        csv.reader(io.StringIO(client.get("/results.csv").get_data(as_text=True).lstrip("\ufeff")), delimiter=";")
    )
    assert rows[0] == ["Place", "Name", "Points", "Won", "Buchholz", "Best game", "Round 1", "Round 2"]
    assert rows[1][:4] == ["1", "Aino Virtanen", "137", "2"]
    assert len(rows) == 23


def test_name_that_looks_like_a_formula_is_escaped(client: FlaskClient, hub: Hub) -> None:
    """A name that looks like a formula is escaped for spreadsheets."""
    for name, escaped in (("=1+1", "'=1+1"), ("\uff1d2+2", "'\uff1d2+2"), ("|cmd", "'|cmd"), ("Ada,=1+2", "Ada,'=1+2")):
        hub.desk.add_player(plan(hub.database), name)
        assert escaped in client.get("/results.csv").get_data(as_text=True)


def test_page_to_upload_has_standings_rounds_and_no_other_file(client: FlaskClient, hub: Hub) -> None:
    """It needs no server: no script, no picture, no style of its own; names are escaped."""
    hub.desk.add_player(plan(hub.database), "<b>Eve")
    page = client.get("/results.html").get_data(as_text=True)
    assert "&lt;b&gt;Eve" in page
    assert "Aino Virtanen" in page
    assert "Round 2" in page
    assert not re.search(r"<script|<img|<link|https?://", page)
    assert "{" not in re.sub(r"<style>.*</style>", "", page)
