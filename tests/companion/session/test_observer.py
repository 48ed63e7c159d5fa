"""The app with the tracking reader, end to end: reading numbers, corrections, camera bumps, and occlusion."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.support.followed_table import GROUP, LOW, NOTATION, RUN, SIX, TABLE, Table
from tests.support.game_night_client import EveningClient
from tests.support.truthful_networks import WH, Truth, picture, quad_at, row, shifted, with_arm
from tilekeeper.companion.capture.sources import Frame
from tilekeeper.companion.observation.observed_table import tile_set_of
from tilekeeper.companion.session.observer import NetworkObserver
from tilekeeper.companion.session.watcher import FRAME_EVERY_WAITING_S
from tilekeeper.engine.rules.editions import rule_set
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.tracking.tracker import FrameReader
from tilekeeper.vision.types import TableReading

pytestmark = pytest.mark.slow


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """A table in front of the camera."""
    made = Table(tmp_path)
    yield made
    made.parts.close()


def test_hand_that_comes_and_goes_makes_no_new_reading(table: Table) -> None:
    """The reading keeps its number under the hand; covered tiles keep their labels; a new tile raises the number."""
    before = table.begin()["reading"]
    beneath = [(x, y, "no-tile" if (x, y, label) in LOW else label) for x, y, label in TABLE]
    table.shows(TABLE, with_arm(picture(TABLE), (240, 400)), beneath)
    covered = table.until(lambda state: state["frame"] == "hidden")
    assert (covered["reading"]["number"], covered["reading"]["table"]) == (before["number"], NOTATION)
    hidden = {tile["label"] for tile in covered["reading"]["tiles"] if tile["hidden"]}
    assert hidden
    assert hidden <= {"blue-9", "blue-10", "blue-11", "blue-12"}
    table.shows(TABLE)
    clear = table.until(lambda state: state["frame"] == "still")
    assert clear["reading"]["number"] == before["number"]
    assert not any(tile["hidden"] for tile in clear["reading"]["tiles"])
    table.shows([*TABLE, SIX])
    assert table.until(lambda state: "R6" in state["reading"]["table"])["reading"]["number"] == before["number"] + 1


def test_done_on_a_settled_table_judges_the_newest_reading(table: Table) -> None:
    """The newest reading is judged at once, so the answer to Done has the verdict."""
    table.begin()
    table.shows([*TABLE, SIX])
    table.until(lambda state: "R6" in state["reading"]["table"])
    finds = len(table.truth.looks)
    assert table.player.turns.done()["verdict"]["kind"] == "legal"
    assert len(table.truth.looks) <= finds + 1  # face-down tiles are searched for once more


def test_done_waits_for_laid_tiles_that_an_arm_covers(table: Table) -> None:
    """Without waiting, the app would say too early that nothing was laid."""
    table.begin()
    laid = [*TABLE, *row(600, 440, "black-1", "black-2", "black-3")]
    table.shows(laid, with_arm(picture(laid), (640, 400)), laid[:-2])
    table.until(lambda state: state["frame"] == "hidden")
    assert table.player.turns.done()["turn"]["waiting_to"] == "done"
    table.shows(laid)
    assert table.until(lambda state: state["verdict"])["verdict"]["kind"] == "legal"


def test_arm_over_an_unchanged_meld_does_not_delay_the_verdict(table: Table) -> None:
    """The turn was played elsewhere; no tile under the arm belongs to it."""
    table.begin()
    laid = [*TABLE, SIX]
    table.shows(laid, with_arm(picture(laid), (240, 400)))
    table.until(lambda state: state["frame"] == "hidden" and "R6" in state["reading"]["table"])
    state = table.player.turns.done()
    assert (state["verdict"]["kind"], state["turn"]["waiting_to"]) == ("legal", None)


def test_verdict_waits_for_the_arm_over_a_tile_that_it_needs(table: Table) -> None:
    """A row that continues under the arm is neither legal nor illegal until the rest is visible."""
    table.begin()
    laid = [*TABLE, *row(600, 440, "black-1", "black-2", "black-3")]
    table.shows(laid[:-1])
    table.until(lambda state: "K1 K2" in state["reading"]["table"])
    table.shows(laid, with_arm(picture(laid), (670, 410)), laid[:-1])
    table.until(lambda state: state["frame"] == "hidden" and "K1 K2" in state["reading"]["table"])
    state = table.player.turns.done()
    assert (state["verdict"], state["turn"]["waiting_to"]) == (None, "done")
    table.shows(laid)
    state = table.until(lambda state: state["verdict"])
    assert state["verdict"]["kind"] == "legal"
    assert [tile["text"] for tile in state["verdict"]["placed"]] == ["K1", "K2", "K3"]


def test_visible_fault_is_reported_despite_covered_tiles_elsewhere(table: Table) -> None:
    """No tile under the arm can fix a group with two sevens of one colour."""
    table.begin()
    laid = [*TABLE, (575, 120, "red-7")]
    table.shows(laid, with_arm(picture(laid), (240, 400)))
    table.until(lambda state: state["frame"] == "hidden" and len(state["reading"]["tiles"]) == len(laid))
    verdict = table.player.turns.done()["verdict"]
    assert verdict["kind"] == "illegal"
    assert [fault["code"] for fault in verdict["faults"]] == ["group-colour-twice"]


def test_camera_bump_keeps_reading_and_verdict(table: Table) -> None:
    """Every tile is detected again at its new place, and the verdict still holds."""
    table.begin()
    laid = [*TABLE, (525, 300, "black-1")]
    table.shows(laid)
    number = table.until(lambda state: len(state["reading"]["tiles"]) == len(laid))["reading"]["number"]
    assert table.player.turns.done()["verdict"]["kind"] == "illegal"
    quads_px = table.truth.quads_px
    known = replace(table.truth, quads_px=quads_px + np.array([40, 18]))
    table.camera.lay(shifted(picture(laid), 40, 18), known)
    bumped = table.until(lambda state: state["reading"]["tiles"][0]["quad"][0][0] > quads_px[0, 0, 0] + 30)
    assert bumped["reading"]["number"] == number
    assert bumped["verdict"]["current"] is True


def test_correction_moves_with_its_tile(table: Table) -> None:
    """It counts for the verdict, moves with the tile, and ends when the tile is gone."""
    table.begin()
    number = table.player.state()["reading"]["number"]
    assert table.player.press("correct", reading=number, tile=2, label="red-6")["reading"]["table"].startswith(
        "R3 R4 R6"
    )
    moved = [*RUN[:2], (700, 300, "red-5"), *GROUP, *LOW]
    table.shows(moved)
    state = table.until(lambda state: state["reading"]["tiles"][2]["quad"][0][0] > 600)
    assert state["reading"]["tiles"][2]["label"] == "red-6"
    assert not state["reading"]["tiles"][2]["doubtful"]
    table.shows([*moved[:2], *moved[3:]])
    table.until(lambda state: len(state["reading"]["tiles"]) == len(TABLE) - 1)
    table.shows(TABLE)
    table.player.sees(NOTATION)


def test_tile_corrected_to_no_tile_keeps_the_number_of_the_reading(table: Table) -> None:
    """The reading keeps its number, so that the verdict still refers to it."""
    table.begin()
    number = table.player.state()["reading"]["number"]
    table.player.press("correct", reading=number, tile=9, label="no-tile")
    table.shows(TABLE, with_arm(picture(TABLE), (700, 440)))
    state = table.until(lambda state: state["frame"] == "hidden")
    assert (state["reading"]["number"], state["reading"]["table"]) == (number, "R3 R4 R5 | R7 B7 K7 | B9 B10 B11")
    assert len(state["reading"]["tiles"]) == len(TABLE)


def test_camera_that_was_lost_finds_the_same_tiles(table: Table) -> None:
    """No tile counts as new when frames arrive again."""
    number = table.begin()["reading"]["number"]
    table.camera.show(None)
    table.camera.trouble = "camera 0 gives no pictures any more"
    table.player.until(lambda state: state["source"]["trouble"])
    table.camera.trouble = ""
    table.shows(TABLE)
    assert table.until(lambda state: not state["source"]["trouble"])["reading"]["number"] == number


def test_correction_of_an_old_tile_corrects_the_start_table(table: Table) -> None:
    """The old tile was not replaced by the new one; the verdict on the turn follows the corrected start."""
    client = EveningClient(table.app)
    client.deal("Ada", "Bo")
    table.shows([*row(200, 120, "red-3", "red-11", "red-5"), *GROUP])
    table.player.sees("R3 R11 R5 | R7 B7 K7")
    client.act("table")
    client.act("opened", player=0)
    client.act("resume")
    table.shows([*row(200, 120, "red-3", "red-11", "red-5", "red-6"), *GROUP])
    number = table.until(lambda state: "R6" in state["reading"]["table"])["reading"]["number"]
    client.act("done")
    assert client.state["verdict"]["kind"] == "illegal"
    seven = next(at for at, tile in enumerate(client.state["reading"]["tiles"]) if tile["label"] == "red-11")
    state = client.post("/api/correct", reading=number, tile=seven, label="red-4")
    assert state["verdict"]["kind"] == "legal"
    assert [tile["text"] for tile in state["verdict"]["placed"]] == ["R6"]
    assert state["evening"]["table_text"] == "R3 R4 R5 R6 | R7 B7 K7"
    history = [item["text"] for item in client.get("/api/evening/history")["items"]]
    assert history[-2] == "Red 11 on the table is really red 4."
    # After an undo the turn is judged again from the corrected table.
    client.act("undo")
    assert client.evening["table_text"] == "R3 R4 R5 | R7 B7 K7"
    client.act("done")
    assert client.state["verdict"]["kind"] == "legal"


def test_correction_between_turns_does_not_stop_a_draw(table: Table) -> None:
    """The table has not changed: its label was wrong from the beginning."""
    client = EveningClient(table.app)
    client.deal("Ada", "Bo")
    table.shows([*row(200, 120, "red-3", "red-11", "red-5"), *GROUP])
    number = table.player.sees("R3 R11 R5 | R7 B7 K7")["reading"]["number"]
    client.act("table")
    client.post("/api/correct", reading=number, tile=1, label="red-4")
    assert client.evening["table_text"] == "R3 R4 R5 | R7 B7 K7"
    assert client.act("draw")["player"] == 1


def test_number_unknown_to_the_classifier_can_be_entered(table: Table) -> None:
    """House rules may have more than thirteen numbers; the camera still detects changes."""
    client = EveningClient(table.app)
    client.deal("Ada", "Bo", house=["stock.numbers=15"])
    table.shows([*row(200, 120, "red-11", "red-12", "red-13", "red-3"), *GROUP])
    number = table.player.sees("R11 R12 R13 R3 | R7 B7 K7")["reading"]["number"]
    client.post("/api/correct", reading=number, tile=3, label="red-14")
    table.shows([*row(200, 120, "red-11", "red-12", "red-13", "red-3"), *GROUP, *LOW])
    state = table.player.sees("R11 R12 R13 R14 | R7 B7 K7 | B9 B10 B11 B12")
    assert state["source"]["trouble"] == ""


@pytest.mark.parametrize(("label", "text"), [("red-013", "R13"), ("yellow-5", None), ("red-14", None), ("red-", None)])
def test_label_of_a_correction_is_normalised_for_the_edition(table: Table, label: str, text: str | None) -> None:
    """A number has one spelling, and a label with an ink that the edition lacks is refused."""
    number = table.begin()["reading"]["number"]
    if text is None:
        refused = EveningClient(table.app).refused("/api/correct", reading=number, tile=0, label=label)
        assert refused["code"] == "bad-table"
    else:
        table.player.client.post("/api/correct", json={"reading": number, "tile": 0, "label": label})
    table.shows([*TABLE, SIX])
    read = table.until(lambda state: len(state["reading"]["tiles"]) == len(TABLE) + 1)
    assert read["reading"]["tiles"][0]["label"] == ("red-3" if text is None else "red-13")


def test_error_with_one_frame_ends_with_the_next(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if nothing moves."""
    table.begin()
    push, failed = FrameReader.push, []

    def fails_once(tracker: FrameReader, frame: Frame) -> TableReading:
        if not failed:
            failed.append(frame)
            raise RuntimeError("as no picture should")
        return push(tracker, frame)

    monkeypatch.setattr(FrameReader, "push", fails_once)
    table.player.until(lambda state: "could not be read" in state["source"]["trouble"])
    assert table.until(lambda state: not state["source"]["trouble"])["reading"]["table"] == NOTATION


