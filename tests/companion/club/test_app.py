"""Who may do what in the hall, what each address answers, and what is taken along."""

import csv
import io
import json
import re
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.club_hall import plan, presence
from tests.support.club_tables import CLUB, answer, entry
from tilekeeper.companion.broker.messages import TableState
from tilekeeper.companion.broker.topics import Branch, topic
from tilekeeper.companion.club.access import COOKIE
from tilekeeper.companion.club.app import create_app
from tilekeeper.companion.club.database import Database
from tilekeeper.companion.club.hub import Hub
from tilekeeper.companion.club.parts import parts_of
from tilekeeper.companion.club.schema import HallRow, PlayerRow, TableRow
from tilekeeper.companion.club.seats_pdf import printable
from tilekeeper.companion.club.settings import Role
from tilekeeper.companion.club.views import night_view
from tilekeeper.companion.session.access import MOST_WRONG
from tilekeeper.companion.storage.certificates import Certificates
from tilekeeper.companion.web.api.origin import csrf_token

pytestmark = pytest.mark.slow  # a hub with its database for each

PHONE = {"REMOTE_ADDR": "192.168.1.30"}


@pytest.fixture(scope="module")
def holds() -> str:
    """A night in the midst of its second round."""
    return "hall"


@pytest.fixture
def hub(database: Database) -> Hub:
    """A hub of that night."""
    return Hub(database)


@pytest.fixture
def app(hub: Hub) -> Flask:
    """Its app."""
    return create_app(hub)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A browser at the machine at which the hub runs."""
    return app.test_client()


def codes(database: Database) -> dict[str, str]:
    with database.reading() as session:
        return dict(session.get_one(HallRow, 1).codes)


def signed_in(app: Flask, database: Database, role: str) -> tuple[FlaskClient, dict[str, str]]:
    """A phone that has signed in, and the headers with which it presses."""
    phone = app.test_client()
    answer = phone.post("/sign-in", data={"code": codes(database)[role].lower(), "name": "Arto"}, environ_base=PHONE)
    assert answer.status_code == 302
    cookie = phone.get_cookie(COOKIE)
    assert cookie is not None
    return phone, {"X-CSRF-Token": csrf_token(cookie.value)}


@pytest.mark.parametrize("path", ["/", "/projector", "/results", "/results.csv", "/results.json", "/t/3", "/sign-in"])
@pytest.mark.parametrize("language", ["en", "de", "fi"])
def test_everybody_sees_pairings_and_standings(client: FlaskClient, path: str, language: str) -> None:
    """Guests need no code, in three languages."""
    answer = client.get(path, environ_base=PHONE, headers={"Accept-Language": language})
    assert answer.status_code == 200
    if path == "/":
        text = answer.get_data(as_text=True)
        assert "Herbstturnier" in text
        assert "Riikka Hämäläinen" in text
        assert {"en": "Standings", "de": "Rangliste", "fi": "Sijoitukset"}[language] in text


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
        assert "no code of this hall" in page.get_data(as_text=True)
    page = client.post("/sign-in", data={"code": codes(hub.database)["arbiter"], "name": "x"}, environ_base=PHONE)
    assert "Too many wrong codes" in page.get_data(as_text=True)


def test_another_site_presses_nothing(client: FlaskClient) -> None:
    """A page of another site that the organiser's browser has open can't pair rounds."""
    answer = client.post("/api/rounds", json={"plan": 0}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421


def test_a_night_by_its_buttons(client: FlaskClient, hub: Hub) -> None:
    """The organiser's buttons do what they say, and answer with the plan to go on with."""
    now = plan(hub.database)
    told = client.post("/api/players/list?plan=" + str(now), data=b"name\nEve\nFinn\n").get_json()
    assert told == {"plan": now + 1, "entered": 2}
    doubled = client.post(f"/api/players/list?plan={now + 1}", data=b"Eve\nGus")
    assert (doubled.status_code, doubled.get_json()["error"]) == (
        400,
        "Line 1: Eve is entered already. Nothing was taken.",
    )
    body = {
        "plan": now + 1,
        "edition": "travel",
        "rounds": 3,
        "pairing": "fixed",
        "clock": "tournament",
        "house": " \n",
    }
    assert client.post("/api/settings", json=body).status_code == 200
    kept = client.get("/api/settings").get_json()
    assert (kept["edition"], kept["tournament"], kept["house"], kept["name"]) == ("travel", True, [], "")
    assert client.post("/api/settings", json=body | {"plan": now}).get_json()["code"] == "changed"
    assert client.post("/api/rounds/clock", json={"round": 2, "kind": "pause"}).status_code == 200
    assert client.post("/api/rounds", json={"plan": now + 2}).get_json()["error"] == "Round 2 is not over yet."
    assert client.post("/api/rounds", data="x").status_code == 400


