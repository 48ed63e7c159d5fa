"""The hub's web app: pages, codes, disputes and the event stream."""

import json
import re
import threading
import tracemalloc
from html import unescape
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import update

from tests.support.club_hall import plan, presence
from tests.support.club_phone import PHONE, codes, signed_in
from tests.support.club_tables import CLUB, answer
from tilekeeper.companion.hub.app import create_app
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.parts import parts_of
from tilekeeper.companion.hub.schema import DisputeRow, TableRow
from tilekeeper.companion.hub.settings import Role
from tilekeeper.companion.hub.views import night_view
from tilekeeper.companion.messaging.messages import Dispute, TableStatus
from tilekeeper.companion.messaging.topics import Branch, topic
from tilekeeper.companion.storage.certificates import Certificates

HOLDS = "hall"
pytestmark = pytest.mark.slow  # a hub with its database for each


@pytest.mark.parametrize("path", ["/", "/projector", "/results", "/results.csv", "/results.json", "/t/3", "/sign-in"])
@pytest.mark.parametrize("language", ["en", "de", "fi"])
def test_guest_sees_pairings_and_standings_in_each_language(client: FlaskClient, path: str, language: str) -> None:
    """Guests need no code for these pages, in any of three languages."""
    answer = client.get(path, environ_base=PHONE, headers={"Accept-Language": language})
    assert answer.status_code == 200
    if path == "/":
        text = answer.get_data(as_text=True)
        assert "Herbstturnier" in text
        assert "Riikka Hämäläinen" in text
        assert {"en": "Standings", "de": "Rangliste", "fi": "Sijoitukset"}[language] in text