def test_false_detection_is_asked_about_once(table: Table) -> None:
    """It stops no draw and causes no fault; the answer holds when the pattern is detected again at that place."""
    client = EveningClient(table.app)
    client.deal("Ada", "Bo")
    pattern = (700, 500, "blue-5")
    table.sure = {0: 0.6}
    table.shows([pattern])
    table.until(lambda state: [tile["doubtful"] for tile in state["reading"]["tiles"]] == [True])
    assert client.act("draw")["player"] == 1  # a candidate does not stop the draw
    opening = row(200, 120, "red-10", "red-11", "red-12")
    client.act("resume")
    table.shows([pattern, *opening])
    number = table.until(lambda state: "R12" in state["reading"]["table"])["reading"]["number"]
    client.act("done")
    (question,) = client.state["verdict"]["questions"]
    assert question["choices"][-1]["label"] == "no-tile"
    state = client.post("/api/answer", reading=number, tile=question["tile"], label="no-tile")
    assert (state["verdict"]["kind"], state["evening"]["player"]) == ("legal", 0)
    # The detector loses the pattern and detects it again: another track at the same place.
    table.sure = 0.999
    table.shows(opening)
    table.until(lambda state: len([tile for tile in state["reading"]["tiles"] if tile["there"]]) == 3)
    table.sure = {0: 0.6}
    group = row(200, 440, "blue-9", "black-9", "red-9")
    table.shows([pattern, *opening, *group])
    table.until(lambda state: "B9" in state["reading"]["table"])
    client.act("opened", player=0)
    client.act("done")
    assert client.state["verdict"]["kind"] == "legal"


