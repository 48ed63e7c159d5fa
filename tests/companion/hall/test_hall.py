"""A table in its hall, over a real Mosquitto: what happens is told once and in order, and commands are obeyed once."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask

from tests.support.game_night_client import EveningClient
from tests.support.hub_ear import CLUB, HubEar, wait_for
from tests.support.known_tables import MarkedTables, PlayedSource, table_reading
from tests.support.mosquitto import Mosquitto, needs_mosquitto
from tilekeeper.companion.broker.address import HallAddress
from tilekeeper.companion.broker.broker import Link, Receipt
from tilekeeper.companion.broker.client import MqttBroker
from tilekeeper.companion.broker.messages import (
    Acknowledgement,
    ClockCommand,
    CommandBase,
    DecideCommand,
    Player,
    Resend,
    SeatCommand,
)
from tilekeeper.companion.broker.topics import Branch, TableName, topic
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.hall.hall import last_will
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.game.log import format_header

pytestmark = [pytest.mark.slow, needs_mosquitto()]
GROUP = "K10 B10 O10"
HEAD = {"table": "7", "by": "Kim", "role": "arbiter"}


class TableInHall:
    """A table with its page, the broker, and a hub that hears it."""

    def __init__(self, mosquitto: Mosquitto, make_app: Callable[..., Flask], stack: ExitStack) -> None:
        self.mosquitto, self._make_app, self._stack = mosquitto, make_app, stack
        self.hub = self._heard()
        self.app: Flask | None = None
        self.page: EveningClient | None = None

    def start(self, source: Any = None) -> EveningClient:
        """Start the table's app, anew where it ran."""
        name = TableName(CLUB, "7")
        address = HallAddress.parse(f"mqtt://127.0.0.1:{self.mosquitto.port}/{CLUB}")
        link = Link(name, MqttBroker(address, "tilekeeper-club-7", last_will(name)))
        self.app = self._make_app(source or NoSource(), hall=link)
        self.page = EveningClient(self.app)
        return self.page

    def stop(self) -> None:
        """End the table's app as a service manager does."""
        assert self.app is not None
        parts(self.app).close()

    def kill(self) -> None:
        """Let go of everything without a word, as far as that goes within one process."""
        assert self.app is not None
        hall = parts(self.app).hall
        assert hall is not None
        hall._closed.set()
        hall._outbox.save = lambda: None  # type: ignore[method-assign]
        hall._thread.join()
        parts(self.app).close()

    def restart_broker(self) -> None:
        """Start the killed broker again, on whatever it still has."""
        self.mosquitto.start()

    def tell(self, command: CommandBase) -> Acknowledgement:
        """Send a command and wait for its answer."""
        wait_for(lambda: self.hub.presence.get("7") == "here")
        before = len(self.hub.answers)
        self.hub.send(command)
        wait_for(lambda: len(self.hub.answers) > before)
        return self.hub.answers[-1]

    def log(self) -> list[dict[str, Any]]:
        """The entries that the hub has of the evening that is played, once it has all of them."""
        assert self.page is not None
        evening = self.page.evening["id"]
        wanted = len(self.page.get("/api/evening/history")["items"])
        wait_for(lambda: len(self.hub.logs.get(("7", evening), [])) >= wanted)
        assert self.hub.wrong == []
        return self.hub.logs["7", evening]

    def _heard(self) -> HubEar:
        hub = HubEar(self.mosquitto.port)
        self._stack.callback(hub.close)
        wait_for(lambda: hub.broker.connected)
        return hub


@pytest.fixture
def hall(tmp_path: Path, make_app: Callable[..., Flask]) -> Iterator[TableInHall]:
    """A hall with one table that is not started yet."""
    mosquitto = Mosquitto(tmp_path / "broker").start()
    with ExitStack() as stack:
        stack.callback(mosquitto.stop)
        yield TableInHall(mosquitto, make_app, stack)