def test_button_pressed_by_another_site_is_refused(client: FlaskClient) -> None:
    """A page of another site in the organiser's browser can't pair rounds."""
    answer = client.post("/api/rounds", json={"plan": 0}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421


def test_arbiter_sees_disputes_and_decides_them(app: Flask, hub: Hub) -> None:
    """An arbiter sees trouble, clocks and disputes; a decision is sent to the table and ends the dispute."""
    arbiter, word = signed_in(app, hub.database, "arbiter")
    page = unescape(arbiter.get("/arbiter", environ_base=PHONE).get_data(as_text=True))
    for words in (
        "It is Pekka Laine's turn",
        "The app says that something on this table is wrong",
        "The camera sees glare on the table.",
        "The table has an open question",
        "Not connected; the game goes on",
        "Not allowed",
        "Blue 4 and blue 5: only 2 tiles, but a set needs at least 3.",
        "9:17",
        "How many tiles a run or a group has at least: 3.",
        "Sarjat: »muodostuu kolmesta tai useammasta samanvärisestä laatasta«",
        "house rule; the edition has",
    ):
        assert words in page, words
    german = arbiter.get("/arbiter", environ_base=PHONE, headers={"Accept-Language": "de"}).get_data(as_text=True)
    for words in (
        "Nicht gültig",
        "Blau 4 und Blau 5: nur 2 Steine",
        "Wie viele Steine eine Reihe oder Gruppe mindestens hat: 3.",
    ):
        assert words in unescape(german), words
    picture = arbiter.get("/disputes/hand/before.jpg", environ_base=PHONE)
    assert picture.data[:3] == b"\xff\xd8\xff"
    decided = {"decision": "taken_back", "why": "the joker <was> free"}
    assert arbiter.post("/api/disputes/hand", json=decided, environ_base=PHONE, headers=word).status_code == 200
    page = arbiter.get("/arbiter", environ_base=PHONE).get_data(as_text=True)
    assert "Nobody is calling." in page
    assert "the joker &lt;was&gt; free" in page
    assert "The table has not accepted it yet" in page


def test_id_of_a_raised_hand_leads_to_no_other_button(app: Flask, hub: Hub, client: FlaskClient) -> None:
    """A table chooses the id; with `../codes` the organiser's press would renew the codes and sign all staff out."""
    hand = json.loads(Dispute(table="2", id="hand2", log="2-2", seq=3).payload()) | {"id": "../codes"}
    before = codes(hub.database)
    assert hub.intake.take([(topic(CLUB, "2", Branch.DISPUTES), json.dumps(hand).encode())]).refused == 1
    with hub.database.writing() as session:  # one that an earlier version has stored
        session.execute(update(DisputeRow).where(DisputeRow.id == "hand").values(id="../codes"))
    page = client.get("/arbiter").get_data(as_text=True)
    assert 'data-post="/api/disputes/..%2Fcodes"' in page
    assert "/disputes/../codes" not in page
    decision = {"decision": "stands", "why": ""}
    assert client.post("/api/codes", json=decision).status_code == 400
    assert client.post("/api/codes", json={}).status_code == 400
    assert codes(hub.database) == before
    (form,) = re.findall(r'<form data-post="/api/codes".*?</form>', client.get("/desk").get_data(as_text=True))
    (field,) = re.findall(r'name="(\w+)" value="(\w+)"', form)
    assert client.post("/api/codes", json=dict([field])).status_code == 200
    assert codes(hub.database) != before


def test_code_at_a_table_redirects_to_the_tables_app(app: Flask, client: FlaskClient, hub: Hub) -> None:
    """The code at a table redirects a tablet to the table's app; an invented address shows the seats only."""
    assert "Franziska Überall" in client.get("/t/3", environ_base=PHONE).get_data(as_text=True)
    message = json.loads(presence("3", "here")) | {"join": "http://192.168.1.7:8645/join?code=ABC"}
    hub.intake.take([(topic(CLUB, "3", Branch.PRESENCE), json.dumps(message).encode())])
    with hub.database.reading() as session:
        night = night_view(session)
    scanned = client.get(f"/{night.path('3')}", environ_base=PHONE)
    assert scanned.headers["Location"] == "http://192.168.1.7:8645/join?code=ABC"
    for elsewhere in ("https://evil.example/join?code=ABC", "http://8.8.8.8/join?code=ABC"):
        hub.intake.take([(topic(CLUB, "3", Branch.PRESENCE), json.dumps(message | {"join": elsewhere}).encode())])
        assert "Franziska Überall" in client.get(f"/{night.path('3')}", environ_base=PHONE).get_data(as_text=True)
    for made_up in ("t/3", "t/3?at=x", night.path("2").replace("t/2", "t/3")):
        page = client.get(f"/{made_up}", environ_base=PHONE)
        assert page.status_code == 200
        assert "code=ABC" not in page.get_data(as_text=True)
    assert b"Nobody sits here" in client.get("/t/99", environ_base=PHONE).data
    assert client.get("/t/3/qr.svg").mimetype == "image/svg+xml"
    assert client.get("/t/3/qr.svg", environ_base=PHONE).status_code == 403


@pytest.mark.parametrize(
    "join",
    [
        *("https://evil.example/", "javascript:alert(1)", "http://a/join?code=A\nb", "//x/join?code=A"),
        *("http://[/join?code=A", r"http://evil.example\@192.168.1.5/join?code=A", "http://x@192.168.1.5/join?code=A"),
    ],
)
def test_join_address_on_another_site_is_ignored(client: FlaskClient, hub: Hub, join: str) -> None:
    """A join address that a table announces is used only if it is the table's own join page."""
    message = json.loads(presence("3", "here")) | {"join": join}
    assert hub.intake.take([(topic(CLUB, "3", Branch.PRESENCE), json.dumps(message).encode())]).refused == 1
    with hub.database.writing() as session:  # as an earlier version stored it
        session.execute(update(TableRow).where(TableRow.id == "3").values(join=join))
    with hub.database.reading() as session:
        night = night_view(session)
    assert client.get("/desk").status_code == 200
    assert client.get(f"/{night.path('3')}", environ_base=PHONE).status_code == 200


def test_request_that_wants_no_body_keeps_no_stream(app: Flask, client: FlaskClient) -> None:
    """A stream whose first byte nobody reads ends with its request."""
    parts_of(app).fragments._free = threading.BoundedSemaphore(1)
    for method in ("HEAD", "HEAD", "GET"):
        with client.open("/events?part=hall", method=method, environ_base=PHONE) as answer:
            assert answer.status_code == 200
    with client.get("/events?part=hall", environ_base=PHONE) as streamed:
        assert next(iter(streamed.response)).startswith(b"retry")
        assert client.get("/events?part=hall", environ_base=PHONE).status_code == 503


def test_refused_message_is_a_notice_until_it_is_dismissed(client: FlaskClient) -> None:
    """A refused message becomes a notice on the organiser's page until it is dismissed."""
    assert "Table 4 says it is table 9" in client.get("/desk").get_data(as_text=True)
    (notice,) = re.findall(r"/api/notices/(\d+)", client.get("/desk").get_data(as_text=True))
    client.post(f"/api/notices/{notice}", json={})
    assert "says it is table" not in client.get("/desk").get_data(as_text=True)


def test_stream_sends_the_page_at_once_and_after_changes(client: FlaskClient, hub: Hub) -> None:
    """The stream sends the page's content at once, and again after each change."""
    stream = client.get("/events?part=projector").response
    events = iter(stream)
    assert next(events).startswith(b"retry")
    first = json.loads(next(events).split(b"data: ")[1])
    assert 'data-table="2" data-log="2-2"' in first["html"]
    hub.desk.add_player(plan(hub.database), "Neu")
    second = json.loads(next(events).split(b"data: ")[1])
    assert second["revision"] > first["revision"]
    assert list(second["pieces"]) == ["byes", "standings"]
    assert "Neu" in second["pieces"]["standings"]
    hub.intake.take([answer("2", "nothing"), status_of_table_2(hub)])
    third = json.loads(next(events).split(b"data: ")[1])
    assert list(third["pieces"]) == ["t-2"], "a change at one table sends one piece"
    hub.desk.turn_clock(2, "pause", "Olga", Role.ORGANISER)
    assert "The round is paused" in json.loads(next(events).split(b"data: ")[1])["html"]
    stream.close()
    assert client.get("/events?part=none").status_code == 404


def status_of_table_2(hub: Hub) -> tuple[str, bytes]:
    """The status of table 2 after its clock has run for a while."""
    with hub.database.reading() as session:
        row = session.get_one(TableRow, "2")
    state = TableStatus.model_validate_json(json.dumps({**row.state, "left_s": 3.0, "last_seq": 7}))  # type: ignore[dict-item]
    return topic(CLUB, "2", Branch.STATE), state.payload()


def test_projector_shows_the_join_code_only_if_phones_can_join(app: Flask, client: FlaskClient) -> None:
    """The projector shows the join code if phones can get in, and none otherwise."""
    assert b"/qr.svg" not in client.get("/projector").data
    parts_of(app).address = "http://192.168.1.2:8650/"
    assert (
        b'src="/qr.svg" alt="For phones and the projector: http://192.168.1.2:8650/"' in client.get("/projector").data
    )
    assert client.get("/qr.svg").data.startswith(b"<svg")


def test_plain_http_redirects_phones_to_the_trust_page_if_https_is_on(hub: Hub, tmp_path: Path) -> None:
    """Plain HTTP redirects phones to the trust page and gives nothing else; the hub's own machine is let in."""
    app = create_app(hub, Certificates(tmp_path / "https", ("localhost",)))
    phone, secure = app.test_client(), {"environ_base": PHONE, "base_url": "https://192.168.1.2:8650"}
    for path in ("/", "/projector", "/desk", "/t/3", "/sign-in", "/results"):
        assert phone.get(path, environ_base=PHONE).headers["Location"] == "/trust", path
        assert phone.get(path, **secure).headers.get("Location") != "/trust"
    for path in ("/events?part=hall", "/results.csv", "/results.json", "/api/settings"):
        assert phone.get(path, environ_base=PHONE).status_code == 403, path
    assert phone.post("/sign-in", data={"code": "x"}, environ_base=PHONE).status_code == 403
    page = phone.get("/trust", environ_base=PHONE, base_url="http://192.168.1.2:8650").get_data(as_text=True)
    assert 'href="https://192.168.1.2:8650/"' in page
    assert phone.get("/trust/tilekeeper.crt", environ_base=PHONE).data.startswith(b"\x30\x82")
    assert app.test_client().get("/desk").status_code == 200
    signed = phone.post("/sign-in", data={"code": codes(hub.database)["arbiter"], "name": "Arto"}, **secure)
    assert all("Secure" in cookie for cookie in signed.headers.getlist("Set-Cookie"))


@pytest.mark.parametrize(
    ("path", "size", "status"),
    [
        ("/api/players", 70_000, 413),  # JSON of empty lists would take thirty times as much memory
        ("/api/players/preview", 400_000, 400),
        ("/api/players/preview", 600_000, 413),
        ("/api/wire?table=1", 400_000, 400),
    ],
)
def test_body_is_read_up_to_the_size_that_its_route_needs(
    client: FlaskClient, path: str, size: int, status: int
) -> None:
    body = b"[" * size if path.split("/")[-1] == "players" else b"x" * size
    assert client.post(path, data=body, content_type="application/json").status_code == status


def test_trust_page_does_not_exist_without_https(client: FlaskClient) -> None:
    assert client.get("/trust", environ_base=PHONE).status_code == 404


def test_visit_loads_no_pictures_of_raised_hands(client: FlaskClient, hub: Hub) -> None:
    """Twenty hands with two pictures of a megabyte each cost a guest's visit nothing, and the event's file little."""
    with hub.database.writing() as session:
        before = session.get_one(DisputeRow, "hand")
        for number in range(20):
            words = {"log": before.log, "seq": 1, "raised_by": "", "raised_at": before.raised_at, "verdict": ""}
            choice = {"reasons": [], "decision": "", "decided_by": "", "why": "", "command": ""}
            pictures = {"before": 1_000_000 * b"x", "after": 1_000_000 * b"y"}
            session.add(DisputeRow(id=f"hand-{number}", table="1", **words, **choice, **pictures))
    tracemalloc.start()
    assert client.get("/", environ_base=PHONE).status_code == 200
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10_000_000
    tracemalloc.start()
    file = client.get("/event.json", buffered=False)
    assert sum(map(len, file.response)) > 50_000_000
    file.close()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60_000_000
    assert client.get("/disputes/hand-3/after.jpg").data == 1_000_000 * b"y"
    assert client.get("/disputes/hand-3/other.jpg").status_code == 404
