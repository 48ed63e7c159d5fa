"""Uploaded pictures: too large, invalid, and racks that are read from them."""

import contextlib
import http.client
import io
import json
import threading
from collections.abc import Iterator

import cv2
import pytest

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import MarkedTables, PlayedSource, Player, table_reading
from tilekeeper.companion.capture import upload
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.web.server import listen

pytestmark = pytest.mark.slow  # a real server, and processes that decode pictures


@pytest.fixture
def port(make_app) -> Iterator[int]:
    """An app behind its real server."""
    app = make_app(NoSource(), watch=False)
    listening = listen(app, "127.0.0.1", 0)
    thread = threading.Thread(target=listening.server.serve)
    thread.start()
    yield listening.port
    listening.server.stop()
    thread.join(timeout=10)


def send(port: int, path: str, body: bytes, media: str) -> tuple[int, dict]:
    """What the real server answers to a large body; it may hang up before it has all of it."""
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
    """A picture as a page sends it."""
    head = b'--x\r\nContent-Disposition: form-data; name="picture"; filename="rack.jpg"\r\n\r\n'
    return head + data + b"\r\n--x--\r\n", "multipart/form-data; boundary=x"


def test_an_upload_of_40_megabytes_is_refused_in_words(port):
    status, said = send(port, "/api/scan", *form(bytes(40 * 1024 * 1024)))
    assert (status, said["code"]) == (413, "too-large")
    status, said = send(port, "/api/evenings", b" " * 200_000, "application/json")
    assert (status, said["code"]) == (413, "too-large")


def test_an_upload_of_no_picture_is_refused_in_words(port):
    status, said = send(port, "/api/scan", *form(b"this is no picture"))
    assert (status, said["code"]) == (400, "bad-input")
    assert said["error"].startswith("This picture can't be read: ")


def test_a_rack_is_read_from_a_picture_of_a_phone(make_app, tables):
    app = make_app(NoSource(), watch=False)
    page = EveningClient(app)
    _, jpeg = cv2.imencode(".jpg", tables.picture(table_reading("R5 K13 | J", doubts={(0, 1): "black-12"})))
    data = {"picture": (io.BytesIO(jpeg.tobytes()), "rack.jpg")}
    said = page.http.post("/api/scan", data=data, content_type="multipart/form-data").get_json()
    # On a rack a gap means nothing: what stands in one line is one row.
    assert (said["text"], said["count"], said["points"], said["doubtful"]) == ("R5 K13 J", 3, 48, [1])
    assert page.refused("/api/scan")["code"] == "no-picture"


def test_simultaneous_uploads_are_read_one_at_a_time(make_app, monkeypatch):
    """Each may take as much memory as the process that decodes it may, and one tablet opens a dozen connections."""
    page = EveningClient(make_app(NoSource(), watch=False))
    monkeypatch.setattr(upload, "WAITS_S", 0.1)

    def scan() -> str:
        data = {"picture": (io.BytesIO(b"no picture"), "rack.jpg")}
        return page.http.post("/api/scan", data=data, content_type="multipart/form-data").get_json()["code"]

    with upload.one_at_a_time():
        assert scan() == "not-now"
    assert scan() == "bad-input"


def test_a_rack_is_read_by_the_table_camera(make_app, camera: PlayedSource, tables: MarkedTables):
    page = EveningClient(app := make_app(camera))
    camera.show(tables.picture(table_reading("R5 K13")))
    Player(app.test_client()).sees("R5 K13")
    assert page.post("/api/scan")["text"] == "R5 K13"
