"""The app with the reader that follows tiles: numbers, corrections, bumps, and what something covers, end to end."""

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
    """A table that is watched."""
    made = Table(tmp_path)
    yield made
    made.parts.close()


def test_a_hand_that_comes_and_goes_makes_no_new_reading(table: Table) -> None:
    """The number stays while the table does, what is covered is told as it lay, and a tile that is laid raises it."""
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


def test_done_on_a_table_that_lies_still_reads_nothing_anew(table: Table) -> None:
    """The newest reading is judged as the button is pressed: the answer to it has the verdict."""
    table.begin()
    table.shows([*TABLE, SIX])
    table.until(lambda state: "R6" in state["reading"]["table"])
    finds = len(table.truth.looks)
    assert table.player.turns.done()["verdict"]["kind"] == "legal"
    assert len(table.truth.looks) <= finds + 1  # what lies face down is looked for once, beside everything else


def test_tiles_laid_so_that_the_arm_still_covers_some_are_waited_for(table: Table) -> None:
    """Nothing new is seen yet, and that nothing was laid would be said too soon."""
    table.begin()
    laid = [*TABLE, *row(600, 440, "black-1", "black-2", "black-3")]
    table.shows(laid, with_arm(picture(laid), (640, 400)), laid[:-2])
    table.until(lambda state: state["frame"] == "hidden")
    assert table.player.turns.done()["turn"]["waiting_to"] == "done"
    table.shows(laid)
    assert table.until(lambda state: state["verdict"])["verdict"]["kind"] == "legal"


def test_an_arm_over_an_old_meld_stops_no_verdict(table: Table) -> None:
    """The turn was played elsewhere: nothing of it lies under the arm."""
    table.begin()
    laid = [*TABLE, SIX]
    table.shows(laid, with_arm(picture(laid), (240, 400)))
    table.until(lambda state: state["frame"] == "hidden" and "R6" in state["reading"]["table"])
    state = table.player.turns.done()
    assert (state["verdict"]["kind"], state["turn"]["waiting_to"]) == ("legal", None)


def test_a_verdict_waits_for_the_arm_over_what_it_needs_and_comes_when_it_goes(table: Table) -> None:
    """A row that goes on under the arm is neither legal nor illegal, until the rest of it is seen."""
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


def test_a_fault_in_plain_sight_is_told_whatever_is_covered_elsewhere(table: Table) -> None:
    """Nothing under the arm can mend a group of two sevens of one colour."""
    table.begin()
    laid = [*TABLE, (575, 120, "red-7")]
    table.shows(laid, with_arm(picture(laid), (240, 400)))
    table.until(lambda state: state["frame"] == "hidden" and len(state["reading"]["tiles"]) == len(laid))
    verdict = table.player.turns.done()["verdict"]
    assert verdict["kind"] == "illegal"
    assert [fault["code"] for fault in verdict["faults"]] == ["group-colour-twice"]


def test_a_bump_moves_no_tile_and_leaves_the_verdict_as_it_was(table: Table) -> None:
    """Everything is found again: the same reading in another place, and the verdict on it still holds."""
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


def test_what_a_person_says_of_a_tile_goes_with_it(table: Table) -> None:
    """It holds for the tile and for the verdict, also where the tile is moved, and is gone with the tile."""
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


def test_what_a_person_calls_no_tile_leaves_the_numbers_of_the_others(table: Table) -> None:
    """The reading keeps its number, so that the verdict on it stays what it is about."""
    table.begin()
    number = table.player.state()["reading"]["number"]
    table.player.press("correct", reading=number, tile=9, label="no-tile")
    table.shows(TABLE, with_arm(picture(TABLE), (700, 440)))
    state = table.until(lambda state: state["frame"] == "hidden")
    assert (state["reading"]["number"], state["reading"]["table"]) == (number, "R3 R4 R5 | R7 B7 K7 | B9 B10 B11")
    assert len(state["reading"]["tiles"]) == len(TABLE)


def test_a_camera_that_is_lost_for_a_while_finds_the_table_as_it_was(table: Table) -> None:
    """No tile is new when pictures come again."""
    number = table.begin()["reading"]["number"]
    table.camera.show(None)
    table.camera.trouble = "camera 0 gives no pictures any more"
    table.player.until(lambda state: state["source"]["trouble"])
    table.camera.trouble = ""
    table.shows(TABLE)
    assert table.until(lambda state: not state["source"]["trouble"])["reading"]["number"] == number


def test_what_is_said_of_a_tile_that_lay_there_corrects_the_start_of_the_turn(table: Table) -> None:
    """Nobody took the one away and laid the other; the verdict on what was laid follows."""
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
    # Taken back, the turn is judged anew from the table that was put right.
    client.act("undo")
    assert client.evening["table_text"] == "R3 R4 R5 | R7 B7 K7"
    client.act("done")
    assert client.state["verdict"]["kind"] == "legal"


def test_a_tile_that_is_put_right_between_turns_does_not_stop_who_draws(table: Table) -> None:
    """The table lies as it lay: it only was another one from the beginning."""
    client = EveningClient(table.app)
    client.deal("Ada", "Bo")
    table.shows([*row(200, 120, "red-3", "red-11", "red-5"), *GROUP])
    number = table.player.sees("R3 R11 R5 | R7 B7 K7")["reading"]["number"]
    client.act("table")
    client.post("/api/correct", reading=number, tile=1, label="red-4")
    assert client.evening["table_text"] == "R3 R4 R5 | R7 B7 K7"
    assert client.act("draw")["player"] == 1


