"""The play area is suggested on the page, and the whole picture is refused during a round."""

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import table_reading
from tests.support.mjpeg_camera import wait_for
from tilekeeper.companion.web.api.extensions import parts


def test_found_play_area_is_offered_and_not_stored(app, camera, tables):
    page = EveningClient(app)
    camera.show(tables.picture(table_reading("R3 R4 R5")))
    wait_for(lambda: parts(app).watcher.whole is not None)
    offered = page.get("/api/play-area/found")["corners"]
    assert offered is None or len(offered) == 4
    assert page.get("/api/sources")["play_area"] is None


def test_whole_picture_is_refused_while_a_round_is_played(by_hand):
    by_hand.deal()
    answer = by_hand.http.get("/api/play-area/found")
    assert (answer.status_code, answer.get_json()["code"]) == (403, "racks")