def seat(id_: str = "s1", **other: Any) -> SeatCommand:
    """A command that seats three people for the first round."""
    players = [Player(id=name, name=name) for name in ("Ada", "Bo", "Cleo")]
    return SeatCommand(**HEAD | {"id": id_, "round": 1, "players": players, "edition": "large-numbers"} | other)


def exported(page: EveningClient) -> list[dict[str, Any]]:
    """The log as the table has it."""
    text = page.http.get("/api/evening/export.jsonl").get_data(as_text=True)
    return [json.loads(line) for line in text.splitlines()[1:]]


def test_an_evening_is_told_as_it_is_played(hall: TableInHall) -> None:
    """Each entry comes to the hub as it stands in the table's log; the state says how the table stands."""
    page = hall.start()
    wait_for(lambda: hall.hub.presence.get("7") == "here")
    page.deal("Ada", "Bo")
    page.act("resume")
    page.act("done", table=GROUP)
    page.act("draw")
    page.act("done", table="K10 B10 O10 | R1 R2")
    assert hall.log() == exported(page)
    state = wait_for(lambda: hall.hub.states["7"] if hall.hub.states["7"].wrong else None)
    assert (state.log, state.last_seq, state.phase, state.player) == (page.evening["id"], 6, "turns", 0)
    assert [player.name for player in state.players] == ["Ada", "Bo"]
    assert [player.rack for player in state.players] == [11, 15]
    assert state.clock_runs
    assert "Not legal" in state.verdict
    page.act("undo")
    wait_for(lambda: not hall.hub.states["7"].wrong)
    assert hall.log()[-1] == {"event": "undone", "events": 1}
    assert hall.hub.came == 7
    hall.stop()
    wait_for(lambda: hall.hub.presence.get("7") == "gone")


def test_what_happens_while_nobody_is_reached_is_told_later(hall: TableInHall) -> None:
    """The broker is away, the table plays on and says so, is even started anew; then all comes, once and in order."""
    page = hall.start()
    page.deal("Ada", "Bo")
    hall.log()
    assert page.state["hall"] == {"table": "7", "notice": "", "halt": "", "called": False}
    hall.mosquitto.kill()
    for _ in range(3):
        page.act("draw")
    wait_for(lambda: "can’t be reached" in page.state["hall"]["notice"])
    hall.stop()
    page = hall.start()
    for _ in range(3):
        page.act("draw")
    hall.restart_broker()
    assert hall.log() == exported(page)
    assert len(exported(page)) == 9
    wait_for(lambda: page.state["hall"]["notice"] == "")


def test_a_table_that_is_killed_tells_nothing_twice(hall: TableInHall) -> None:
    """It is ended before it has noted what the hall took: the hub knows by the numbers what it has."""
    page = hall.start()
    page.deal("Ada", "Bo")
    page.act("draw")
    hall.log()
    hall.kill()
    page = hall.start()
    page.act("draw")
    assert hall.log() == exported(page)
    assert hall.hub.came > len(hall.log()), "some came again"


def test_entries_that_the_disk_has_lost(hall: TableInHall, tmp_path: Path) -> None:
    """The hub has more than the table: what is played from there on comes as another log, from its beginning."""
    page = hall.start()
    assert hall.tell(seat()).done
    page.act("starter", player=0, overruled=True)
    page.act("deal")
    page.act("done", table=GROUP)
    page.act("draw")
    evening, before = page.evening["id"], list(hall.log())
    hall.stop()
    with closing(sqlite3.connect(tmp_path / "evenings.sqlite3")) as connection, connection:
        connection.execute("UPDATE records SET event = 'scratched' WHERE place >= 4")
    page = hall.start()
    assert page.evening["id"] == evening
    page.act("draw")
    page.act("draw")
    page.act("draw")
    anew = wait_for(lambda: hall.hub.logs.get(("7", f"{evening}.1")))
    wait_for(lambda: len(anew) == 7)
    assert anew == exported(page)
    assert hall.hub.logs["7", evening] == before
    assert hall.hub.wrong == []
    assert hall.hub.states["7"].log == f"{evening}.1"
    assert hall.tell(ClockCommand(**HEAD, id="c1", kind="pause")).log == f"{evening}.1"


