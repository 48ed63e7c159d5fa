"""The buttons of the organiser: the night, its settings, formats and rulings; wrong numbers are refused."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.club_hall import plan
from tests.support.club_phone import PHONE, signed_in
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.views import night_view
from tilekeeper.engine.rules.editions import RULE_SETS

HOLDS = "hall"
pytestmark = pytest.mark.slow  # a hub with its database for each


def test_organiser_runs_a_night_with_the_buttons(client: FlaskClient, hub: Hub) -> None:
    """Each button of the organiser works, and its answer has the number of the current plan."""
    revision = plan(hub.database)
    answer = client.post("/api/players/list?plan=" + str(revision), data=b"name\nEve\nFinn\n").get_json()
    assert answer == {"plan": revision + 1, "entered": 2}
    doubled = client.post(f"/api/players/list?plan={revision + 1}", data=b"Eve\nGus")
    assert (doubled.status_code, doubled.get_json()["error"]) == (
        400,
        "Line 1: Eve is already on the list. Nobody was added.",
    )
    body = {
        "plan": revision + 1,
        "edition": "travel",
        "rounds": 3,
        "pairing": "fixed",
        "clock": "tournament",
        "house": " \n",
    }
    assert client.post("/api/settings", json=body).status_code == 200
    kept = client.get("/api/settings").get_json()
    assert (kept["edition"], kept["tournament"], kept["house"], kept["name"]) == ("travel", True, [], "")
    assert client.post("/api/settings", json=body | {"plan": revision}).get_json()["code"] == "changed"
    assert client.post("/api/rounds/clock", json={"round": 2, "kind": "pause"}).status_code == 200
    assert client.post("/api/rounds", json={"plan": revision + 2}).get_json()["error"] == "Round 2 is not over yet."
    assert client.post("/api/rounds", data="x").status_code == 400


def test_ready_made_format_replaces_the_other_settings(client: FlaskClient, hub: Hub) -> None:
    """The page tells each of them in words, and the standings get its columns."""
    page = client.get("/desk").get_data(as_text=True)
    assert "4 games in each round; after each game the left neighbour begins." in page
    body = {"plan": plan(hub.database), "edition": "finnish", "rounds": 9, "pairing": "fixed", "clock": "off"}
    assert client.post("/api/settings", json=body | {"ready_made": "german"}).status_code == 200
    kept = client.get("/api/settings").get_json()["format"]
    assert (kept["games"], kept["rounds"], kept["criteria"][0]) == (4, 3, "placement-points")
    assert "Placement points" in client.get("/").get_data(as_text=True)
    body["plan"] = plan(hub.database)
    unknown = client.post("/api/settings", json=body | {"ready_made": "chess"})
    assert unknown.get_json()["error"] == "There is no such tournament format."
    own = {"games": 2, "criteria": ["wins", "", "lot"], "placement": "5, 2,1", "loss_cap": "80", "best_games": " "}
    assert client.post("/api/settings", json=body | own).status_code == 200
    kept = client.get("/api/settings").get_json()["format"]
    assert (kept["games"], kept["rounds"], kept["criteria"]) == (2, 9, ["wins", "lot"])
    assert (kept["scoring"]["placement"], kept["scoring"]["loss_cap"], kept["scoring"]["best_games"]) == (
        [5, 2, 1],
        80,
        None,
    )
    body["plan"] = plan(hub.database)
    refused = client.post("/api/settings", json=body | {"placement": "1, 2"})
    assert "largest first" in refused.get_json()["error"]
    # The Olympiad plays with one joker; a house rule about something else stays.
    assert "How many jokers there are: 1." in page
    mso = body | {"ready_made": "mso", "house": "stock.jokers=4\nturn.limit_s=90"}
    for edition in RULE_SETS:  # its rules fit every box but that of the children
        answer = client.post("/api/settings", json=mso | {"edition": edition, "plan": plan(hub.database)})
        assert answer.status_code == 200 or edition == "junior", answer.get_json()
    mso["plan"] = plan(hub.database)
    assert client.post("/api/settings", json=mso).status_code == 200
    assert client.get("/api/settings").get_json()["house"] == [
        "stock.jokers=1",
        "setup.stack_size=none",
        "setup.dealt=13",
        "scoring.joker_points=50",
        "ending.must_lay=yes",
        "turn.limit_s=90",
    ]
    page = client.get("/desk").get_data(as_text=True)
    assert page.count("Whether a player who can lay a tile must lay when the pool is empty: yes.") == 2
    assert 'name="unopened" data-list' in page  # who never opened can be marked with points entered by hand
    # Another ready-made format brings none of these rules along, though the form sends them again.
    german = mso | {"ready_made": "german", "plan": plan(hub.database)}
    german["house"] = "\n".join(client.get("/api/settings").get_json()["house"])
    assert client.post("/api/settings", json=german).status_code == 200
    assert client.get("/api/settings").get_json()["house"] == ["turn.limit_s=90"]


@pytest.mark.parametrize("number", [2**31, 2**63, -(2**64), 10**30])
def test_whole_number_that_no_database_stores_is_refused(client: FlaskClient, number: int) -> None:
    bodies = {
        "settings": {"plan": number, "edition": "finnish", "rounds": number, "pairing": "random", "clock": "off"},
        "players": {"plan": number, "name": "Eve"},
        "players/gone": {"plan": 0, "player": number, "gone": True},
        f"players/list?plan={number}": {},
        "rounds": {"plan": number},
        "rounds/clock": {"round": number, "kind": "pause"},
        "rounds/points": {"plan": 0, "round": number, "table": "1", "points": []},
        "rounds/log": {"plan": 0, "round": number, "table": "1", "log": "1-2"},
        f"notices/{abs(number)}": {},
    }
    answers = {path: client.post(f"/api/{path}", json=body).status_code for path, body in bodies.items()}
    assert {path: status for path, status in answers.items() if status not in (400, 404, 409)} == {}


def test_rulings_are_given_by_the_names_of_players(client: FlaskClient, app: Flask, hub: Hub) -> None:
    """Each button answers with the new plan; an arbiter has those for penalties and ties; unknown names are refused."""
    arbiter, word = signed_in(app, hub.database, "arbiter")
    one, other = "Aino Virtanen", "eino mäkelä"
    rulings: list[tuple[str, dict[str, object]]] = [
        ("byes", {"player": one, "round": 4, "kind": "half"}),
        ("byes", {"player": one, "round": 4, "kind": "plays"}),
        ("apart", {"one": one, "other": other, "apart": True}),
        ("players", {"player": one, "club": " Blue  club ", "category": "juniors"}),
        ("penalties", {"player": one, "points": 7, "why": "late"}),
    ]
    for number, (path, body) in enumerate(rulings, start=1):
        revision = plan(hub.database)
        answer = client.post(f"/api/rulings/{path}", json={"plan": revision, **body})
        assert answer.get_json() == {"plan": revision + 1}, (number, answer.get_json())
    body = {"plan": plan(hub.database), "player": one, "points": 1, "why": "again"}
    assert arbiter.post("/api/rulings/penalties", json=body, environ_base=PHONE, headers=word).status_code == 200
    for path, why in (("swap", "has started"), ("ties", "to the tie-breaks")):
        body = {"plan": plan(hub.database), "one": one, "other": other, "why": "x"}
        refused = client.post(
            f"/api/rulings/{path}", json={key: body[key] for key in body if path == "ties" or key != "why"}
        )
        assert why in refused.get_json()["error"]
    unknown = client.post("/api/rulings/players", json={"plan": plan(hub.database), "player": "Nobody"})
    assert unknown.get_json()["error"] == "Nobody here is called Nobody."
    page = client.get("/results").get_data(as_text=True)
    assert "Aino Virtanen loses 7 points." in page
    assert "<h2>juniors</h2>" in page
    with hub.database.reading() as session:
        assert [
            (name, [(line.place, line.name) for line in lines]) for name, lines in night_view(session).categories
        ] == [("juniors", [(1, "Aino Virtanen")])]
    assert "Change the pairing" in client.get("/desk").get_data(as_text=True)
    assert "Change the pairing" not in client.get("/arbiter").get_data(as_text=True)
    assert "Take the points away" in client.get("/arbiter").get_data(as_text=True)
