"""Evenings played by hand through the API: every edition, every button, whatever is sent and however often."""

import csv
import io

import pytest
from flask import Flask

from tests.companion.evening_client import EveningClient, words
from tilekeeper.companion.no_source import NoSource
from tilekeeper.engine.game import Game

GROUP = "K10 B10 O10"


@pytest.fixture
def app(make_app) -> Flask:
    """An app without a camera."""
    return make_app(NoSource(), watch=False)


@pytest.fixture
def page(app: Flask) -> EveningClient:
    """A page of that app."""
    return EveningClient(app)


def test_two_rounds_are_played_from_shuffling_to_the_final_score(page):
    evening = page.begin("Ada", "Bo", "Cleo", rounds=2)
    assert evening["phase"] == "starter"
    assert evening["starting"]["contenders"] == [0, 1, 2]
    evening = page.act("lots", tiles="R5 K9 B9")
    assert evening["starting"]["contenders"] == [1, 2]
    evening = page.act("lots", tiles="R5 K9")
    assert (evening["phase"], evening["starting"]["starter"]) == ("deal", 2)
    assert evening["starting"]["dealing"]["stacks_each"] == 2
    evening = page.act("deal")
    assert (evening["player"], evening["pool"]) == (2, 106 - 42)
    evening = page.act("done", table=GROUP)
    assert evening["last"] == "Cleo opened: laid black 10, blue 10 and orange 10 as a new group."
    evening = page.act("draw")
    assert (evening["player"], evening["players"][0]["rack"]) == (1, 15)
    evening = page.act("rack-count", player=2, tiles=0)
    assert (evening["phase"], evening["out"]) == ("racks", 2)
    page.act("rack", player=0, tiles="R1 R2 J")
    evening = page.act("rack", player=1, tiles="K13 | B4")
    assert [points["text"] for points in evening["sheet"]["totals"]] == ["-33", "-17", "+50"]
    assert evening["sheet"]["balance"] == ["Plus equals minus."]
    assert (evening["phase"], evening["round"]) == ("starter", 2)
    page.act("starter", player=1)
    page.act("deal")
    page.act("rack-count", player=0, tiles=0)
    page.act("rack", player=1, tiles="R2")
    evening = page.act("rack", player=2, tiles="R3")
    assert (evening["phase"], evening["sheet"]["leaders"]) == ("over", [2])
    assert evening["sheet"]["running"] == [[-33.0, -17.0, 50.0], [-28.0, -19.0, 47.0]]
    assert evening["may"] == ["undo", "amend", "settings"]


def test_a_wrong_layout_is_mended_and_the_fix_is_named(page):
    page.deal()
    page.act("resume")
    page.act("done", table=GROUP)
    page.act("draw")
    state = page.post("/api/evening/done", revision=page.evening["revision"], table="K10 B10 O10 | R5 R7 R6")
    assert state["evening"]["wrong"]
    assert state["evening"]["clock"]["running"]
    assert [fault["code"] for fault in state["verdict"]["faults"]] == ["run-broken"]
    for _ in range(500):
        if (fix := page.state["verdict"]["fix"]) is not None:
            break
    assert len(fix["moves"]) == 1
    assert fix["smallest"]
    evening = page.act("done", table="K10 B10 O10 | R5 R6 R7")
    assert (evening["wrong"], evening["player"]) == (False, 1)


def test_a_player_stands_by_a_wrong_layout_and_draws_the_penalty(page):
    page.deal()
    page.act("done", table="R1 R2")
    evening = page.act("stand")
    assert evening["failing"]["why"] == "wrong"
    assert evening["failing"]["penalty"] == 3
    assert "restored" in evening["may"]
    assert page.act_refused("done", table=GROUP)["code"] == "failing"
    evening = page.act("restored")
    assert (evening["players"][0]["rack"], evening["players"][0]["penalties"], evening["player"]) == (17, 3, 1)
    assert page.act_refused("stand")["code"] == "not-now"


