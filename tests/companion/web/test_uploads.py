"""Uploaded pictures: too large, invalid, and read as racks."""

import contextlib
import http.client
import io
import json
import threading
from collections.abc import Iterator
from dataclasses import replace

import cv2
import pytest

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import MarkedTables, PlayedSource, Player, quad_at, table_reading
from tilekeeper.companion.capture import upload
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.web.server import listen
from tilekeeper.vision.types import TableReading

pytestmark = pytest.mark.slow  # a real server, and processes that decode pictures


@pytest.fixture
def port(make_app) -> Iterator[int]:
    """The port of an app on its real server."""
    app = make_app(NoSource(), watch=False)
    listening = listen(app, "127.0.0.1", 0)
    thread = threading.Thread(target=listening.server.serve)
    thread.start()
    yield listening.port
    listening.server.stop()
    thread.join(timeout=10)


def send(port: int, path: str, body: bytes, media: str) -> tuple[int, dict]:
    """Return the answer of the real server to a large body; it may close the connection before the end."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.putrequest("POST", path)
        connection.putheader("Content-Type", media)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders()
        with contextlib.suppress(OSError):
            connection.send(body)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def form(data: bytes) -> tuple[bytes, str]:
    """Return a picture as a form, as pages send it."""
    head = b'--x\r\nContent-Disposition: form-data; name="picture"; filename="rack.jpg"\r\n\r\n'
    return head + data + b"\r\n--x--\r\n", "multipart/form-data; boundary=x"


def test_upload_of_40_megabytes_is_refused_in_words(port):
    status, answer = send(port, "/api/scan", *form(bytes(40 * 1024 * 1024)))
    assert (status, answer["code"]) == (413, "too-large")
    status, answer = send(port, "/api/evenings", b" " * 200_000, "application/json")
    assert (status, answer["code"]) == (413, "too-large")


def test_upload_that_is_no_picture_is_refused_in_words(port):
    status, answer = send(port, "/api/scan", *form(b"this is no picture"))
    assert (status, answer["code"]) == (400, "bad-input")
    assert answer["error"].startswith("This picture can't be read: ")


def test_rack_is_read_from_a_picture_of_a_phone(make_app, tables):
    app = make_app(NoSource(), watch=False)
    page = EveningClient(app)
    _, jpeg = cv2.imencode(".jpg", tables.picture(table_reading("R5 K13 | J", doubts={(0, 1): "black-12"})))
    data = {"picture": (io.BytesIO(jpeg.tobytes()), "rack.jpg")}
    answer = page.http.post("/api/scan", data=data, content_type="multipart/form-data").get_json()
    # On a rack gaps do not count: tiles in one line are one row.
    assert (answer["text"], answer["count"], answer["points"], answer["doubtful"]) == ("R5 K13 J", 3, 48, [1])
    assert page.refused("/api/scan")["code"] == "no-picture"


def scanned(page: EveningClient, tables: MarkedTables, reading: TableReading, query: str = "") -> dict:
    """Return the answer to a picture with a known reading."""
    _, jpeg = cv2.imencode(".jpg", tables.picture(reading))
    data = {"picture": (io.BytesIO(jpeg.tobytes()), "rack.jpg")}
    return page.http.post(f"/api/scan{query}", data=data, content_type="multipart/form-data").get_json()


def test_scan_has_rows_from_back_to_front_and_each_tile_once(make_app, tables):
    """Melds are in two columns here; a tile that was detected twice is in its row once."""
    page = EveningClient(make_app(NoSource(), watch=False))
    reading = table_reading("R5 K13 | J | B1 B2", doubts={(2, 0): "blue-4"})
    second_detection = replace(reading.tiles[0], confidence=0.5, sighting=replace(reading.tiles[0].sighting, track=99))
    answer = scanned(
        page, tables, replace(reading, tiles=(*reading.tiles, second_detection), rows=(*reading.rows, (5,)))
    )
    assert answer["rows"] == [[0, 1, 2], [3, 4]]
    assert (answer["text"], answer["count"], answer["doubtful"]) == ("R5 K13 J | B1 B2", 5, [3])
    places = [(tile["row"], tile["place"], tile["doubtful"]) for tile in answer["tiles"]]
    assert places == [(0, 0, False), (0, 1, False), (0, 2, False), (1, 0, True), (1, 1, False), (None, None, False)]
    assert answer["tiles"][3]["quad"] == quad_at(2, 0).tolist()
    assert (answer["expected"], answer["picture"]) == (None, None)


def test_scan_has_the_number_of_tiles_expected_on_the_rack(make_app, tables):
    """The ledger knows the number, but not without a player, or for a rack that was shown."""
    page = EveningClient(make_app(NoSource(), watch=False))
    page.deal("Ada", "Bo", "Cleo")

    def expected(query: str) -> int | None:
        return scanned(page, tables, table_reading("R5 K13"), query)["expected"]

    page.act("rack-count", player=2, tiles=9)
    page.act("rack-count", player=0, tiles=0)
    assert [expected(query) for query in ("", "?player=1", "?player=2", "?player=7", "?player=x")] == [
        None,
        14,
        9,
        None,
        None,
    ]
    page.act("rack", player=1, tiles="R5 K13")
    assert expected("?player=1") is None


def test_simultaneous_uploads_are_read_one_at_a_time(make_app, monkeypatch):
    """Each may need the full memory limit of the decoding process, and one tablet opens a dozen connections."""
    page = EveningClient(make_app(NoSource(), watch=False))
    monkeypatch.setattr(upload._decoding, "waits_s", 0.1)

    def scan() -> str:
        data = {"picture": (io.BytesIO(b"no picture"), "rack.jpg")}
        return page.http.post("/api/scan", data=data, content_type="multipart/form-data").get_json()["code"]

    with upload._decoding.turn("192.168.1.30"):
        assert scan() == "not-now"
    assert scan() == "bad-input"


def test_rack_is_read_by_the_table_camera(make_app, camera: PlayedSource, tables: MarkedTables):
    page = EveningClient(app := make_app(camera))
    camera.show(tables.picture(table_reading("R5 K13")))
    Player(app.test_client()).sees("R5 K13")
    scan = page.post("/api/scan")
    assert (scan["text"], scan["rows"]) == ("R5 K13", [[0, 1]])
    number = scan["picture"]["number"]
    assert page.http.get(f"/picture/{number}.jpg").mimetype == "image/jpeg"


def test_scan_by_the_table_camera_leaves_out_the_table(make_app, camera: PlayedSource, tables: MarkedTables):
    """The rack was poured out beside the table, and one of its rows equals a meld."""
    page = EveningClient(app := make_app(camera))
    page.deal("Ada", "Bo")
    player = Player(app.test_client())
    for notation in ("R3 R4 R5", "R3 R4 R5 | K1 R3 R4 R5 | J"):
        camera.show(tables.picture(table_reading(notation)))
        player.sees(notation)
        if notation == "R3 R4 R5":
            page.act("table")
    scan = page.post("/api/scan")
    assert scan["text"] == "K1 R3 R4 R5 | J"
    assert [tile["row"] for tile in scan["tiles"]] == [None, None, None, 0, 0, 0, 0, 1]
