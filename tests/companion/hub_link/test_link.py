"""A table connected to its hall by a real Mosquitto: each event is sent once and in order, also after losses."""

from __future__ import annotations

import base64
import sqlite3
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.support.game_night_client import EveningClient
from tests.support.hub_ear import CLUB, wait_for
from tests.support.known_tables import MarkedTables, PlayedSource, table_reading
from tests.support.mosquitto import needs_mosquitto
from tests.support.table_in_hall import GROUP, HEAD, TableInHall, decide, dispute_of, exported, seat
from tilekeeper.companion.hub_link.link import Hall
from tilekeeper.companion.messaging.broker import Receipt
from tilekeeper.companion.messaging.client import MqttBroker
from tilekeeper.companion.messaging.digests import digest_after
from tilekeeper.companion.messaging.messages import (
    ClockCommand,
    Event,
    HallCommand,
    Resend,
)
from tilekeeper.companion.messaging.topics import Branch, topic

pytestmark = [pytest.mark.slow, needs_mosquitto()]


def test_events_of_a_game_night_arrive_at_the_hub(hall: TableInHall) -> None:
    """Each entry of the table's log arrives at the hub unchanged; the state describes the table."""
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
    assert "Not allowed" in state.verdict
    page.act("undo")
    wait_for(lambda: not hall.hub.states["7"].wrong)
    assert hall.log()[-1] == {"event": "undone", "events": 1}
    assert hall.hub.came == 7
    hall.stop()
    wait_for(lambda: hall.hub.presence.get("7") == "gone")


def test_events_without_a_connection_are_sent_later(hall: TableInHall) -> None:
    """The table plays on without a broker and is restarted meanwhile; then all entries arrive once and in order."""
    page = hall.start()
    page.deal("Ada", "Bo")
    hall.log()
    assert page.state["hall"] == {"table": "7", "notice": "", "halt": "", "called": False}
    hall.mosquitto.kill()
    for _ in range(3):
        page.act("draw")
    wait_for(lambda: "No connection" in page.state["hall"]["notice"])
    hall.stop()
    page = hall.start()
    for _ in range(3):
        page.act("draw")
    hall.restart_broker()
    assert hall.log() == exported(page)
    assert len(exported(page)) == 9
    wait_for(lambda: page.state["hall"]["notice"] == "")


def test_killed_table_sends_entries_again_with_the_same_numbers(hall: TableInHall) -> None:
    """It is killed before it stores the acknowledgement; the hub recognises duplicates by their numbers."""
    page = hall.start()
    page.deal("Ada", "Bo")
    page.act("draw")
    hall.log()
    hall.kill()
    page = hall.start()
    page.act("draw")
    assert hall.log() == exported(page)
    assert hall.hub.came > len(hall.log()), "some entries came twice"


def test_entries_lost_by_the_tables_disk_begin_a_new_log(hall: TableInHall, tmp_path: Path) -> None:
    """The hub has more entries than the table; the table continues in a new log, which is sent from its beginning."""
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
    """A client that loses messages silently, as one did that was cut off at a bad moment."""

    loses = 0

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> Receipt:
        """Publish a message, or lose it."""
        if self.loses:
            self.loses -= 1
            return SimpleNamespace(taken=False)
        return super().publish(topic, payload, retain=retain)


