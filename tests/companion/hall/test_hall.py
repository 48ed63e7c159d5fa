"""A table in its hall, over a real Mosquitto: what happens is told once and in order, also after any loss."""

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
from tilekeeper.companion.broker.broker import Receipt
from tilekeeper.companion.broker.client import MqttBroker
from tilekeeper.companion.broker.messages import (
    ClockCommand,
    Resend,
)
from tilekeeper.companion.broker.topics import Branch, topic

pytestmark = [pytest.mark.slow, needs_mosquitto()]


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
    assert "Not allowed" in state.verdict
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
    wait_for(lambda: "No connection" in page.state["hall"]["notice"])
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
    monkeypatch.setattr("tilekeeper.companion.hall.hall._LOST_AFTER_S", 0.5)
    hall.broker = LossyBroker
    page = hall.start()
    page.deal("Ada", "Bo")
    hall.log()
    monkeypatch.setattr(LossyBroker, "loses", 4)
    page.act("draw")
    page.act("draw")
    assert hall.log() == exported(page)
    wait_for(lambda: hall.hub.states["7"].last_seq == 5)


def test_what_is_asked_for_is_sent_again(hall: TableInHall) -> None:
    """A hub that lost all but the first entry gets the rest again; one that asks for what never was gets nothing."""
    page = hall.start()
    page.deal("Ada", "Bo")
    page.act("draw")
    there, evening = list(hall.log()), page.evening["id"]
    hall.hub.logs = {("7", evening): there[:1]}
    hall.hub.send(Resend(table="7", log="nothing", seq=1), Branch.RESEND)
    hall.hub.broker.publish(topic(CLUB, "7", Branch.RESEND), b"nonsense")
    hall.hub.send(Resend(table="7", log=evening, seq=2), Branch.RESEND)
    assert hall.log() == there
    page.act("draw")
    assert hall.log() == [*there, {"event": "tile-drawn"}]
    assert set(hall.hub.logs) == {("7", evening)}
    assert hall.hub.wrong == []


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


def test_a_table_alone_has_no_hall(by_hand: EveningClient) -> None:
    """Without a hall nobody can be called, and the page is told so."""
    by_hand.deal()
    assert by_hand.state["hall"] is None
    assert by_hand.refused("/api/hall/call")["code"] == "not-found"
