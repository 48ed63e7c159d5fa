"""Questions about doubtful tiles in a game night with a camera, the answers, and their effect on the verdict."""

import cv2
import numpy as np
import pytest

from tests.support.known_tables import quad_at, sure_but, table_reading, without
from tests.support.watched_game_night import GROUP, RUN, Table, begun_table

pytestmark = pytest.mark.slow  # waits for a table to come to rest


@pytest.fixture
def table(make_app, camera, tables) -> Table:
    """A table with a camera; a group is on it, and Ada, who has opened, begins."""
    return begun_table(make_app, camera, tables)


@pytest.mark.parametrize(("answer", "player"), [("red-6", 1), ("red-9", 0)])
def test_only_a_tile_that_decides_the_verdict_is_asked_about_with_the_clock_stopped(table, answer, player):
    table.page.act("resume")
    table.shows(f"{GROUP} | R3 R4 R5 R6", doubts={(0, 0): "blue-10", (1, 3): "red-9"})
    state = table.page.post("/api/evening/done", revision=table.page.evening["revision"])
    assert state["verdict"]["kind"] == "unsure"
    assert 6 in {question["tile"] for question in state["verdict"]["questions"]}
    assert not state["evening"]["clock"]["running"]
    number = state["reading"]["number"]
    crop = table.page.http.get(f"/crop/{number}/6.jpg")
    assert cv2.imdecode(np.frombuffer(crop.data, np.uint8), cv2.IMREAD_COLOR).shape[1] == 160
    table.page.post("/api/answer", reading=number, tile=0, label="black-10")
    state = table.page.post("/api/answer", reading=number, tile=6, label=answer)
    assert (state["evening"]["player"], state["evening"]["clock"]["running"]) == (player, True)
    assert table.page.refused("/api/answer", reading=number - 1, tile=6, label=answer)["code"] == "stale"


def test_question_can_be_left_unanswered(table):
    table.page.act("resume")
    table.shows(f"{GROUP} | R3 R4 R5 R6", doubts={(1, 3): "red-9"})
    table.page.act("done")
    evening = table.page.act("cancel")
    assert evening["clock"]["running"]
    assert table.page.state["verdict"] is None
    assert table.page.act_refused("cancel")["code"] == "not-now"


def test_correction_stays_with_its_tile(table):
    table.shows(f"{GROUP} | R3 R4 R6")
    state = table.page.state
    state = table.page.post("/api/correct", reading=state["reading"]["number"], tile=5, label="red-5")
    assert state["reading"]["table"] == f"{GROUP} | {RUN}"
    table.camera.show(table.tables.picture(table_reading(f"{GROUP} | R3 R4 R6 | K1")))
    table.player.sees(f"{GROUP} | {RUN} | K1")
    table.camera.show(table.tables.picture(table_reading(f"{GROUP} | R3 R4 | R6 | K1")))
    table.player.sees(f"{GROUP} | R3 R4 | R5 | K1")
    table.camera.show(table.tables.picture(table_reading(f"{GROUP} | R3 R4 | B9 | K1")))
    table.player.sees(f"{GROUP} | R3 R4 | B9 | K1")
    table.camera.show(table.tables.picture(table_reading(f"{GROUP} | R3 R4 | R6 | K1")))
    table.player.sees(f"{GROUP} | R3 R4 | R6 | K1")
    number = table.page.state["reading"]["number"]
    assert table.page.refused("/api/correct", reading=number, tile=0, label="mauve-3")["code"] == "bad-table"
    assert table.page.refused("/api/correct", reading=number, tile=99, label="red-3")["code"] == "not-now"


def test_cancelled_question_keeps_the_faults_of_the_verdict(table: Table) -> None:
    """The layout is still illegal, and the verdict still lists its faults."""
    table.page.act("resume")
    table.shows(f"{GROUP} | R3 R4")
    table.page.act("done")
    assert table.page.state["verdict"]["kind"] == "illegal"
    table.shows(f"{GROUP} | R3 R4 R5 R6", doubts={(1, 3): "red-9"})
    table.page.act("done")
    assert table.page.state["verdict"]["kind"] == "unsure"
    table.page.act("cancel")
    verdict = table.page.state["verdict"]
    assert (verdict["kind"], [fault["code"] for fault in verdict["faults"]]) == ("illegal", ["meld-too-short"])


@pytest.mark.parametrize(("at_once", "kind"), [(True, "unsure"), (False, "illegal")])
def test_first_done_asks_if_the_penalty_comes_at_once(table: Table, at_once: bool, kind: str) -> None:
    """With that house rule there is no second press of Done, so the first one asks the questions."""
    table.page.act("settings", penalty_at_once=at_once)
    table.page.act("resume")
    table.camera.show(table.tables.picture(sure_but(f"{GROUP} | O11 O10 O12", 5, "orange-9", 0.003)))
    table.player.sees(f"{GROUP} | O11 O10 O12")
    table.page.act("done")
    state = table.page.state
    assert state["verdict"]["kind"] == kind
    assert state["evening"]["failing"] is None
    if not at_once:
        return
    assert [question["tile"] for question in state["verdict"]["questions"]] == [5]
    # Confirming the reading brings the penalty; correcting it makes the turn legal.
    number = state["reading"]["number"]
    state = table.page.post("/api/answer", reading=number, tile=5, label="orange-12")
    assert state["evening"]["failing"]["penalty"] == 3
    assert table.page.act("undo", steps=2)["failing"] is None
    state = table.page.post("/api/correct", reading=number, tile=5, label="orange-9")
    assert table.page.act("done")["player"] == 1


def test_tile_taken_from_a_meld_is_named_and_shown_at_its_old_place(table: Table) -> None:
    """There is no question about a tile that is not on the table any more."""
    table.page.act("resume")
    remaining = without(f"{GROUP} | {RUN}", (0, 1))
    table.camera.show(table.tables.picture(remaining))
    table.player.sees(f"K10 | O10 | {RUN}")
    assert table.page.act("done")["player"] == 0
    verdict = table.page.state["verdict"]
    assert (verdict["kind"], verdict["questions"]) == ("illegal", [])
    (taken,) = [fault for fault in verdict["faults"] if fault["code"] == "tile-taken"]
    assert [(tile["text"], tile["quad"]) for tile in taken["gone"]] == [("B10", quad_at(0, 1).tolist())]
