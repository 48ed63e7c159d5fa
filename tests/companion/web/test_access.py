"""Access: only this machine and tablets with the code get in; control of buttons."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from flask import Flask
from pydantic import TypeAdapter
from sqlalchemy.exc import SQLAlchemyError

from tests.support.game_night_client import EveningClient
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.doorkeeper.codes import MOST_WRONG_CODES
from tilekeeper.companion.session.access import CODE_LENGTH, LONGEST_DEVICE_NAME, MOST_DEVICES, Access
from tilekeeper.companion.session.private_pages import PageOwner, PrivatePages
from tilekeeper.companion.storage.schema import ACCESS
from tilekeeper.companion.storage.store import Store
from tilekeeper.companion.web.api.extensions import parts

pytestmark = pytest.mark.slow  # waits for locks on guesses to end

TABLET = {"REMOTE_ADDR": "192.168.1.30"}


@pytest.fixture
def app(make_app) -> Flask:
    """An app that tablets of the network can join."""
    app = make_app(NoSource(), watch=False)
    parts(app).access.address = "http://192.168.1.2:8645/"
    return app


@pytest.fixture
def host(app: Flask) -> EveningClient:
    """The host's page."""
    return EveningClient(app)


@pytest.fixture
def tablet(app: Flask) -> EveningClient:
    """A tablet in the network that has not joined."""
    return EveningClient(app, **TABLET)


def joined(tablet: EveningClient, host: EveningClient, name: str = "Ada's phone") -> EveningClient:
    """Join with the tablet, and return it."""
    tablet.post("/api/join", code=host.get("/api/access")["code"].lower(), name=name)
    return tablet


@pytest.mark.parametrize("path", ["/api/state", "/events", "/picture/1.jpg", "/api/evenings", "/api/openapi.json"])
def test_stranger_can_not_see_the_table(tablet, path):
    answer = tablet.http.get(path)
    assert (answer.status_code, answer.get_json()["code"]) == (401, "join-first")


def test_stranger_can_not_press_buttons_and_is_led_to_the_join_page(tablet, host):
    host.deal()
    answer = tablet.refused("/api/evening/draw", revision=host.evening["revision"])
    assert (answer["status"], answer["code"]) == (401, "join-first")
    assert tablet.http.get("/").headers["Location"] == "/join"
    page = tablet.http.get("/join").get_data(as_text=True)
    assert "Join code" in page
    styles = re.findall(r'href="(/assets/[^"]+\.css)"', page)
    assert [tablet.http.get(path).status_code for path in styles] == [200]


def test_tablet_with_the_code_plays_and_is_named_in_the_history(tablet, host):
    host.deal()
    joined(tablet, host)
    tablet.act("draw")
    assert host.get("/api/evening/history")["items"][-1]["by"] == "Ada's phone"
    answer = tablet.get("/api/access")
    assert (answer["you"]["host"], answer["code"], answer["devices"]) == (False, None, [])


def test_address_of_the_qr_code_joins(tablet, host, app):
    code = host.get("/api/access")["code"]
    assert parts(app).access.join_address() == f"http://192.168.1.2:8645/join?code={code}"
    assert host.http.get("/api/access/qr.svg").data.startswith(b"<svg")
    assert "url=/" in tablet.http.get(f"/join?code={code}").get_data(as_text=True)
    assert tablet.http.get("/api/state").status_code == 200
    assert tablet.http.get("/join").headers["Location"] == "/"
    assert tablet.http.get("/api/access/qr.svg").status_code == 403


@pytest.mark.parametrize(
    ("page", "goal"), [("overlay", "/overlay"), ("scoreboard", "/scoreboard"), ("//other.example", "/")]
)
def test_link_to_join_leads_to_a_screen_and_never_elsewhere(tablet, host, page, goal):
    code = host.get("/api/access")["code"]
    assert f'url={goal}"' in tablet.http.get(f"/join?code={code}&page={page}").get_data(as_text=True)
    assert tablet.http.get(f"/join?page={page}").headers["Location"] == goal


def test_wrong_code_is_explained(tablet):
    assert "not the join code" in tablet.refused("/api/join", code="AAAAAA")["error"]
    page = tablet.http.get("/join?code=AAAAAA&name=Bo%22").get_data(as_text=True)
    assert "not the join code" in page
    # The fields keep the typed code and name.
    assert 'value="AAAAAA"' in page
    assert 'value="Bo&#34;"' in page


def test_tablet_stays_joined_after_a_restart_until_a_new_code(tmp_path):
    store = Store(tmp_path)
    access = Access(store, PrivatePages(store))
    token = access.join(access.code, "", "192.168.1.66")
    assert Access(store, PrivatePages(store)).device("192.168.1.30", token) is not None
    access.renew()
    assert access.device("192.168.1.30", token) is None
    store.close()


