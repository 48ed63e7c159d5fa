"""Corrected tiles are kept only with consent, only as crops, only by the host, and can be deleted."""

import cv2
import pytest
from flask import Flask

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import MarkedTables, PlayedSource, Player, table_reading
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.vision.recognition.classifier import CROP_WH

LIES = "K10 B10 O10"


@pytest.fixture
def page(app: Flask, camera: PlayedSource, tables: MarkedTables) -> EveningClient:
    """The host's page; the table has been read."""
    page = EveningClient(app)
    camera.show(tables.picture(table_reading(LIES)))
    Player(page.http).sees(LIES)
    return page


def correct(page: EveningClient, tile: int, label: str) -> None:
    """Correct a tile."""
    page.post("/api/correct", reading=page.state["reading"]["number"], tile=tile, label=label)


def test_nothing_is_kept_before_the_host_agrees(page, app):
    """Neither no answer nor a no is consent; the game gets the correction all the same."""
    correct(page, 0, "black-11")
    assert page.state["reading"]["table"].startswith("K11")
    answer = page.get("/api/examples")
    assert (answer["agreed"], answer["kept"]) == (None, 0)
    assert "stay on this computer" in answer["question"]
    page.post("/api/examples", agreed=False)
    correct(page, 1, "blue-11")
    assert page.get("/api/examples")["kept"] == 0
    assert not parts(app).examples.folder.exists()


def test_only_the_corrected_tile_is_kept_until_it_is_deleted(page, app):
    """The picture shows only the tile; a no stops further pictures, and forgetting deletes all."""
    assert page.post("/api/examples", agreed=True)["agreed"] is True
    correct(page, 2, "orange-1")
    (kept,) = parts(app).examples.all()
    assert (kept.label, kept.read_as) == ("orange-1", "orange-10")
    assert cv2.imread(str(kept.path)).shape[1::-1] == CROP_WH
    assert page.get("/api/examples")["folder"] == str(kept.path.parent)
    assert page.post("/api/examples", agreed=False)["kept"] == 1
    correct(page, 0, "black-1")
    assert page.get("/api/examples")["kept"] == 1
    assert page.post("/api/examples", agreed=False, forget=True)["kept"] == 0
    assert not kept.path.exists()


def test_tile_of_an_answered_question_is_kept(app, camera, tables):
    """A player's answer about a doubtful tile is stored too."""
    page = EveningClient(app)
    page.post("/api/examples", agreed=True)
    camera.show(tables.picture(table_reading(LIES, doubts={(0, 2): "orange-1"})))
    Player(page.http).sees(LIES)
    page.post("/api/answer", reading=page.state["reading"]["number"], tile=2, label="orange-1")
    assert [kept.label for kept in parts(app).examples.all()] == ["orange-1"]


def test_full_disk_does_not_stop_the_game(page, app, monkeypatch, caplog):
    """The correction counts, and the log says that the picture could not be stored."""
    page.post("/api/examples", agreed=True)
    folder = parts(app).examples.folder
    folder.parent.mkdir(exist_ok=True)
    folder.write_text("in the way")
    correct(page, 0, "black-11")
    assert page.state["reading"]["table"].startswith("K11")
    assert "could not be kept" in caplog.text


def test_only_the_host_decides_about_examples(page, app):
    """Another tablet can neither see the folder nor agree for its owner."""
    tablet = EveningClient(app, REMOTE_ADDR="192.168.1.30")
    tablet.post("/api/join", code=page.get("/api/access")["code"])
    assert tablet.refused("/api/examples", agreed=True)["code"] == "no-control"
    assert tablet.http.get("/api/examples").status_code == 403
