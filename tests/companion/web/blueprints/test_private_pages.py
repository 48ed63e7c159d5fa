"""A player's private page: links that expire, its contents, and a picture of a rack that leaves no trace."""

import tempfile
from collections import Counter
from dataclasses import replace
from html import unescape
from pathlib import Path

import cv2
import numpy as np
import pytest
from flask import Flask

from tests.support.cookies import cookie_of
from tests.support.game_night_client import EveningClient
from tests.support.known_tables import MarkedTables, table_reading
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.doorkeeper.origin import CSRF_HEADER, csrf_token
from tilekeeper.companion.game_night.own_phone import may_get_hint
from tilekeeper.companion.game_night.record import Note
from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.settings import DEFAULT_SETTINGS
from tilekeeper.companion.game_night.state import state_of_records
from tilekeeper.companion.session.private_pages import LINK_LIVES_S, MOST_PHONES
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.access import PLAYER_COOKIE
from tilekeeper.engine.game.events import Commanded, Dealt, GameStarted, StarterChosen

RACK = "R10 B10 K10 O1 O2 O4 B5 B7 K2 K4 K6 R1 R3 R5"
"""Fourteen tiles with which a player can open."""


class Clock:
    """A monotonic clock that the test moves forward."""

    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    """The app's clock."""
    return Clock()


@pytest.fixture
def app(make_app, clock) -> Flask:
    """An app without a camera; Ada's first turn is being played."""
    app = make_app(NoSource(), watch=False, now=clock)
    EveningClient(app).deal("Ada", "Bo")
    return app


@pytest.fixture
def host(app: Flask) -> EveningClient:
    """The tablet at the table."""
    return EveningClient(app)


class Phone:
    """A phone with a player's private page."""

    def __init__(self, app: Flask, host: EveningClient, player: int) -> None:
        self.page = EveningClient(app, REMOTE_ADDR="192.168.1.40")
        address = host.post("/api/private-page/show", player=player)["address"]
        self.key = address.rpartition("/")[2]
        assert self.page.http.get(f"/me/{self.key}").status_code == 200

    @property
    def shown(self) -> dict:
        """Return the content of the page."""
        return self.page.get("/api/me")

    def asks(self, picture: bytes, csrf: bool = True, path: str = "can-open"):
        """Return the answer to a picture of a rack."""
        headers = self._headers if csrf else {}
        return self.page.http.post(f"/api/me/{path}", data=picture, content_type="image/jpeg", headers=headers)

    def sends(self, path: str, **body: object):
        """Return the answer to a JSON body."""
        return self.page.http.post(f"/api/me/{path}", json=body, headers=self._headers)

    @property
    def _headers(self) -> dict[str, str]:
        cookie = cookie_of(self.page.http, PLAYER_COOKIE)
        return {} if cookie is None else {CSRF_HEADER: csrf_token(cookie.value)}


@pytest.fixture
def bo(app, host) -> Phone:
    """Bo's phone."""
    return Phone(app, host, 1)


def photo(tables: MarkedTables, rack: str) -> bytes:
    """Return a picture of a rack, large enough that Werkzeug writes the form to a temporary file."""
    image = cv2.resize(tables.picture(table_reading(rack)), (3840, 2880), interpolation=cv2.INTER_NEAREST)
    image[2000:] = np.random.default_rng(1).integers(0, 255, image[2000:].shape, np.uint8)
    data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 100])[1].tobytes()
    assert len(data) > 512 * 1024
    return data


def test_private_page_shows_the_turn_and_the_players_clock(bo, host, clock):
    assert bo.shown == {
        "name": "Bo",
        "players": ["Ada", "Bo"],
        "playing": True,
        "mine": False,
        "turn": "1-0",
        "whose": "Ada",
        "clock": None,
        "rack": 14,
        "points": None,
        "may_ask": True,
        "opening_points": 30,
        "may_get_hint": False,
        "counting": None,
    }
    host.act("draw")
    clock.now_s += 5
    shown = bo.shown
    assert (shown["mine"], shown["whose"], shown["turn"]) == (True, "Bo", "1-1")
    assert shown["clock"] == {"running": True, "left_s": pytest.approx(host.evening["clock"]["left_s"], abs=0.1)}
    host.act("opened", player=1, opened=True)
    assert not bo.shown["may_ask"]
    host.post("/api/evenings/leave")
    assert not bo.shown["playing"]


def test_cookie_of_a_private_page_is_same_site_strict(app, host):
    key = host.post("/api/private-page/show", player=1)["address"].rpartition("/")[2]
    for scheme in ("http", "https"):
        answer = app.test_client().get(f"/me/{key}", base_url=f"{scheme}://localhost")
        (cookie,) = answer.headers.getlist("Set-Cookie")
        attributes = {word.strip() for word in cookie.split(";")[1:]}
        assert {"HttpOnly", "SameSite=Strict"} <= attributes
        assert ("Secure" in attributes) is (scheme == "https")


@pytest.mark.slow
def test_answer_about_a_rack_is_yes_no_or_unsure_and_how_many_tiles_were_seen(bo, tables):
    assert bo.asks(photo(tables, RACK)).get_json() == {"answer": "yes", "seen": 14, "tiles": 14}
    assert bo.asks(photo(tables, RACK.replace("K10", "K8"))).get_json() == {"answer": "no", "seen": 14, "tiles": 14}
    part = photo(tables, RACK.replace(" R5", "").replace("K10", "K8"))
    assert bo.asks(part).get_json() == {"answer": "unsure", "seen": 13, "tiles": 14}
    assert bo.asks(b"no picture").status_code == 400


