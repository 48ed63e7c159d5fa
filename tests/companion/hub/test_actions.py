"""The buttons of organiser and arbiter: players, settings, results and rulings, each with its answer."""

import re

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import delete

from tests.support.club_hall import plan
from tests.support.club_phone import PHONE, signed_in
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.rounds import seatings_of
from tilekeeper.companion.hub.schema import LogRow, RoundRow, SeatingRow
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


def test_desk_offers_the_reports_of_a_table_that_was_restored(hub: Hub, client: FlaskClient) -> None:
    """The button of the report that does not count makes it count."""
    with hub.database.writing() as session:
        seating = session.get_one(SeatingRow, (2, "2"))
        counting = seating.log
        for log in (counting, "2-2.1"):
            row = session.get(LogRow, ("2", log)) or LogRow(table="2", log=log, taken=3, known=3, due=1, folded=3)
            row.command = seating.command
            session.add(row)
    forms = re.findall(r'<form data-post="/api/rounds/log".*?</form>', client.get("/desk").get_data(as_text=True))
    assert ["<button" in form for form in forms] == [False, True]
    fields = dict(re.findall(r'name="(\w+)" value="([\w.-]*)"', forms[1]))
    assert fields == {"round": "2", "table": "2", "log": "2-2.1"}
    body = {**fields, "round": 2, "plan": plan(hub.database)}
    assert client.post("/api/rounds/log", json=body).status_code == 200
    with hub.database.reading() as session:
        assert session.get_one(SeatingRow, (2, "2")).log == "2-2.1"


def test_rulings_are_given_by_the_names_of_players(client: FlaskClient, app: Flask, hub: Hub) -> None:
    """Each button answers with the new plan; an arbiter has those for penalties and ties; unknown names are refused."""
    arbiter, word = signed_in(app, hub.database, "arbiter")
    one, other = "Aino Virtanen", "eino mäkelä"
    rulings: list[tuple[str, dict[str, object]]] = [
        ("byes", {"player": one, "round": 4, "kind": "half"}),
        ("byes", {"player": one, "round": 4, "kind": "plays"}),
        ("byes", {"player": other, "round": 5, "kind": "zero"}),
        ("apart", {"one": one, "other": other, "apart": True}),
        ("players", {"player": one, "club": " Blue  club ", "category": "juniors"}),
        ("penalties", {"player": one, "points": 7, "why": "late"}),
    ]
    for number, (path, body) in enumerate(rulings, start=1):
        revision = plan(hub.database)
        answer = client.post(f"/api/rulings/{path}", json={"plan": revision, **body})
        assert answer.get_json() == {"plan": revision + 1}, (number, answer.get_json())
    desk = client.get("/desk").get_data(as_text=True)
    assert f'value="{one}" data-name="{one}" data-club="Blue club" data-category="juniors"' in desk
    assert "Kept apart: Aino Virtanen – Eino Mäkelä" in desk
    assert "Away later: Eino Mäkelä in round 5 (Z)" in desk
    body = {"plan": plan(hub.database), "player": one, "points": 1, "why": "again"}
    assert arbiter.post("/api/rulings/penalties", json=body, environ_base=PHONE, headers=word).status_code == 200
    for path, why in (("swap", "has started"), ("ties", "to the tie-breaks")):
        body = {"plan": plan(hub.database), "one": one, "other": other, "why": "x"}
        refused = client.post(
            f"/api/rulings/{path}", json={key: body[key] for key in body if path == "ties" or key != "why"}
        )
        assert why in refused.get_json()["error"]
    described = {"player": other, "club": "", "category": "", "minutes": 3}
    for name, status in (("AINO  virtanen", 400), ("Eino  Mäki", 200)):
        body = {"plan": plan(hub.database), "name": name, **described}
        assert client.post("/api/rulings/players", json=body).status_code == status
    assert "Eino Mäkelä is now called Eino Mäki." in client.get("/results").get_data(as_text=True)
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


def test_ready_made_format_replaces_the_other_settings(client: FlaskClient, hub: Hub) -> None:
    """The page tells each of them in words, and the standings get its columns."""
    page = client.get("/desk").get_data(as_text=True)
    assert "4 games in each round; after each game the left neighbour begins." in page
    body = {"plan": plan(hub.database), "edition": "finnish", "rounds": 9, "pairing": "fixed", "clock": "off"}
    refused = client.post("/api/settings", json=body | {"ready_made": "german"})
    assert refused.get_json()["error"] == "The number of games in a round can't change any more: 1."
    with hub.database.writing() as session:
        session.execute(delete(RoundRow))  # as before the first pairing
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
    hub.desk.pair(plan(hub.database), "Olga")
    page = client.get("/desk").get_data(as_text=True)
    assert page.count("Whether a player who can lay a tile must lay when the pool is empty: yes.") == 2
    assert 'name="unopened" data-list' in page  # who never opened can be marked with points entered by hand
    hub.desk.withdraw(plan(hub.database))
    # Another ready-made format brings none of these rules along, though the form sends them again.
    german = mso | {"ready_made": "german", "plan": plan(hub.database)}
    german["house"] = "\n".join(client.get("/api/settings").get_json()["house"])
    assert client.post("/api/settings", json=german).status_code == 200
    assert client.get("/api/settings").get_json()["house"] == ["turn.limit_s=90"]


def test_points_of_an_earlier_round_are_shown_to_be_corrected(client: FlaskClient, hub: Hub) -> None:
    """The form has the points as they are stored; the corrected ones count, and everybody can read it."""
    with hub.database.reading() as session:
        seating = seatings_of(session, 1)[1]
    form = client.get(f"/api/rounds/points?round=1&table={seating.table}").get_data(as_text=True)
    assert re.findall(r'name="points"[^>]* value="([^"]+)"', form) == seating.points
    assert client.get("/api/rounds/points?round=1&table=99").status_code == 404
    points = ["30", *["-10"] * 3]
    body = {"plan": plan(hub.database), "round": 1, "table": seating.table, "points": points}
    assert client.post("/api/rounds/points", json=body).status_code == 200
    assert f"Round 1, table {seating.table}: the result is now " in client.get("/results").get_data(as_text=True)
    assert client.get("/api/rounds/points?round=1&table=1", environ_base=PHONE).status_code == 403


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("players", {"name": "New", "club": "a\0b"}),
        ("rulings/players", {"player": "Aino Virtanen", "club": "", "category": "\0", "minutes": 0}),
        ("rulings/penalties", {"player": "Aino Virtanen", "points": 1, "why": "a\0b"}),
    ],
)
def test_zero_character_is_named_as_the_mistake(
    client: FlaskClient, hub: Hub, path: str, body: dict[str, object]
) -> None:
    """PostgreSQL can't store it, which is no fault of the disk."""
    answer = client.post(f"/api/{path}", json={"plan": plan(hub.database), **body})
    assert answer.status_code == 400
    assert answer.get_json()["error"] == "A message may not contain a zero character (NUL)."


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
