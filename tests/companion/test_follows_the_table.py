"""The app with the reader that follows tiles: numbers, corrections, bumps, and what something covers, end to end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.companion.known_tables import PlayedSource, Player
from tests.vision.frames.drawn_table import WH, shifted, with_arm
from tests.vision.frames.played_table import Lying, picture, quad_at, row
from tests.vision.seen_tables import Truth
from tilekeeper.companion.app import create_app
from tilekeeper.companion.parts import parts
from tilekeeper.companion.settings import Settings
from tilekeeper.engine.editions import rule_set
from tilekeeper.vision.reader import Reader

RUN = row(200, 120, "red-3", "red-4", "red-5")
GROUP = row(500, 120, "red-7", "blue-7", "black-7")
LOW = row(200, 440, "blue-9", "blue-10", "blue-11", "blue-12")
TABLE = [*RUN, *GROUP, *LOW]
NOTATION = "R3 R4 R5 | R7 B7 K7 | B9 B10 B11 B12"
SIX = (275, 120, "red-6")


class Table:
    """A drawn table before a camera, a reader that knows what can be seen on it, and a player at the page."""

    def __init__(self, data_folder: Path) -> None:
        self.truth = Truth(np.zeros((0, 4, 2)), (), WH, sure=0.999)
        self.camera = PlayedSource()
        reader = Reader(self.truth.finder, self.truth.namer)
        rules = rule_set("large-numbers")
        app = create_app(Settings(rules, self.camera, reader, "camera 0", data_folder, still_after_s=0.1))
        app.testing = True
        self.parts = parts(app)
        self.parts.start()
        self.player = Player(app.test_client())

    def shows(
        self, tiles: Sequence[Lying], image: np.ndarray | None = None, seen: Sequence[Lying] | None = None
    ) -> None:
        """Lay tiles before the camera, of which the networks see all or those that are `seen`."""
        seen = tiles if seen is None else seen
        self.truth.quads_px = np.array([quad_at(x, y) for x, y, _ in seen]).reshape(-1, 4, 2)
        self.truth.labels = [label for *_, label in seen]
        self.camera.show(picture(tiles) if image is None else image)

    def until(self, holds: Callable[[dict], object]) -> dict:
        """Wait until the table is read and the state holds something."""
        return self.player.until(lambda state: state["settled"] and state["reading"] and holds(state))

    def begin(self) -> dict:
        """Read the table and begin the turn of a player who has opened."""
        self.shows(TABLE)
        self.player.sees(NOTATION)
        self.player.press("opened", opened=True)
        return self.player.press("begin")


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    """A table that is watched."""
    made = Table(tmp_path)
    yield made
    made.parts.close()


def test_a_hand_that_comes_and_goes_makes_no_new_reading(table: Table) -> None:
    """The number stays while the table does, what is covered is told as it lay, and a tile that is laid raises it."""
    before = table.begin()["reading"]
    table.shows(TABLE, with_arm(picture(TABLE), (240, 400)))
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
    assert table.player.press("done")["verdict"]["kind"] == "legal"
    assert len(table.truth.looks) <= finds + 1  # what lies face down is looked for once, beside everything else


def test_tiles_laid_so_that_the_arm_still_covers_some_are_waited_for(table: Table) -> None:
    """Nothing new is seen yet, and that nothing was laid would be said too soon."""
    table.begin()
    laid = [*TABLE, *row(600, 440, "black-1", "black-2", "black-3")]
    table.shows(laid, with_arm(picture(laid), (640, 400)), laid[:-2])
    table.until(lambda state: state["frame"] == "hidden")
    assert table.player.press("done")["turn"]["waiting_to"] == "done"
    table.shows(laid)
    assert table.until(lambda state: state["verdict"])["verdict"]["kind"] == "legal"


def test_an_arm_over_an_old_meld_stops_no_verdict(table: Table) -> None:
    """The turn was played elsewhere: nothing of it lies under the arm."""
    table.begin()
    laid = [*TABLE, SIX]
    table.shows(laid, with_arm(picture(laid), (240, 400)))
    table.until(lambda state: state["frame"] == "hidden" and "R6" in state["reading"]["table"])
    state = table.player.press("done")
    assert (state["verdict"]["kind"], state["turn"]["waiting_to"]) == ("legal", None)


def test_a_verdict_waits_for_the_arm_over_what_it_needs_and_comes_when_it_goes(table: Table) -> None:
    """A row that goes on under the arm is neither legal nor illegal, until the rest of it is seen."""
    table.begin()
    laid = [*TABLE, *row(600, 440, "black-1", "black-2", "black-3")]
    table.shows(laid[:-1])
    table.until(lambda state: "K1 K2" in state["reading"]["table"])
    table.shows(laid, with_arm(picture(laid), (670, 410)), laid[:-1])
    table.until(lambda state: state["frame"] == "hidden" and "K1 K2" in state["reading"]["table"])
    state = table.player.press("done")
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
    verdict = table.player.press("done")["verdict"]
    assert verdict["kind"] == "illegal"
    assert [fault["code"] for fault in verdict["faults"]] == ["group-colour-twice"]


def test_a_bump_moves_no_tile_and_leaves_the_verdict_as_it_was(table: Table) -> None:
    """Everything is found again: the same reading in another place, and the verdict on it still holds."""
    table.begin()
    laid = [*TABLE, (525, 300, "black-1")]
    table.shows(laid)
    number = table.until(lambda state: len(state["reading"]["tiles"]) == len(laid))["reading"]["number"]
    assert table.player.press("done")["verdict"]["kind"] == "illegal"
    quads_px = table.truth.quads_px
    table.truth.quads_px = quads_px + np.array([40, 18])
    table.camera.show(shifted(picture(laid), 40, 18))
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
