"""Game nights with a camera: verdicts, pictures, the play area, and time limits."""

import cv2
import numpy as np
import pytest

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import Player, table_reading
from tests.support.watched_game_night import GROUP, RUN, Clock, Table, begun_table
from tilekeeper.companion.session.camera_updates import PhotoRequested
from tilekeeper.companion.session.timekeeper import LONGEST_WAIT_S
from tilekeeper.companion.user_settings import UserSettings
from tilekeeper.companion.web.api.extensions import parts

pytestmark = pytest.mark.slow


@pytest.fixture
def table(make_app, camera, tables) -> Table:
    """A table with a camera; a group is on it, and Ada, who has opened, begins."""
    return begun_table(make_app, camera, tables)


def test_legal_turn_passes_to_the_next_player_and_stores_its_pictures(table):
    table.page.act("resume")
    table.shows(f"{GROUP} | {RUN}")
    table.passes(7.0)
    evening = table.page.act("done")
    assert (evening["player"], evening["clock"]["used_s"], evening["clock"]["running"]) == (1, 0.0, True)
    assert table.page.state["verdict"]["kind"] == "legal"
    item = table.page.get("/api/evening/history")["items"][-1]
    assert (item["legal"], item["seconds"], item["table"]) == (True, 7.0, f"{GROUP} | {RUN}")
    for name in ("picture", "picture_before"):
        jpeg = table.page.http.get(item[name]).data
        assert cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).shape == (720, 960, 3)
    assert item["picture"] != item["picture_before"]
    assert table.page.http.get("/api/evening/pictures/..%2F..%2Fevenings.jpg").status_code == 404
    assert table.page.http.get("/api/evening/pictures/00099.jpg").status_code == 404


def test_illegal_turn_is_outlined_and_the_clock_runs_on(table):
    table.page.act("resume")
    table.shows(f"{GROUP} | R3 R4")
    table.page.act("done")
    state = table.page.state
    assert state["verdict"]["faults"][0]["tiles"] == [3, 4]
    assert state["verdict"]["current"]
    assert state["evening"]["clock"]["running"]
    table.shows(f"{GROUP} | {RUN}")
    assert table.page.act("done")["player"] == 1


def test_done_waits_for_a_hand_with_the_clock_stopped(table):
    table.page.act("resume")
    table.tables.delay_s = 0.3
    table.camera.show(table.tables.picture(table_reading(f"{GROUP} | {RUN}")))
    table.player.until(lambda state: not state["settled"])
    state = table.page.post("/api/evening/done", revision=table.page.evening["revision"])
    assert (state["turn"]["waiting_to"], state["evening"]["clock"]["running"]) == ("done", False)
    assert "cancel" in state["evening"]["may"]
    assert table.player.until(lambda state: state["evening"]["player"] == 1)["verdict"]["kind"] == "legal"


def test_done_that_waits_too_long_is_cancelled(table):
    table.page.act("resume")
    parts(table.app).watcher.stop()  # the table never comes to rest
    parts(table.app).session.handle(PhotoRequested(0))
    table.page.act("done")
    table.passes(LONGEST_WAIT_S + 1)
    state = table.page.state
    assert (state["turn"]["waiting_to"], state["evening"]["clock"]["running"]) == (None, True)


def test_draw_needs_the_table_of_before(table):
    table.shows(f"{GROUP} | {RUN}")
    answer = table.page.act_refused("draw")
    assert (answer["code"], answer["details"]["wanted"]) == ("table-differs", GROUP)
    assert "3 tiles are not where they were" in answer["error"]
    assert table.page.act("draw", sure=True)["player"] == 1
    table.page.act("undo")
    table.shows("B10 K10 O10")  # the tiles of a group may change their order
    assert table.page.act("draw")["player"] == 1


def test_turn_out_of_time_restores_the_table(table):
    table.page.act("settings", timer="strict")
    table.page.act("resume")
    table.shows("K10 B10 | R3 R4")
    table.passes(50)
    assert table.page.evening["clock"]["warning"] == 10
    revision = table.page.evening["revision"]
    table.passes(11)
    state = table.page.state
    failing = state["evening"]["failing"]
    assert failing["why"] == "time-up"
    assert [tile["text"] for tile in failing["wanted"][0]["tiles"]] == ["K10", "B10", "O10"]
    assert failing["wanted"][0]["quads"][0][0] == [60.0, 60.0]
    assert {move["text"] for move in failing["moves"]} == {
        "take red 3 off the table",
        "take red 4 off the table",
        "lay orange 10 next to black 10 and blue 10",
    }
    assert failing["there"] is False
    assert table.page.refused("/api/evening/done", revision=revision)["code"] == "stale"
    assert table.page.act_refused("restored")["code"] == "table-differs"
    table.shows(GROUP)
    assert table.page.evening["failing"]["there"] is True
    evening = table.page.act("restored")
    assert (evening["players"][0]["rack"], evening["player"], evening["clock"]["running"]) == (17, 1, True)
    assert table.page.get("/api/evening/history")["items"][-1]["text"] == "Ada ran out of time and drew 3 tiles."


