"""Game nights without a camera, over the API: every button, in any order, with valid and invalid bodies."""

import csv
import io

import pytest

from tests.support.game_night_client import words
from tilekeeper.engine.game.game import Game

GROUP = "K10 B10 O10"


def test_two_rounds_are_played_from_shuffling_to_the_final_score(by_hand):
    evening = by_hand.begin("Ada", "Bo", "Cleo", rounds=2)
    assert evening["phase"] == "starter"
    assert evening["starting"]["contenders"] == [0, 1, 2]
    evening = by_hand.act("lots", tiles="R5 K9 B9")
    assert evening["starting"]["contenders"] == [1, 2]
    evening = by_hand.act("lots", tiles="R5 K9")
    assert (evening["phase"], evening["starting"]["starter"]) == ("deal", 2)
    assert evening["starting"]["dealing"]["stacks_each"] == 2
    evening = by_hand.act("deal")
    assert (evening["player"], evening["pool"]) == (2, 106 - 42)
    evening = by_hand.act("done", table=GROUP)
    assert evening["last"] == "Cleo opened: laid black 10, blue 10 and orange 10 as a new group."
    evening = by_hand.act("draw")
    assert (evening["player"], evening["players"][0]["rack"]) == (1, 15)
    evening = by_hand.act("rack-count", player=2, tiles=0)
    assert (evening["phase"], evening["out"]) == ("racks", 2)
    by_hand.act("rack", player=0, tiles="R1 R2 J")
    evening = by_hand.act("rack", player=1, tiles="K13 | B4")
    assert [points["text"] for points in evening["sheet"]["totals"]] == ["−33", "−17", "+50"]
    assert evening["sheet"]["balance"] == ["All points add up to 0."]
    assert (evening["phase"], evening["round"]) == ("starter", 2)
    by_hand.act("starter", player=1)
    by_hand.act("deal")
    by_hand.act("rack-count", player=0, tiles=0)
    by_hand.act("rack", player=1, tiles="R2")
    evening = by_hand.act("rack", player=2, tiles="R3")
    assert (evening["phase"], evening["sheet"]["leaders"]) == ("over", [2])
    assert evening["sheet"]["running"] == [[-33.0, -17.0, 50.0], [-28.0, -19.0, 47.0]]
    assert evening["may"] == ["undo", "amend", "settings"]


def test_illegal_layout_is_fixed_and_the_fix_is_named(by_hand):
    by_hand.deal()
    by_hand.act("resume")
    by_hand.act("done", table=GROUP)
    by_hand.act("draw")
    state = by_hand.post("/api/evening/done", revision=by_hand.evening["revision"], table="K10 B10 O10 | R5 R7 R6")
    assert state["evening"]["wrong"]
    assert state["evening"]["clock"]["running"]
    assert [fault["code"] for fault in state["verdict"]["faults"]] == ["run-broken"]
    for _ in range(500):
        if (fix := by_hand.state["verdict"]["fix"]) is not None and not fix["improving"]:
            break
    assert len(fix["moves"]) == 1
    assert fix["proved"]
    evening = by_hand.act("done", table="K10 B10 O10 | R5 R6 R7")
    assert (evening["wrong"], evening["player"]) == (False, 1)


def test_player_who_insists_on_an_illegal_layout_draws_the_penalty(by_hand):
    by_hand.deal()
    by_hand.act("done", table="R1 R2")
    evening = by_hand.act("stand")
    assert evening["failing"]["why"] == "wrong"
    assert evening["failing"]["penalty"] == 3
    assert "restored" in evening["may"]
    assert by_hand.act_refused("done", table=GROUP)["code"] == "failing"
    evening = by_hand.act("restored")
    assert (evening["players"][0]["rack"], evening["players"][0]["penalties"], evening["player"]) == (17, 3, 1)
    assert by_hand.act_refused("stand")["code"] == "not-now"


def test_house_rule_applies_the_penalty_at_once(by_hand):
    by_hand.deal(settings={"penalty_at_once": True})
    evening = by_hand.act("done", table="R1 R2")
    assert evening["failing"]["why"] == "wrong"
    assert by_hand.act("restored")["players"][0]["rack"] == 17