def test_unacknowledged_messages_are_sent_again(hall: TableInHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Entries and states without an acknowledgement are sent again after a while, even if nothing else happens."""
    monkeypatch.setattr("tilekeeper.companion.hub_link.link._LOST_AFTER_S", 0.5)
    hall.broker = LossyBroker
    page = hall.start()
    page.deal("Ada", "Bo")
    hall.log()
    monkeypatch.setattr(LossyBroker, "loses", 4)
    page.act("draw")
    page.act("draw")
    assert hall.log() == exported(page)
    wait_for(lambda: hall.hub.states["7"].last_seq == 5)


def test_table_with_another_log_than_the_hub_begins_a_new_one(hall: TableInHall) -> None:
    """All entries come again, under a new name and with running digests that the hub can check."""
    page = hall.start()
    page.deal("Ada", "Bo")
    page.act("draw")
    entries, evening = list(hall.log()), page.evening["id"]
    digests: list[tuple[str, str]] = []
    before = ""

    def check(event: Event) -> None:
        nonlocal before
        before = digest_after(before if event.seq > 1 else "", event)
        digests.append((event.digest, before))

    hall.hub.when_event = check
    for _ in range(2):  # asked twice, since messages may be repeated
        hall.hub.send(Resend(table="7", log=evening, seq=1, begin_new=True), Branch.RESEND)
    wait_for(lambda: hall.hub.logs.get(("7", f"{evening}.1")) == entries)
    page.act("draw")
    wait_for(lambda: len(hall.hub.logs["7", f"{evening}.1"]) == len(entries) + 1)
    assert len(digests) == len(entries) + 1
    assert all(sent == own != "" for sent, own in digests)
    wait_for(lambda: hall.hub.states["7"].digest == before)
    assert hall.hub.states["7"].log == f"{evening}.1"


def test_poison_command_is_set_aside_and_the_hall_is_told(hall: TableInHall, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither an id that no answer can name nor an order with which the table fails keeps later orders waiting."""
    page = hall.start()
    page.deal("Ada", "Bo")
    page.act("resume")
    head = {"table": "7", "by": "Kim", "role": "arbiter"}
    poison, pause = ClockCommand(**head, id="poison", kind="resume"), ClockCommand(**head, id="pause", kind="pause")
    obey = Hall._obey

    def fail_with_poison(self: Hall, command: HallCommand) -> None:
        if command.id == "poison":
            raise RuntimeError("no table can do this")
        obey(self, command)

    monkeypatch.setattr(Hall, "_obey", fail_with_poison)
    surrogate = poison.payload().replace(b'"poison"', b'"\\ud800"')
    hall.hub.broker.publish(topic(CLUB, "7", Branch.COMMANDS), surrogate)
    hall.hub.send(poison)
    hall.hub.send(pause)
    wait_for(lambda: [one.command for one in hall.hub.answers] == ["poison", "pause"])
    assert [one.done for one in hall.hub.answers] == [False, True]
    assert hall.hub.answers[0].refusal == "The table can't follow this order (RuntimeError)."


def test_requested_entries_are_sent_again(hall: TableInHall) -> None:
    """A hub that lost all but the first entry gets the rest again; a request for an unknown log gets nothing."""
    page = hall.start()
    page.deal("Ada", "Bo")
    page.act("draw")
    entries, evening = list(hall.log()), page.evening["id"]
    hall.hub.logs = {("7", evening): entries[:1]}
    hall.hub.send(Resend(table="7", log="nothing", seq=1), Branch.RESEND)
    hall.hub.broker.publish(topic(CLUB, "7", Branch.RESEND), b"nonsense")
    hall.hub.send(Resend(table="7", log=evening, seq=2), Branch.RESEND)
    assert hall.log() == entries
    page.act("draw")
    assert hall.log() == [*entries, {"event": "tile-drawn"}]
    assert set(hall.hub.logs) == {("7", evening)}
    assert hall.hub.wrong == []


def test_logs_of_past_game_nights_are_named_so_that_a_hub_can_request_them(hall: TableInHall) -> None:
    """The status names only the current log; of a past one the hub may lack the end, or all."""
    page = hall.start()
    nights = []
    for _ in range(2):
        page.deal("Ada", "Bo")
        nights.append((page.evening["id"], len(hall.log())))
        wait_for(lambda: hall.hub.past_logs["7"] == dict(nights[:-1]))
        page.post("/api/evenings/leave")
    wait_for(lambda: hall.hub.past_logs["7"] == dict(nights))
    hall.mosquitto.kill()
    hall.hub.past_logs.clear()
    hall.restart_broker()
    wait_for(lambda: hall.hub.past_logs.get("7") == dict(nights))


def test_dispute_is_sent_again_after_the_broker_lost_it(hall: TableInHall) -> None:
    """A dispute raised without a connection is sent after connecting, after each loss, and at the hub's request."""
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
    hall.hub.disputes.clear()
    hall.restart_broker()
    wait_for(lambda: hall.hub.disputes)
    entries, before = len(hall.log()), len(hall.hub.disputes)
    hall.hub.send(Resend(table="7", log=dispute.log, seq=entries + 1), Branch.RESEND)
    wait_for(lambda: len(hall.hub.disputes) > before)
    assert {one.id for one in hall.hub.disputes} == {dispute.id}, "a hub stores it once"


def test_dispute_has_pictures_of_the_table_but_never_of_racks(
    hall: TableInHall, camera: PlayedSource, tables: MarkedTables
) -> None:
    """They show the table before and after the disputed turn; after a round, when racks are visible, none is sent."""
    page = hall.start_filmed(camera, tables)
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


def test_table_without_a_hall_can_not_call_the_arbiter(by_hand: EveningClient) -> None:
    """The page has no hall, and calling the arbiter is refused."""
    by_hand.deal()
    assert by_hand.state["hall"] is None
    assert by_hand.refused("/api/hall/call")["code"] == "not-found"
