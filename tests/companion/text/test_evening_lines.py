"""The evening in a few lines: one square per turn, a cup for whoever went out, the best player first."""

from tests.support.game_night_client import EveningClient
from tests.support.past_evenings import evening
from tilekeeper.companion.game_night.corrected_states import corrected_states, ended_rounds
from tilekeeper.companion.game_night.played_turns import played_turns
from tilekeeper.companion.text.evening_lines import evening_lines, squares_of
from tilekeeper.companion.web.api.extensions import parts

OPENING = "K10 B10 O10"
LEGEND = "🟩 laid  ⬜ nothing laid  🟥 did not count  🏆 out"


def recorded_of(client: EveningClient):
    return parts(client.http.application).session.state.activity.game_night.state.recorded


def rounds_of(recorded):
    return ended_rounds(corrected_states(recorded))


def test_each_turn_is_a_square_and_undone_turns_are_none(by_hand):
    by_hand.deal("Ada", "Bo", rounds=2)
    by_hand.act("done", table=OPENING)
    by_hand.act("draw")
    by_hand.act("undo")
    by_hand.act("done", table=f"{OPENING} | R7 R8 R11")  # corrected once, then taken back: one turn
    by_hand.act("done", table=f"{OPENING} | R7 R8 R12")
    by_hand.act("stand")
    by_hand.act("restored")
    by_hand.act("draw")
    by_hand.act("rack-count", player=1, tiles=0)
    by_hand.act("rack", player=0, tiles="R1 R2 J")
    assert evening_lines(recorded_of(by_hand), "28 November 2026") == "\n".join(
        ["Tilekeeper · 28 November 2026", "Bo +33  🟥🏆", "Ada −33  🟩⬜", LEGEND]
    )


def test_last_turn_that_emptied_the_rack_is_the_cup(by_hand):
    by_hand.deal("Ada", "Bo", rounds=1)
    by_hand.act("rack-count", player=0, tiles=3)
    by_hand.act("done", table=OPENING)
    by_hand.act("rack", player=1, tiles="R1 R2")
    assert [squares_of(play, 0) for play in rounds_of(recorded_of(by_hand))] == ["🏆"]


def test_round_that_was_undone_leaves_no_squares(by_hand):
    by_hand.deal("Ada", "Bo", rounds=3)
    by_hand.act("rack-count", player=0, tiles=0)
    by_hand.act("rack", player=1, tiles="R1 R2")
    by_hand.act("next-round")
    by_hand.act("starter", player=0, overruled=True)
    by_hand.act("deal")
    by_hand.act("draw")
    by_hand.act("undo", steps=3)
    assert [play.number for play in rounds_of(recorded_of(by_hand))] == [1]


def test_turn_of_an_earlier_round_that_was_corrected_has_another_square(by_hand):
    by_hand.deal("Ada", "Bo", rounds=3)
    by_hand.act("draw")
    place = by_hand.get("/api/evening/history")["items"][-1]["place"]
    by_hand.act("rack-count", player=1, tiles=0)
    by_hand.act("rack", player=0, tiles="R1 R2")
    by_hand.act("next-round")
    by_hand.act("starter", player=0, overruled=True)
    by_hand.act("deal")
    by_hand.act("amend", place=place, event={"event": "tiles-laid", "after": OPENING})
    first, _ = rounds_of(recorded_of(by_hand))
    assert squares_of(first, 0) == "🟩"


def test_squares_of_a_random_evening_are_as_many_as_its_turns():
    recorded = evening(1)
    turns = [turn for turn in played_turns(recorded) if turn.settled]
    outs = sum(play.out is not None for play in rounds_of(recorded))
    squares = [squares_of(play, seat) for play in rounds_of(recorded) for seat in range(len(recorded.state.players))]
    assert len(turns) <= sum(map(len, squares)) <= len(turns) + outs
    assert "".join(squares).count("🏆") == outs > 0
