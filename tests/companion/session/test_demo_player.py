"""The recorded table: it rests where a player is done, plays on by itself, and leaves Done to whoever is there."""

import json
from collections.abc import Iterator
from pathlib import Path

import cv2
import pytest

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import PICTURE_WH, MarkedTables, Player, table_reading
from tilekeeper.companion.capture.recorded_table import Cue, RecordedTable, cues_of
from tilekeeper.companion.session import demo_player
from tilekeeper.vision.sources.camera import SourceUnavailable

pytestmark = pytest.mark.slow  # waits for a table to come to rest

START = "R3 R4 R5 | K8 B8 O8"
FOUL = "R3 R4 R5 | K8 B8 O8 O9"
MENDED = "R3 R4 R5 | K8 B8 O8 R8"
STILL_FRAMES = 8


@pytest.fixture
def film(tmp_path: Path, tables: MarkedTables) -> Iterator[RecordedTable]:
    """A film of a foul and its mending, with its notes beside it."""
    path = tmp_path / "table.mp4"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"mp4v"), 20, PICTURE_WH)
    for notation in (START, FOUL, MENDED):
        image = tables.picture(table_reading(notation))
        for _ in range(STILL_FRAMES):
            writer.write(image)
    writer.release()
    turns = [None, {"opened": True}, {"opened": True}]
    stills = [{"last_frame": STILL_FRAMES * (at + 1) - 1, "turn": turn} for at, turn in enumerate(turns)]
    path.with_suffix(".json").write_text(json.dumps({"stills": stills}))
    playing = RecordedTable(path, cues_of(path), "recorded table")
    yield playing
    playing.close()


def test_a_film_rests_at_its_cue_until_it_is_told_to_go_on(film):
    indices = [film.read().index for _ in range(STILL_FRAMES + 3)]
    assert indices == [*range(STILL_FRAMES), *[STILL_FRAMES - 1] * 3]
    assert film.resting == Cue(STILL_FRAMES - 1, None)
    film.go_on()
    assert film.read().index == STILL_FRAMES
    assert film.resting is None


@pytest.mark.slow
def test_it_plays_the_whole_game_by_itself_and_begins_again(make_app, film, monkeypatch):
    for name in ("BEGIN_S", "DONE_S", "VERDICT_S"):
        monkeypatch.setattr(demo_player, name, 0.2)
    monkeypatch.setattr("tilekeeper.companion.capture.recorded_table.LAST_FRAME_HOLD_S", 0.1)
    player = Player(make_app(film).test_client())
    player.until(lambda state: state["turn"]["begun"])
    foul = player.until(lambda state: state["verdict"])
    assert foul["turn"]["opened"] is True
    assert foul["verdict"]["kind"] == "illegal"
    mended = player.until(lambda state: state["verdict"] and state["verdict"]["kind"] == "legal")
    assert [tile["text"] for tile in mended["verdict"]["placed"]] == ["R8"]
    player.until(lambda state: not state["turn"]["begun"])
    player.until(lambda state: state["turn"]["begun"])


def test_whoever_is_there_may_press_done_first(make_app, film, monkeypatch):
    monkeypatch.setattr(demo_player, "BEGIN_S", 0.1)
    player = Player(make_app(film).test_client())
    player.until(lambda state: state["turn"]["begun"])
    player.sees(FOUL)
    assert player.press("done")["verdict"]["kind"] == "illegal"


@pytest.mark.slow
def test_in_an_evening_the_film_waits_for_the_people_at_the_page(make_app, film, monkeypatch):
    monkeypatch.setattr(demo_player, "VERDICT_S", 0.2)
    app = make_app(film)
    page, player = EveningClient(app), Player(app.test_client())
    page.deal()
    player.sees(START)
    page.act("table")
    page.act("opened", player=0)
    player.sees(FOUL)
    assert page.act("done")["wrong"]
    player.sees(MENDED)
    assert page.act("done")["player"] == 1


def test_a_film_without_notes_has_no_cues(tmp_path):
    assert cues_of(tmp_path / "game.mp4") == ()


def test_a_film_that_can_not_be_played_is_told(tmp_path):
    path = tmp_path / "game.mp4"
    path.write_bytes(b"no film")
    with pytest.raises(SourceUnavailable, match=r"game\.mp4 can't be played"):
        RecordedTable(path, (), "recorded table")