def test_players_can_overrule_the_judge_with_a_reason(by_hand):
    by_hand.deal()
    by_hand.act("done", table="R1 R2 R3")
    assert by_hand.act_refused("overrule", reason="  ")["code"] == "reason"
    assert by_hand.act_refused("overrule", reason="x" * 400)["status"] == 400
    evening = by_hand.act("overrule", reason="We play without an opening today")
    assert (evening["player"], evening["players"][0]["opened"]) == (1, True)
    by_hand.act("done", table=f"R1 R2 R3 | {GROUP}")
    evening = by_hand.act("overrule", reason="It was Bo's cousin who laid", legal=False)
    assert evening["failing"]["why"] == "wrong"
    assert evening["player"] == 1
    evening = by_hand.act("restored")
    assert (evening["players"][1]["rack"], evening["player"]) == (17, 0)
    items = by_hand.get("/api/evening/history")["items"]
    assert [item["reason"] for item in items if item["reason"]] == [
        "We play without an opening today",
        "It was Bo's cousin who laid",
    ]
    assert by_hand.act_refused("overrule", reason="again", legal=False)["code"] == "not-now"


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_rejected_turn_is_legal_again_after_undo(by_hand, steps):
    begun = by_hand.deal()
    drawn = by_hand.act("draw")
    laid = by_hand.act("done", table=GROUP)
    evening = by_hand.act("overrule", reason="It was Bo's cousin who laid", legal=False)
    assert evening["undo"] == laid["undo"] + 1
    by_hand.post("/api/evenings/leave")
    by_hand.post("/api/evenings/open", id=begun["id"])
    back, wanted = by_hand.act("undo", steps=steps), (laid, drawn, begun)[steps - 1]
    same = ("failing", "players", "player", "pool", "table_text", "undo")
    assert {name: back[name] for name in same} == {name: wanted[name] for name in same}


def test_undo_of_several_steps_keeps_them_in_the_history(by_hand):
    states = [by_hand.deal()]
    for what in ({"table": GROUP}, None, None):
        states.append(by_hand.act("draw") if what is None else by_hand.act("done", **what))
    # The clock stops after an undo, so that everybody can check the table.
    changing = {"revision": 0, "clock": 0, "undo": 0, "last": 0, "may": 0}
    assert by_hand.act("undo") | changing == states[-2] | changing
    assert by_hand.act("undo", steps=2) | changing == states[0] | changing
    assert "2 steps can be taken back" in by_hand.act_refused("undo", steps=99)["error"]
    evening = by_hand.act("undo", steps=2)
    assert (evening["phase"], evening["undo"]) == ("starter", 0)
    assert by_hand.act_refused("undo")["error"] == "There is nothing to undo."
    items = by_hand.get("/api/evening/history")["items"]
    assert [item["undone"] for item in items] == [False, True, True, True, True, True, False, False, False]
    assert items[3]["text"].startswith("Ada opened")


WRONG = ("done", {"table": "K1 K2"})


@pytest.mark.parametrize(
    ("before", "button", "body"),
    [
        ((), "draw", {}),
        ((), "done", {"table": GROUP}),
        ((), "turn", {"player": 1}),
        ((("pool-count", {"tiles": 0}),), "pass", {}),
        ((WRONG,), "overrule", {"reason": "We checked it together."}),
        ((WRONG, ("stand", {})), "restored", {}),
    ],
)
def test_double_tap_on_a_button_that_passes_the_turn_passes_it_once(by_hand, before, button, body):
    by_hand.deal("Ada", "Bo", "Cleo")
    for what, with_body in before:
        by_hand.act(what, **with_body)
    revision = by_hand.evening["revision"]
    by_hand.post(f"/api/evening/{button}", revision=revision, **body)
    after = by_hand.evening
    refusal = by_hand.refused(f"/api/evening/{button}", revision=revision, **body)
    assert (refusal["status"], refusal["code"]) == (409, "stale")
    assert refusal["details"] == {"revision": after["revision"]}
    assert by_hand.evening["player"] == after["player"] == 1