def test_table_that_can_not_be_restored_stays_as_it_is(table):
    table.page.act("settings", timer="strict")
    table.page.act("resume")
    table.shows("K10 B10")
    table.passes(61)
    evening = table.page.act("restored", as_it_lies=True)
    assert evening["table_text"] == "K10 B10"
    assert evening["pool"] == 106 - 28 - 3 + 1


def test_turn_continues_with_more_time(table):
    table.page.act("settings", timer="strict")
    table.page.act("resume")
    table.passes(61)
    evening = table.page.act("more-time")
    assert (evening["failing"], evening["clock"]["running"], round(evening["clock"]["left_s"])) == (None, True, 30)
    table.passes(31)
    assert table.page.evening["failing"]["why"] == "time-up"
    table.page.act("overrule", reason="The dog")
    assert table.page.evening["player"] == 1


def test_friendly_clock_rings_without_ending_the_turn(table):
    table.page.act("resume")
    before = table.page.state["version"]
    table.passes(45)
    assert table.page.evening["clock"]["warning"] == 15
    assert table.page.state["version"] > before
    table.passes(60)
    evening = table.page.evening
    assert (evening["failing"], round(evening["clock"]["left_s"])) == (None, -45)
    table.shows(f"{GROUP} | {RUN}")
    assert table.page.act("done")["player"] == 1


def test_clock_can_be_paused_and_restarted(table):
    table.page.act("resume")
    table.passes(20)
    table.page.act("pause")
    table.passes(20)
    assert table.page.evening["clock"]["used_s"] == 20.0
    table.page.act("resume")
    table.passes(5)
    assert table.page.act("restart")["clock"]["used_s"] == 0.0
    table.page.act("settings", timer="off")
    assert table.page.evening["clock"]["left_s"] is None


def test_sleep_of_the_laptop_costs_no_time(table):
    table.page.act("settings", timer="strict")
    table.page.act("resume")
    table.passes(20)
    table.clock.now_s += 3600
    parts(table.app).timekeeper.tick()
    evening = table.page.act("pause")
    assert (evening["failing"], evening["clock"]["used_s"]) == (None, 20.0)


def test_system_clock_set_back_changes_nothing(table, monkeypatch):
    table.page.act("resume")
    table.passes(20)
    monkeypatch.setattr("tilekeeper.companion.session.session.utc_now", lambda: "1999-12-31T23:59:59Z")
    table.shows(f"{GROUP} | {RUN}")
    evening = table.page.act("done")
    assert evening["clock"]["used_s"] == 0.0
    items = table.page.get("/api/evening/history")["items"]
    assert (items[-1]["at"], items[-1]["seconds"]) == ("1999-12-31T23:59:59Z", 20.0)
    table.page.begin("Cleo", "Dan")
    kept = table.page.get("/api/evenings/results")["evenings"]
    assert [one["players"] for one in kept] == [["Cleo", "Dan"], ["Ada", "Bo"]]


def test_tournament_clock_counts_for_each_player(make_app, camera, tables):
    clock = Clock()
    table = Table(make_app(camera, now=clock), camera, tables, clock)
    evening = table.page.deal(settings={"tournament": True, "timer": "strict"}, house=["turn.limit_s=none"])
    assert evening["clock"]["banks_s"] == [610.0, 610.0]
    table.page.act("resume")
    table.passes(25)
    evening = table.page.act("draw")
    assert evening["clock"]["banks_s"] == [595.0, 610.0]
    table.passes(6)
    assert table.page.act("draw")["clock"]["banks_s"] == [595.0, 610.0]
    table.passes(596)
    assert table.page.evening["failing"]["why"] == "time-up"
    evening = table.page.act("restored")
    assert evening["player"] == 1


def test_finished_turn_is_noticed_without_a_button(table):
    table.page.act("settings", notices_done=True)
    table.page.act("resume")
    table.shows(f"{GROUP} | R3 R4")
    table.passes(UserSettings().done_after_s + 2)
    assert table.page.evening["player"] == 0
    table.shows(f"{GROUP} | {RUN}")
    table.passes(UserSettings().done_after_s + 2)
    assert table.page.evening["player"] == 1
    assert table.page.get("/api/evening/history")["items"][-1]["by"] == "app"