def test_table_with_a_candidate_starts_a_turn_only_after_an_answer(table: Table) -> None:
    """A start table with a false tile would make every later turn look illegal."""
    client = EveningClient(table.app)
    client.deal("Ada", "Bo")
    table.sure = {0: 0.6}
    table.shows([(700, 500, "joker"), *RUN])
    table.until(lambda state: any(tile["doubtful"] for tile in state["reading"]["tiles"]))
    answer = client.act_refused("table")
    assert answer["code"] == "doubtful-tiles"
    reading, (tile,) = answer["details"]["reading"], answer["details"]["tiles"]
    client.post("/api/correct", reading=reading, tile=tile, label="no-tile")
    assert client.act("table")["table_text"] == "R3 R4 R5"


def test_both_groupings_of_close_melds_are_offered_if_they_decide_the_verdict(table: Table) -> None:
    """One tap says how they lie, which holds as long as they stay; about the same melds nobody is asked twice."""
    table.begin()
    gap = 4  # hardly more than the least gap between two melds
    melds = [*row(200, 300, "black-1", "black-2", "black-3"), *row(200 + 75 + gap, 300, "red-9", "blue-9", "black-9")]
    table.shows([*TABLE, *melds])
    state = table.until(lambda state: "K1" in state["reading"]["table"])
    number = state["reading"]["number"]
    verdict = table.player.turns.done()["verdict"]
    assert (verdict["kind"], verdict["questions"]) == ("unsure", [])
    ((one, other),) = [question["choices"] for question in verdict["groupings"]]
    assert {one["name"], other["name"]} == {"1 set", "2 sets"}
    for way in (one, other):
        path = "-".join(".".join(map(str, tiles)) for tiles in way["rows"])
        jpeg = table.player.client.get(f"/crop/{number}/rows/{path}.jpg").data
        assert cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR).shape[1] > 200
    assert table.player.client.get(f"/crop/{number}/rows/900.901.jpg").status_code == 404
    assert table.player.client.get(f"/crop/{number}/rows/one.jpg").status_code == 404
    answer = table.player.client.post("/api/group", json={"reading": number, "rows": [[0, 1], [2]]})
    assert answer.status_code == 409
    two = one if one["name"] == "2 sets" else other
    state = table.player.press("group", reading=number, rows=two["rows"])
    assert (state["verdict"]["kind"], state["verdict"]["groupings"]) == ("legal", [])
    table.shows([*TABLE, *melds, SIX])
    table.until(lambda state: "R6" in state["reading"]["table"])
    table.player.turns.say_opened(True)
    assert table.player.turns.done()["verdict"]["kind"] == "legal"


