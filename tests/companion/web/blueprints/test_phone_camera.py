"""A phone as the camera: it asks, the host allows it, and only its pictures are accepted."""

from concurrent.futures import ThreadPoolExecutor

import cv2
import pytest
from flask import Flask

from tests.support.cookies import cookie_of
from tests.support.game_night_client import EveningClient
from tests.support.known_tables import table_reading
from tests.support.mjpeg_camera import wait_for
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.doorkeeper.cookies import CSRF_COOKIE
from tilekeeper.companion.doorkeeper.origin import CSRF_HEADER
from tilekeeper.companion.session.phone_camera import MOVING_EVERY_MS, STILL_EVERY_MS
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.phone_camera import LARGEST_PICTURE_BYTES


class Phone:
    """A phone that has joined with the code."""

    def __init__(self, app: Flask, name: str, peer: str) -> None:
        self.page = EveningClient(app, REMOTE_ADDR=peer)
        access = parts(app).access
        self.page.post("/api/join", code=access.code, name=name)
        self.id = access.devices[-1].id

    def asks(self) -> bool:
        """Ask to be the camera; return whether it is."""
        return bool(self.page.post("/api/phone/ask")["chosen"])

    def sends(self, jpeg: bytes, name: str = "picture"):
        """Return the answer to a picture or photo."""
        cookie = cookie_of(self.page.http, CSRF_COOKIE)
        assert cookie is not None
        headers = {CSRF_HEADER: cookie.value}
        return self.page.http.post(f"/api/phone/{name}", data=jpeg, content_type="image/jpeg", headers=headers)


@pytest.fixture
def app(make_app) -> Flask:
    """An app without a source."""
    return make_app(NoSource())


@pytest.fixture
def host(app: Flask) -> EveningClient:
    """The host's page."""
    return EveningClient(app)


@pytest.fixture
def adas(app: Flask) -> Phone:
    """Ada's phone."""
    return Phone(app, "Ada's phone", "192.168.1.30")


@pytest.fixture
def picture(tables) -> bytes:
    """A picture of a table as JPEG."""
    return cv2.imencode(".jpg", tables.picture(table_reading("R3 R4 R5")))[1].tobytes()


def test_phone_is_the_camera_once_the_host_allows_it(app, host, adas, picture):
    assert not adas.asks()
    assert adas.sends(picture).status_code == 403
    assert host.get("/api/phones")["asking"] == [{"id": adas.id, "name": "Ada's phone"}]
    phones = host.post("/api/phone/choose", device=adas.id)
    assert (phones["chosen"], phones["asking"]) == ({"id": adas.id, "name": "Ada's phone"}, [])
    assert host.state["source"]["kind"] == "phone"
    assert adas.asks()
    assert adas.sends(picture).get_json() == {"wait_ms": MOVING_EVERY_MS, "refocus": False, "photo": False}

    def reads() -> bool:
        wait_ms = adas.sends(picture).get_json()["wait_ms"]
        return wait_ms == STILL_EVERY_MS and host.state["reading"]["table"] == "R3 R4 R5"

    wait_for(reads)


def test_only_one_phone_is_the_camera(app, host, adas, picture):
    bos = Phone(app, "Bo's phone", "192.168.1.31")
    for phone in (adas, bos):
        phone.asks()
        host.post("/api/phone/choose", device=phone.id)
    assert adas.sends(picture).status_code == 403
    assert bos.sends(picture).status_code == 200
    host.post("/api/phone/choose", device=None)
    assert bos.sends(picture).status_code == 403


def test_phone_can_not_choose_itself_and_only_an_asking_phone_can_be_chosen(host, adas):
    assert adas.page.refused("/api/phone/choose", device=adas.id)["status"] == 403
    assert host.refused("/api/phone/choose", device=adas.id)["status"] == 404


def test_new_join_code_removes_the_phone_camera(host, adas, picture):
    adas.asks()
    host.post("/api/phone/choose", device=adas.id)
    host.post("/api/access/renew")
    assert adas.sends(picture).status_code == 401