def test_right_code_must_wait_after_too_many_wrong_ones(tablet, host):
    for _ in range(MOST_WRONG_CODES):
        assert "not the join code" in tablet.refused("/api/join", code="AAAAAA")["error"]
    answer = tablet.refused("/api/join", code=host.get("/api/access")["code"])
    assert (answer["status"], "Too many wrong codes" in answer["error"]) == (401, True)


PLAIN, ENCRYPTED = "http://192.168.1.2:8645/", "https://192.168.1.2:8645/"


@pytest.mark.parametrize(
    ("address_before", "address", "is_renewed"),
    [(PLAIN, ENCRYPTED, True), (ENCRYPTED, ENCRYPTED, False), (PLAIN, PLAIN, False)],
)
def test_codes_used_on_plain_http_are_renewed_under_https(tmp_path, address_before, address, is_renewed):
    store = Store(tmp_path)
    access = Access(store, PrivatePages(store))
    access.let_in_at(address_before)
    access.renew()  # over plain HTTP the new code is no safer
    token, code = access.join(access.code, "Ada", "192.168.1.30"), access.code
    reopened = Access(store, PrivatePages(store))
    assert reopened.let_in_at(address) is is_renewed
    assert (reopened.device("192.168.1.30", token) is None) is is_renewed
    assert (reopened.code != code) is is_renewed
    assert not Access(store, PrivatePages(store)).let_in_at(address)
    store.close()


def test_code_never_used_on_plain_http_is_kept(tmp_path):
    store = Store(tmp_path)
    access = Access(store, PrivatePages(store))
    access.let_in_at(None)
    assert not Access(store, PrivatePages(store)).let_in_at(ENCRYPTED)
    assert Access(store, PrivatePages(store)).code == access.code
    store.close()


@pytest.mark.slow
def test_too_many_tablets_replace_the_inactive_ones(tmp_path):
    clock_s = [0.0]
    store = Store(tmp_path)
    access = Access(store, PrivatePages(store), lambda: clock_s[0])
    plays = access.join(access.code, "plays")
    for _ in range(2 * MOST_DEVICES):
        clock_s[0] += 1
        assert access.device("192.168.1.30", plays) is not None
        access.join(access.code, "again")
    assert len(access.devices) == MOST_DEVICES
    store.close()


@pytest.mark.slow
def test_tablet_with_only_an_open_stream_stays_joined(tmp_path):
    clock_s = [0.0]
    store = Store(tmp_path)
    access = Access(store, PrivatePages(store), lambda: clock_s[0])
    listens = access.device("192.168.1.30", access.join(access.code, "listens"))
    assert listens is not None
    for _ in range(2 * MOST_DEVICES):
        clock_s[0] += 1
        assert access.knows(listens)
        access.join(access.code, "again")
    store.close()


@pytest.mark.parametrize("path", ["/me/a\r\nX-Y: 1", "/setup\nX-Y: 1", "//elsewhere.example/", "/\\elsewhere.example"])
def test_language_redirect_stays_in_this_app_for_any_address(app, path):
    answer = app.test_client().get("/", query_string="language=de", environ_overrides={"PATH_INFO": path})
    assert answer.status_code == 302
    assert re.fullmatch(r"/[^/\\\s]\S*", answer.headers["Location"])
    assert "X-Y" not in answer.headers


def test_tablet_without_a_visible_name_gets_a_number(tmp_path):
    store = Store(tmp_path)
    access = Access(store, PrivatePages(store))
    access.join(access.code, "Ada\u202e's phone")
    access.join(access.code, "\u202e\u200b")
    access.join(access.code, 400 * "x")
    access.join(access.code, " App")  # the history would take its buttons for the app's own
    ada, nobody, long, app = (device.name for device in access.devices)
    assert (ada, long) == ("Ada's phone", LONGEST_DEVICE_NAME * "x")
    assert (nobody.casefold(), app.casefold()) == ("tablet 2", "tablet 4")
    store.close()


@contextmanager
def full_disk(store: Store) -> Iterator[None]:
    """Let the database refuse to store preferences, as a full disk does."""
    with store.engine.begin() as connection:
        for change in ("INSERT", "UPDATE"):
            refuse = "BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END"
            connection.exec_driver_sql(f"CREATE TRIGGER full_{change} BEFORE {change} ON preferences {refuse}")
    yield
    with store.engine.begin() as connection:
        for change in ("INSERT", "UPDATE"):
            connection.exec_driver_sql(f"DROP TRIGGER full_{change}")