class LossyBroker(MqttBroker):
    """A client that loses messages without a word, as one did that was cut off in a bad moment."""

    loses = 0

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> Receipt:
        """Send a message, or lose it."""
        if self.loses:
            self.loses -= 1
            return SimpleNamespace(taken=False)
        return super().publish(topic, payload, retain=retain)


def test_what_was_lost_on_a_connection_that_stands(hall: TableInHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries and states that nobody acknowledges are sent again after a while, though nothing more happens."""
    monkeypatch.setattr("tilekeeper.companion.hall.hall._TAKEN_WITHIN_S", 0.5)
    monkeypatch.setitem(globals(), "MqttBroker", LossyBroker)
    page = hall.start()
    page.deal("Ada", "Bo")
    hall.log()
    monkeypatch.setattr(LossyBroker, "loses", 4)
    page.act("draw")
    page.act("draw")
    assert hall.log() == exported(page)
    wait_for(lambda: hall.hub.states["7"].last_seq == 5)


def test_what_is_asked_for_is_sent_again(hall: TableInHall) -> None:
    """A hub that lost everything gets it again; one that asks for what never was gets nothing."""
    page = hall.start()
    page.deal("Ada", "Bo")
    page.act("draw")
    there = list(hall.log())
    came = hall.hub.came
    hall.hub.send(Resend(table="7", log="nothing", seq=1), Branch.RESEND)
    hall.hub.broker.publish(topic(CLUB, "7", Branch.RESEND), b"nonsense")
    hall.hub.send(Resend(table="7", log=page.evening["id"], seq=2), Branch.RESEND)
    wait_for(lambda: hall.hub.came == came + 3)
    hall.hub.logs.clear()
    page.act("draw")
    assert hall.log() == [*there, {"event": "tile-drawn"}]
    assert hall.hub.wrong == []


def test_the_hall_seats_starts_and_pauses(hall: TableInHall) -> None:
    """Players, rules and clock are those of the command; start, pause and resume move the clock; all is in the log."""
    page = hall.start()
    answer = hall.tell(seat(house=["turn.limit_s=90"]))
    assert answer.done, answer.refusal
    evening = page.evening
    assert answer.log == evening["id"]
    assert [player["name"] for player in evening["players"]] == ["Ada", "Bo", "Cleo"]
    assert (evening["settings"]["timer"], evening["settings"]["tournament"]) == ("strict", True)
    assert (evening["edition"]["limit_s"], evening["rounds_agreed"]) == (90, 1)
    assert evening["last"] == "Kim seated this table for round 1."
    assert evening["undo"] == 0
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
    assert page.evening["phase"] == "deal", "what the hall wanted is not what undo takes back"
    Game.parse("\n".join([format_header(), *map(json.dumps, hall.log())]))


def test_a_table_that_the_hall_has_halted(hall: TableInHall) -> None:
    """No press goes on with the turn before the start, nor in a pause, nor by another way; the hall lets it go on."""
    page = hall.start()
    assert hall.tell(seat(waits=True)).done
    assert page.act("starter", player=0, overruled=True)
    page.act("deal")
    assert "the organiser starts it" in page.state["hall"]["halt"]
    refused = page.refused("/api/evening/draw", revision=page.evening["revision"])
    assert refused["code"] == "halted"
    assert "the organiser starts it" in refused["error"]
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
    assert "has paused the round" in page.state["hall"]["halt"], "it is paused still after a new start"
    dispute = dispute_of(hall, page)
    assert hall.tell(decide(dispute, "d1", "stands")).done
    assert not page.evening["clock"]["running"]
    assert hall.tell(ClockCommand(**HEAD, id="c3", kind="resume")).done
    assert page.state["hall"]["halt"] == ""
    assert page.evening["clock"]["running"]
    page.act("draw")


def test_done_that_waits_is_called_off_by_a_pause(
    hall: TableInHall, camera: PlayedSource, tables: MarkedTables
) -> None:
    """Done was pressed while a hand was there: the pause comes first, and no verdict afterwards."""
    page = hall.start(camera)
    camera.show(tables.picture(table_reading("")))
    page.deal("Ada", "Bo")
    page.act("resume")
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


def test_a_halted_table_is_let_go_where_the_hall_is_gone(hall: TableInHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub or broker that never comes back keeps nobody from playing."""
    monkeypatch.setattr("tilekeeper.companion.hall.hall._LETS_GO_AFTER_S", 0.3)
    page = hall.start()
    page.deal("Ada", "Bo")
    assert hall.tell(ClockCommand(**HEAD, id="c1", kind="pause")).done
    hall.mosquitto.kill()
    wait_for(lambda: page.state["hall"]["halt"] == "")
    page.act("draw")


def test_a_command_that_comes_twice_is_obeyed_once(hall: TableInHall) -> None:
    """The second one gets the first one's answer, also after a new start with nothing kept but the log."""
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
    ("command", "said"),
    [
        (ClockCommand(**HEAD | {"role": "table"}, id="x", kind="pause"), "Only an arbiter or organiser"),
        (ClockCommand(**HEAD | {"role": "guest"}, id="x", kind="pause"), "Only an arbiter or organiser"),
        (ClockCommand(**HEAD, id="x", kind="pause"), "No evening is being played"),
        (seat(edition="chess"), "chess"),
        (seat(house=["turn.limit_s=never"]), "turn.limit_s"),
        (seat(players=[Player(id="1", name="Ada"), Player(id="2", name="Ada")]), "Ada"),
        (seat(players=[Player(id="1", name="Ada"), Player(id="2", name=" \u202e ")]), "name"),
    ],
)
def test_what_is_not_obeyed(hall: TableInHall, command: CommandBase, said: str) -> None:
    """The answer says in a sentence why not, and nothing has happened at the table."""
    page = hall.start()
    answer = hall.tell(command)
    assert not answer.done
    assert said in answer.refusal
    assert "\n" not in answer.refusal
    assert page.state["evening"] is None