def test_page_of_another_game_night_is_stale_or_refused(by_hand):
    by_hand.deal()
    by_hand.act("draw")
    revision = by_hand.evening["revision"]
    by_hand.begin("Zoe", "Yan")
    assert by_hand.refused("/api/evening/draw", revision=revision)["code"] == "stale"
    by_hand.post("/api/evenings/leave")
    assert by_hand.refused("/api/evening/draw", revision=1)["code"] == "no-evening"
    assert by_hand.state["evening"] is None


def test_action_out_of_turn_is_refused_in_words(by_hand):
    by_hand.begin()
    assert by_hand.act_refused("deal")["error"] == "First find out who begins."
    assert by_hand.act_refused("done", table=GROUP)["error"] == "Nobody is playing a turn now."
    assert by_hand.act_refused("rack", player=0, tiles="R1")["code"] == "not-now"
    by_hand.act("starter", player=0)
    by_hand.act("deal")
    assert "a player who lays none must draw" in by_hand.act_refused("pass")["error"]
    assert by_hand.act_refused("starter", player=7)["code"] == "not-now"


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (("Ada", "  ada "), "Two players are called ada"),
        (("Ada", "A" * 200), "200 characters. At most 60 fit"),
        (("Ada", " \u200b\u202e "), "has no name yet"),
        (("Ada",), "2 to 4 people can play this, not 1"),
        (("A", "B", "C", "D", "E"), "2 to 4 people can play this, not 5"),
    ],
)
def test_invalid_name_is_refused(by_hand, names, says):
    answer = by_hand.refused("/api/evenings", seats=[{"people": [name]} for name in names], edition="large-numbers")
    assert says in answer["error"]
    assert by_hand.state["evening"] is None


def test_names_with_emoji_or_of_two_people_are_accepted(by_hand):
    seats = [{"people": ["🦊🦊"]}, {"people": ["👩‍👩‍👧‍👦"]}, {"people": ["Ada", "Bo"]}]
    players = by_hand.post("/api/evenings", seats=seats, edition="large-numbers")["evening"]["players"]
    assert [player["name"] for player in players] == ["🦊🦊", "👩‍👩‍👧‍👦", "Ada & Bo"]
    assert players[2]["people"] == ["Ada", "Bo"]


@pytest.mark.parametrize(
    ("path", "body", "says"),
    [
        ("/api/evenings", {"seats": [], "edition": "finnish"}, "seats"),
        ("/api/evenings", {"seats": [{"people": ["A"]}, {"people": ["B"]}], "edition": "chess"}, "no edition 'chess'"),
        (
            "/api/evenings",
            {"seats": [{"people": ["A"]}, {"people": ["B"]}], "edition": "finnish", "house": ["opening=3"]},
            "no rule 'opening'",
        ),
        ("/api/evening/done", {"revision": 1, "table": 5}, "table"),
        ("/api/evening/done", {}, "revision"),
        ("/api/evening/done", {"revision": True}, "revision"),
        ("/api/evening/done", {"revision": 1, "tabel": ""}, "tabel"),
        ("/api/evening/more-time", {"revision": 1, "seconds": -5}, "seconds"),
    ],
)
def test_invalid_body_is_refused_in_one_line(by_hand, path, body, says):
    assert says in by_hand.refused(path, **body)["error"]


def test_invalid_notation_is_refused_with_its_position(by_hand):
    by_hand.deal()
    answer = by_hand.act_refused("done", table="K10 B10 Q7")
    assert (answer["code"], answer["status"], answer["details"]) == ("bad-table", 400, {"position": 8})


def test_round_that_began_without_the_app_is_continued(by_hand):
    by_hand.deal("Ada", "Bo", "Cleo")
    by_hand.act("table", table=f"{GROUP} | R1 R2 R3", reason="We had begun already")
    by_hand.act("opened", player=1)
    by_hand.act("rack-count", player=1, tiles=9)
    by_hand.act("pool-count", tiles=40)
    evening = by_hand.act("turn", player=1)
    assert (evening["player"], evening["pool"], evening["players"][1]["rack"]) == (1, 40, 9)
    evening = by_hand.act("done", table=f"{GROUP} | R1 R2 R3 R4")
    assert (evening["player"], evening["players"][1]["rack"]) == (2, 8)


