"""Commands from the hall: seats, start and pause, decisions. Each is executed once, or refused in words."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from tests.support.hub_ear import CLUB, wait_for
from tests.support.known_tables import MarkedTables, PlayedSource, table_reading
from tests.support.mosquitto import needs_mosquitto
from tests.support.table_in_hall import GROUP, HEAD, TableInHall, decide, dispute_of, seat
from tilekeeper.companion.messaging.messages import (
    ClockCommand,
    CommandBase,
    DecideCommand,
    Player,
    TimeCommand,
)
from tilekeeper.companion.messaging.topics import Branch, topic
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.log import format_header

pytestmark = [pytest.mark.slow, needs_mosquitto()]


def test_commands_to_seat_start_and_pause_are_carried_out(hall: TableInHall) -> None:
    """Players, rules and clock are those of the command; start, pause and resume move the clock; all is in the log."""
    page = hall.start()
    answer = hall.tell(seat(house=["turn.limit_s=90"]))
    assert answer.done, answer.refusal
    evening = page.evening
    assert answer.log == evening["id"]
    assert [player["name"] for player in evening["players"]] == ["Ada", "Bo", "Cleo"]
    assert (evening["settings"]["timer"], evening["settings"]["tournament"]) == ("strict", True)
    assert (evening["edition"]["limit_s"], evening["rounds_agreed"]) == (90, 1)
    assert evening["last"] == "Kim gave the players at this table their seats for round 1."
    assert evening["undo"] == 0
    for of_the_hall in ({"limits_s": [90]}, {"end_points": 9}, {"ends_at": ""}):
        page.act_refused("settings", **of_the_hall)
    page.act("starter", player=0, overruled=True)
    page.act("deal")
    assert not page.evening["clock"]["running"]
    assert hall.tell(ClockCommand(**HEAD, id="c1", kind="start")).done
    assert page.evening["clock"]["running"]
    assert hall.tell(ClockCommand(**HEAD, id="c2", kind="pause", why="lunch")).done
    assert not page.evening["clock"]["running"]
    assert hall.tell(ClockCommand(**HEAD, id="c3", kind="resume")).done
    assert page.evening["clock"]["running"]
    commanded = [entry for entry in hall.log() if entry["event"] == "commanded"]
    assert [(entry["kind"], entry["command"], entry["why"]) for entry in commanded] == [
        ("seat", "s1", ""),
        ("start", "c1", ""),
        ("pause", "c2", "lunch"),
        ("resume", "c3", ""),
    ]
    assert hall.log()[1]["round"] == 1
    page.act("undo")
    assert page.evening["phase"] == "deal", "undo must not take back a command of the hall"
    Game.parse("\n".join([format_header(), *map(json.dumps, hall.log())]))


def test_round_of_several_games_is_one_game_night(hall: TableInHall) -> None:
    """The table plays as many games as the command says, and the start moves to the left after each."""
    page = hall.start()
    assert hall.tell(seat(house=["setup.next_round=left"], games=4)).done
    assert page.evening["rounds_agreed"] == 4


def test_hall_sets_the_clock_of_each_player(hall: TableInHall) -> None:
    """Five minutes and five seconds a turn by Fischer, and eight minutes for a child."""
    page = hall.start()
    players = [Player(id="1", name="Ada"), Player(id="2", name="Bo", bank_s=480.0), Player(id="3", name="Cleo")]
    assert hall.tell(seat(players=players, bank_s=300.0, added_s=5.0, increment="fischer")).done
    page.act("starter", player=0, overruled=True)
    page.act("deal")
    assert page.evening["clock"]["banks_s"] == pytest.approx([305, 485, 305], abs=1)
    page.act("draw")
    assert page.evening["clock"]["banks_s"] == pytest.approx([310, 485, 305], abs=1)


def test_halted_table_refuses_buttons_of_the_turn(hall: TableInHall) -> None:
    """Before the start and in a pause no button continues the turn, until the hall resumes."""
    page = hall.start()
    assert hall.tell(seat(waits=True)).done
    assert page.act("starter", player=0, overruled=True)
    page.act("deal")
    assert "The organiser starts it" in page.state["hall"]["halt"]
    refused = page.refused("/api/evening/draw", revision=page.evening["revision"])
    assert refused["code"] == "halted"
    assert "The organiser starts it" in refused["error"]
    assert not {"draw", "done", "resume"} & set(page.evening["may"])
    assert hall.tell(ClockCommand(**HEAD, id="c1", kind="start")).done
    page.act("draw")
    assert hall.tell(ClockCommand(**HEAD, id="c2", kind="pause")).done
    assert page.evening["player"] == 1
    for action, body in (
        ("draw", {}),
        ("done", {"table": GROUP}),
        ("resume", {}),
        ("turn", {"player": 2}),
        ("rack-count", {"player": 1, "tiles": 0}),
        ("end", {}),
    ):
        refused = page.refused(f"/api/evening/{action}", revision=page.evening["revision"], **body)
        assert refused["code"] == "halted", action
    page.act("rack-count", player=1, tiles=15)
    page.act("undo", steps=2)
    assert not page.evening["clock"]["running"]
    hall.stop()
    page = hall.start()
    assert "is paused at all tables" in page.state["hall"]["halt"], "it is still paused after a restart"
    dispute = dispute_of(hall, page)
    assert hall.tell(decide(dispute, "d1", "stands")).done
    assert not page.evening["clock"]["running"]
    assert hall.tell(ClockCommand(**HEAD, id="c3", kind="resume")).done
    assert page.state["hall"]["halt"] == ""
    assert page.evening["clock"]["running"]
    page.act("draw")


def test_pause_cancels_a_waiting_done(hall: TableInHall, camera: PlayedSource, tables: MarkedTables) -> None:
    """Done waited for a hand to leave the table: the pause cancels it, and no verdict follows."""
    page = hall.start_filmed(camera, tables)
    wait_for(lambda: page.state["settled"])
    assert hall.app is not None
    session = parts(hall.app).session
    session._update_snapshot(lambda before: replace(before, settled=False))
    page.act("done")
    assert page.state["turn"]["waiting_to"] == "done"
    assert hall.tell(ClockCommand(**HEAD, id="c1", kind="pause")).done
    camera.show(tables.picture(table_reading(GROUP)))
    wait_for(lambda: page.state["settled"] and page.state["reading"]["table"] == GROUP)
    assert page.state["turn"]["waiting_to"] is None
    assert (page.evening["player"], page.evening["clock"]["running"]) == (0, False)


def test_halted_table_can_continue_without_its_hall(hall: TableInHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub or broker that never comes back must not stop the game."""
    monkeypatch.setattr("tilekeeper.companion.hub_link.link._RELEASE_AFTER_S", 0.3)
    page = hall.start()
    page.deal("Ada", "Bo")
    assert hall.tell(ClockCommand(**HEAD, id="c1", kind="pause")).done
    hall.mosquitto.kill()
    wait_for(lambda: page.state["hall"]["halt"] == "")
    page.act("draw")