def test_commands_from_elsewhere(hall: TableInHall) -> None:
    """One of another version is answered with what to do; one for another table, or none at all, changes nothing."""
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


def test_a_table_that_plays_is_not_seated_anew(hall: TableInHall) -> None:
    """A round under way is no other's; once it is over the next one may begin."""
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


def dispute_of(hall: TableInHall, page: EveningClient) -> Any:
    """The dispute after the arbiter was called."""
    before = len(hall.hub.disputes)
    page.post("/api/hall/call")
    return wait_for(lambda: hall.hub.disputes[before] if len(hall.hub.disputes) > before else None)


def decide(dispute: Any, id_: str, decision: str, why: str = "I saw it", **more: Any) -> DecideCommand:
    """What an arbiter decides."""
    return DecideCommand(**HEAD, id=id_, dispute=dispute.id, decision=decision, why=why, **more)


def test_the_arbiter_is_called_and_decides(hall: TableInHall) -> None:
    """A hand stops the clock and brings the judge's reasons; each decision is done and stands in the log."""
    page = hall.start()
    page.deal("Ada", "Bo")
    page.act("resume")
    page.act("done", table="R1 R2")
    dispute = dispute_of(hall, page)
    assert not page.evening["clock"]["running"]
    assert page.state["hall"]["called"]
    assert "Not legal" in dispute.verdict
    assert dispute.reasons
    assert (dispute.seq, dispute.log, dispute.before_jpeg, dispute.after_jpeg) == (4, page.evening["id"], None, None)
    assert page.refused("/api/hall/call")["code"] == "called"
    assert "Say why" in hall.tell(decide(dispute, "d0", "stands", why=" ")).refusal
    assert hall.tell(decide(dispute, "d1", "stands")).done
    assert page.evening["table_text"] == "R1 R2"
    assert page.evening["last"] == "Kim decided: the turn stands."
    assert not page.state["hall"]["called"]
    entry = hall.log()[-1]
    assert (entry["dispute"], entry["by"], entry["role"], entry["why"]) == (dispute.id, "Kim", "arbiter", "I saw it")
    assert hall.log()[-2]["overruled"]
    # a legal turn is taken back
    page.act("done", table="R1 R2 | K10 B10 O10")
    dispute = dispute_of(hall, page)
    assert hall.tell(decide(dispute, "d2", "taken_back")).done
    assert page.evening["failing"]["why"] == "wrong"
    page.act("restored")
    # time is given
    dispute = dispute_of(hall, page)
    assert hall.tell(decide(dispute, "d3", "time_given", seconds=45.0)).done
    assert page.evening["clock"]["extra_s"] == 45
    assert page.evening["last"] == "Kim decided: 45 seconds more."
    # the game goes on, and a turn is not taken from somebody else
    page.act("done", table="R1 R2 | K11 B11 O11")
    dispute = dispute_of(hall, page)
    page.act("draw")
    answer = hall.tell(decide(dispute, "d4", "taken_back"))
    assert "gone on since" in answer.refusal
    assert hall.tell(decide(dispute, "d5", "stands")).done
    assert not page.state["hall"]["called"]


