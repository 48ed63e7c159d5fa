"""A player counts the rack on the own phone, which tells it to nobody, and asks for a hint."""

from collections import Counter
from dataclasses import replace

import pytest
from flask import Flask

from tests.support.game_night_client import EveningClient
from tests.support.private_phone import Phone, contents, photo
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.game_night.own_phone import may_get_hint
from tilekeeper.companion.game_night.record import Note
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.settings import DEFAULT_SETTINGS
from tilekeeper.companion.game_night.state import state_of_records
from tilekeeper.engine.game.events import Commanded, Dealt, GameStarted, StarterChosen

SECRET = "K13 K12 R11 B9"
NAMES_OF_SECRET = ("K13 K12", "black 13", "black 12")


@pytest.fixture
def app(make_app) -> Flask:
    """An app without a camera; Ada's first turn is being played."""
    app = make_app(NoSource(), watch=False)
    EveningClient(app).deal("Ada", "Bo")
    return app


@pytest.fixture
def host(app: Flask) -> EveningClient:
    """The tablet at the table."""
    return EveningClient(app)


def end_round(host: EveningClient, *names: str) -> None:
    """Begin another game night, whose first round Ada ends."""
    host.deal("Ada", *names)
    host.act("rack-count", player=0, tiles=0)


def count_secret(app: Flask, *people: EveningClient) -> Counter[str]:
    """Count the secret tiles in all that the app tells others: in each route, and in the newest event of the stream."""
    routes = [
        rule.rule.replace("<evening>", people[0].evening["id"])
        for rule in app.url_map.iter_rules()
        if "GET" in (rule.methods or ()) and "/<" not in rule.rule.replace("/<evening>", "")
    ]
    answers = [one.http.get(route).get_data(as_text=True) for one in people for route in routes if route != "/events"]
    with people[0].http.get("/events", buffered=False) as stream:
        answers.append(next(text for part in stream.response if '"evening":{' in (text := str(part))))
    return Counter({word: "".join(answers).count(word) for word in NAMES_OF_SECRET})


def test_rack_counted_on_a_phone_is_told_to_nobody_until_all_racks_are_known(app, host, tmp_path):
    end_round(host, "Bo", "Cleo")
    tablet = EveningClient(app, REMOTE_ADDR="192.168.1.44")
    tablet.post("/api/join", code=host.get("/api/access")["code"], name="Tablet")
    bo, cleo = Phone(app, host, 1), Phone(app, host, 2)
    assert bo.shown["counting"] == {"round": 1, "done": False, "again": False}
    others, records = (host, tablet, cleo.page), host.get("/api/evening/history")
    counts = count_secret(app, *others)
    answer = bo.sends("rack", round=1, tiles=SECRET)
    assert answer.get_json()["counting"] == {"round": 1, "done": True, "again": False}

    assert count_secret(app, *others) == counts
    assert b"K13 K12" not in b"".join(contents(tmp_path).values())
    assert host.get("/api/evening/history") == records
    player = host.evening["players"][1]
    assert (player["known"], player["handed_in"], player["shown"], player["rack_points"]) == (True, True, None, None)
    assert not host.evening["players"][2]["known"]

    # Each player may correct the own count; the last one ends the wait.
    assert bo.sends("rack", round=1, tiles=f"{SECRET} R1").status_code == 200
    assert cleo.sends("rack", round=1, tiles="R5").get_json()["counting"] is None
    evening = host.evening
    assert evening["result"]
    assert [points["text"] for points in evening["sheet"]["rounds"][0]["points"]] == ["+51", "−46", "−5"]
    assert cleo.shown["points"] == {"total": "−5", "place": 2, "last": "−5"}
    assert all(count_secret(app, *others)[word] > counts[word] for word in NAMES_OF_SECRET)
    assert b"K13 K12" in b"".join(contents(tmp_path).values())
    # Undo takes back only the rack that came last.
    host.act("undo")
    assert bo.shown["counting"] is None
    assert cleo.shown["counting"] == {"round": 1, "done": False, "again": False}
    assert host.evening["players"][1]["shown"] is not None