def test_a_house_rule_takes_the_penalty_at_once(page):
    page.deal(settings={"penalty_at_once": True})
    evening = page.act("done", table="R1 R2")
    assert evening["failing"]["why"] == "wrong"
    assert page.act("restored")["players"][0]["rack"] == 17


def test_the_table_overrules_the_judge_both_ways_and_says_why(page):
    page.deal()
    page.act("done", table="R1 R2 R3")
    assert page.act_refused("overrule", reason="  ")["code"] == "reason"
    assert page.act_refused("overrule", reason="x" * 400)["status"] == 400
    evening = page.act("overrule", reason="We play without an opening today")
    assert (evening["player"], evening["players"][0]["opened"]) == (1, True)
    page.act("done", table=f"R1 R2 R3 | {GROUP}")
    evening = page.act("overrule", reason="It was Bo's cousin who laid", legal=False)
    assert evening["failing"]["why"] == "wrong"
    assert evening["player"] == 1
    evening = page.act("restored")
    assert (evening["players"][1]["rack"], evening["player"]) == (17, 0)
    items = page.get("/api/evening/history")["items"]
    assert [item["reason"] for item in items if item["reason"]] == [
        "We play without an opening today",
        "It was Bo's cousin who laid",
    ]
    assert page.act_refused("overrule", reason="again", legal=False)["code"] == "not-now"


def test_undo_takes_any_number_of_steps_back_and_the_history_keeps_them(page):
    states = [page.deal()]
    for what in ({"table": GROUP}, None, None):
        states.append(page.act("draw") if what is None else page.act("done", **what))
    # The clock stands after an undo, so that everybody can see what is what.
    changing = {"revision": 0, "clock": 0, "undo": 0, "last": 0, "may": 0}
    assert page.act("undo") | changing == states[-2] | changing
    assert page.act("undo", steps=2) | changing == states[0] | changing
    assert "2 steps can be taken back" in page.act_refused("undo", steps=99)["error"]
    evening = page.act("undo", steps=2)
    assert (evening["phase"], evening["undo"]) == ("starter", 0)
    assert page.act_refused("undo")["error"] == "There is nothing to take back."
    items = page.get("/api/evening/history")["items"]
    assert [item["undone"] for item in items] == [False, True, True, True, True, True, False, False, False]
    assert items[3]["text"].startswith("Ada opened")


def test_a_double_tap_draws_once(page):
    revision = page.deal()["revision"]
    page.post("/api/evening/draw", revision=revision)
    again = page.refused("/api/evening/draw", revision=revision)
    assert (again["status"], again["code"], again["details"]) == (409, "stale", {"revision": revision + 1})
    assert page.evening["players"][1]["rack"] == 14


def test_a_page_of_another_evening_is_stale_or_refused(page):
    page.deal()
    page.act("draw")
    revision = page.evening["revision"]
    page.begin("Zoe", "Yan")
    assert page.refused("/api/evening/draw", revision=revision)["code"] == "stale"
    page.post("/api/evenings/leave")
    assert page.refused("/api/evening/draw", revision=1)["code"] == "no-evening"
    assert page.state["evening"] is None


def test_an_action_out_of_turn_is_refused_in_words(page):
    page.begin()
    assert page.act_refused("deal")["error"] == "It is to be found out first who begins."
    assert page.act_refused("done", table=GROUP)["error"] == "No turn is being played now."
    assert page.act_refused("rack", player=0, tiles="R1")["code"] == "not-now"
    page.act("starter", player=0)
    page.act("deal")
    assert "a player who lays none draws" in page.act_refused("pass")["error"]
    assert page.act_refused("starter", player=7)["code"] == "not-now"


