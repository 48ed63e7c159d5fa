"""A phone as the camera: it asks, the host allows it, and only its pictures are accepted."""

import cv2
import pytest
from flask import Flask

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import table_reading
from tests.support.mjpeg_camera import wait_for
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.doorkeeper.origin import CSRF_COOKIE, CSRF_HEADER
from tilekeeper.companion.session.phone_camera import MOVING_EVERY_MS, STILL_EVERY_MS
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.phone_camera import LARGEST_PICTURE_BYTES


class Phone:
    """A phone that has joined."""

    def __init__(self, app: Flask, name: str, peer: str) -> None:
        self.page = EveningClient(app, REMOTE_ADDR=peer)
        access = parts(app).access
        self.page.post("/api/join", code=access.code, name=name)
        self.id = access.devices[-1].id

    def asks(self) -> bool:
        """Whether it is the camera."""
        return bool(self.page.post("/api/phone/ask")["chosen"])

    def sends(self, jpeg: bytes):
        """The answer to a picture."""
        cookie = self.page.http.get_cookie(CSRF_COOKIE)
        assert cookie is not None
        headers = {CSRF_HEADER: cookie.value}
        return self.page.http.post("/api/phone/picture", data=jpeg, content_type="image/jpeg", headers=headers)


@pytest.fixture
def app(make_app) -> Flask:
    """An app that watches nothing yet."""
    return make_app(NoSource())


@pytest.fixture
def host(app: Flask) -> EveningClient:
    """The machine at which it runs."""
    return EveningClient(app)


@pytest.fixture
def adas(app: Flask) -> Phone:
    """Ada's phone."""
    return Phone(app, "Ada's phone", "192.168.1.30")


@pytest.fixture
def picture(tables) -> bytes:
    """A picture of a table."""
    return cv2.imencode(".jpg", tables.picture(table_reading("R3 R4 R5")))[1].tobytes()


def test_phone_is_the_camera_once_the_host_allows_it(app, host, adas, picture):
    assert not adas.asks()
    assert adas.sends(picture).status_code == 403
    assert host.get("/api/phones")["asking"] == [{"id": adas.id, "name": "Ada's phone"}]
    phones = host.post("/api/phone/choose", device=adas.id)
    assert (phones["chosen"], phones["asking"]) == ({"id": adas.id, "name": "Ada's phone"}, [])
    assert host.state["source"]["kind"] == "phone"
    assert adas.asks()
    assert adas.sends(picture).get_json() == {"wait_ms": MOVING_EVERY_MS}

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