def test_command_received_twice_is_carried_out_once(hall: TableInHall) -> None:
    """The second copy gets the answer of the first, also after a restart with only the log."""
    page = hall.start()
    assert hall.tell(seat()).done
    page.act("starter", player=0, overruled=True)
    page.act("deal")
    give = DecideCommand(**HEAD, id="d1", dispute="none", decision="time_given", why="why not")
    assert not hall.tell(give).done
    pause = ClockCommand(**HEAD, id="c1", kind="pause")
    assert hall.tell(pause).done
    assert hall.tell(pause).done
    assert hall.tell(seat()).log == page.evening["id"]
    assert hall.app is not None
    parts(hall.app).game_nights.database.remember("hall", None)
    hall.kill()
    page = hall.start()
    assert hall.tell(pause).done
    assert hall.tell(seat()).done
    assert sum(entry["event"] == "commanded" for entry in hall.log()) == 2


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (ClockCommand(**HEAD | {"role": "table"}, id="x", kind="pause"), "Only the referee or the organiser"),
        (ClockCommand(**HEAD | {"role": "guest"}, id="x", kind="pause"), "Only the referee or the organiser"),
        (ClockCommand(**HEAD, id="x", kind="pause"), "No evening is in progress"),
        (TimeCommand(**HEAD, id="x", seconds=30.0), "No evening is in progress"),
        (seat(edition="chess"), "chess"),
        (seat(house=["turn.limit_s=never"]), "turn.limit_s"),
        (seat(players=[Player(id="1", name="Ada"), Player(id="2", name="Ada")]), "Ada"),
        (seat(players=[Player(id="1", name="Ada"), Player(id="2", name=" \u202e ")]), "name"),
    ],
)
def test_command_that_can_not_be_carried_out_is_refused_in_words(
    hall: TableInHall, command: CommandBase, reason: str
) -> None:
    """The answer gives the reason in one sentence, and nothing has changed at the table."""
    page = hall.start()
    answer = hall.tell(command)
    assert not answer.done
    assert reason in answer.refusal
    assert "\n" not in answer.refusal
    assert page.state["evening"] is None