def test_full_disk_changes_nothing_about_who_gets_in(tmp_path):
    """Codes, tablets and private pages are the same in memory and after a restart."""
    store = Store(tmp_path)
    pages = PrivatePages(store)
    access = Access(store, pages)
    access.let_in_at(ENCRYPTED)
    tablet = access.join(access.code, "Ada")
    phone = pages.enter(pages.invite(owner := PageOwner("evening", 0, 1)))
    link, code, (ada,) = pages.invite(owner), access.code, access.devices
    changes = (
        access.renew,
        lambda: access.join(code, "Bo"),
        lambda: access.let_control(ada.id, True),
        lambda: access.let_in_at(PLAIN),
        lambda: pages.enter(link),
        lambda: pages.end(owner),
    )
    with full_disk(store):
        for change in changes:
            with pytest.raises(SQLAlchemyError):
                change()
    for now in (access, Access(store, PrivatePages(store))):
        assert (now.code, now.devices) == (code, (ada,))
        assert now.device("192.168.1.30", tablet) == ada
    for now in (pages, PrivatePages(store)):
        assert (now.phones(owner), now.page(phone) is None) == (1, False)
    assert pages.enter(link)
    assert not access.let_in_at(ENCRYPTED)
    store.close()


def test_new_code_and_ended_private_pages_are_one_change(tmp_path):
    """Whoever reads along in plain gets neither by a code nor by a private page into the app under https."""
    store = Store(tmp_path)
    pages = PrivatePages(store)
    access = Access(store, pages)
    access.let_in_at(PLAIN)
    phone = pages.enter(pages.invite(PageOwner("evening", 0, 1)))
    assert access.let_in_at(ENCRYPTED)
    assert pages.page(phone) is None
    assert PrivatePages(store).page(phone) is None
    store.close()


def test_new_code_ends_open_streams_at_once(make_app):
    app = make_app(NoSource(), watch=False, heartbeat_s=600.0)  # so no heartbeat wakes the stream, only the new code
    tablet, host = EveningClient(app, **TABLET), EveningClient(app)
    stream = iter(joined(tablet, host).http.get("/events").response)
    assert next(stream).startswith(b"retry")
    assert b"data:" in next(stream)
    ended = threading.Event()
    listening = threading.Thread(target=lambda: (list(stream), ended.set()), daemon=True)
    listening.start()
    host.post("/api/access/renew")
    assert ended.wait(30)
    assert next(iter(host.http.get("/events").response))  # streams of the host continue


def test_under_host_control_only_the_host_and_its_chosen_tablets_may_press(tablet, host):
    assert host.deal()["steering"] is None
    host.act("settings", control="host")
    joined(tablet, host)
    assert tablet.evening["steering"] == ["host"]
    assert tablet.get("/api/access")["you"]["controls"] is False
    answer = tablet.refused("/api/evening/draw", revision=tablet.evening["revision"])
    assert (answer["status"], answer["code"]) == (403, "no-control")
    assert tablet.refused("/api/access/control", device="x", controls=True)["code"] == "no-control"
    device = host.get("/api/access")["devices"][0]["id"]
    before = host.state["version"]
    host.post("/api/access/control", device=device, controls=True)
    # It is part of the state, so every page gets it at once.
    assert host.state["version"] > before
    assert tablet.evening["steering"] == ["host", device]
    assert tablet.get("/api/access")["you"]["id"] == device
    tablet.act("draw")
    assert host.refused("/api/access/control", device="nobody", controls=True)["status"] == 404
    host.post("/api/access/renew")
    assert tablet.http.get("/api/state").status_code == 401


def test_only_the_host_may_change_the_play_area(tablet, host):
    joined(tablet, host)
    corners = [[0, 0], [1, 0], [1, 1], [0, 1]]
    assert tablet.refused("/api/play-area", corners=corners)["code"] == "no-control"
    assert host.post("/api/play-area", corners=corners)["racks"] is False
    host.deal()
    assert tablet.refused("/api/play-area", corners=corners)["code"] == "no-control"
    assert host.post("/api/play-area", corners=corners)["racks"] is True


@pytest.mark.parametrize("path", ["/api/source", "/api/access/renew"])
def test_settings_of_the_machine_are_for_the_host_only(tablet, host, path):
    joined(tablet, host)
    body = {"source": "none"} if path == "/api/source" else {}
    assert tablet.refused(path, **body)["code"] == "no-control"
    assert tablet.send("/api/sources/preview", {"source": "0"}).status_code == 403


def test_host_name_of_another_site_is_refused(app):
    answer = app.test_client().get("/api/state", headers={"Host": "evil.example:8645"})
    assert (answer.status_code, answer.get_json()["code"]) == (421, "not-found")


def test_short_code_of_an_earlier_version_is_replaced_and_its_tablets_stay(tmp_path):
    store = Store(tmp_path)
    access = Access(store, PrivatePages(store))
    token = access.join(access.code, "Ada")
    kept = store.recall(ACCESS, TypeAdapter(dict[str, object]))
    ada = kept["devices"][0] | {"name": "app"}  # then nobody refused this name
    store.remember(ACCESS, kept | {"code": "ABC234", "devices": [ada]})
    updated = Access(store, PrivatePages(store))
    assert len(updated.code) == CODE_LENGTH
    assert updated.device("192.168.1.30", token).name == ada["id"]
    assert Access(store, PrivatePages(store)).code == updated.code
    store.close()
