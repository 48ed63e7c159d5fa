"""Missing tiles are told with the racks that were too short."""


def test_missing_tiles_name_the_racks_that_were_too_short(by_hand):
    by_hand.deal("Ada", "Bo", "Cleo")
    by_hand.act("rack-count", player=0, tiles=0)
    by_hand.act("rack-count", player=1, tiles=2)
    by_hand.act("rack", player=2, tiles="K1 K2")
    by_hand.act("undo")
    by_hand.act("rack", player=2, tiles="K1 K2 K3")
    (missing,) = [alarm["text"] for alarm in by_hand.act("rack", player=1, tiles="R1")["alarms"]]
    assert "38 tiles of the box are missing." in missing
    racks = "Cleo's rack had 11 tiles fewer than expected. Bo's rack had 13 tiles fewer than expected."
    assert f"Ada's rack had 14 tiles fewer than expected. {racks}" in missing


def test_rack_that_should_not_be_empty_is_told_once(by_hand):
    by_hand.deal("Ada", "Bo")
    alarms = [alarm["text"] for alarm in by_hand.act("rack-count", player=0, tiles=0)["alarms"]]
    assert alarms == ["14 tiles of the box are missing. Ada's rack had 14 tiles fewer than expected."]
