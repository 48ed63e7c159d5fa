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