def test_an_arbiter_sees_and_decides(app: Flask, hub: Hub) -> None:
    """Trouble, clocks and raised hands are in sight; what is decided is told to the table and leaves the queue."""
    arbiter, word = signed_in(app, hub.database, "arbiter")
    page = arbiter.get("/arbiter", environ_base=PHONE).get_data(as_text=True)
    for words in (
        "Pekka Laine is on turn",
        "A layout lies there that the judge calls wrong",
        "The camera sees glare on the table.",
        "A question is open at the table",
        "Away; it goes on playing by itself",
        "B4 B5 K6 is no run: its tiles are of two colours.",
        "9:17",
    ):
        assert words in page, words
    picture = arbiter.get("/disputes/hand/before.jpg", environ_base=PHONE)
    assert picture.data[:3] == b"\xff\xd8\xff"
    decided = {"decision": "taken_back", "why": "the joker <was> free"}
    assert arbiter.post("/api/disputes/hand", json=decided, environ_base=PHONE, headers=word).status_code == 200
    page = arbiter.get("/arbiter", environ_base=PHONE).get_data(as_text=True)
    assert "Nobody calls." in page
    assert "the joker &lt;was&gt; free" in page
    assert "Not yet taken by the table" in page


def test_results_are_taken_along(client: FlaskClient) -> None:
    """CSV and JSON say what the page says; the round that is played counts as far as it went."""
    told = client.get("/results.json").get_json()
    assert (told["tilekeeper"], told["version"], told["name"]) == ("club-night", 1, "Herbstturnier")
    assert [line["name"] for line in told["standings"][:2]] == ["Aino Virtanen", "Małgorzata Nowak"]
    assert [one["state"] for one in told["rounds"]] == ["over", "running"]
    assert sum(int(line["total"]) for line in told["standings"]) == 0
    rows = list(
        csv.reader(io.StringIO(client.get("/results.csv").get_data(as_text=True).lstrip("\ufeff")), delimiter=";")
    )
    assert rows[0] == ["Place", "Name", "Total", "Rounds won", "Round 1", "Round 2"]
    assert rows[1][:4] == ["1", "Aino Virtanen", "137", "2"]
    assert len(rows) == 23


def test_a_name_is_no_formula(client: FlaskClient, hub: Hub) -> None:
    """A spreadsheet that opens the results computes nothing that a player wrote."""
    hub.desk.add_player(plan(hub.database), "=1+1")
    assert "'=1+1" in client.get("/results.csv").get_data(as_text=True)


def test_seats_are_printed(app: Flask, client: FlaskClient) -> None:
    """Three pages for six tables, as PDF; the codes lead to the hub's address in the network."""
    parts_of(app).address = "http://192.168.1.2:8650/"
    answer = client.get("/seats.pdf")
    assert answer.mimetype == "application/pdf"
    assert answer.data.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", answer.data)) == 3


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        *((name, name) for name in ("Łódź Żak", "İğşç Öz", "Δημήτρης", "Щербаков Ёж", "Đorđe", "Նարեկ", "Nguyễn Vũ")),
        ("Jo\u0308rg", "Jörg"),
        ("王芳 Wang", "□□ Wang"),
        ("Ada 😀", "Ada □"),
    ],
)
def test_names_of_many_scripts_are_printed(name: str, printed: str) -> None:
    """Latin of all kinds, Greek, Cyrillic, Armenian; what the font does not have is a sign and no nothing."""
    assert printable(name) == printed


def test_a_paper_says_which_letters_it_lacks(client: FlaskClient, hub: Hub) -> None:
    """The PDF has its fonts in it; where a letter is missing, a line more says what the sign stands for."""
    whole = client.get("/seats.pdf").data
    assert b"DejaVuSans" in whole
    with hub.database.writing() as session:
        session.get_one(PlayerRow, 1).name = "王芳"
    assert len(client.get("/seats.pdf").data) > len(whole)


def test_a_tables_code_leads_to_its_app(app: Flask, client: FlaskClient, hub: Hub) -> None:
    """A tablet that scans the code at its table is sent to its app; who makes the address up sees the seats alone."""
    assert "Franziska Überall" in client.get("/t/3", environ_base=PHONE).get_data(as_text=True)
    said = json.loads(presence("3", "here")) | {"join": "http://192.168.1.7:8645/join?code=ABC"}
    hub.intake.take([(topic(CLUB, "3", Branch.PRESENCE), json.dumps(said).encode())])
    with hub.database.reading() as session:
        night = night_view(session)
    scanned = client.get(f"/{night.path('3')}", environ_base=PHONE)
    assert scanned.headers["Location"] == "http://192.168.1.7:8645/join?code=ABC"
    for made_up in ("t/3", "t/3?at=x", night.path("2").replace("t/2", "t/3")):
        page = client.get(f"/{made_up}", environ_base=PHONE)
        assert page.status_code == 200
        assert "code=ABC" not in page.get_data(as_text=True)
    assert b"Nobody sits here" in client.get("/t/99", environ_base=PHONE).data
    assert client.get("/t/3/qr.svg").mimetype == "image/svg+xml"
    assert client.get("/t/3/qr.svg", environ_base=PHONE).status_code == 403