@pytest.mark.parametrize(
    ("names", "says"),
    [
        (("Ada", "  ada "), "Two players are called ada"),
        (("Ada", "A" * 200), "200 characters, and 60 fit"),
        (("Ada", " \u200b\u202e "), "has no name yet"),
        (("Ada",), "2 to 4 people can play this, not 1"),
        (("A", "B", "C", "D", "E"), "2 to 4 people can play this, not 5"),
    ],
)
def test_names_that_cannot_stay_are_refused(page, names, says):
    said = page.refused("/api/evenings", seats=[{"people": [name]} for name in names], edition="large-numbers")
    assert says in said["error"]
    assert page.state["evening"] is None


def test_names_of_emoji_and_shared_seats_are_kept(page):
    seats = [{"people": ["🦊🦊"]}, {"people": ["👩‍👩‍👧‍👦"]}, {"people": ["Ada", "Bo"]}]
    players = page.post("/api/evenings", seats=seats, edition="large-numbers")["evening"]["players"]
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
def test_words_that_make_no_sense_are_refused_in_one_line(page, path, body, says):
    assert says in page.refused(path, **body)["error"]


def test_notation_that_cannot_be_read_says_where(page):
    page.deal()
    said = page.act_refused("done", table="K10 B10 Q7")
    assert (said["code"], said["status"], said["details"]) == ("bad-table", 400, {"position": 8})


def test_a_round_that_began_without_the_app_is_taken_over(page):
    page.deal("Ada", "Bo", "Cleo")
    page.act("table", table=f"{GROUP} | R1 R2 R3", reason="We had begun already")
    page.act("opened", player=1)
    page.act("rack-count", player=1, tiles=9)
    page.act("pool-count", tiles=40)
    evening = page.act("turn", player=1)
    assert (evening["player"], evening["pool"], evening["players"][1]["rack"]) == (1, 40, 9)
    evening = page.act("done", table=f"{GROUP} | R1 R2 R3 R4")
    assert (evening["player"], evening["players"][1]["rack"]) == (2, 8)


def test_three_readings_of_one_tile_are_all_questioned(page):
    page.deal("Ada", "Bo", "Cleo")
    page.act("done", table="R10 R11 R12")
    page.act("rack-count", player=0, tiles=0)
    page.act("rack", player=1, tiles="K1 R11")
    said = page.act_refused("rack", player=2, tiles="R11 B2")
    assert said["code"] == "impossible-tiles"
    assert said["details"] == {
        "tile": "R11",
        "places": [
            {"where": "table", "player": None, "meld": 0, "position": 1},
            {"where": "rack", "player": 1, "meld": None, "position": 1},
            {"where": "rack", "player": 2, "meld": None, "position": 0},
        ],
    }
    page.act("rack", player=1, tiles="K1 B11")
    evening = page.act("rack", player=2, tiles="R11 B2")
    assert evening["sheet"]["totals"][0]["value"] == 25


def test_life_goes_on_around_the_table(page):
    page.deal("Ada", "Bo", "Cleo")
    evening = page.act("lost", tile="R7")
    assert (evening["pool"], evening["lost"][0]["text"], evening["alarms"]) == (63, "R7", [])
    evening = page.act("left", player=0)
    assert (evening["players"][0]["away"], evening["player"], evening["pool"]) == (True, 1, 77)
    assert "2 must stay" in page.act_refused("left", player=1)["error"]
    evening = page.act("joined", name="Dan")
    assert (evening["players"][3]["name"], evening["players"][3]["people"], evening["pool"]) == ("Dan", ["Dan"], 63)
    assert page.act_refused("joined", name="bo")["code"] == "bad-name"
    evening = page.act("joined", name="Ada", deals=False)
    assert (evening["players"][0]["away"], evening["players"][0]["waits"]) == (False, True)
    assert page.act("returned", tile="R7")["lost"] == []
    page.act("undo", steps=5)
    assert [player["name"] for player in page.evening["players"]] == ["Ada", "Bo", "Cleo"]


