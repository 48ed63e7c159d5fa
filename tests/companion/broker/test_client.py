"""The connection to a real Mosquitto: at least once, in order, kept for who is away, and the last will."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.mosquitto import Mosquitto, needs_mosquitto
from tilekeeper.companion.broker.address import HallAddress
from tilekeeper.companion.broker.client import BrokerMissing, MqttBroker

pytestmark = [pytest.mark.slow, needs_mosquitto()]

HERE, GONE = b'"here"', b'"gone"'


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker."""
    broker = Mosquitto(tmp_path / "broker").start()
    yield broker
    broker.stop()


class Peer:
    """A connection that notes what comes."""

    def __init__(self, mosquitto: Mosquitto, name: str, *topics: str, will: tuple[str, bytes] | None = None) -> None:
        self.got: list[bytes] = []
        self.batches: list[int] = []
        self.fails = 0
        self.broker = MqttBroker(HallAddress.parse(f"mqtt://127.0.0.1:{mosquitto.port}/club"), name, will)
        self.broker.start(dict.fromkeys(topics, self._take))
        wait_for(lambda: self.broker.connected)

    def _take(self, messages: Sequence[tuple[str, bytes]]) -> None:
        if self.fails:
            self.fails -= 1
            raise OSError("the disk is full")
        self.batches.append(len(messages))
        self.got += [payload for _, payload in messages]

    def send(self, topic: str, payload: bytes, retain: bool = False) -> None:
        """Send and wait until the broker has it."""
        receipt = self.broker.publish(topic, payload, retain=retain)
        wait_for(lambda: receipt.taken)


def wait_for(condition: Callable[[], bool], within_s: float = 20.0) -> None:
    """Wait until something is so."""
    until_s = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < until_s, "it did not come about"
        time.sleep(0.01)


def test_messages_come_in_order(mosquitto: Mosquitto) -> None:
    """A hundred messages come once each, in their order, and retained ones to who comes late."""
    hub, table = Peer(mosquitto, "hub", "t/+/events"), Peer(mosquitto, "table")
    sent = [b"%d" % number for number in range(100)]
    for payload in sent:
        table.broker.publish("t/7/events", payload)
    wait_for(lambda: len(hub.got) == 100)
    assert hub.got == sent
    table.send("t/7/state", b"stands", retain=True)
    late = Peer(mosquitto, "late", "t/+/state")
    wait_for(lambda: late.got == [b"stands"])
    for peer in (hub, table, late):
        peer.broker.close()


def test_commands_wait_for_a_table_that_is_away(mosquitto: Mosquitto) -> None:
    """What is sent while a table is off comes once it is back; its restart makes no difference."""
    hub = Peer(mosquitto, "hub")
    Peer(mosquitto, "table", "t/7/commands").broker.close()
    hub.send("t/7/commands", b"pause")
    hub.send("t/7/commands", b"resume")
    table = Peer(mosquitto, "table", "t/7/commands")
    wait_for(lambda: table.got == [b"pause", b"resume"])
    hub.broker.close()
    table.broker.close()


def test_what_fails_is_tried_until_it_is_taken(mosquitto: Mosquitto) -> None:
    """A handler that fails gets the same message again, and those behind it wait."""
    hub, table = Peer(mosquitto, "hub"), Peer(mosquitto, "table", "t/7/commands")
    table.fails = 3
    hub.send("t/7/commands", b"one")
    wait_for(lambda: table.fails < 3)
    for payload in (b"two", b"three"):
        hub.send("t/7/commands", payload)
    wait_for(lambda: len(table.got) == 3)
    assert table.got == [b"one", b"two", b"three"]
    assert table.batches == [1, 2], "what waits is brought together"
    hub.broker.close()
    table.broker.close()


def test_what_was_not_taken_comes_again(mosquitto: Mosquitto) -> None:
    """A message whose handler had not returned when the connection ended is brought to the next one."""
    hub, table = Peer(mosquitto, "hub"), Peer(mosquitto, "table", "t/7/commands")
    table.fails = 10**9
    hub.send("t/7/commands", b"pause")
    wait_for(lambda: table.fails < 10**9)
    table.broker.close()
    assert table.got == []
    reconnected = Peer(mosquitto, "table", "t/7/commands")
    wait_for(lambda: reconnected.got == [b"pause"])
    hub.broker.close()
    reconnected.broker.close()


def test_it_comes_back_after_the_broker_was_killed(mosquitto: Mosquitto) -> None:
    """The broker is killed and started anew: both sides find it again by themselves and messages flow."""
    hub, table = Peer(mosquitto, "hub", "t/+/events"), Peer(mosquitto, "table")
    mosquitto.kill()
    wait_for(lambda: not table.broker.connected and not hub.broker.connected)
    assert table.broker.trouble
    assert not table.broker.publish("t/7/state", b"lost or late").taken
    mosquitto.start()
    wait_for(lambda: table.broker.connections == 2 and hub.broker.connections == 2)
    assert table.broker.trouble == ""
    table.send("t/7/events", b"after")
    wait_for(lambda: hub.got[-1:] == [b"after"])
    hub.broker.close()
    table.broker.close()


def test_last_will(mosquitto: Mosquitto) -> None:
    """A process that is killed is told as gone by the broker; one that leaves says so itself."""
    hub = Peer(mosquitto, "hub", "t/+/presence")
    table = Peer(mosquitto, "8", will=("t/8/presence", GONE))
    table.send("t/8/presence", HERE, retain=True)
    table.broker.close()
    wait_for(lambda: hub.got == [HERE, GONE])
    hub.got.clear()
    program = (
        "import sys, time\n"
        "from tilekeeper.companion.broker.address import HallAddress\n"
        "from tilekeeper.companion.broker.client import BrokerMissing, MqttBroker\n"
        "broker = MqttBroker(HallAddress.parse(sys.argv[1]), '7', ('t/7/presence', b'\"gone\"'))\n"
        "broker.start({})\n"
        "while not broker.connected: time.sleep(0.01)\n"
        "broker.publish('t/7/presence', b'\"here\"', retain=True)\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, f"mqtt://127.0.0.1:{mosquitto.port}/club"])
    try:
        wait_for(lambda: hub.got == [HERE])
    finally:
        process.kill()
        process.wait()
    wait_for(lambda: hub.got == [HERE, GONE])
    hub.broker.close()


def test_nobody_answers(tmp_path: Path) -> None:
    """Where there is no broker the connection waits, says why, and ends at once when it is asked to."""
    address = HallAddress.parse(f"mqtt://127.0.0.1:{Mosquitto(tmp_path / 'none').port}/club")
    broker = MqttBroker(address, "table")
    broker.start({})
    wait_for(lambda: broker.trouble != "")
    assert not broker.connected
    begun_s = time.monotonic()
    broker.close()
    assert time.monotonic() - begun_s < 3


def test_the_library_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain sentence says what to install."""
    monkeypatch.setitem(sys.modules, "paho.mqtt.client", None)
    with pytest.raises(BrokerMissing, match=r"pip install 'tilekeeper\[club\]'"):
        MqttBroker(HallAddress.parse("mqtt://127.0.0.1/club"), "table")