@pytest.mark.parametrize(("sent", "status"), [(b"no picture", 400), (bytes(LARGEST_PICTURE_BYTES + 1), 413)])
def test_picture_of_a_phone_is_limited_in_size(host, adas, sent, status):
    adas.asks()
    host.post("/api/phone/choose", device=adas.id)
    assert adas.sends(sent).status_code == status


LOCKED = {"focus": "locked", "exposure": "refused", "white_balance": "settling"}


def test_self_test_shows_the_controls_that_the_chosen_phone_reports(host, adas, picture):
    assert adas.page.refused("/api/phone/controls", **LOCKED)["status"] == 403
    adas.asks()
    host.post("/api/phone/choose", device=adas.id)
    assert host.get("/api/self-test")["controls"] == []
    adas.page.post("/api/phone/controls", **LOCKED)
    states = {one["control"]: one["state"] for one in host.get("/api/self-test")["controls"]}
    assert states == {"focus": "locked", "exposure": "refused", "white-balance": "settling"}
    assert adas.page.refused("/api/phone/controls", **{**LOCKED, "focus": "sharp"})["code"] == "bad-input"


def test_phone_that_may_only_watch_the_game_can_be_the_camera(host, adas, picture):
    host.deal(settings={"control": "host"})
    adas.asks()
    host.post("/api/phone/choose", device=adas.id)
    assert adas.sends(picture).status_code == adas.sends(picture, "photo").status_code == 200
    assert adas.page.post("/api/phone/controls", **LOCKED) == {"chosen": True}


def test_blurred_picture_makes_the_phone_focus_once(app, host, adas, picture):
    adas.asks()
    host.post("/api/phone/choose", device=adas.id)
    adas.sends(picture)
    parts(app).watcher.refocus()
    assert [adas.sends(picture).get_json()["refocus"] for _ in range(2)] == [True, False]


def test_rack_is_scanned_from_a_photo_of_the_phone_black_outside_the_play_area(app, host, adas, tables, monkeypatch):
    small = tables.picture(table_reading("R3 R4 R5"))
    picture = cv2.imencode(".jpg", small)[1].tobytes()
    adas.asks()
    host.post("/api/phone/choose", device=adas.id)
    host.post("/api/play-area", corners=[[0.0, 0.0], [0.9, 0.0], [0.9, 1.0], [0.0, 1.0]])
    wait_for(lambda: adas.sends(picture).get_json()["wait_ms"] == STILL_EVERY_MS)
    read = []

    def note(image_bgr, tile_set):
        read.append(image_bgr)
        return table_reading("R3 R4 R5 R6")

    monkeypatch.setattr(parts(app).settings.observer, "read", note)
    # A photo shows the whole sensor, a film only its middle.
    height_px, width_px = (2 * side for side in small.shape[:2])
    photo = cv2.copyMakeBorder(cv2.resize(small, (width_px, height_px)), 100, 100, 0, 0, cv2.BORDER_CONSTANT)
    with ThreadPoolExecutor(1) as pool:
        scan = pool.submit(host.post, "/api/scan")
        wait_for(lambda: adas.sends(picture).get_json()["photo"])
        assert adas.sends(cv2.imencode(".png", photo)[1].tobytes(), "photo").status_code == 200
        assert scan.result(30)["text"] == "R3 R4 R5 R6"
    assert read[0].shape == (height_px, width_px, 3)
    assert read[0][:, round(0.92 * width_px) :].max() == 0
    assert adas.sends(picture).get_json()["photo"] is False
    # A photo that was not requested, or from another phone, is not read.
    assert adas.sends(b"no photo", "photo").status_code == 200
    host.post("/api/phone/choose", device=None)
    assert adas.sends(picture, "photo").status_code == 403


def test_scan_without_a_photo_of_the_phone_uses_the_newest_reading(host, adas, picture, monkeypatch):
    monkeypatch.setattr("tilekeeper.companion.session.phone_camera.PHOTO_TIMEOUT_S", 0.2)
    adas.asks()
    host.post("/api/phone/choose", device=adas.id)
    wait_for(lambda: adas.sends(picture).get_json()["wait_ms"] == STILL_EVERY_MS)
    assert host.post("/api/scan")["text"] == "R3 R4 R5"