def test_the_pool_runs_empty_and_the_round_is_scored(page):
    page.deal(house=["ending.pool_empty=all-pass"])
    page.act("pool-count", tiles=0)
    page.act("pass")
    evening = page.act("pass")
    assert evening["phase"] == "racks"
    page.act("rack", player=0, tiles="R5")
    evening = page.act("rack", player=1, tiles="R7")
    assert [points["text"] for points in evening["sheet"]["rounds"][0]["points"]] == ["-5", "-7"]
    assert evening["sheet"]["rounds"][0]["winners"] == [0]


def test_junior_counts_stars(page):
    evening = page.deal(edition="junior")
    assert evening["edition"]["stars"]
    assert [player["stars"] for player in evening["players"]] == [6, 6]
    evening = page.act("done", table="R1 R2 R3")
    assert (evening["players"][0]["stars"], evening["last"]) == (
        10,
        "Ada laid red 1 2 3 as a new run, for 4 stars.",
    )
    evening = page.act("draw")
    assert evening["players"][1]["stars"] == 5
    page.act("rack-count", player=0, tiles=0)
    evening = page.act("rack-count", player=1, tiles=2)
    assert [points["value"] for points in evening["sheet"]["rounds"][0]["points"]] == [10, 3]
    assert evening["sheet"]["counts"] == "rounds-won"


def test_the_first_acquaintance_game_is_played_to_its_end(page):
    evening = page.begin(edition="junior", first_acquaintance=True, leader=0)
    assert (evening["phase"], evening["first_acquaintance"]) == ("finding", True)
    for ink in "RBYK":
        page.act("point", tile=f"{ink}5")
        assert [tile["text"] for tile in page.evening["finding"]["next"]] == [f"{ink}4", f"{ink}6"]
        for number in (4, 3, 2, 1, 6, 7, 8, 9, 10):
            page.act("find", player=1, tile=f"{ink}{number}")
    evening = page.evening
    assert evening["phase"] == "over"
    assert evening["players"][1]["stars"] == 36


def test_a_wrong_tile_in_the_first_acquaintance_game_says_why(page):
    page.begin(edition="junior", first_acquaintance=True, leader=0)
    page.act("point", tile="R5")
    assert page.act("find", player=1, tile="R8")["finding"]["fault"] == "not-next"
    assert page.act("find", player=0, tile="R6")["finding"]["fault"] == "leader-found"


@pytest.mark.parametrize("edition", ["large-numbers", "finnish", "travel", "junior", "cards"])
def test_every_edition_plays_a_round_by_hand(page, edition):
    evening = page.deal("Ada", "Bo", edition=edition)
    warm = evening["edition"]["inks"][2]["letter"]
    opening = {"junior": "R1 R2 R3"}.get(edition, f"K12 B12 {warm}12 R12")
    evening = page.act("done", table=opening)
    assert evening["player"] == 1
    evening = page.act("draw")
    evening = page.act("rack-count", player=0, tiles=0)
    if edition == "junior":
        evening = page.act("rack-count", player=1, tiles=3)
    else:
        evening = page.act("rack", player=1, tiles="R1 K2 J")
    assert len(evening["sheet"]["rounds"]) == 1
    assert evening["sheet"]["balanced"]


def test_a_redeal_is_granted_for_three_pairs(page):
    page.deal()
    evening = page.act("redeal", player=1, tiles="B3 B3 R8 R8 O10 O10 K1 K2 K3 K4 K5 K6 K7 J")
    assert (evening["phase"], evening["starting"]["redeal"]) == (
        "deal",
        "Bo showed 3 pairs: the tiles are mixed again.",
    )