def test_command_of_another_version_or_for_another_table_changes_nothing(hall: TableInHall) -> None:
    """A command of another version gets advice; one for another table, or an invalid one, is ignored."""
    page = hall.start()
    wait_for(lambda: hall.hub.presence.get("7") == "here")
    commands = topic(CLUB, "7", Branch.COMMANDS)
    hall.hub.broker.publish(commands, b"{}")
    hall.hub.broker.publish(commands, seat().payload().replace(b'"version":1', b'"version":9'))
    wait_for(lambda: hall.hub.answers)
    assert "version 9" in hall.hub.answers[0].refusal
    hall.hub.broker.publish(commands, ClockCommand(**HEAD | {"table": "8"}, id="x", kind="pause").payload())
    wait_for(lambda: len(hall.hub.answers) == 2)
    assert hall.hub.answers[1].refusal == "This is table 7."
    assert json.loads(hall.hub.answers[1].said) == {"message": "This is table {name}.", "values": {"name": "7"}}
    assert page.state["evening"] is None


def test_table_in_a_round_refuses_new_seats(hall: TableInHall) -> None:
    """A round under way is not replaced; after it is over the next one may begin."""
    page = hall.start()
    assert hall.tell(seat()).done
    page.act("starter", player=0, overruled=True)
    page.act("deal")
    answer = hall.tell(seat("s2", round=2))
    assert not answer.done
    assert "A round is being played" in answer.refusal
    first = page.evening["id"]
    page.act("end")
    assert hall.tell(seat("s3", round=2)).done
    assert page.evening["id"] != first
    assert hall.log()[1]["round"] == 2


def test_decision_of_the_arbiter_is_carried_out_and_logged(hall: TableInHall) -> None:
    """The call stops the clock and sends the judge's reasons; each decision is carried out and logged."""
    page = hall.start()
    page.deal("Ada", "Bo")
    page.act("resume")
    page.act("done", table="R1 R2")
    dispute = dispute_of(hall, page)
    assert not page.evening["clock"]["running"]
    assert page.state["hall"]["called"]
    assert "Not allowed" in dispute.verdict
    assert dispute.reasons
    assert (dispute.before, dispute.after, dispute.faults[0].code) == ("", "R1 R2", "meld-too-short")
    assert (dispute.edition, dispute.rules[:2]) == ("large-numbers", ["melds.shortest=3", "opening.minimum_points=30"])
    assert (dispute.seq, dispute.log, dispute.before_jpeg, dispute.after_jpeg) == (4, page.evening["id"], None, None)
    assert page.refused("/api/hall/call")["code"] == "called"
    assert "Say why" in hall.tell(decide(dispute, "d0", "stands", why=" ")).refusal
    assert hall.tell(decide(dispute, "d1", "stands")).done
    assert page.evening["table_text"] == "R1 R2"
    assert page.evening["last"] == "Kim decided: the turn counts."
    assert not page.state["hall"]["called"]
    entry = hall.log()[-1]
    assert (entry["dispute"], entry["by"], entry["role"], entry["why"]) == (dispute.id, "Kim", "arbiter", "I saw it")
    assert hall.log()[-2]["overruled"]
    # an arbiter takes back a legal turn
    page.act("done", table="R1 R2 | K10 B10 O10")
    dispute = dispute_of(hall, page)
    assert hall.tell(decide(dispute, "d2", "taken_back")).done
    assert page.evening["failing"]["why"] == "wrong"
    page.act("restored")
    # an arbiter gives time
    dispute = dispute_of(hall, page)
    assert hall.tell(decide(dispute, "d3", "time_given", seconds=45.0)).done
    assert page.evening["clock"]["extra_s"] == 45
    assert page.evening["last"] == "Kim decided: 45 seconds more."
    # time without a raised hand, and a hand for something else than the turn
    assert hall.tell(TimeCommand(**HEAD, id="t1", seconds=15.0, why="toppled tiles")).done
    assert page.evening["clock"]["extra_s"] == 60
    dispute = dispute_of(hall, page)
    assert hall.tell(decide(dispute, "d6", "goes_on")).done
    assert page.evening["last"] == "Kim decided: the turn goes on as it is."
    assert not page.state["hall"]["called"]
    # the game continues, and another player's turn can not be taken back
    page.act("done", table="R1 R2 | K11 B11 O11")
    dispute = dispute_of(hall, page)
    page.act("draw")
    answer = hall.tell(decide(dispute, "d4", "taken_back"))
    assert "have taken turns since" in answer.refusal
    assert hall.tell(decide(dispute, "d5", "stands")).done
    assert not page.state["hall"]["called"]
