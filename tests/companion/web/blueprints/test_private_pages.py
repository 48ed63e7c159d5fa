"""A player's private page: links that expire, its contents, and a picture of a rack that leaves no trace."""

import tempfile
from html import unescape

import pytest
from flask import Flask

from tests.support.cookies import cookie_of
from tests.support.game_night_client import EveningClient
from tests.support.private_phone import RACK, Phone, contents, photo
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.session.private_pages import LINK_LIVES_S, MOST_PHONES
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.access import PLAYER_COOKIE


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


@pytest.fixture
def bo(app, host) -> Phone:
    """Bo's phone."""
    return Phone(app, host, 1)


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
