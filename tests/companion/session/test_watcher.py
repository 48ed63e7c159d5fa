"""The watcher: a source that fails for a while, an unreadable frame, and the end of the app."""

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.support.known_tables import PlayedSource, Player, TunedSource, table_reading
from tests.support.mjpeg_camera import wait_for
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.vision.quality.diagnostics import TOO_BLURRED

pytestmark = pytest.mark.slow  # waits for a table to come to rest

BEFORE = "R3 R4 R5 | K8 B8 O8"


def test_source_error_is_reported_until_frames_arrive_again(player, camera, tables):
    camera.trouble = "camera 0 sends no pictures any more; connecting again"
    state = player.until(lambda state: state["source"]["trouble"])
    assert state["source"]["trouble"] == "Camera 0 sends no pictures any more; connecting again."
    camera.trouble = ""
    camera.show(tables.picture(table_reading(BEFORE)))
    assert player.sees(BEFORE)["source"]["trouble"] == ""


def test_reader_that_fails_on_one_frame_reads_the_next(app: Flask, player, camera, tables, monkeypatch, caplog):
    def fail(*_: object) -> None:
        raise RuntimeError("out of memory")

    with monkeypatch.context() as patch:
        patch.setattr(tables, "read", fail)
        camera.show(tables.picture(table_reading("R1 R2 R3")))
        player.until(lambda state: "could not be read" in state["source"]["trouble"])
    assert "out of memory" in caplog.text
    camera.show(tables.picture(table_reading(BEFORE)))
    player.sees(BEFORE)


def test_settled_table_too_blurred_to_read_makes_the_camera_focus(make_app, tables):
    camera = TunedSource()
    player = Player(make_app(camera).test_client())
    camera.show(tables.picture(table_reading(BEFORE)))
    player.sees(BEFORE)
    assert camera.focus_requests == 0
    camera.show(tables.picture(table_reading(BEFORE, status=TOO_BLURRED)))
    wait_for(lambda: camera.focus_requests == 1)


def test_closing_the_app_closes_its_source(app: Flask, camera: PlayedSource, client: FlaskClient):
    assert client.get("/setup").status_code == 200
    parts(app).close()
    assert camera.closed
