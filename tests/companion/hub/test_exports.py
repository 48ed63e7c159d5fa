"""Exports of a night: CSV and JSON agree with the page."""

import csv
import io
import re
from types import ModuleType

import pytest
from flask.testing import FlaskClient

from tests.support.club_hall import plan
from tilekeeper.companion.hub import exports, views
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


def test_results_are_computed_once_after_each_change(
    client: FlaskClient, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody may ask for them again and again, and the organiser's buttons stay fast."""
    computed: list[str] = []

    def count(module: ModuleType, name: str) -> None:
        original = getattr(module, name)

        def counted(*arguments: object) -> object:
            computed.append(name)
            return original(*arguments)

        monkeypatch.setattr(module, name, counted)

    count(exports, "_results_of")
    count(exports, "_as_page")
    count(views, "_night")
    for _ in range(3):
        for path in ("/results", "/results.json", "/results.csv", "/results.html", "/t/3"):
            assert client.get(path).status_code == 200
    # `results.html` reads the night in the same transaction as its rounds.
    assert sorted(computed) == ["_as_page", "_night", "_night", "_results_of"]
    hub.desk.add_player(plan(hub.database), "Zoe", "", "")
    assert "Zoe" in client.get("/results.json").get_data(as_text=True)
    assert "Zoe" in client.get("/results").get_data(as_text=True)
    assert len(computed) == 6


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
