"""The play area is offered on the page, and racks are not looked at while a round is played."""

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import table_reading
from tests.support.mjpeg_camera import wait_for
from tilekeeper.companion.web.api.extensions import parts


def test_the_page_is_offered_an_area_and_nothing_is_kept(app, camera, tables):
    page = EveningClient(app)
    camera.show(tables.picture(table_reading("R3 R4 R5")))
    wait_for(lambda: parts(app).watcher.whole is not None)
    offered = page.get("/api/play-area/found")["corners"]
    assert offered is None or len(offered) == 4
    assert page.get("/api/sources")["play_area"] is None


def test_racks_are_not_looked_at_while_a_round_is_played(by_hand):
    by_hand.deal()
    answer = by_hand.http.get("/api/play-area/found")
    assert answer.status_code == 409
