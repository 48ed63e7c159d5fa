"""Changes of the agreement during a game night: rounds, seconds, opening points and names."""

import pytest

OPENING = "K10 B10 O10"
TOO_LOW = "R1 R2 R3"


def test_turns_stay_as_decided_when_the_rules_change(by_hand) -> None:
    by_hand.deal("Ada", "Bo & Cleo", rounds=2, settings={"timer": "strict"})
    by_hand.act("done", table=OPENING)
    assert by_hand.act("done", table=f"{OPENING} | {TOO_LOW}")["wrong"]
    by_hand.act("stand")
    before = by_hand.act("restored")
    by_hand.act("done", table=f"{OPENING} R10")
    by_hand.act("draw")
    evening = by_hand.act("agreement", opening_points=6, limit_s=45, rounds=None)
    assert (evening["edition"]["opening_points"], evening["clock"]["limit_s"]) == (6, 45)
    assert (evening["rounds_agreed"], evening["table_text"]) == (None, f"{OPENING} R10")
    assert evening["last"] == (
        "From now on an opening needs 6 points. From now on each turn has 45 seconds. The evening has no fixed end now."
    )
    by_hand.act("draw")
    assert not by_hand.act("done", table=f"{OPENING} R10 | {TOO_LOW}")["wrong"]
    # Ada opened with 30 points and stays in the game when 50 are needed.
    evening = by_hand.act("agreement", opening_points=50)
    assert [player["opened"] for player in evening["players"]] == [True, True]
    assert evening["players"][1]["penalties"] == before["players"][1]["penalties"] > 0
    evening = by_hand.act("undo")
    assert evening["edition"]["opening_points"] == 6


def test_players_get_other_names_and_the_people_of_a_seat_too(by_hand) -> None:
    by_hand.deal("Ann", "Bo", "Cleo")
    by_hand.act("joined", name="Dan")
    by_hand.act("left", player=3)
    by_hand.act("joined", name="Dan")
    names = [{"player": 0, "name": "Bo"}, {"player": 1, "name": "Ann & Eve"}, {"player": 3, "name": "Daniel"}]
    evening = by_hand.act("agreement", names=names)
    assert [player["name"] for player in evening["players"]] == ["Bo", "Ann & Eve", "Cleo", "Daniel"]
    assert evening["players"][1]["people"] == ["Ann", "Eve"]
    assert "Ann is now called Bo." in evening["last"]
    assert by_hand.act("undo")["players"][0]["name"] == "Ann"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"names": [{"player": 0, "name": "bo"}]}, "Two players are called Bo."),
        ({"names": [{"player": 0, "name": " "}]}, "A player has no name yet."),
        ({"names": [{"player": 5, "name": "Eve"}]}, "There is no such player."),
        ({"rounds": 1}, "Round 2 has begun already."),
        ({"opening_points": 999}, "opening.minimum_points"),
    ],
)
def test_impossible_change_is_refused(by_hand, change, reason) -> None:
    by_hand.deal("Ada", "Bo", rounds=3)
    by_hand.act("rack-count", player=0, tiles=0)
    by_hand.act("rack-points", player=1, points=9)
    assert reason in by_hand.act_refused("agreement", **change)["error"]
