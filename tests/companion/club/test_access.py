"""Who gets in by which code, and who may do what in the hall."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.club_phone import PHONE, codes, signed_in
from tilekeeper.companion.club.hub import Hub
from tilekeeper.companion.session.access import MOST_WRONG

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


def test_guessing_takes_for_ever(client: FlaskClient, hub: Hub) -> None:
    """After some wrong codes of a phone even the right one waits."""
    for _ in range(MOST_WRONG):
        page = client.post("/sign-in", data={"code": "WRONG", "name": "x"}, environ_base=PHONE)
        assert "not a code of this tournament" in page.get_data(as_text=True)
    page = client.post("/sign-in", data={"code": codes(hub.database)["arbiter"], "name": "x"}, environ_base=PHONE)
    assert "Too many wrong codes" in page.get_data(as_text=True)


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