def test_tile_with_too_many_copies_is_refused_with_all_its_places(by_hand):
    by_hand.deal("Ada", "Bo", "Cleo")
    by_hand.act("done", table="R10 R11 R12")
    by_hand.act("rack-count", player=0, tiles=0)
    by_hand.act("rack", player=1, tiles="K1 R11")
    answer = by_hand.act_refused("rack", player=2, tiles="R11 B2")
    assert answer["code"] == "impossible-tiles"
    assert answer["error"].startswith("Red 11 is there 3 times, but the box has only 2.")
    assert answer["details"] == {
        "tile": "R11",
        "places": [
            {"where": "table", "player": None, "meld": 0, "position": 1},
            {"where": "rack", "player": 1, "meld": None, "position": 1},
            {"where": "rack", "player": 2, "meld": None, "position": 0},
        ],
    }
    by_hand.act("rack", player=1, tiles="K1 B11")
    evening = by_hand.act("rack", player=2, tiles="R11 B2")
    assert evening["sheet"]["totals"][0]["value"] == 25


def test_redeal_is_granted_for_three_pairs(by_hand):
    by_hand.deal()
    evening = by_hand.act("redeal", player=1, tiles="B3 B3 R8 R8 O10 O10 K1 K2 K3 K4 K5 K6 K7 J")
    assert (evening["phase"], evening["starting"]["redeal"]) == (
        "deal",
        "Bo showed 3 pairs: mix the tiles again.",
    )


def test_redeal_is_offered_until_everybody_has_played(by_hand):
    offered = ["redeal" in evening["may"] for evening in (by_hand.deal(), by_hand.act("draw"), by_hand.act("draw"))]
    assert offered == [True, True, False]


def test_corrected_entry_replays_the_later_ones(by_hand):
    by_hand.deal()
    by_hand.act("done", table=f"{GROUP} | R1 R2 R3")
    by_hand.act("draw")
    event = {"event": "tiles-laid", "after": f"{GROUP} | R1 R2 R3 R4"}
    evening = by_hand.act("amend", place=3, event=event, reason="Misread")
    assert (evening["players"][0]["rack"], evening["table_text"]) == (7, f"{GROUP} | R1 R2 R3 R4")
    assert (evening["player"], evening["last"]) == (0, "An earlier entry was corrected.")
    assert by_hand.act("undo")["players"][0]["rack"] == 8
    for place, wrong in ((3, {"event": "teleported"}), (0, event), (3, {"event": "undone", "events": 1}), (99, event)):
        by_hand.act_refused("amend", place=place, event=wrong)
    assert by_hand.act_refused("amend", place=2, event={"event": "tile-drawn"})["code"] == "not-now"


def test_corrected_name_is_checked_like_any_name(by_hand):
    by_hand.deal()
    by_hand.act("joined", name="Dan")
    joined = {"event": "player-joined", "deals": True}
    for name in ("x" * 10_000, "\0", "\u202e", "bo"):
        by_hand.act_refused("amend", place=3, event=joined | {"name": name})
    evening = by_hand.act("amend", place=3, event=joined | {"name": "  Dana \u202e"})
    assert [player["people"] for player in evening["players"]][-1] == ["Dana"]


def test_player_whose_joining_is_undone_is_gone(by_hand):
    by_hand.deal("Ada", "Bo & Cleo")
    assert [player["people"] for player in by_hand.act("joined", name="Dan")["players"]][2:] == [["Dan"]]
    assert len(by_hand.act("undo")["players"]) == 2
    by_hand.act("joined", name="Eve")
    assert [player["people"] for player in by_hand.evening["players"]][2:] == [["Eve"]]


def test_entered_table_can_be_judged_before_done(by_hand):
    by_hand.deal()
    verdict = by_hand.post("/api/evening/judge", table="K10 B10 O10 | R5")["verdict"]
    assert (verdict["kind"], verdict["points"]) == ("illegal", 30)
    assert by_hand.evening["undo"] == 2


