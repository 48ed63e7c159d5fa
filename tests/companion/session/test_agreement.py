"""A rematch: the same people, seats, rules and settings as in an earlier game night."""


def test_rematch_has_the_names_seats_and_rules_of_the_end(by_hand):
    by_hand.begin("Ada", "Bo", "Cleo", rounds=2, house=["opening.minimum_points=40"], settings={"timer": "strict"})
    by_hand.act("starter", player=0, overruled=True)
    by_hand.act("joined", name="Dan")
    by_hand.act("agreement", rounds=3, limit_s=90, names=[{"player": 2, "name": "Cléo"}])
    by_hand.act("left", player=1)
    first = by_hand.act("end")["id"]
    by_hand.post("/api/evenings/leave")
    night = by_hand.post("/api/evenings/again", id=first)["evening"]
    assert night["id"] != first
    assert [player["name"] for player in night["players"]] == ["Ada", "Cléo", "Dan"]
    assert (night["rounds_agreed"], night["phase"], night["settings"]["timer"]) == (3, "starter", "strict")
    assert sorted(night["edition"]["house"]) == ["opening.minimum_points=40", "turn.limit_s=90"]


def test_rematch_of_the_youngest_has_the_same_leader(by_hand):
    names = ("Ada", "Mia", "Tom")
    first = by_hand.begin(*names, edition="junior", first_acquaintance=True, leader=2)["id"]
    assert by_hand.post("/api/evenings/again", id=first)["evening"]["finding"]["leader"] == 2


def test_rematch_of_an_unknown_game_night_is_refused(by_hand):
    assert by_hand.refused("/api/evenings/again", id="none")["code"] == "not-found"
