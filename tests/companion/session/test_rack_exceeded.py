"""More tiles laid than the player can have had: Done waits until people say which of the two was wrong."""

import pytest

from tests.support.known_tables import Player, table_reading
from tests.support.watched_game_night import GROUP, RUN, begun_table

RUNS = " | ".join(f"{ink}1 {ink}2 {ink}3 {ink}4 {ink}5 {ink}6 {ink}7 {ink}8 {ink}9 {ink}10" for ink in "KBOR")
"""Forty tiles, a legal opening for anybody who has so many."""


def test_more_tiles_than_the_rack_held_are_asked_about(by_hand):
    """Nothing is recorded, nobody's turn has passed on, and the clock stands."""
    by_hand.deal()
    by_hand.act("resume")
    evening = by_hand.act("done", table=RUNS)
    assert evening["exceeded"] == {"laid": 40, "rack": 14, "text": "Ada laid 40 tiles, but had 14 tiles."}
    assert (evening["player"], evening["pool"], evening["players"][0]["rack"]) == (0, 78, 14)
    assert evening["clock"]["running"] is False
    assert "cancel" in evening["may"]


def test_as_many_as_the_rack_held_end_the_round(by_hand):
    by_hand.deal()
    by_hand.act("rack-count", player=0, tiles=3)
    evening = by_hand.act("done", table="R10 R11 R12")
    assert (evening["exceeded"], evening["out"]) == (None, 0)


def test_a_count_of_what_is_left_puts_rack_and_pool_right(by_hand):
    """What the rack had more came from the pool; the whole is one step to take back."""
    by_hand.deal()
    by_hand.act("done", table=RUNS)
    evening = by_hand.act("done", table=RUNS, left=5)
    assert (evening["exceeded"], evening["player"]) == (None, 1)
    assert (evening["players"][0]["rack"], evening["pool"]) == (5, 106 - 40 - 5 - 14)
    assert evening["alarms"] == []
    evening = by_hand.act("undo")
    assert (evening["player"], evening["players"][0]["rack"], evening["pool"]) == (0, 14, 78)


def test_a_count_of_nothing_left_is_rummikub(by_hand):
    by_hand.deal()
    by_hand.act("done", table=RUNS)
    assert by_hand.act("done", table=RUNS, left=0)["out"] == 0


@pytest.mark.parametrize("way", ["cancel", "undo"])
def test_the_question_is_called_off_and_the_turn_goes_on(by_hand, way):
    by_hand.deal()
    by_hand.act("resume")
    by_hand.act("done", table=RUNS)
    evening = by_hand.act(way)
    assert (evening["exceeded"], evening["player"], by_hand.state["verdict"]) == (None, 0, None)
    assert evening["clock"]["running"] is (way == "cancel")


def test_counting_the_rack_elsewhere_calls_the_question_off(by_hand):
    by_hand.deal()
    by_hand.act("resume")
    by_hand.act("done", table=RUNS)
    evening = by_hand.act("rack-count", player=0, tiles=44)
    assert (evening["exceeded"], evening["clock"]["running"]) == (None, True)
    assert by_hand.act("done", table=RUNS)["players"][0]["rack"] == 4


def test_the_turn_starts_from_the_table_as_it_lies(by_hand):
    by_hand.deal()
    by_hand.act("done", table=RUNS)
    evening = by_hand.act("table", table=RUNS)
    assert (evening["exceeded"], evening["player"], len(evening["table"])) == (None, 0, 4)
    assert evening["players"][0]["rack"] == 14


@pytest.mark.slow
def test_a_tile_that_is_corrected_answers_the_question(make_app, camera, tables):
    """The camera saw one tile more than the rack held; once it is no tile, the turn is judged without it."""
    table = begun_table(make_app, camera, tables)
    table.page.act("rack-count", player=0, tiles=3)
    table.camera.show(table.tables.picture(table_reading(f"{GROUP} | {RUN} R6")))
    table.player.sees(f"{GROUP} | {RUN} R6")
    assert table.page.act("done")["exceeded"]["laid"] == 4
    reading = table.page.state["reading"]
    table.page.post("/api/correct", reading=reading["number"], tile=6, label="no-tile")
    assert (table.page.evening["exceeded"], table.page.evening["out"]) == (None, 0)


def test_a_low_opening_that_was_entered_counts_on_the_bar(by_hand):
    """Without a camera the points are those of the layout that was judged, until it is taken back."""
    by_hand.deal()
    assert by_hand.evening["opening"] is None
    by_hand.act("done", table="R3 R4 R5")
    state = Player(by_hand.http).until(lambda state: state["evening"]["opening"] is not None)
    assert state["evening"]["opening"] == {"points": 12, "needed": 30, "enough": False}
    assert by_hand.state["verdict"]["faults"][0]["text"].endswith("These count 12 points: 18 are missing.")