def test_rack_of_a_phone_counts_with_racks_that_are_counted_at_the_table(app, host):
    end_round(host, "Bo", "Cleo", "Dan")
    bo, cleo = Phone(app, host, 1), Phone(app, host, 2)
    assert bo.sends("rack", round=1, tiles="R5").status_code == 200
    assert cleo.sends("rack", round=1, tiles="R6").status_code == 200
    host.act("rack", player=2, tiles="R7")  # counted at the table as well, which is what counts
    assert not host.evening["players"][2]["handed_in"]
    assert cleo.sends("rack", round=1, tiles="R6").get_json()["code"] == "not-now"
    host.act("rack-points", player=3, points=10)
    assert [points["value"] for points in host.evening["sheet"]["rounds"][0]["points"]] == [22, -5, -7, -10]
    # Undo takes back only the rack that came last.
    host.act("undo")
    assert [player["known"] for player in host.evening["players"]] == [True, True, True, False]


def test_racks_of_phones_with_too_many_copies_together_are_counted_again_and_tell_no_tile(app, host):
    end_round(host, "Bo", "Cleo", "Dan")
    bo, cleo, dan = (Phone(app, host, player) for player in (1, 2, 3))
    assert bo.sends("rack", round=1, tiles="K13 K13").status_code == 200
    assert dan.sends("rack", round=1, tiles="R1").status_code == 200
    refused = cleo.sends("rack", round=1, tiles="K13 K13").get_json()
    assert (refused["code"], refused["details"]) == ("impossible-tiles", {"places": []})
    assert "13" not in refused["error"]
    assert [phone.shown["counting"]["again"] for phone in (bo, cleo, dan)] == [True, True, False]
    assert [player["known"] for player in host.evening["players"]] == [True, False, False, True]
    # One player is sure; the other one counts again.
    assert cleo.sends("rack", round=1, tiles="K13 K13", sure=True).status_code == 200
    assert host.evening["phase"] == "racks"
    assert bo.sends("rack", round=1, tiles="K13 K13").status_code == 200
    assert [points["value"] for points in host.evening["sheet"]["rounds"][0]["points"]] == [53, -26, -26, -1]


def test_last_rack_entered_at_the_table_is_compared_with_those_of_phones(app, host):
    end_round(host, "Bo", "Cleo")
    bo = Phone(app, host, 1)
    assert bo.sends("rack", round=1, tiles="K13 K13").status_code == 200
    host.act("rack", player=2, tiles="K13")
    assert host.evening["phase"] == "racks"
    assert [player["known"] for player in host.evening["players"]] == [True, False, True]
    assert bo.sends("rack", round=1, tiles="K13 K13").get_json()["code"] == "impossible-tiles"
    assert bo.sends("rack", round=1, tiles="K13").status_code == 200
    assert host.evening["result"]


def test_rack_is_refused_if_it_is_not_counted_now_or_the_box_has_fewer_copies(app, host):
    early = Phone(app, host, 1)
    assert early.sends("rack", round=1, tiles="R5").get_json()["code"] == "not-now"
    end_round(host, "Bo", "Cleo")
    assert early.sends("rack", round=1, tiles="R5").get_json()["code"] == "not-now"  # the link of another evening
    ada, bo = Phone(app, host, 0), Phone(app, host, 1)
    assert ada.sends("rack", round=1, tiles="R5").get_json()["code"] == "not-now"
    assert bo.sends("rack", round=2, tiles="R5").get_json()["code"] == "not-now"
    assert bo.sends("rack", round=1, count=3).get_json()["code"] == "not-now"
    for body in ({}, {"tiles": "R5", "count": 1}):
        assert bo.sends("rack", round=1, **body).get_json()["code"] == "bad-input"
    assert bo.sends("rack", round=1, tiles="R5 R5 R5").get_json()["code"] == "impossible-tiles"
    assert bo.sends("rack", round=1, tiles="R5 R5 R5", sure=True).status_code == 200
    assert bo.asks(b"no picture", path="scan").status_code == 400
    host.act("undo")
    assert host.evening["phase"] == "turns"
    assert bo.sends("rack", round=1, tiles="R5").get_json()["code"] == "not-now"
    assert bo.asks(b"no picture", path="scan").get_json()["code"] == "not-now"
    host.act("rack-count", player=0, tiles=0)
    assert bo.shown["counting"] == {"round": 1, "done": False, "again": False}