def test_answer_that_tiles_are_one_meld_is_used(table: Table) -> None:
    """Then the turn has the fault that the verdict warned of."""
    table.begin()
    gap = 4
    melds = [*row(200, 300, "black-1", "black-2", "black-3"), *row(200 + 75 + gap, 300, "red-9", "blue-9", "black-9")]
    table.shows([*TABLE, *melds])
    number = table.until(lambda state: "K1" in state["reading"]["table"])["reading"]["number"]
    ((one, other),) = [question["choices"] for question in table.player.turns.done()["verdict"]["groupings"]]
    joined = one if one["name"] == "1 set" else other
    state = table.player.press("group", reading=number, rows=joined["rows"])
    assert state["verdict"]["kind"] == "illegal"
    assert len(state["reading"]["melds"]) == 4


def test_reader_hardly_pauses_while_done_waits(table: Table, monkeypatch) -> None:
    """The reader pauses between frames; while Done waits for the table to settle, the pause is as short as possible."""
    table.begin()
    stopping, paused_s = table.parts.watcher._stopping, []
    pause = stopping.wait
    monkeypatch.setattr(stopping, "wait", lambda seconds: paused_s.append(seconds) or pause(seconds))
    table.until(lambda _: len(paused_s) > 3)
    assert FRAME_EVERY_WAITING_S <= max(paused_s) <= 1 / table.parts.settings.user.frames_per_second
    laid = [*TABLE, *row(600, 440, "black-1", "black-2", "black-3")]
    table.shows(laid, with_arm(picture(laid), (640, 400)), laid[:-2])
    table.until(lambda state: state["frame"] == "hidden")
    assert table.player.turns.done()["turn"]["waiting_to"] == "done"
    before = len(paused_s)
    table.player.until(lambda _: len(paused_s) > before + 1)
    assert paused_s[before + 1] == FRAME_EVERY_WAITING_S
    table.player.turns.act("cancel")