def test_a_number_that_the_eye_does_not_know_is_taken_from_a_person(table: Table) -> None:
    """Rules of a house may have more than thirteen numbers; the camera goes on seeing what changes."""
    client = EveningClient(table.app)
    client.deal("Ada", "Bo", house=["stock.numbers=15"])
    table.shows([*row(200, 120, "red-11", "red-12", "red-13", "red-3"), *GROUP])
    number = table.player.sees("R11 R12 R13 R3 | R7 B7 K7")["reading"]["number"]
    client.post("/api/correct", reading=number, tile=3, label="red-14")
    table.shows([*row(200, 120, "red-11", "red-12", "red-13", "red-3"), *GROUP, *LOW])
    state = table.player.sees("R11 R12 R13 R14 | R7 B7 K7 | B9 B10 B11 B12")
    assert state["source"]["trouble"] == ""


@pytest.mark.parametrize(("label", "text"), [("red-013", "R13"), ("yellow-5", None), ("red-14", None), ("red-", None)])
def test_a_tile_is_called_what_tiles_of_its_edition_are(table: Table, label: str, text: str | None) -> None:
    """A number has one way to be written, and an ink that the edition lacks is on none of its tiles."""
    number = table.begin()["reading"]["number"]
    if text is None:
        refused = EveningClient(table.app).refused("/api/correct", reading=number, tile=0, label=label)
        assert refused["code"] == "bad-table"
    else:
        table.player.client.post("/api/correct", json={"reading": number, "tile": 0, "label": label})
    table.shows([*TABLE, SIX])
    read = table.until(lambda state: len(state["reading"]["tiles"]) == len(TABLE) + 1)
    assert read["reading"]["tiles"][0]["label"] == ("red-3" if text is None else "red-13")


def test_trouble_with_one_picture_ends_with_the_next(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where nothing moves."""
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


def test_a_pattern_that_is_taken_for_a_tile_is_asked_about_once(table: Table) -> None:
    """It stops no draw, makes no foul, and what is said of its place holds when it is found there anew."""
    client = EveningClient(table.app)
    client.deal("Ada", "Bo")
    pattern = (700, 500, "blue-5")
    table.sure = {0: 0.6}
    table.shows([pattern])
    table.until(lambda state: [tile["doubtful"] for tile in state["reading"]["tiles"]] == [True])
    assert client.act("draw")["player"] == 1  # what may be no tile lies in nobody's way
    opening = row(200, 120, "red-10", "red-11", "red-12")
    client.act("resume")
    table.shows([pattern, *opening])
    number = table.until(lambda state: "R12" in state["reading"]["table"])["reading"]["number"]
    client.act("done")
    (question,) = client.state["verdict"]["questions"]
    assert question["choices"][-1]["label"] == "no-tile"
    state = client.post("/api/answer", reading=number, tile=question["tile"], label="no-tile")
    assert (state["verdict"]["kind"], state["evening"]["player"]) == ("legal", 0)
    # The eye loses the pattern and finds it again: another track at the same place.
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


def test_a_table_with_what_may_be_no_tile_is_begun_from_once_that_is_said(table: Table) -> None:
    """A start with a tile that was never there would make everything after it look like a foul."""
    client = EveningClient(table.app)
    client.deal("Ada", "Bo")
    table.sure = {0: 0.6}
    table.shows([(700, 500, "joker"), *RUN])
    table.until(lambda state: any(tile["doubtful"] for tile in state["reading"]["tiles"]))
    said = client.act_refused("table")
    assert said["code"] == "doubtful-tiles"
    reading, (tile,) = said["details"]["reading"], said["details"]["tiles"]
    client.post("/api/correct", reading=reading, tile=tile, label="no-tile")
    assert client.act("table")["table_text"] == "R3 R4 R5"


def test_melds_that_hardly_part_are_shown_both_ways_where_the_verdict_turns_on_it(table: Table) -> None:
    """One tap says how they lie, which holds for as long as they lie together; the same melds are asked of once."""
    table.begin()
    gap = 4  # hardly more than what parts two melds
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


def test_that_tiles_lie_in_one_meld_is_taken_at_a_persons_word(table: Table) -> None:
    """Then it is the foul that it was said to be."""
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


def test_every_frame_counts_while_somebody_waits_for_the_verdict(table: Table, monkeypatch) -> None:
    """Between frames there is a pause, of which only the least is left once Done waits for the table to lie still."""
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


def test_a_camera_rests_while_its_table_does_and_nobody_waits(table: Table) -> None:
    """Once all was looked at there is nothing new in further pictures; a hand, or Done that waits, wakes it."""
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
def test_a_photo_is_read_with_as_many_copies_as_the_edition_has(edition: str, doubtful: int) -> None:
    """Where there is one copy of each tile, two red 7s on a photo are both in doubt."""
    tiles = [*row(200, 120, "red-7", "blue-7", "black-7"), *row(200, 300, "red-5", "red-6", "red-7")]
    truth = Truth(np.array([quad_at(x, y) for x, y, _ in tiles]), [label for *_, label in tiles], WH, sure=0.999)
    reading = NetworkObserver(Reader(truth, truth.classifier)).read(picture(tiles), tile_set_of(rule_set(edition)))
    assert sum(tile.doubtful for tile in reading.tiles if tile.label == "red-7") == doubtful
