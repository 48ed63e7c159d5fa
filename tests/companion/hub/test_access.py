"""Sign-in codes and roles: who gets into the hall's pages, and what each role may do."""

import json
import re
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.club_phone import PHONE, codes, signed_in
from tests.support.club_tables import entry
from tests.support.cookies import cookie_of
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.doorkeeper.codes import MOST_WRONG_CODES
from tilekeeper.companion.doorkeeper.cookies import CSRF_COOKIE
from tilekeeper.companion.doorkeeper.host_key import HostKey
from tilekeeper.companion.doorkeeper.origin import CSRF_HEADER
from tilekeeper.companion.hub.access import COOKIE
from tilekeeper.companion.hub.app import create_app
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.parts import parts_of
from tilekeeper.companion.messaging.shared_key import (
    ANSWER_HEADER,
    REQUEST_HEADER,
    is_answer_signed,
    sign_request,
    table_key,
)
from tilekeeper.companion.web.api.extensions import parts

MakeApp = Callable[..., Flask]

HOLDS = "hall"
pytestmark = pytest.mark.slow  # a hub with its database for each


def test_only_the_person_who_runs_the_hub_is_its_organiser_without_a_code(hub: Hub) -> None:
    """Another user of the hub's machine has no key, and speaks neither as the organiser nor as a table."""
    app = create_app(hub, host_key=HostKey("key"))
    here, elsewhere = app.test_client(), app.test_client()
    for browser, environ in ((here, {}), (elsewhere, PHONE)):
        assert browser.post("/api/codes", json={}, environ_base=environ).status_code == 401
        assert browser.get("/desk", environ_base=environ).headers["Location"].startswith("/sign-in")
        assert browser.get("/api/wire?table=7", environ_base=environ).status_code == 403
    assert "Open the link that it showed at its start" in here.get("/sign-in").get_data(as_text=True)
    assert elsewhere.get("/host/key", environ_base=PHONE).headers["Location"] == "/sign-in?to=desk"
    assert "url=/desk" in here.get("/host/key").get_data(as_text=True)
    assert "Herbstturnier" in here.get("/desk").get_data(as_text=True)
    assert here.get("/events?part=desk").status_code == 200
    key, wait = table_key("key", "7"), "table=7&wait=0"
    signed = {REQUEST_HEADER: sign_request(key, "GET", wait, b"")}
    answer = elsewhere.get(f"/api/wire?{wait}", headers=signed)
    assert is_answer_signed(key, answer.headers[ANSWER_HEADER], signed[REQUEST_HEADER], 200, answer.data)
    assert elsewhere.get(f"/api/wire?{wait}", headers=signed, environ_base=PHONE).status_code == 403
    other = {REQUEST_HEADER: sign_request(table_key("key", "8"), "GET", wait, b"")}
    assert elsewhere.get(f"/api/wire?{wait}", headers=other).status_code == 403
    table_topic, payload = entry("7", 1)
    body = json.dumps({"topic": table_topic, "payload": json.loads(payload)}).encode()
    for signer, status in ((table_key("key", "8"), 403), (key, 204)):
        headers = {REQUEST_HEADER: sign_request(signer, "POST", "table=7", body), "Content-Type": "application/json"}
        assert elsewhere.post("/api/wire?table=7", data=body, headers=headers).status_code == status


