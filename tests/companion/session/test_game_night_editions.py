"""Game nights by edition, and players who come and go: stars, the first-acquaintance game, empty pools."""

import pytest

from tilekeeper.engine.rules.editions import RULE_SETS


def test_players_come_and_go_and_tiles_are_lost_and_found(by_hand):
    by_hand.deal("Ada", "Bo", "Cleo")
    evening = by_hand.act("lost", tile="R7")
    assert (evening["pool"], evening["lost"][0]["text"], evening["alarms"]) == (63, "R7", [])
    evening = by_hand.act("left", player=0)
    assert (evening["players"][0]["away"], evening["player"], evening["pool"]) == (True, 1, 77)
    assert "At least 2 players must stay" in by_hand.act_refused("left", player=1)["error"]
    evening = by_hand.act("joined", name="Dan")
    assert (evening["players"][3]["name"], evening["players"][3]["people"], evening["pool"]) == ("Dan", ["Dan"], 63)
    assert by_hand.act_refused("joined", name="bo")["code"] == "bad-name"
    evening = by_hand.act("joined", name="Ada", deals=False)
    assert (evening["players"][0]["away"], evening["players"][0]["waits"]) == (False, True)
    assert by_hand.act("returned", tile="R7")["lost"] == []
    by_hand.act("undo", steps=2)
    evening = by_hand.act("joined", name="Eve")
    assert [player["people"] for player in evening["players"]][-2:] == [["Dan"], ["Eve"]]
    by_hand.act("undo", steps=4)
    assert [player["name"] for player in by_hand.evening["players"]] == ["Ada", "Bo", "Cleo"]


def test_round_with_an_empty_pool_is_scored(by_hand):
    by_hand.deal(house=["ending.pool_empty=all-pass"])
    by_hand.act("pool-count", tiles=0)
    by_hand.act("pass")
    evening = by_hand.act("pass")
    assert evening["phase"] == "racks"
    by_hand.act("rack", player=0, tiles="R5")
    evening = by_hand.act("rack", player=1, tiles="R7")
    assert [points["text"] for points in evening["sheet"]["rounds"][0]["points"]] == ["−5", "−7"]
    assert evening["sheet"]["rounds"][0]["winners"] == [0]


def test_junior_game_counts_stars(by_hand):
    evening = by_hand.deal(edition="junior")
    assert evening["edition"]["stars"]
    assert [player["stars"] for player in evening["players"]] == [6, 6]
    evening = by_hand.act("done", table="R1 R2 R3")
    assert (evening["players"][0]["stars"], evening["last"]) == (
        10,
        "Ada laid red 1 2 3 as a new run, for 4 stars.",
    )
    evening = by_hand.act("draw")
    assert evening["players"][1]["stars"] == 5
    by_hand.act("rack-count", player=0, tiles=0)
    evening = by_hand.act("rack-count", player=1, tiles=2)
    assert [points["value"] for points in evening["sheet"]["rounds"][0]["points"]] == [10, 3]
    assert evening["sheet"]["counts"] == "rounds-won"


def test_first_acquaintance_game_is_played_to_its_end(by_hand):
    evening = by_hand.begin(edition="junior", first_acquaintance=True, leader=0)
    assert (evening["phase"], evening["first_acquaintance"]) == ("finding", True)
    for ink in "RBYK":
        by_hand.act("point", tile=f"{ink}5")
        assert [tile["text"] for tile in by_hand.evening["finding"]["next"]] == [f"{ink}4", f"{ink}6"]
        for number in (4, 3, 2, 1, 6, 7, 8, 9, 10):
            by_hand.act("find", player=1, tile=f"{ink}{number}")
    evening = by_hand.evening
    assert evening["phase"] == "over"
    assert evening["players"][1]["stars"] == 36


def test_wrong_tile_in_the_first_acquaintance_game_is_explained(by_hand):
    by_hand.begin(edition="junior", first_acquaintance=True, leader=0)
    by_hand.act("point", tile="R5")
    assert by_hand.act("find", player=1, tile="R8")["finding"]["fault"] == "not-next"
    assert by_hand.act("find", player=0, tile="R6")["finding"]["fault"] == "leader-found"


@pytest.mark.parametrize("edition", list(RULE_SETS))
def test_round_of_each_edition_is_played_by_hand(by_hand, edition):
    evening, rules = by_hand.deal("Ada", "Bo", edition=edition), RULE_SETS[edition]
    highest = " ".join(f"{ink['letter']}{rules.stock.numbers}" for ink in evening["edition"]["inks"])
    opening = highest if rules.melds.largest_group else "R1 R2 R3"
    evening = by_hand.act("done", table=opening)
    assert evening["player"] == 1
    evening = by_hand.act("draw")
    evening = by_hand.act("rack-count", player=0, tiles=0)
    if rules.stars:
        evening = by_hand.act("rack-count", player=1, tiles=3)
    else:
        evening = by_hand.act("rack", player=1, tiles="R1 K2 J")
    assert len(evening["sheet"]["rounds"]) == 1
    assert evening["sheet"]["balanced"]