def test_a_raised_hand_comes_to_a_broker_that_lost_it(hall: TableInHall) -> None:
    """A hand that was raised while nobody was reached is told once somebody is, and again after each loss."""
    page = hall.start()
    page.deal("Ada", "Bo")
    hall.log()
    hall.mosquitto.kill()
    page.post("/api/hall/call")
    hall.stop()
    page = hall.start()
    assert page.state["hall"]["called"]
    hall.restart_broker()
    dispute = wait_for(lambda: hall.hub.disputes)[0]
    assert hall.hub.states["7"].disputes == [dispute.id] or wait_for(lambda: hall.hub.states["7"].disputes)
    hall.mosquitto.kill()
    hall.restart_broker()
    wait_for(lambda: [one.id for one in hall.hub.disputes[1:]] == [dispute.id])


def test_pictures_of_the_table_come_with_a_dispute(
    hall: TableInHall, camera: PlayedSource, tables: MarkedTables
) -> None:
    """Before and after the turn that is disputed, and only then; racks are never seen."""
    page = hall.start(camera)
    camera.show(tables.picture(table_reading("")))
    page.deal("Ada", "Bo")
    page.act("resume")
    camera.show(tables.picture(table_reading(GROUP)))
    wait_for(lambda: page.state["settled"] and page.state["reading"]["table"] == GROUP)
    page.act("done")
    wait_for(lambda: page.evening["player"] == 1)
    assert hall.hub.disputes == []
    dispute = dispute_of(hall, page)
    assert base64.b64decode(dispute.after_jpeg or "").startswith(b"\xff\xd8")
    history = page.get("/api/evening/history")["items"][-1]
    after = page.http.get(history["picture"]).data
    assert base64.b64decode(dispute.after_jpeg or "") == after
    assert hall.tell(decide(dispute, "d1", "stands")).done
    # At the end of the round the camera sees racks.
    page.act("rack-count", player=0, tiles=0)
    camera.show(tables.picture(table_reading("R1 R2 R3 | K5")))
    wait_for(lambda: page.state["settled"])
    dispute = dispute_of(hall, page)
    assert dispute.before_jpeg is None
    assert dispute.after_jpeg is None


def test_a_table_alone_has_no_hall(by_hand: EveningClient) -> None:
    """Without a hall nobody can be called, and the page is told so."""
    by_hand.deal()
    assert by_hand.state["hall"] is None
    assert by_hand.refused("/api/hall/call")["code"] == "not-found"