@pytest.mark.parametrize("path", ["/desk", "/arbiter"])
def test_guest_is_redirected_to_the_code(client: FlaskClient, path: str) -> None:
    """Without a role, pages and pictures of the staff redirect to the code."""
    assert client.get(path, environ_base=PHONE).headers["Location"].startswith("/sign-in")
    assert client.get("/disputes/hand/before.jpg", environ_base=PHONE).status_code == 403
    assert client.get(f"/events?part={path[1:]}", environ_base=PHONE).status_code == 403
    assert client.get("/api/print/seats.pdf", environ_base=PHONE).status_code == 403


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("settings", {"plan": 0, "edition": "finnish", "rounds": 3, "pairing": "random", "clock": "off"}),
        ("players", {"plan": 0, "name": "Eve"}),
        ("players/gone", {"plan": 0, "player": 1, "gone": True}),
        ("rounds", {"plan": 0}),
        ("rounds/withdraw", {"plan": 0}),
        ("rounds/clock", {"round": 2, "kind": "pause"}),
        ("rounds/points", {"plan": 0, "round": 2, "table": "1", "points": []}),
        ("rounds/log", {"plan": 0, "round": 2, "table": "1", "log": "1-2"}),
        ("disputes/hand", {"decision": "stands", "why": "seen"}),
        ("rulings/incidents", {"player": "Aino Virtanen", "decision": "warning", "why": "seen"}),
        ("notices/1", {}),
        ("codes", {}),
        ("rulings/swap", {"plan": 0, "one": "Aino Virtanen", "other": "Eino Mäkelä"}),
        ("rulings/byes", {"plan": 0, "player": "Aino Virtanen", "round": 4, "kind": "half"}),
        ("rulings/apart", {"plan": 0, "one": "Aino Virtanen", "other": "Eino Mäkelä", "apart": True}),
        ("rulings/players", {"plan": 0, "player": "Aino Virtanen", "club": "Blue"}),
    ],
)
def test_each_role_may_press_only_its_own_buttons(app: Flask, hub: Hub, path: str, body: dict[str, object]) -> None:
    """A guest may press no button, an arbiter those of arbiters, and nobody without the CSRF token."""
    before = hub.database.revision()
    guest = app.test_client().post(f"/api/{path}", json=body, environ_base=PHONE)
    assert (guest.status_code, guest.get_json()["code"]) == (401, "join-first")
    assert hub.database.revision() == before
    arbiter, word = signed_in(app, hub.database, "arbiter")
    assert arbiter.post(f"/api/{path}", json=body, environ_base=PHONE).status_code == 403  # without the CSRF token
    answer = arbiter.post(f"/api/{path}", json=body, environ_base=PHONE, headers=word)
    assert answer.status_code == (200 if path in ("rounds/clock", "disputes/hand", "rulings/incidents") else 403), (
        answer.get_data()
    )


def test_new_codes_sign_out_users_of_the_old_ones(app: Flask, hub: Hub, client: FlaskClient) -> None:
    """New codes sign out everybody who used the old ones."""
    arbiter, _ = signed_in(app, hub.database, "arbiter")
    assert arbiter.get("/arbiter", environ_base=PHONE).status_code == 200
    assert client.post("/api/codes", json={"renew": "codes"}).status_code == 200
    assert arbiter.get("/arbiter", environ_base=PHONE).status_code == 302


@pytest.mark.parametrize(
    ("addresses", "renewed"),
    [
        (["http://h/", "https://h/"], [False, True]),
        (["https://h/", "https://h/"], [False, False]),
        (["http://h/", "http://h/", "https://h/", "https://h/"], [False, False, True, False]),
    ],
)
def test_codes_used_over_plain_http_end_once_encryption_is_on(
    app: Flask, hub: Hub, addresses: list[str], renewed: list[bool]
) -> None:
    """Codes and cookies sent over plain HTTP may have been overheard, so they end when encryption is switched on."""
    sign_ins, before = parts_of(app).sign_ins, codes(hub.database)
    arbiter, _ = signed_in(app, hub.database, "arbiter")
    assert [sign_ins.let_in_at(address) for address in addresses] == renewed
    assert (codes(hub.database) != before) is any(renewed)
    assert arbiter.get("/arbiter", environ_base=PHONE).status_code == (302 if any(renewed) else 200)


def test_right_code_must_wait_after_wrong_ones(client: FlaskClient, hub: Hub) -> None:
    """After several wrong codes from one phone, even the right one must wait."""
    for _ in range(MOST_WRONG_CODES):
        page = client.post("/sign-in", data={"code": "WRONG", "name": "x"}, environ_base=PHONE)
        assert "not a code of this tournament" in page.get_data(as_text=True)
    page = client.post("/sign-in", data={"code": codes(hub.database)["arbiter"], "name": "x"}, environ_base=PHONE)
    assert "Too many wrong codes" in page.get_data(as_text=True)


def test_host_name_of_another_site_is_refused(client: FlaskClient) -> None:
    """A host name of another site, as in DNS rebinding, gets nothing from the hub."""
    answer = client.get("/desk", headers={"Host": "evil.example:8650"})
    assert (answer.status_code, answer.get_json()["code"]) == (421, "not-found")


def test_answers_have_the_security_headers_of_the_tables_app(client: FlaskClient) -> None:
    """The hub sends the same security headers as the table's app."""
    answer = client.post("/api/codes", json={}, headers={"Sec-Fetch-Site": "cross-site"})
    assert (answer.status_code, answer.get_json()["code"]) == (403, "other-site")
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


