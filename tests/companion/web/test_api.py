"""The API for pages: the event stream, pictures, and invalid requests."""

import json
import re

import cv2
import numpy as np
import pytest

from tests.support.known_tables import Player, table_reading
from tilekeeper.companion.web.api.event_stream import MOST_STREAMS
from tilekeeper.companion.web.api.extensions import parts

TABLE = "R3 R4 R5"


@pytest.fixture
def reader(player, camera, tables) -> Player:
    """A player whose table has been read."""
    camera.show(tables.picture(table_reading(TABLE)))
    player.sees(TABLE)
    return player


def events_of(client, count: int) -> list[str]:
    """Return the first events of a stream, which is then closed."""
    answer = client.get("/events", buffered=False)
    assert answer.mimetype == "text/event-stream"
    texts = [next(answer.response).decode() for _ in range(count)]
    answer.close()
    return texts


def test_page_loads_nothing_from_other_hosts(by_hand):
    by_hand.begin()
    page = by_hand.http.get("/")
    html = page.get_data(as_text=True)
    assert "http://" not in html
    assert "https://" not in html
    assert "default-src 'self'" in page.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]


def test_each_file_of_a_page_is_served_and_cached_for_ever(by_hand):
    by_hand.begin()
    client = by_hand.http
    html = client.get("/").get_data(as_text=True)
    waiting = re.findall(r'(?:src|href|data-stream)="(/assets/[^"]+)"', html)
    fetched: set[str] = set()
    while waiting:
        path = waiting.pop()
        if path in fetched:
            continue
        fetched.add(path)
        answer = client.get(path, headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200, path
        assert "immutable" in answer.headers["Cache-Control"]
        assert path.endswith((".woff2", ".png")) or answer.headers.get("Content-Encoding") == "gzip", path
        text = client.get(path).get_data(as_text=True) if path.endswith(".css") else ""
        waiting += re.findall(r"url\((/assets/[\w./-]+)\)", text)
    kinds = {re.sub(r"\.[0-9a-f]{12}", "", path.rpartition("/")[2]) for path in fetched}
    assert {"game_night.js", "game_night.css", "stream-worker.js", "manrope.woff2", "icon.svg"} <= kinds


def test_unknown_file_gives_404(client):
    assert client.get("/assets/game_night.000000000000.js").status_code == 404


def test_stream_starts_with_the_present_state(reader):
    retry, first = events_of(reader.client, 2)
    assert retry.startswith("retry: ")
    state = json.loads(first.partition("data: ")[2])
    assert state["reading"]["table"] == TABLE


def test_stream_sends_the_action_of_another_tablet(reader):
    answer = reader.client.get("/events", buffered=False)
    stream = answer.response
    assert next(stream)
    assert json.loads(next(stream).decode().partition("data: ")[2])["evening"] is None
    reader.press("evenings", seats=[{"people": ["Ada"]}, {"people": ["Bo"]}], edition="large-numbers")
    assert json.loads(next(stream).decode().partition("data: ")[2])["evening"]["phase"] == "starter"
    answer.close()


def test_quiet_stream_sends_heartbeats(make_app, camera):
    client = make_app(camera, watch=False, heartbeat_s=0.05).test_client()
    assert events_of(client, 3)[2].startswith("event: beat\ndata: ")


def test_slow_tablet_gets_only_the_newest_state(reader):
    number = reader.state()["reading"]["number"]
    answer = reader.client.get("/events", buffered=False)
    stream = answer.response
    next(stream)
    next(stream)
    for label in ("red-1", "red-2", "red-1", "red-2", "red-6"):
        reader.press("correct", reading=number, tile=2, label=label)
    state = json.loads(next(stream).decode().partition("data: ")[2])
    assert state["reading"]["table"] == "R3 R4 R6"
    assert state["version"] == reader.state()["version"]
    answer.close()


def test_streams_are_limited_to_the_threads_of_the_server(make_app, camera):
    app = make_app(camera, watch=False)
    clients = [app.test_client().get("/events", buffered=False) for _ in range(MOST_STREAMS)]
    assert app.test_client().get("/events").status_code == 503
    clients[0].close()
    next_stream = app.test_client().get("/events", buffered=False)
    assert next_stream.status_code == 200
    for client in [*clients[1:], next_stream]:
        client.close()


def test_streams_end_when_the_app_goes_down(make_app, camera):
    app = make_app(camera, watch=False)
    stream = app.test_client().get("/events", buffered=False).response
    next(stream)
    next(stream)
    parts(app).close()
    with pytest.raises(StopIteration):
        next(stream)


def test_state_that_is_not_newer_gives_204(reader):
    version = reader.state()["version"]
    assert reader.client.get(f"/api/state?after={version}").status_code == 204
    assert reader.client.get(f"/api/state?after={version - 1}").get_json()["version"] == version


def test_picture_of_a_state_is_the_one_that_was_read(reader):
    number = reader.state()["picture"]["number"]
    answer = reader.client.get(f"/picture/{number}.jpg")
    image = cv2.imdecode(np.frombuffer(answer.data, np.uint8), cv2.IMREAD_COLOR)
    assert image.shape == (720, 960, 3)
    assert reader.client.get("/picture/999999.jpg").status_code == 404


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("evening/opened", {"revision": 1}),
        ("evening/opened", {"revision": 1, "player": 0, "opened": "yes"}),
        ("evening/opened", {"revision": 1, "player": 0, "opened": 1}),
        ("answer", {"reading": 1, "tile": 0}),
        ("answer", {"reading": 1, "tile": "0", "label": "red-3"}),
        ("step", {"by": True}),
        ("evening/done", []),
    ],
)
def test_wrong_bodies_are_refused_in_one_line(client, what, body):
    answer = client.post(f"/api/{what}", json=body)
    assert answer.status_code == 400
    assert "\n" not in answer.get_json()["error"]


def test_broken_json_is_refused(client):
    answer = client.post("/api/evening/done", data="{", content_type="application/json")
    assert answer.status_code == 400


def test_form_of_another_site_can_not_press_a_button(client):
    assert client.post("/api/evening/done", data={"a": "b"}).status_code == 400
    assert client.post("/api/evening/done").status_code == 400


def test_step_is_refused_for_a_camera(client):
    assert client.post("/api/step", json={"by": 1}).status_code == 409


def test_large_picture_is_scaled_and_corners_stay_in_original_pixels(make_app, tables):
    from tests.support.known_tables import PlayedPhotos

    small = tables.picture(table_reading(TABLE))
    large = cv2.resize(small, (3840, 2880), interpolation=cv2.INTER_NEAREST)
    player = Player(make_app(PlayedPhotos([large])).test_client())
    state = player.until(lambda state: state["settled"])
    picture = player.client.get(f"/picture/{state['picture']['number']}.jpg").data
    assert cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR).shape == (1200, 1600, 3)
    assert (state["picture"]["width"], state["picture"]["height"]) == (3840, 2880)
