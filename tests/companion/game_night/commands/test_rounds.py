"""The app draws the lots that decide who begins."""

from tilekeeper.companion.game_night.commands import rounds
from tilekeeper.engine.tiles.notation import parse_table


def test_app_draws_again_while_players_tie_and_all_of_it_is_one_step(by_hand, monkeypatch):
    draws = iter(["R5 K9 B9", "R13 J", "B4"])

    class Scripted:
        def sample(self, box, count):
            tiles = parse_table(next(draws)).melds[0]
            assert (len(tiles), len(box)) == (count, 106)
            return list(tiles)

    monkeypatch.setattr(rounds, "SystemRandom", Scripted)
    by_hand.begin("Ada", "Bo", "Cleo")
    assert "app-draws" in by_hand.evening["may"]
    night = by_hand.act("app-draws")
    assert (night["phase"], night["starting"]["starter"]) == ("deal", 1)
    texts = [item["text"] for item in by_hand.get("/api/evening/history")["items"]]
    assert texts[-1].endswith("Bo begins.")
    assert by_hand.act("undo")["phase"] == "starter"


def test_app_draws_nothing_once_it_is_known_who_begins(by_hand):
    by_hand.begin("Ada", "Bo")
    by_hand.act("starter", player=0, overruled=True)
    by_hand.act_refused("app-draws")


def play_round(by_hand):
    """Play a round that Ada wins."""
    by_hand.act("deal")
    by_hand.act("rack-count", player=0, tiles=0)
    by_hand.act("rack-points", player=1, points=5)


def test_app_draws_for_the_next_round_as_well_until_the_players_decide_themselves(by_hand):
    by_hand.begin("Ada", "Bo")
    by_hand.act("app-draws")
    play_round(by_hand)
    night = by_hand.act("next-round")
    assert (night["phase"], night["result"]) == ("deal", False)
    night = by_hand.act("undo")
    assert (night["phase"], night["result"]) == ("starter", False)
    by_hand.act("lots", tiles="R9 K4")
    play_round(by_hand)
    assert by_hand.act("next-round")["phase"] == "starter"
    by_hand.act("starter", player=1, overruled=True)
    play_round(by_hand)
    assert by_hand.act("next-round")["phase"] == "starter"