def test_points_of_an_opening_are_counted_live(table):
    table.page.act("draw")
    table.shows(f"{GROUP} | R10 R11")
    table.player.until(lambda state: state["evening"]["opening"] == {"points": 0, "needed": 30, "enough": False})
    table.shows(f"{GROUP} | R10 R11 R12")
    table.player.until(lambda state: state["evening"]["opening"] == {"points": 33, "needed": 30, "enough": True})


def test_failed_turn_in_cards_keeps_melds_and_returns_loose_cards(make_app, camera, tables):
    clock = Clock()
    table = Table(make_app(camera, now=clock), camera, tables, clock)
    table.page.deal(edition="cards", settings={"timer": "strict"})
    table.page.act("resume")
    table.shows("K10 B10 Y10 R10 | R3 R4")
    table.passes(121)
    evening = table.page.evening
    assert "into the player's hand" in evening["failing"]["text"]
    assert [len(meld["tiles"]) for meld in evening["failing"]["wanted"]] == [4]
    table.shows("K10 B10 Y10 R10")
    evening = table.page.act("restored")
    assert (evening["players"][0]["opened"], evening["players"][0]["rack"], evening["player"]) == (True, 10, 1)


def test_camera_trouble_does_not_stop_the_game_night(table):
    table.camera.trouble = "camera 0 sends no pictures any more; connecting again"
    table.camera.show(None)
    table.player.until(lambda state: state["source"]["trouble"])
    answer = table.page.act_refused("done")
    assert (answer["code"], answer["error"].endswith("Enter the tiles by hand.")) == ("no-picture", True)
    assert table.page.act_refused("table")["code"] == "no-picture"
    assert table.page.act("done", table=f"{GROUP} | {RUN}")["player"] == 1
    assert table.page.act("draw")["player"] == 0
    table.camera.trouble = ""
    table.camera.show(table.tables.picture(table_reading(GROUP)))
    assert table.player.sees(GROUP)["source"]["trouble"] == ""
    picture = table.tables.picture(table_reading(f"{GROUP} | {RUN}"))
    for trouble in ("", "camera 0 keeps sending the same picture; waiting for a new one", ""):
        table.camera.trouble = trouble
        table.camera.show(None if trouble else picture)
        table.player.until(lambda state, trouble=trouble: bool(state["source"]["trouble"]) == bool(trouble))
    table.player.sees(f"{GROUP} | {RUN}")
    assert table.page.act("draw", sure=True)["player"] == 1


def test_dark_picture_is_not_judged(table):
    table.shows(f"{GROUP} | {RUN}", status="too dark: bring more light to the table")
    assert "too dark" in table.page.act_refused("done")["error"]
    assert "too dark" in table.page.act_refused("table")["error"]


def test_pictures_are_black_outside_the_play_area(make_app, camera, tables):
    app = make_app(camera)
    page, player = EveningClient(app), Player(app.test_client())
    camera.show(tables.picture(table_reading(GROUP)))
    player.sees(GROUP)
    whole = page.http.get("/api/whole.jpg")
    assert cv2.imdecode(np.frombuffer(whole.data, np.uint8), cv2.IMREAD_COLOR)[-5, -5].max() > 40
    answer = page.post("/api/play-area", corners=[[0, 0], [0.5, 0], [0.5, 0.5], [0, 0.5]])
    assert answer["play_area"] == [[0.0, 0.0], [0.5, 0.0], [0.5, 0.5], [0.0, 0.5]]
    page.deal()
    camera.show(tables.picture(table_reading(f"{GROUP} | {RUN}")))
    state = player.sees(f"{GROUP} | {RUN}")
    page.act("table")
    item = page.get("/api/evening/history")["items"][-1]
    for address in (f"/picture/{state['picture']['number']}.jpg", item["picture"]):
        image = cv2.imdecode(np.frombuffer(page.http.get(address).data, np.uint8), cv2.IMREAD_COLOR)
        assert image[20, 20].max() > 10
        assert image[380:, :].max() < 30
        assert image[:, 500:].max() < 30
    assert "Racks may stand" in page.http.get("/api/whole.jpg").get_json()["error"]
    assert "Racks may stand" in page.refused("/api/sources/preview", source="0")["error"]
    assert page.refused("/api/play-area", corners=None)["code"] == "racks"
    for corners in ([[0, 0], [1, 1]], [[0, 0], [0.01, 0], [0.01, 0.01]], [[0, 0, 0]] * 4):
        assert page.refused("/api/play-area", corners=corners)["code"] == "bad-input"
