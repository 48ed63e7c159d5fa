"""What is taken along of a night: CSV and JSON say what the page says."""

import csv
import io

import pytest
from flask.testing import FlaskClient

from tests.support.club_hall import plan
from tilekeeper.companion.club.hub import Hub

pytestmark = pytest.mark.slow  # a hub with its database for each


@pytest.fixture(scope="module")
def holds() -> str:
    """A night in the midst of its second round."""
    return "hall"


def test_results_are_taken_along(client: FlaskClient) -> None:
    """CSV and JSON say what the page says; the round that is played counts as far as it went."""
    results = client.get("/results.json").get_json()
    assert (results["tilekeeper"], results["version"], results["name"]) == ("club-night", 1, "Herbstturnier")
    assert [line["name"] for line in results["standings"][:2]] == ["Aino Virtanen", "Małgorzata Nowak"]
    assert [one["state"] for one in results["rounds"]] == ["over", "running"]
    assert sum(int(line["total"]) for line in results["standings"]) == 0
    rows = list(
        csv.reader(io.StringIO(client.get("/results.csv").get_data(as_text=True).lstrip("\ufeff")), delimiter=";")
    )
    assert rows[0] == ["Place", "Name", "Total", "Rounds won", "Round 1", "Round 2"]
    assert rows[1][:4] == ["1", "Aino Virtanen", "137", "2"]
    assert len(rows) == 23


def test_a_name_is_no_formula(client: FlaskClient, hub: Hub) -> None:
    """A spreadsheet that opens the results computes nothing that a player wrote."""
    hub.desk.add_player(plan(hub.database), "=1+1")
    assert "'=1+1" in client.get("/results.csv").get_data(as_text=True)
