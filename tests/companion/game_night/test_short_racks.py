"""Missing tiles are told with the racks that were too short."""


def test_missing_tiles_name_the_racks_that_were_too_short(by_hand):
    by_hand.deal("Ada", "Bo", "Cleo")
    by_hand.act("rack-count", player=0, tiles=0)
    by_hand.act("rack-count", player=1, tiles=2)
    by_hand.act("rack", player=2, tiles="K1 K2")
    by_hand.act("undo")
    by_hand.act("rack", player=2, tiles="K1 K2 K3")
    (missing,) = [alarm["text"] for alarm in by_hand.act("rack", player=1, tiles="R1")["alarms"]]
    assert missing == "38 tiles of the box are missing. Missing on the racks: Ada 14, Cleo 11, Bo 13."


def test_rack_that_should_not_be_empty_is_told_once(by_hand):
    by_hand.deal("Ada", "Bo")
    alarms = [alarm["text"] for alarm in by_hand.act("rack-count", player=0, tiles=0)["alarms"]]
    assert alarms == ["14 tiles of the box are missing. Missing on the racks: Ada 14."]
