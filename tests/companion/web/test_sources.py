"""Sources: the self-test of the picture, and changing the source."""

import threading

import cv2
import numpy as np
import pytest

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import Player, table_reading
from tests.support.mjpeg_camera import wait_for
from tilekeeper.companion.capture.upload import reading_turn

pytestmark = pytest.mark.slow  # films, and camera processes


def test_self_test_reports_problems_with_places(make_app, camera, tables):
    page = EveningClient(app := make_app(camera))
    assert page.get("/api/self-test")["findings"][0]["code"] == "no-picture"
    player = Player(app.test_client())
    image = tables.picture(table_reading("R5 K13", doubts={(0, 0): "red-6"}))
    image[300:420, 400:600] = 255
    camera.show(image)
    player.sees("R5 K13")
    answer = page.get("/api/self-test")
    glare = next(one for one in answer["findings"] if one["code"] == "glare")
    assert np.allclose(glare["boxes"][0], [400 / 960, 300 / 720, 600 / 960, 420 / 720], atol=0.02)
    assert "lamp" in glare["text"]
    number = answer["picture"]
    camera.show(image // 8)  # less light, and no tile moves
    wait_for(lambda: "too-dark" in {one["code"] for one in page.get("/api/self-test")["findings"]})
    assert page.get("/api/self-test")["picture"] > number
    assert player.state()["settled"]

    answers: list[int] = []
    asking = [
        threading.Thread(target=lambda: answers.append(page.http.get("/api/self-test").status_code), daemon=True)
        for _ in range(2)
    ]
    with reading_turn("127.0.0.1"):  # of two more requests one waits, so that nobody who asks often has all of the CPU
        for thread in asking:
            thread.start()
        wait_for(lambda: answers == [409])
    wait_for(lambda: sorted(answers) == [200, 409])


def test_sources_are_listed_and_changed_on_the_page(make_app, film_path, camera, tables):
    page = EveningClient(app := make_app(camera))
    page.deal()
    assert page.get("/api/sources")["watched"] == "camera 0"
    page.act("draw")
    answer = page.refused("/api/source", source="http://127.0.0.1:9/none")
    assert (answer["code"], camera.closed) == ("no-picture", False)
    state = page.post("/api/source", source=str(film_path))
    assert (state["source"]["kind"], camera.closed) == ("video", True)
    assert state["evening"]["player"] == 1
    Player(app.test_client()).until(lambda state: state["picture"])
    assert page.post("/api/source", source="none")["source"]["kind"] == "none"
    page.post("/api/evenings/leave")
    page.post("/api/racks-away")
    preview = page.send("/api/sources/preview", {"source": str(film_path)})
    assert cv2.imdecode(np.frombuffer(preview.data, np.uint8), cv2.IMREAD_COLOR).shape == (360, 480, 3)