def test_picture_of_a_rack_is_neither_stored_nor_shown(app, bo, host, tables, tmp_path, monkeypatch):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    made: list[object] = []

    def remembered(kind):
        def make(*arguments, **named):
            made.append(kind)
            return kind(*arguments, **named)

        return make

    for name in ("TemporaryFile", "NamedTemporaryFile", "SpooledTemporaryFile"):
        monkeypatch.setattr(tempfile, name, remembered(getattr(tempfile, name)))
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    picture = photo(tables, RACK)
    before, files = parts(app).session.state, contents(tmp_path)
    text = host.http.get("/api/state").get_data()
    assert bo.asks(picture).get_json()["answer"] == "yes"
    assert made == []
    assert contents(tmp_path) == files
    assert parts(app).session.state is before
    assert host.http.get("/api/state").get_data() == text
    assert parts(app).session.picture(0) is None


def contents(folder: Path) -> dict[Path, bytes]:
    """Return all files in a folder with their content."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_private_page_is_only_for_the_phone_with_the_link(app, bo, host):
    stranger = EveningClient(app, REMOTE_ADDR="192.168.1.41")
    for other in (host, stranger):
        assert other.http.get("/api/me").status_code == 403
        assert other.http.get("/me").status_code == 403
        assert other.http.post("/api/me/can-open", data=b"x", content_type="image/jpeg").status_code == 403
    # The token gives access to nothing else, and POST requests need the CSRF token.
    assert bo.page.http.get("/api/state").status_code == 401
    assert bo.asks(b"x", csrf=False).status_code == 403


def test_link_to_a_private_page_expires(app, bo, host, clock):
    late = EveningClient(app, REMOTE_ADDR="192.168.1.42")
    assert late.http.get(f"/me/{bo.key}").status_code == 200
    shown = host.post("/api/private-page/show", player=1)
    assert shown["phones"] == 2
    assert late.http.get(f"/me/{bo.key}").status_code == 403  # a newer link has replaced it
    key = shown["address"].rpartition("/")[2]
    clock.now_s += LINK_LIVES_S + 1
    assert late.http.get(f"/me/{key}").status_code == 403
    assert bo.shown["name"] == "Bo"


def test_link_that_is_opened_too_often_ends_only_that_players_phones(app, bo, host):
    ada = Phone(app, host, 0)
    strangers = app.test_client(use_cookies=False)
    for _ in range(10 * MOST_PHONES):
        strangers.get(f"/me/{bo.key}")
    assert ada.shown["name"] == "Ada"
    assert bo.page.http.get("/api/me").status_code == 403
    assert host.post("/api/private-page/show", player=1)["phones"] == MOST_PHONES


def test_phone_that_opens_the_page_again_takes_no_place_of_another_phone(app, bo, host):
    for _ in range(MOST_PHONES + 1):
        key = host.post("/api/private-page/show", player=1)["address"].rpartition("/")[2]
        host.http.get(f"/me/{key}")
    assert host.post("/api/private-page/show", player=1)["phones"] == 2
    assert bo.shown["name"] == "Bo"
    # The tablet of the table finds back; a phone that has not joined would only find the join page.
    assert 'href="/"' in host.http.get("/me").text
    assert 'href="/"' not in bo.page.http.get("/me").text


def test_undone_joining_ends_the_private_page_and_the_next_player_gets_another(app, host):
    """The next player gets the same seat; the phone of the first one must not show that page."""
    host.act("joined", name="Cleo")
    cleo = Phone(app, host, 2)
    assert cleo.shown["name"] == "Cleo"
    host.act("undo")
    assert (cleo.shown["name"], cleo.shown["playing"]) == ("", False)
    assert cleo.asks(b"x").get_json()["code"] == "not-now"
    assert host.refused("/api/private-page/show", player=2)["code"] == "not-found"
    host.act("joined", name="Dan")
    assert (cleo.shown["name"], cleo.shown["playing"]) == ("", False)
    assert host.post("/api/private-page/show", player=2)["phones"] == 0
    dan = Phone(app, host, 2)
    place = host.get("/api/evening/history")["items"][-1]["place"]
    host.act("amend", place=place, event={"event": "player-joined", "name": "Daniel"})
    assert dan.shown["name"] == "Daniel"


def test_expired_link_shows_a_page_that_says_so(app, bo, host):
    host.post("/api/private-page/end", player=1)
    for path, says in ((f"/me/{bo.key}", "This link has ended"), ("/me", "Open it with that player's link")):
        answer = bo.page.http.get(path, headers={"Accept-Language": "en"})
        assert (answer.status_code, answer.mimetype) == (403, "text/html")
        assert says in unescape(answer.text)
        assert "data-csrf" not in answer.text
    assert "Link" in bo.page.http.get("/me", headers={"Accept-Language": "de"}).text
    assert bo.page.http.get("/api/me").mimetype == "application/json"


def test_private_page_can_be_ended_on_all_phones(app, bo, host):
    ada = Phone(app, host, 0)
    assert host.post("/api/private-page/end", player=1)["phones"] == 0
    assert bo.page.http.get("/api/me").status_code == 403
    assert ada.shown["name"] == "Ada"
    host.post("/api/access/renew")
    assert ada.page.http.get("/api/me").status_code == 403


def test_private_pages_survive_a_restart(app, bo):
    from tilekeeper.companion.session.private_pages import PrivatePages

    cookie = cookie_of(bo.page.http, PLAYER_COOKIE)
    reopened = PrivatePages(parts(app).game_nights.database)
    found = reopened.page(cookie.value)
    assert found is not None
    assert found.seat.player == 1
    assert cookie.value not in str(reopened._pages)


SECRET = "K13 K12 R11 B9"
NAMES_OF_SECRET = ("K13 K12", "black 13", "black 12")


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