def test_camera_rests_on_a_settled_table_while_nobody_waits(table: Table) -> None:
    """Once everything is read, further frames add nothing; a hand or a waiting Done wakes the camera."""
    table.begin()
    table.player.until(lambda _: table.camera.resting)
    laid = [*TABLE, *row(600, 440, "black-1", "black-2", "black-3")]
    table.shows(laid, with_arm(picture(laid), (640, 400)), laid[:-2])
    table.player.until(lambda _: not table.camera.resting)
    table.until(lambda state: state["frame"] == "hidden")
    assert table.player.turns.done()["turn"]["waiting_to"] == "done"
    assert not table.camera.resting
    table.shows(laid)
    table.until(lambda state: state["verdict"])
    table.player.until(lambda _: table.camera.resting)


@pytest.mark.parametrize(("edition", "doubtful"), [("large-numbers", 0), ("junior", 2)])
def test_photo_is_read_with_the_copies_of_the_edition(edition: str, doubtful: int) -> None:
    """In an edition with one copy of each tile, two red 7s on a photo are both doubtful."""
    tiles = [*row(200, 120, "red-7", "blue-7", "black-7"), *row(200, 300, "red-5", "red-6", "red-7")]
    truth = Truth(np.array([quad_at(x, y) for x, y, _ in tiles]), [label for *_, label in tiles], WH, sure=0.999)
    reading = NetworkObserver(Reader(truth, truth.classifier)).read(picture(tiles), tile_set_of(rule_set(edition)))
    assert sum(tile.doubtful for tile in reading.tiles if tile.label == "red-7") == doubtful
