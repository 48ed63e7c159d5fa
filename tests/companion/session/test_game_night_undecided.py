"""A turn that the judge can't decide counts, is taken back or goes on, as the players say."""

import pytest

from tests.support.known_tables import TOO_MANY_WAYS


def lay_undecided(by_hand, **settings):
    """Let the first player lay a turn that the judge can't decide, and return the evening."""
    before, after = TOO_MANY_WAYS
    by_hand.deal(house=["stock.jokers=8"], settings=settings)
    by_hand.act("table", table=before)
    by_hand.act("opened", player=0, opened=True)
    by_hand.act("resume")
    return by_hand.act("done", table=f"{after} | K13 B13 O13")


@pytest.mark.parametrize("penalty_at_once", [False, True])
def test_undecided_turn_counts_only_if_the_players_say_so(by_hand, penalty_at_once):
    evening = lay_undecided(by_hand, penalty_at_once=penalty_at_once)
    assert by_hand.get("/api/state")["verdict"]["kind"] == "undecided"
    assert evening["last"] == "Ada's turn: I can't decide it. Please check together."
    assert (evening["player"], evening["failing"], evening["clock"]["running"]) == (0, None, False)
    assert {"overrule", "stand", "cancel"} <= set(evening["may"])
    assert by_hand.get("/api/evening/history")["items"][-1]["legal"] is None
    evening = by_hand.act("overrule", reason="We checked it together.")
    assert (evening["player"], evening["players"][0]["rack"], evening["clock"]["running"]) == (1, 3, True)
    item = by_hand.get("/api/evening/history")["items"][-1]
    assert (item["legal"], item["reason"]) == (None, "We checked it together.")
    assert item["text"].endswith("The players let it count.")


def test_undecided_turn_is_taken_back_if_the_players_reject_it(by_hand):
    lay_undecided(by_hand)
    assert by_hand.act("stand")["failing"]["why"] == "wrong"
    evening = by_hand.act("restored")
    assert (evening["player"], evening["players"][0]["rack"]) == (1, 17)
    assert evening["table_text"] == TOO_MANY_WAYS[0]


def test_undecided_turn_goes_on_if_the_player_wants_to_change_it(by_hand):
    lay_undecided(by_hand)
    evening = by_hand.act("cancel")
    assert (evening["player"], evening["clock"]["running"], "cancel" in evening["may"]) == (0, True, False)
    evening = by_hand.act("done", table=f"{TOO_MANY_WAYS[0]} | K13 B13 O13")
    assert (evening["player"], evening["players"][0]["rack"]) == (1, 11)
