"""The hub with a real broker: no entry is lost and no command is doubled while hubs and tables restart."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy import func, select

from tests.support.club_hall import plan
from tests.support.club_tables import CLUB, answer, entry
from tests.support.mosquitto import Mosquitto, needs_mosquitto
from tests.support.postgres import needs_postgres
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.schema import CommandRow, EntryRow, SeatingRow
from tilekeeper.companion.hub.settings import HallSettings
from tilekeeper.companion.messaging.address import HallAddress
from tilekeeper.companion.messaging.client import MqttBroker
from tilekeeper.companion.messaging.topics import Branch, topic

pytestmark = [needs_mosquitto(), pytest.mark.slow]


def wait_for(what: Callable[[], object], seconds: float = 20) -> None:
    until_s = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until_s, "the condition did not hold in time"
        time.sleep(0.05)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Mosquitto]:
    """A real Mosquitto."""
    started = Mosquitto(tmp_path / "mosquitto").start()
    yield started
    started.stop()


def connection(broker: Mosquitto, name: str) -> MqttBroker:
    return MqttBroker(HallAddress.parse(f"mqtt://127.0.0.1:{broker.port}/{CLUB}"), name)


class Table:
    """A table that publishes entries, repeats them on request, and answers commands."""

    def __init__(self, broker: Mosquitto, name: str) -> None:
        self.name = name
        self.got: list[dict[str, object]] = []
        self.length = 0
        self._lost: set[int] = set()
        self.link = connection(broker, f"table-{name}")
        self.link.start(
            {topic(CLUB, name, Branch.COMMANDS): self._take_commands, topic(CLUB, name, Branch.RESEND): self._resend}
        )
        wait_for(lambda: self.link.connected)

    def publish(self, *numbers: int) -> None:
        """Publish the entries with these numbers."""
        for number in numbers:
            self.length = max(self.length, number)
            self.link.publish(*entry(self.name, number))

    def _take_commands(self, messages: Sequence[tuple[str, bytes]]) -> None:
        for _, payload in messages:
            command = json.loads(payload)
            self.got.append(command)
            self.link.publish(*answer(self.name, command["id"], f"log-{command['id']}"))

    def _resend(self, messages: Sequence[tuple[str, bytes]]) -> None:
        for _, payload in messages:
            self.publish(*range(json.loads(payload)["seq"], self.length + 1))


def counted(database: Database, table: str) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).where(EntryRow.table == table)) or 0


def test_missing_entries_are_requested_from_the_table(database: Database, broker: Mosquitto) -> None:
    """The hub asks for missing first entries, and the table sends them again."""
    hub = Hub(database, CLUB, connection(broker, "hub-a"))
    hub.start()
    table = Table(broker, "7")
    table.publish(4, 5, 3)
    wait_for(lambda: counted(database, "7") == 5)
    table.link.close()
    hub.close()


def test_entries_are_stored_once_while_hubs_stop_and_start(database_url: str, broker: Mosquitto) -> None:
    """Entries sent while one hub or none is running are all stored once, without being sent twice by the table."""
    first, second = (Database(database_url) for _ in range(2))
    hubs = [Hub(one, CLUB, connection(broker, name)) for one, name in ((first, "hub-a"), (second, "hub-b"))]
    for hub in hubs:
        hub.start()
    table = Table(broker, "7")
    table.publish(*range(1, 40))
    wait_for(lambda: counted(second, "7") == 39)
    hubs[0].close()
    table.publish(*range(40, 60))
    wait_for(lambda: counted(second, "7") == 59)
    hubs[1].close()
    table.publish(*range(60, 80))
    third = Database(database_url)
    hub = Hub(third, CLUB, connection(broker, "hub-b"))
    hub.start()
    wait_for(lambda: counted(third, "7") == 79)
    hub.close()
    table.link.close()


def test_command_is_sent_until_it_is_answered(database: Database, broker: Mosquitto) -> None:
    """A round is paired while the broker is down: each table gets its seats after it connects, and names its log."""
    broker.kill()
    hub = Hub(database, CLUB, connection(broker, "hub-a"))
    hub.start()
    hub.desk.configure(plan(database), HallSettings().as_json())
    hub.desk.import_players(plan(database), b"Ada\nBo\nCleo\nDan")
    hub.desk.pair(plan(database), "Olga")
    broker.start()
    table = Table(broker, "1")
    wait_for(lambda: table.got)

    def answered() -> bool:
        with database.reading() as session:
            return bool(session.scalars(select(CommandRow)).one().done)

    wait_for(answered)
    assert [one["kind"] for one in table.got] == ["seat"]
    with database.reading() as session:
        assert session.scalars(select(SeatingRow)).one().log == f"log-{table.got[0]['id']}"
    table.link.close()
    hub.close()


@pytest.mark.parametrize("backend", ["postgresql"])
@needs_postgres()
def test_command_that_is_being_answered_keeps_no_other_one_waiting(database: Database) -> None:
    """Else the hub would wait for its row, and the answer for a row of the hub, which PostgreSQL ends as a deadlock."""
    desk = Hub(database, CLUB).desk
    desk.configure(plan(database), HallSettings().as_json() | {"name": "Cup"})
    desk.import_players(plan(database), "\n".join(f"P{number}" for number in range(12)).encode())
    desk.pair(plan(database), "Olga")
    sent: list[str] = []
    broker = SimpleNamespace(connected=True, publish=lambda _topic, payload: sent.append(json.loads(payload)["id"]))
    hub = Hub(database, CLUB, broker)
    with database.engine.begin() as answering:
        all_ids = answering.scalars(select(CommandRow.id)).all()
        answering.execute(select(CommandRow.id).where(CommandRow.id == all_ids[0]).with_for_update())
        sending = threading.Thread(target=hub._send, daemon=True)
        sending.start()
        sending.join(5)
        assert not sending.is_alive()
    assert sorted(sent) == sorted(all_ids[1:])


def test_entries_survive_an_outage_of_the_database(broker: Mosquitto) -> None:
    """PostgreSQL is killed and started again; entries sent meanwhile are stored afterwards."""
    from tests.support.postgres import Postgres, needs_postgres

    if needs_postgres().args[0]:
        pytest.skip(needs_postgres().kwargs["reason"])
    server = Postgres().start()
    database = Database(server.url)
    hub = Hub(database, CLUB, connection(broker, "hub-a"))
    hub.start()
    table = Table(broker, "7")
    saying = threading.Thread(target=lambda: [table.publish(number) or time.sleep(0.01) for number in range(1, 300)])
    saying.start()
    time.sleep(0.8)
    server.kill()
    time.sleep(1.0)
    server.start()
    saying.join()
    wait_for(lambda: counted(database, "7") == 299, 60)
    table.link.close()
    hub.close()
    server.stop()


def test_hub_has_a_unique_valid_client_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each hub has its own client name, so that two can run on one machine; an invalid name is refused in words."""
    from tilekeeper.companion.cli.club import _broker
    from tilekeeper.companion.messaging.address import AddressRefused

    monkeypatch.setattr(socket, "gethostname", lambda: "Ö")
    with pytest.raises(AddressRefused, match="--hub"):
        _broker("mqtt://127.0.0.1:1883/club", None)
    with pytest.raises(AddressRefused, match="leave out --broker"):
        _broker("http://127.0.0.1:8650/club", "a")
    assert _broker("mqtt://127.0.0.1:1883/north", "a")[0] == "north"
