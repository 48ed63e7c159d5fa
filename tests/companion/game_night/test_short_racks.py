"""Missing tiles are told with the racks that were too short."""


def test_missing_tiles_name_the_racks_that_were_too_short(by_hand):
    by_hand.deal("Ada", "Bo", "Cleo")
    by_hand.act("rack-count", player=0, tiles=0)
    by_hand.act("rack-count", player=1, tiles=2)
    by_hand.act("rack", player=2, tiles="K1 K2")
    by_hand.act("undo")
    by_hand.act("rack", player=2, tiles="K1 K2 K3")
    missing = [alarm["text"] for alarm in by_hand.act("rack", player=1, tiles="R1")["alarms"]][-1]
    assert "of the box are missing." in missing
    assert missing.endswith("Cleo's rack had 11 tiles fewer than expected. Bo's rack had 1 tile fewer than expected.")
