"""The demo recording pauses where a player presses Done, and continues after people have seen the verdict."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest

from tests.support.known_tables import PICTURE_WH, MarkedTables, Player, table_reading
from tilekeeper.companion.capture.recorded_table import Cue, RecordedTable, cues_of
from tilekeeper.companion.capture.sources import SourceUnavailable
from tilekeeper.companion.session import demo_player

pytestmark = pytest.mark.slow  # waits for a table to come to rest

START = "R3 R4 R5 | K8 B8 O8"
FOUL = "R3 R4 R5 | K8 B8 O8 O9"
MENDED = "R3 R4 R5 | K8 B8 O8 R8"
STILL_FRAMES = 8


@pytest.fixture
def film(tmp_path: Path, tables: MarkedTables) -> Iterator[RecordedTable]:
    """A film of an illegal turn and its fix, with its cues."""
    path = tmp_path / "table.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 20, PICTURE_WH)
    for notation in (START, FOUL, MENDED):
        image = tables.picture(table_reading(notation))
        for _ in range(STILL_FRAMES):
            writer.write(image)
    writer.release()
    stills = [{"last_frame": STILL_FRAMES * (at + 1) - 1} for at in range(3)]
    path.with_suffix(".json").write_text(json.dumps({"stills": stills}))
    playing = RecordedTable(path, cues_of(path), "recorded table")
    yield playing
    playing.close()


def test_film_pauses_at_its_cue_until_it_is_continued(film):
    indices = [film.read().index for _ in range(STILL_FRAMES + 3)]
    assert indices == [*range(STILL_FRAMES), *[STILL_FRAMES - 1] * 3]
    assert film.resting == Cue(STILL_FRAMES - 1)
    film.go_on()
    assert film.read().index == STILL_FRAMES
    assert film.resting is None


def test_film_waits_for_people_and_starts_over_after_its_end(make_app, film, monkeypatch):
    monkeypatch.setattr(demo_player, "VERDICT_S", 0.2)
    monkeypatch.setattr("tilekeeper.companion.capture.recorded_table.LAST_FRAME_HOLD_S", 0.1)
    player = Player(make_app(film).test_client())
    player.sees(START)
    player.turns.begin()
    player.sees(FOUL)
    assert player.turns.done()["evening"]["wrong"]
    player.sees(MENDED)
    state = player.turns.done()
    assert (state["evening"]["player"], [tile["text"] for tile in state["verdict"]["placed"]]) == (1, ["R8"])
    player.sees(START)


def test_film_pauses_at_its_first_cue_without_a_game_night(make_app, film, monkeypatch):
    monkeypatch.setattr(demo_player, "VERDICT_S", 0.0)
    player = Player(make_app(film).test_client())
    number = player.sees(START)["picture"]["number"]
    player.until(lambda _: film.resting is not None)
    time.sleep(0.5)
    assert (film.resting, player.state()["picture"]["number"]) == (Cue(STILL_FRAMES - 1), number)


def test_film_without_a_cue_file_has_no_cues(tmp_path):
    assert cues_of(tmp_path / "game.mp4") == ()


def test_film_that_can_not_be_played_is_reported(tmp_path):
    path = tmp_path / "game.mp4"
    path.write_bytes(b"no film")
    with pytest.raises(SourceUnavailable, match=r"game\.mp4 can't be played"):
        RecordedTable(path, (), "recorded table")