def test_an_earlier_entry_is_put_right_and_the_rest_replayed(page):
    page.deal()
    page.act("done", table=f"{GROUP} | R1 R2 R3")
    page.act("draw")
    event = {"event": "tiles-laid", "after": f"{GROUP} | R1 R2 R3 R4"}
    evening = page.act("amend", place=3, event=event, reason="Misread")
    assert (evening["players"][0]["rack"], evening["table_text"]) == (7, f"{GROUP} | R1 R2 R3 R4")
    assert (evening["player"], evening["last"]) == (0, "An earlier entry was put right.")
    assert page.act("undo")["players"][0]["rack"] == 8
    for place, wrong in ((3, {"event": "teleported"}), (0, event), (3, {"event": "undone", "events": 1}), (99, event)):
        page.act_refused("amend", place=place, event=wrong)
    assert page.act_refused("amend", place=2, event={"event": "tile-drawn"})["code"] == "not-now"


def test_a_table_can_be_judged_while_it_is_entered(page):
    page.deal()
    verdict = page.post("/api/evening/judge", table="K10 B10 O10 | R5")["verdict"]
    assert (verdict["kind"], verdict["points"]) == ("illegal", 30)
    assert page.evening["undo"] == 2


def test_the_evening_can_be_taken_home(page):
    page.deal("=cmd()", "Bo")
    page.act("done", table=GROUP)
    text = page.http.get("/api/evening/export.jsonl").get_data(as_text=True)
    assert Game.parse(text).state.round.turn == 1
    rows = list(csv.DictReader(io.StringIO(page.http.get("/api/evening/export.csv").data.decode("utf-8-sig"))))
    assert [row["event"] for row in rows] == ["game-started", "starter-chosen", "dealt", "tiles-laid"]
    assert rows[3]["player"] == "'=cmd()"
    assert rows[3]["table"] == GROUP
    page.act("rack-count", player=0, tiles=0)
    page.act("rack", player=1, tiles="R2")
    sheet = list(csv.reader(io.StringIO(page.http.get("/api/evening/sheet.csv").data.decode("utf-8-sig"))))
    assert sheet == [["", "'=cmd()", "Bo"], ["round 1", "2", "-2"], ["total", "2", "-2"]]


def test_kept_evenings_are_listed_and_opened_again(page):
    first = page.deal("Ada", "Bo")["id"]
    second = page.begin("Cleo", "Dan", edition="cards")["id"]
    kept = page.get("/api/evenings")["evenings"]
    assert [(one["id"], one["open"], one["edition"]) for one in kept] == [
        (second, True, "cards"),
        (first, False, "large-numbers"),
    ]
    state = page.post("/api/evenings/open", id=first)
    assert (state["evening"]["id"], state["evening"]["phase"]) == (first, "turns")
    assert page.refused("/api/evenings/open", id="nothing")["status"] == 404


def test_what_happened_is_told_in_order(page):
    page.deal()
    page.act("done", table=GROUP)
    page.act("draw")
    items = page.get("/api/evening/history")["items"]
    assert words(items) == [
        "Ada and Bo sat down to play large-numbers.",
        "Ada begins, as the table decided.",
        "The tiles were dealt.",
        "Ada opened: laid black 10, blue 10 and orange 10 as a new group.",
        "Bo drew 1 tile.",
    ]


def test_the_document_is_valid_and_tells_of_every_endpoint(app, page):
    from openapi_spec_validator import validate

    document = page.get("/api/openapi.json")
    validate(document)
    told = {path.replace("{", "<").replace("}", ">") for path in document["paths"]}
    there = {rule.rule.replace("int:", "") for rule in app.url_map.iter_rules()}
    assert there - told == {"/", "/join", "/setup", "/static/<path:filename>"}
    assert all(operation["summary"] for path in document["paths"].values() for operation in path.values())


def test_the_editions_come_with_their_house_rules(page):
    editions = page.get("/api/editions")["editions"]
    assert [one["edition"]["key"] for one in editions] == ["large-numbers", "finnish", "travel", "junior", "cards"]
    assert any(rule["name"] == "opening.minimum_points" for rule in editions[0]["rules"])
