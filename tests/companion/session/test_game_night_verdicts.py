"""Turns in front of a camera, from frames to the verdict, with the real judge and the real settling of the table."""

import pytest

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import MarkedTables, PlayedSource, Player, table_reading
from tilekeeper.companion.session.camera_updates import ReadingImproved
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.vision.quality.diagnostics import NO_TILES, TOO_DARK

pytestmark = pytest.mark.slow  # waits for a table to come to rest

BEFORE = "R3 R4 R5 | K8 B8 O8"
LEGAL = "R3 R4 R5 R6 | K8 B8 O8"
ILLEGAL = "R3 R4 R5 | K8 B8 O8 O9"


def begin(player: Player, camera: PlayedSource, tables: MarkedTables, notation: str = BEFORE) -> None:
    """Lay a table and start a turn on it, for a player who has opened."""
    camera.show(tables.picture(table_reading(notation)))
    player.sees(notation)
    player.turns.begin()


def test_legal_turn_names_its_tiles_and_the_next_turn_starts_from_it(player, camera, tables):
    begin(player, camera, tables)
    camera.show(tables.picture(table_reading(LEGAL)))
    player.sees(LEGAL)
    state = player.turns.done()
    assert state["verdict"]["kind"] == "legal"
    assert [tile["text"] for tile in state["verdict"]["placed"]] == ["R6"]
    assert state["turn"]["finished"] == 1
    assert [[tile["text"] for tile in meld] for meld in state["turn"]["before"]] == [
        ["R3", "R4", "R5", "R6"],
        ["K8", "B8", "O8"],
    ]


def test_opening_has_its_points(player, camera, tables):
    begin(player, camera, tables)
    player.turns.say_opened(False)
    camera.show(tables.picture(table_reading(BEFORE + " | B10 O10 K10")))
    player.sees(BEFORE + " | B10 O10 K10")
    verdict = player.turns.done()["verdict"]
    assert (verdict["kind"], verdict["points"], verdict["opens"]) == ("legal", 30, True)
    assert "30 points" in verdict["advice"]


def test_illegal_turn_names_the_meld_and_goes_on(player, camera, tables):
    begin(player, camera, tables)
    camera.show(tables.picture(table_reading(ILLEGAL)))
    player.sees(ILLEGAL)
    state = player.turns.done()
    assert state["verdict"]["kind"] == "illegal"
    (fault,) = state["verdict"]["faults"]
    assert fault["code"] == "not-a-meld"
    assert fault["melds"] == [1]
    assert fault["text"].endswith(".")
    assert state["turn"]["finished"] == 0
    assert state["turn"]["before"][1][-1]["text"] == "O8"


def test_taken_tile_is_shown_at_its_old_place(player, camera, tables):
    begin(player, camera, tables)
    camera.show(tables.picture(table_reading("R3 R4 R5")))
    player.sees("R3 R4 R5")
    faults = player.turns.done()["verdict"]["faults"]
    taken_tiles = next(fault for fault in faults if fault["code"] == "tile-taken")["gone"]
    assert [tile["text"] for tile in taken_tiles] == ["K8", "B8", "O8"]
    assert taken_tiles[0]["quad"] == [[520, 60], [568, 60], [568, 126], [520, 126]]


def test_verdict_is_marked_once_the_table_has_changed(player, camera, tables):
    begin(player, camera, tables)
    assert player.turns.done()["verdict"]["current"] is True
    camera.show(tables.picture(table_reading(LEGAL)))
    assert player.sees(LEGAL)["verdict"]["current"] is False


def test_improved_reading_of_the_same_table_is_judged_again(player, camera, tables):
    """No tile has moved: the verdict follows the better reading."""
    begin(player, camera, tables)
    camera.show(tables.picture(table_reading(ILLEGAL)))
    player.sees(ILLEGAL)
    assert player.turns.done()["verdict"]["kind"] == "illegal"
    parts(player.client.application).session.handle(ReadingImproved(table_reading(LEGAL)))
    state = player.until(lambda state: state["verdict"] and state["verdict"]["current"])
    assert (state["verdict"]["kind"], state["turn"]["finished"]) == ("legal", 1)