def test_game_night_can_be_exported(by_hand):
    by_hand.deal("=cmd()", "Bo")
    by_hand.act("done", table=GROUP)
    text = by_hand.http.get("/api/evening/export.jsonl").get_data(as_text=True)
    assert Game.parse(text).state.round.turn == 1
    rows = list(csv.DictReader(io.StringIO(by_hand.http.get("/api/evening/export.csv").data.decode("utf-8-sig"))))
    assert [row["event"] for row in rows] == ["game-started", "starter-chosen", "dealt", "tiles-laid"]
    assert rows[3]["player"] == "'=cmd()"
    assert rows[3]["table"] == GROUP
    by_hand.act("rack-count", player=0, tiles=0)
    by_hand.act("rack", player=1, tiles="R2")
    sheet = list(csv.reader(io.StringIO(by_hand.http.get("/api/evening/sheet.csv").data.decode("utf-8-sig"))))
    assert sheet == [["", "'=cmd()", "Bo"], ["round 1", "2", "-2"], ["total", "2", "-2"]]


def test_stored_game_nights_are_listed_and_opened_again(by_hand):
    first = by_hand.deal("Ada", "Bo")["id"]
    second = by_hand.begin("Cleo", "Dan", edition="cards")["id"]
    kept = by_hand.get("/api/evenings/results")["evenings"]
    assert [(one["id"], one["open"], one["edition_name"]) for one in kept] == [
        (second, True, "Cards"),
        (first, False, "Standard box"),
    ]
    state = by_hand.post("/api/evenings/open", id=first)
    assert (state["evening"]["id"], state["evening"]["phase"]) == (first, "turns")
    assert by_hand.refused("/api/evenings/open", id="nothing")["status"] == 404


def test_history_lists_events_in_order(by_hand):
    by_hand.deal()
    by_hand.act("done", table=GROUP)
    by_hand.act("draw")
    items = by_hand.get("/api/evening/history")["items"]
    assert words(items) == [
        "Ada and Bo started a game with the box “Standard box”.",
        "The players decided: Ada begins.",
        "The tiles were dealt.",
        "Ada opened: laid black 10, blue 10 and orange 10 as a new group.",
        "Bo drew 1 tile.",
    ]


def test_state_of_a_game_begun_without_the_app_is_entered_in_one_step(by_hand):
    """Openings, racks and pool in one step; impossible values are refused and change nothing."""
    by_hand.deal("Ada", "Bo", "Cleo")
    by_hand.act("table", table="R1 R2 R3 R4 | K9 B9 O9")
    racks = [{"player": 0, "tiles": 11}, {"player": 1, "tiles": 14}, {"player": 2, "tiles": 20}]
    evening = by_hand.act("begun", opened=[0], racks=racks, pool=54)
    assert [player["opened"] for player in evening["players"]] == [True, False, False]
    assert [player["rack"] for player in evening["players"]] == [11, 14, 20]
    assert (evening["pool"], evening["player"]) == (54, 0)
    assert [alarm["code"] for alarm in evening["alarms"]] == [
        "pool-differs"
    ]  # no tile is missing, and none is counted twice
    # Ada may add to the melds on the table, and Bo may not.
    assert by_hand.act("done", table="R1 R2 R3 R4 R5 | K9 B9 O9")["player"] == 1
    by_hand.act("done", table="R1 R2 R3 R4 R5 R6 | K9 B9 O9")
    faults = by_hand.state["verdict"]["faults"]
    assert {fault["code"] for fault in faults} >= {"opening-used-table"}
    by_hand.act("undo", steps=2)
    # A difference to the ledger is one step; without a difference there is no step.
    steps = by_hand.evening["undo"]
    assert by_hand.act("begun", opened=[0], racks=racks, pool=54)["undo"] == steps
    assert by_hand.act("begun", opened=None, racks=[], pool=None)["undo"] == steps
    assert by_hand.act("begun", opened=[0, 2], racks=[{"player": 1, "tiles": 3}], pool=65)["undo"] == steps + 1
    by_hand.act("undo")
    assert by_hand.act_refused("begun", racks=[{"player": 5, "tiles": 3}])["code"] == "not-now"
    assert by_hand.act_refused("begun", racks=[{"player": 0, "tiles": 0}])["code"] == "bad-input"
    by_hand.act("undo")
    assert [player["rack"] for player in by_hand.evening["players"]] == [14, 14, 14]