def test_invisible_characters_are_removed_from_an_arbiters_name(app: Flask, hub: Hub) -> None:
    """Invisible characters, such as those that reverse text, are removed from the name."""
    phone, body = app.test_client(), {"code": codes(hub.database)["arbiter"], "name": "Ar\u202eto"}
    assert phone.post("/sign-in", data=body, environ_base=PHONE).status_code == 302
    cookie = cookie_of(phone, COOKIE)
    assert cookie is not None
    assert parts_of(app).sign_ins.person(PHONE["REMOTE_ADDR"], cookie.value).name == "Arto"


GUESTS = frozenset(
    (
        *("page.hall", "page.projector", "page.results", "page.table", "page.hall_code", "page.sign_in_page"),
        *(
            "page.sign_in",
            "page.events",
            "export.as_json",
            "export.as_csv",
            "export.as_page",
            "action.chosen",
            "assets.file",
        ),
    )
)


STAFF = (
    "page.arbiter",
    "page.table_code",
    "page.dispute_picture",
    "export.paper",
    "export.plays_as_csv",
    "export.plays_as_json",
    "action.clock",
    "ruling.decide",
    "ruling.incident",
    "ruling.lots",
    "ruling.tie",
    "ruling.penalty",
)


def test_each_route_answers_only_the_roles_that_may_use_it(app: Flask, hub: Hub) -> None:
    """Each route answers each role as listed; codes are on the organiser's page only."""
    words = set(codes(hub.database).values())
    arbiter, word = signed_in(app, hub.database, "arbiter")
    own_machine = {"wire.take", "wire.bring"}
    for rule in app.url_map.iter_rules():
        path = rule.rule.replace("<table>", "3").replace("<dispute>", "hand").replace("<when>", "before")
        path = re.sub("<int[^>]*:notice>", "1", path).replace("<path:name>", "x").replace("<name>", "x")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            for role, phone, more in (("guest", app.test_client(), {}), ("arbiter", arbiter, word)):
                if rule.endpoint == "page.events" or rule.endpoint.startswith("trust."):
                    continue
                answer = phone.open(
                    path, method=method, json={} if method == "POST" else None, headers=more, environ_base=PHONE
                )
                is_in = answer.status_code not in (401, 403) and "/sign-in" not in answer.headers.get("Location", "")
                allowed = rule.endpoint in GUESTS or (role == "arbiter" and rule.endpoint in STAFF)
                assert is_in == (allowed and rule.endpoint not in own_machine), (role, method, path, answer.status_code)
                assert not any(code.encode() in answer.data for code in words), path


def test_open_page_is_signed_out_when_its_code_is_renewed(app: Flask, hub: Hub) -> None:
    """New codes end an arbiter's open event stream at once, before the next request."""
    arbiter, _ = signed_in(app, hub.database, "arbiter")
    events = iter(arbiter.get("/events?part=arbiter", environ_base=PHONE).response)
    next(events)
    assert b"Raised hands" in next(events)
    hub.desk.renew_codes()
    assert list(events) == []


def test_hub_and_table_on_one_machine_keep_their_own_cookies(app: Flask, hub: Hub, make_app: MakeApp) -> None:
    """An arbiter opens a table's app on the hub's machine, presses a button there, and still one at the hub."""
    table = make_app(NoSource(), watch=False)
    at_hub, at_table = ({"base_url": f"http://192.168.1.5:{port}", "environ_base": PHONE} for port in (8650, 8661))
    arbiter, player = app.test_client(), table.test_client()
    player._cookies = arbiter._cookies  # type: ignore[attr-defined]  # one browser
    arbiter.post("/sign-in", data={"code": codes(hub.database)["arbiter"], "name": "Arto"}, **at_hub)
    player.post("/api/join", json={"code": parts(table).access.code, "name": "Arto"}, **at_table)

    def csrf(port: int) -> dict[str, str]:
        cookie = arbiter.get_cookie(f"{CSRF_COOKIE}-{port}", domain="192.168.1.5")
        return {} if cookie is None else {CSRF_HEADER: cookie.value}

    paused = {"round": 2, "kind": "pause"}
    assert player.post("/api/scan", headers=csrf(8661), **at_table).status_code != 403
    assert arbiter.post("/api/rounds/clock", json=paused, headers=csrf(8650), **at_hub).status_code == 200
