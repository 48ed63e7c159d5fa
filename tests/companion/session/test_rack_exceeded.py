"""A turn with more tiles than the rack held: Done asks which of the two counts is wrong."""

import pytest

from tests.support.known_tables import Player, table_reading
from tests.support.watched_game_night import GROUP, RUN, begun_table

RUNS = " | ".join(f"{ink}1 {ink}2 {ink}3 {ink}4 {ink}5 {ink}6 {ink}7 {ink}8 {ink}9 {ink}10" for ink in "KBOR")
"""Forty tiles: a legal opening for a player with that many."""


def test_turn_with_more_tiles_than_the_rack_held_asks_a_question(by_hand):
    """Nothing is recorded, the turn does not end, and the clock is stopped."""
    by_hand.deal()
    by_hand.act("resume")
    evening = by_hand.act("done", table=RUNS)
    assert evening["exceeded"] == {"laid": 40, "rack": 14, "text": "Ada laid 40 tiles, but had 14 tiles."}
    assert (evening["player"], evening["pool"], evening["players"][0]["rack"]) == (0, 78, 14)
    assert evening["clock"]["running"] is False
    assert "cancel" in evening["may"]


def test_turn_with_all_tiles_of_the_rack_ends_the_round(by_hand):
    by_hand.deal()
    by_hand.act("rack-count", player=0, tiles=3)
    evening = by_hand.act("done", table="R10 R11 R12")
    assert (evening["exceeded"], evening["out"]) == (None, 0)


def test_count_of_the_remaining_tiles_corrects_rack_and_pool(by_hand):
    """The additional tiles came from the pool; the whole correction is one step for undo."""
    by_hand.deal()
    by_hand.act("done", table=RUNS)
    evening = by_hand.act("done", table=RUNS, left=5)
    assert (evening["exceeded"], evening["player"]) == (None, 1)
    assert (evening["players"][0]["rack"], evening["pool"]) == (5, 106 - 40 - 5 - 14)
    assert evening["alarms"] == []
    evening = by_hand.act("undo")
    assert (evening["player"], evening["players"][0]["rack"], evening["pool"]) == (0, 14, 78)


def test_count_of_zero_ends_the_round(by_hand):
    by_hand.deal()
    by_hand.act("done", table=RUNS)
    assert by_hand.act("done", table=RUNS, left=0)["out"] == 0


@pytest.mark.parametrize("way", ["cancel", "undo"])
def test_cancelled_question_continues_the_turn(by_hand, way):
    by_hand.deal()
    by_hand.act("resume")
    by_hand.act("done", table=RUNS)
    evening = by_hand.act(way)
    assert (evening["exceeded"], evening["player"], by_hand.state["verdict"]) == (None, 0, None)
    assert evening["clock"]["running"] is (way == "cancel")


def test_rack_counted_elsewhere_cancels_the_question(by_hand):
    by_hand.deal()
    by_hand.act("resume")
    by_hand.act("done", table=RUNS)
    evening = by_hand.act("rack-count", player=0, tiles=44)
    assert (evening["exceeded"], evening["clock"]["running"]) == (None, True)
    assert by_hand.act("done", table=RUNS)["players"][0]["rack"] == 4


def test_present_table_can_become_the_start_of_the_turn(by_hand):
    by_hand.deal()
    by_hand.act("done", table=RUNS)
    evening = by_hand.act("table", table=RUNS)
    assert (evening["exceeded"], evening["player"], len(evening["table"])) == (None, 0, 4)
    assert evening["players"][0]["rack"] == 14


@pytest.mark.slow
def test_corrected_tile_answers_the_question(make_app, camera, tables):
    """The camera saw one tile too many; after it is corrected to no tile, the turn is judged."""
    table = begun_table(make_app, camera, tables)
    table.page.act("rack-count", player=0, tiles=3)
    table.camera.show(table.tables.picture(table_reading(f"{GROUP} | {RUN} R6")))
    table.player.sees(f"{GROUP} | {RUN} R6")
    assert table.page.act("done")["exceeded"]["laid"] == 4
    reading = table.page.state["reading"]
    table.page.post("/api/correct", reading=reading["number"], tile=6, label="no-tile")
    assert (table.page.evening["exceeded"], table.page.evening["out"]) == (None, 0)


def test_points_of_a_low_opening_are_on_the_bar(by_hand):
    """Without a camera the bar shows the points of the judged layout, until it is undone."""
    by_hand.deal()
    assert by_hand.evening["opening"] is None
    by_hand.act("done", table="R3 R4 R5")
    state = Player(by_hand.http).until(lambda state: state["evening"]["opening"] is not None)
    assert state["evening"]["opening"] == {"points": 12, "needed": 30, "enough": False}
    assert by_hand.state["verdict"]["faults"][0]["text"].endswith("These count 12 points: 18 are missing.")
