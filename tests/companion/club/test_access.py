"""Who gets in by which code, and who may do what in the hall."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.club_phone import PHONE, codes, signed_in
from tilekeeper.companion.club.access import COOKIE
from tilekeeper.companion.club.hub import Hub
from tilekeeper.companion.club.parts import parts_of
from tilekeeper.companion.doorkeeper.codes import MOST_WRONG_CODES

pytestmark = pytest.mark.slow  # a hub with its database for each


@pytest.fixture(scope="module")
def holds() -> str:
    """A night in the midst of its second round."""
    return "hall"


@pytest.mark.parametrize("path", ["/desk", "/arbiter"])
def test_a_guest_is_led_to_the_code(client: FlaskClient, path: str) -> None:
    """Whoever has no role gets no page of the staff, and no pictures."""
    assert client.get(path, environ_base=PHONE).headers["Location"].startswith("/sign-in")
    assert client.get("/disputes/hand/before.jpg", environ_base=PHONE).status_code == 403
    assert client.get(f"/events?part={path[1:]}", environ_base=PHONE).status_code == 403
    assert client.get("/seats.pdf", environ_base=PHONE).status_code == 403


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
        ("disputes/hand", {"decision": "stands"}),
        ("notices/1", {}),
        ("codes", {}),
    ],
)
def test_roles(app: Flask, hub: Hub, path: str, body: dict[str, object]) -> None:
    """A guest may press nothing, an arbiter what arbiters do, nobody without the page's own word."""
    before = hub.database.revision()
    guest = app.test_client().post(f"/api/{path}", json=body, environ_base=PHONE)
    assert (guest.status_code, guest.get_json()["code"]) == (401, "join-first")
    assert hub.database.revision() == before
    arbiter, word = signed_in(app, hub.database, "arbiter")
    assert arbiter.post(f"/api/{path}", json=body, environ_base=PHONE).status_code == 403  # without the word
    answer = arbiter.post(f"/api/{path}", json=body, environ_base=PHONE, headers=word)
    assert answer.status_code == (200 if path in ("rounds/clock", "disputes/hand") else 403), answer.get_data()


def test_new_codes_put_out_who_came_in_by_the_old(app: Flask, hub: Hub, client: FlaskClient) -> None:
    """An organiser whose code went round makes new ones."""
    arbiter, _ = signed_in(app, hub.database, "arbiter")
    assert arbiter.get("/arbiter", environ_base=PHONE).status_code == 200
    assert client.post("/api/codes", json={}).status_code == 200
    assert arbiter.get("/arbiter", environ_base=PHONE).status_code == 302


@pytest.mark.parametrize(
    ("addresses", "renewed"),
    [
        (["http://h/", "https://h/"], [False, True]),
        (["https://h/", "https://h/"], [False, False]),
        (["http://h/", "http://h/", "https://h/", "https://h/"], [False, False, True, False]),
    ],
)
def test_codes_that_were_used_in_plain_end_with_encryption(
    app: Flask, hub: Hub, addresses: list[str], renewed: list[bool]
) -> None:
    """Somebody may have listened to them, and to the tokens of browsers."""
    sign_ins, before = parts_of(app).sign_ins, codes(hub.database)
    arbiter, _ = signed_in(app, hub.database, "arbiter")
    assert [sign_ins.let_in_at(address) for address in addresses] == renewed
    assert (codes(hub.database) != before) is any(renewed)
    assert arbiter.get("/arbiter", environ_base=PHONE).status_code == (302 if any(renewed) else 200)


def test_guessing_takes_for_ever(client: FlaskClient, hub: Hub) -> None:
    """After some wrong codes of a phone even the right one waits."""
    for _ in range(MOST_WRONG_CODES):
        page = client.post("/sign-in", data={"code": "WRONG", "name": "x"}, environ_base=PHONE)
        assert "not a code of this tournament" in page.get_data(as_text=True)
    page = client.post("/sign-in", data={"code": codes(hub.database)["arbiter"], "name": "x"}, environ_base=PHONE)
    assert "Too many wrong codes" in page.get_data(as_text=True)


def test_a_name_of_another_site_that_points_here_is_refused(client: FlaskClient) -> None:
    """DNS rebinding gets nothing from the hub either."""
    answer = client.get("/desk", headers={"Host": "evil.example:8650"})
    assert (answer.status_code, answer.get_json()["code"]) == (421, "not-found")


def test_another_site_presses_nothing_and_may_not_use_answers(client: FlaskClient) -> None:
    """The hub sends the same headers as the table's app."""
    answer = client.post("/api/codes", json={}, headers={"Sec-Fetch-Site": "cross-site"})
    assert (answer.status_code, answer.get_json()["code"]) == (403, "other-site")
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]


def test_an_arbiters_name_has_no_invisible_characters(app: Flask, hub: Hub) -> None:
    """Nobody signs in under a name that turns text around."""
    phone, body = app.test_client(), {"code": codes(hub.database)["arbiter"], "name": "Ar\u202eto"}
    assert phone.post("/sign-in", data=body, environ_base=PHONE).status_code == 302
    cookie = phone.get_cookie(COOKIE)
    assert cookie is not None
    assert parts_of(app).sign_ins.person(PHONE["REMOTE_ADDR"], cookie.value).name == "Arto"


GUESTS = frozenset(
    (
        *("page.hall", "page.projector", "page.results", "page.table", "page.hall_code", "page.sign_in_page"),
        *("page.sign_in", "page.events", "export.as_json", "export.as_csv", "action.chosen", "assets.file"),
    )
)


STAFF = ("page.arbiter", "page.table_code", "page.dispute_picture", "export.seats", "action.clock", "action.decide")


def test_every_route_with_every_role(app: Flask, hub: Hub) -> None:
    """A guest gets what is everybody's, an arbiter what arbiters need; codes are on the organiser's page alone."""
    words = set(codes(hub.database).values())
    arbiter, word = signed_in(app, hub.database, "arbiter")
    own_machine = {"wire.take", "wire.bring"}
    for rule in app.url_map.iter_rules():
        path = rule.rule.replace("<table>", "3").replace("<dispute>", "hand").replace("<when>", "before")
        path = path.replace("<int:notice>", "1").replace("<path:name>", "x").replace("<name>", "x")
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


def test_a_page_that_is_open_is_put_out_with_its_code(app: Flask, hub: Hub) -> None:
    """New codes end the news of an arbiter's page that is open, and not only the next request."""
    arbiter, _ = signed_in(app, hub.database, "arbiter")
    events = iter(arbiter.get("/events?part=arbiter", environ_base=PHONE).response)
    next(events)
    assert b"Raised hands" in next(events)
    hub.desk.renew_codes()
    assert list(events) == []
