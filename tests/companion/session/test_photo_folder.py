"""A folder of photos: each is shown, read and judged by itself, and a broken photo is skipped."""

import pytest

from tests.support.known_tables import PlayedPhotos, Player, table_reading
from tilekeeper.companion.capture.sources import open_source
from tilekeeper.vision.quality.diagnostics import NO_TILES, TOO_BLURRED

VALID = "R3 R4 R5 | K8 B8 O8"
BROKEN = "R3 R5 R4 | K8 B8 O8 | J"


@pytest.fixture
def folder(make_app, tables) -> Player:
    """A player with a folder of five photos."""
    images = [
        tables.picture(table_reading(VALID)),
        tables.picture(table_reading(BROKEN)),
        None,
        tables.picture(table_reading("", status=NO_TILES)),
        tables.picture(table_reading(VALID, status=TOO_BLURRED)),
    ]
    return Player(make_app(PlayedPhotos(images)).test_client())


def at(player: Player, index: int) -> dict:
    """Wait until the photo with this index is shown and read."""

    def is_judged(state: dict) -> bool:
        shown = state["settled"] and state["picture"] and state["picture"]["name"] == f"photo-{index}.jpg"
        return shown and state["turn"]["waiting_to"] is None

    return player.until(is_judged)


def test_photo_is_judged_without_a_button(folder):
    state = at(folder, 0)
    assert state["verdict"]["kind"] == "legal"
    assert state["verdict"]["advice"] == "All 2 sets are valid."
    assert (state["source"]["index"], state["source"]["count"]) == (0, 5)
    assert state["verdict"]["placed"] == []


def test_next_photo_has_its_own_verdict(folder):
    at(folder, 0)
    folder.press("step", by=1)
    verdict = at(folder, 1)["verdict"]
    assert verdict["kind"] == "illegal"
    assert [(fault["code"], fault["melds"]) for fault in verdict["faults"]] == [
        ("meld-too-short", [2]),
        ("run-broken", [0]),
    ]
    assert verdict["advice"] == "2 of 3 sets are wrong."


def test_broken_photo_is_reported_and_the_next_is_shown(folder):
    at(folder, 0)
    folder.press("step", by=2)
    state = folder.until(lambda state: state["source"]["trouble"])
    assert state["picture"] is None
    assert state["reading"] is None
    assert state["verdict"] is None
    assert "photo-2.jpg" in state["source"]["trouble"]
    folder.press("step", by=-2)
    assert at(folder, 0)["source"]["trouble"] == ""


def test_empty_or_unreadable_photo_is_not_judged(folder):
    at(folder, 0)
    folder.press("step", by=3)
    assert at(folder, 3)["verdict"] is None
    folder.press("step", by=1)
    state = at(folder, 4)
    assert state["verdict"] is None
    assert (state["reading"]["trusted"], state["reading"]["status"]) == (False, TOO_BLURRED)


def test_first_photo_follows_the_last(folder):
    at(folder, 0)
    folder.press("step", by=-1)
    assert at(folder, 4)["source"]["index"] == 4


def test_answer_to_a_question_judges_the_photo_again(make_app, tables):
    picture = tables.picture(table_reading("R3 R4 R8", doubts={(0, 2): "red-5"}))
    player = Player(make_app(PlayedPhotos([picture])).test_client())
    state = at(player, 0)
    assert state["verdict"]["kind"] == "unsure"
    state = player.press("answer", reading=state["reading"]["number"], tile=2, label="red-5")
    assert state["verdict"]["kind"] == "legal"
    assert state["reading"]["table"] == "R3 R4 R5"


def test_tile_corrected_to_no_tile_leaves_the_table(make_app, tables):
    picture = tables.picture(table_reading("R3 R4 R5 | K1", doubts={(1, 0): "no-tile"}))
    player = Player(make_app(PlayedPhotos([picture])).test_client())
    state = at(player, 0)
    assert state["verdict"]["questions"][0]["choices"][1]["name"] == "no tile"
    state = player.press("answer", reading=state["reading"]["number"], tile=3, label="no-tile")
    assert (state["verdict"]["kind"], state["reading"]["table"]) == ("legal", "R3 R4 R5")
    assert state["reading"]["tiles"][3]["there"] is False


def test_folder_of_image_files_is_stepped_through(make_app, tables, tmp_path):
    import cv2

    cv2.imwrite(str(tmp_path / "table-2.png"), tables.picture(table_reading(VALID)))
    cv2.imwrite(str(tmp_path / "table-10.png"), tables.picture(table_reading(BROKEN)))
    (tmp_path / "table-3.jpg").write_text("this is no picture")
    player = Player(make_app(open_source(str(tmp_path), 5.0)).test_client())
    player.sees(VALID)
    player.press("step", by=1)
    assert "table-3.jpg" in player.until(lambda state: state["source"]["trouble"])["source"]["trouble"]
    player.press("step", by=1)
    assert player.sees(BROKEN)["picture"]["name"] == "table-10.png"