def test_with_stars_the_phone_counts_tiles(app, host):
    host.deal("Ada", "Bo", edition="junior")
    host.act("rack-count", player=0, tiles=0)
    bo = Phone(app, host, 1)
    assert bo.sends("rack", round=1, tiles="R5").get_json()["code"] == "not-now"
    assert bo.sends("rack", round=1, count=3).get_json()["counting"] is None
    assert host.evening["result"]


@pytest.mark.slow
def test_photographed_rack_is_sent_only_to_the_phone_that_counts_it(app, host, tables, tmp_path):
    end_round(host, "Bo")
    bo, counts = Phone(app, host, 1), count_secret(app, host)
    files = contents(tmp_path)
    scan = bo.asks(photo(tables, "K13 K12 R11 | B9 J"), path="scan").get_json()
    assert (scan["count"], scan["expected"], scan["picture"]) == (5, 14, None)
    assert contents(tmp_path) == files
    assert count_secret(app, host) == counts


def test_hints_are_off_until_the_players_want_them_and_draw_the_best_turn(app, host):
    ada, bo = Phone(app, host, 0), Phone(app, host, 1)
    host.act("table", table="R3 R4 R5")
    assert not ada.shown["may_get_hint"]
    assert ada.sends("hint", tiles="R6 R7 K1").get_json()["code"] == "not-now"
    assert ada.asks(b"no picture", path="scan").get_json()["code"] == "not-now"
    host.act("settings", hints=True)
    assert ada.asks(b"no picture", path="scan").get_json()["code"] == "bad-input"
    assert [phone.shown["may_get_hint"] for phone in (ada, bo)] == [True, False]
    assert bo.sends("hint", tiles="R6").get_json()["code"] == "not-now"
    # Ada has not opened.
    assert ada.sends("hint", tiles="R6 R7 K1").get_json() == {"turn": None, "text": "The app found nothing to lay."}
    host.act("opened", player=0, opened=True)
    before = host.http.get("/api/state").get_json()["version"]
    hint = ada.sends("hint", tiles="R6 R7 K1").get_json()
    assert hint["text"] == "You can lay 2 of 3 tiles."
    (step,) = hint["turn"]["steps"]
    assert [[tile["text"] for tile in meld] for meld in step["melds"]] == [["R3", "R4", "R5", "R6", "R7"]]
    assert host.http.get("/api/state").get_json()["version"] == before
    assert ada.sends("hint", tiles=" ".join(["R6"] * 24)).status_code == 200
    assert ada.sends("hint", tiles=" ".join(["R6"] * 25)).get_json()["code"] == "bad-table"
    host.act("settings", tournament=True)
    assert not ada.shown["may_get_hint"]


def test_there_are_no_hints_at_a_table_of_a_hall():
    start = GameStarted(("Ada", "Bo"), "large-numbers", (), None)
    recorded = RecordedGame.begin(start, (("Ada",), ("Bo",)), Note(1, ""))
    recorded = recorded.with_events((StarterChosen(0, overruled=True), Dealt()), Note(2, ""))
    settings = replace(DEFAULT_SETTINGS, hints=True)
    assert may_get_hint(state_of_records(recorded, settings), 0)
    in_hall = recorded.with_events((Commanded("c1", "start", "Kim", "arbiter"),), Note(3, ""))
    assert not may_get_hint(state_of_records(in_hall, settings), 0)
