"""A turn of a game night before a camera: frames in, reading, Done, verdict; with the real judge and still gate."""

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
    """Lay a table and start a turn from it, for a player who has opened."""
    camera.show(tables.picture(table_reading(notation)))
    player.sees(notation)
    player.turns.begin()


def test_a_legal_turn_says_what_was_laid_and_is_where_the_next_one_starts(player, camera, tables):
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


def test_an_opening_says_its_points(player, camera, tables):
    begin(player, camera, tables)
    player.turns.say_opened(False)
    camera.show(tables.picture(table_reading(BEFORE + " | B10 O10 K10")))
    player.sees(BEFORE + " | B10 O10 K10")
    verdict = player.turns.done()["verdict"]
    assert (verdict["kind"], verdict["points"], verdict["opens"]) == ("legal", 30, True)
    assert "30 points" in verdict["advice"]


def test_a_fault_points_to_its_meld_and_the_turn_goes_on(player, camera, tables):
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


def test_a_tile_that_was_taken_is_shown_where_it_lay(player, camera, tables):
    begin(player, camera, tables)
    camera.show(tables.picture(table_reading("R3 R4 R5")))
    player.sees("R3 R4 R5")
    faults = player.turns.done()["verdict"]["faults"]
    taken_tiles = next(fault for fault in faults if fault["code"] == "tile-taken")["gone"]
    assert [tile["text"] for tile in taken_tiles] == ["K8", "B8", "O8"]
    assert taken_tiles[0]["quad"] == [[520, 60], [568, 60], [568, 126], [520, 126]]


def test_a_verdict_says_when_the_table_has_changed_since(player, camera, tables):
    begin(player, camera, tables)
    assert player.turns.done()["verdict"]["current"] is True
    camera.show(tables.picture(table_reading(LEGAL)))
    assert player.sees(LEGAL)["verdict"]["current"] is False


def test_what_is_read_better_while_it_lies_is_judged_again(player, camera, tables):
    """Nobody has moved anything: the verdict is on this table, whatever a first look took it for."""
    begin(player, camera, tables)
    camera.show(tables.picture(table_reading(ILLEGAL)))
    player.sees(ILLEGAL)
    assert player.turns.done()["verdict"]["kind"] == "illegal"
    parts(player.client.application).session.handle(ReadingImproved(table_reading(LEGAL)))
    state = player.until(lambda state: state["verdict"] and state["verdict"]["current"])
    assert (state["verdict"]["kind"], state["turn"]["finished"]) == ("legal", 1)


def test_done_during_a_move_is_judged_once_the_table_lies_still(player, camera, tables):
    begin(player, camera, tables)
    tables.delay_s = 0.3
    camera.show(tables.picture(table_reading(LEGAL)))
    player.until(lambda state: not state["settled"])
    assert player.turns.done()["turn"]["waiting_to"] == "done"
    state = player.until(lambda state: state["verdict"])
    assert (state["verdict"]["kind"], state["turn"]["waiting_to"]) == ("legal", None)


def test_a_waiting_done_can_be_called_off(player, camera, tables):
    begin(player, camera, tables)
    tables.delay_s = 0.3
    camera.show(tables.picture(table_reading(LEGAL)))
    player.until(lambda state: not state["settled"])
    player.turns.done()
    assert player.turns.act("cancel")["turn"]["waiting_to"] is None
    assert player.sees(LEGAL)["verdict"] is None


def test_a_game_may_start_from_an_empty_table(player, camera, tables):
    camera.show(tables.picture(table_reading("", status=NO_TILES)))
    player.sees("")
    assert player.turns.begin()["turn"]["before"] == []


def test_a_table_that_can_not_be_read_is_neither_begun_nor_judged(player, camera, tables):
    camera.show(tables.picture(table_reading(BEFORE, status=TOO_DARK)))
    assert player.sees(BEFORE)["reading"]["status"] == TOO_DARK
    page = EveningClient(player.client.application)
    page.deal()
    assert page.act_refused("table")["code"] == "no-picture"
    assert page.act_refused("done")["code"] == "no-picture"


@pytest.mark.parametrize(("answer", "kind"), [("red-6", "legal"), ("red-9", "illegal")])
def test_a_doubtful_tile_on_which_it_turns_is_asked_about(player, camera, tables, answer, kind):
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


def test_a_doubtful_tile_on_which_nothing_turns_is_not_asked_about(player, camera, tables):
    begin(player, camera, tables)
    group = "R3 R4 R5 | K8 B8 O8 | K10 B10 R10"
    camera.show(tables.picture(table_reading(group, doubts={(2, 2): "orange-10"})))
    player.sees(group)
    verdict = player.turns.done()["verdict"]
    assert (verdict["kind"], verdict["questions"]) == ("legal", [])


def test_a_fault_stands_whatever_a_doubtful_tile_elsewhere_is(player, camera, tables):
    begin(player, camera, tables)
    after = "R3 R4 R5 R6 | K8 B8 O8 | K1"
    camera.show(tables.picture(table_reading(after, doubts={(0, 3): "red-9"})))
    player.sees(after)
    verdict = player.turns.done()["verdict"]
    assert verdict["kind"] == "illegal"
    assert [fault["code"] for fault in verdict["faults"]] == ["meld-too-short"]
    assert [question["tile"] for question in verdict["questions"]] == [3]


def test_an_answer_to_another_table_is_refused(player, camera, tables):
    begin(player, camera, tables)
    answer = player.client.post("/api/answer", json={"reading": 99, "tile": 0, "label": "red-3"})
    assert answer.status_code == 409


def test_a_recording_that_starts_over_ends_no_game(make_app, tables):
    film = PlayedSource("video", "game.mp4")
    player = Player(make_app(film).test_client())
    film.show(tables.picture(table_reading(BEFORE)))
    player.sees(BEFORE)
    state = player.turns.begin()
    number = state["picture"]["number"]
    film.restart()
    after = player.until(lambda state: state["picture"]["number"] > number)
    assert after["evening"]["revision"] == state["evening"]["revision"]