@pytest.mark.parametrize(
    "join", ["https://evil.example/", "javascript:alert(1)", "http://a/join?code=A\nb", "//x/join?code=A"]
)
def test_a_table_leads_nobody_elsewhere(client: FlaskClient, hub: Hub, join: str) -> None:
    """Where a table says that tablets get in there is its own page to join, or nothing is taken."""
    said = json.loads(presence("3", "here")) | {"join": join}
    assert hub.intake.take([(topic(CLUB, "3", Branch.PRESENCE), json.dumps(said).encode())]).refused == 1


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


def test_notices_are_told_and_put_away(client: FlaskClient) -> None:
    """What was refused stands on the organiser's page until it is put away."""
    assert "Table 4 said that it is table 9" in client.get("/desk").get_data(as_text=True)
    (notice,) = re.findall(r"/api/notices/(\d+)", client.get("/desk").get_data(as_text=True))
    client.post(f"/api/notices/{notice}", json={})
    assert "said that it is table" not in client.get("/desk").get_data(as_text=True)


def test_news_come_as_a_stream(client: FlaskClient, hub: Hub) -> None:
    """The part of the page comes at once, and again when something has changed."""
    stream = client.get("/events?part=projector").response
    events = iter(stream)
    assert next(events).startswith(b"retry")
    first = json.loads(next(events).split(b"data: ")[1])
    assert 'data-table="2" data-log="2 2"' in first["html"]
    hub.desk.add_player(plan(hub.database), "Neu")
    second = json.loads(next(events).split(b"data: ")[1])
    assert second["revision"] > first["revision"]
    assert list(second["pieces"]) == ["standings"]
    assert "Neu" in second["pieces"]["standings"]
    hub.intake.take([answer("2", "nothing"), said_by_table_2(hub)])
    third = json.loads(next(events).split(b"data: ")[1])
    assert list(third["pieces"]) == ["t-2"], "one press at one table is one piece"
    hub.desk.turn_clock(2, "pause", "Olga", Role.ORGANISER)
    assert "The round is paused" in json.loads(next(events).split(b"data: ")[1])["html"]
    stream.close()
    assert client.get("/events?part=none").status_code == 404


def said_by_table_2(hub: Hub) -> tuple[str, bytes]:
    """What table 2 says once its clock has run on."""
    with hub.database.reading() as session:
        row = session.get_one(TableRow, "2")
    state = TableState.model_validate_json(json.dumps({**row.state, "left_s": 3.0, "last_seq": 7}))  # type: ignore[dict-item]
    return topic(CLUB, "2", Branch.STATE), state.payload()


def test_a_page_that_is_open_is_put_out_with_its_code(app: Flask, hub: Hub) -> None:
    """New codes end the news of an arbiter's page that is open, and not only the next request."""
    arbiter, _ = signed_in(app, hub.database, "arbiter")
    events = iter(arbiter.get("/events?part=arbiter", environ_base=PHONE).response)
    next(events)
    assert b"Raised hands" in next(events)
    hub.desk.renew_codes()
    assert list(events) == []


def test_tables_of_this_machine_come_by_http(client: FlaskClient, hub: Hub) -> None:
    """Without a broker a table posts what it says and fetches what is for it, until it has answered."""
    there, payload = entry("7", 1)
    body = {"topic": there, "payload": json.loads(payload), "retain": False}
    assert client.post("/api/wire", json=body).status_code == 204
    assert client.post("/api/wire", json=body | {"topic": "x"}).status_code == 400
    assert client.post("/api/wire", json=[]).status_code == 400
    assert client.post("/api/wire", json=body, environ_base=PHONE).status_code == 403
    assert client.get("/api/wire?table=7&wait=0").get_json() == {"messages": []}
    hub.desk.turn_clock(2, "pause", "Olga", Role.ARBITER)
    kinds = [one["payload"]["kind"] for one in client.get("/api/wire?table=3&wait=0").get_json()["messages"]]
    assert kinds == ["start", "start", "pause"]  # the first of round 1
    assert client.get("/api/wire?table=3&wait=0").get_json() == {"messages": []}  # brought a moment ago
    assert client.get("/api/wire?table=%2B").status_code == 404


def test_phones_find_the_hall_by_its_code(app: Flask, client: FlaskClient) -> None:
    """The wall shows the code where others get in, and none where nobody does."""
    assert b"/qr.svg" not in client.get("/projector").data
    parts_of(app).address = "http://192.168.1.2:8650/"
    assert (
        b'src="/qr.svg" alt="For phones and the projector: http://192.168.1.2:8650/"' in client.get("/projector").data
    )
    assert client.get("/qr.svg").data.startswith(b"<svg")


def test_over_https_alone(hub: Hub, tmp_path: Path) -> None:
    """Plain requests of phones are led to the page about trust and get nothing else; this machine is let in plainly."""
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


def test_nothing_is_to_be_trusted_without_https(client: FlaskClient) -> None:
    """The page about trust is not there."""
    assert client.get("/trust", environ_base=PHONE).status_code == 404