def test_done_during_a_move_is_judged_once_the_table_has_settled(player, camera, tables):
    begin(player, camera, tables)
    tables.delay_s = 0.3
    camera.show(tables.picture(table_reading(LEGAL)))
    player.until(lambda state: not state["settled"])
    assert player.turns.done()["turn"]["waiting_to"] == "done"
    state = player.until(lambda state: state["verdict"])
    assert (state["verdict"]["kind"], state["turn"]["waiting_to"]) == ("legal", None)


def test_waiting_done_can_be_cancelled(player, camera, tables):
    begin(player, camera, tables)
    tables.delay_s = 0.3
    camera.show(tables.picture(table_reading(LEGAL)))
    player.until(lambda state: not state["settled"])
    player.turns.done()
    assert player.turns.act("cancel")["turn"]["waiting_to"] is None
    assert player.sees(LEGAL)["verdict"] is None


def test_game_can_start_from_an_empty_table(player, camera, tables):
    camera.show(tables.picture(table_reading("", status=NO_TILES)))
    player.sees("")
    assert player.turns.begin()["turn"]["before"] == []


def test_unreadable_table_is_neither_started_nor_judged(player, camera, tables):
    camera.show(tables.picture(table_reading(BEFORE, status=TOO_DARK)))
    assert player.sees(BEFORE)["reading"]["status"] == TOO_DARK
    page = EveningClient(player.client.application)
    page.deal()
    assert page.act_refused("table")["code"] == "no-picture"
    assert page.act_refused("done")["code"] == "no-picture"


@pytest.mark.parametrize(("answer", "kind"), [("red-6", "legal"), ("red-9", "illegal")])
def test_doubtful_tile_that_decides_the_verdict_is_asked_about(player, camera, tables, answer, kind):
    begin(player, camera, tables)
    camera.show(tables.picture(table_reading(LEGAL, doubts={(0, 3): "red-9"})))
    state = player.sees(LEGAL)
    verdict = player.turns.done()["verdict"]
    assert (verdict["kind"], verdict["faults"]) == ("unsure", [])
    assert [choice["label"] for choice in verdict["questions"][0]["choices"]] == ["red-6", "red-9", "no-tile"]
    assert verdict["questions"][0]["tile"] == 3
    state = player.press("answer", reading=state["reading"]["number"], tile=3, label=answer)
    assert state["verdict"]["kind"] == kind
    assert state["reading"]["tiles"][3]["doubtful"] is False
    assert state["turn"]["finished"] == (kind == "legal")


def test_doubtful_tile_that_does_not_matter_is_not_asked_about(player, camera, tables):
    begin(player, camera, tables)
    group = "R3 R4 R5 | K8 B8 O8 | K10 B10 R10"
    camera.show(tables.picture(table_reading(group, doubts={(2, 2): "orange-10"})))
    player.sees(group)
    verdict = player.turns.done()["verdict"]
    assert (verdict["kind"], verdict["questions"]) == ("legal", [])


def test_fault_is_certain_despite_a_doubtful_tile_elsewhere(player, camera, tables):
    begin(player, camera, tables)
    after = "R3 R4 R5 R6 | K8 B8 O8 | K1"
    camera.show(tables.picture(table_reading(after, doubts={(0, 3): "red-9"})))
    player.sees(after)
    verdict = player.turns.done()["verdict"]
    assert verdict["kind"] == "illegal"
    assert [fault["code"] for fault in verdict["faults"]] == ["meld-too-short"]
    assert [question["tile"] for question in verdict["questions"]] == [3]


def test_answer_about_an_older_table_is_refused(player, camera, tables):
    begin(player, camera, tables)
    answer = player.client.post("/api/answer", json={"reading": 99, "tile": 0, "label": "red-3"})
    assert answer.status_code == 409


def test_recording_that_starts_over_does_not_end_the_game(make_app, tables):
    film = PlayedSource("video", "game.mp4")
    player = Player(make_app(film).test_client())
    film.show(tables.picture(table_reading(BEFORE)))
    player.sees(BEFORE)
    state = player.turns.begin()
    number = state["picture"]["number"]
    film.restart()
    after = player.until(lambda state: state["picture"]["number"] > number)
    assert after["evening"]["revision"] == state["evening"]["revision"]
