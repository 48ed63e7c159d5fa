"""The MQTT client with a real Mosquitto: at-least-once delivery in order, retained messages, and the last will."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from tests.support.mosquitto import Mosquitto, needs_mosquitto
from tilekeeper.companion.messaging.address import HallAddress
from tilekeeper.companion.messaging.client import BrokerMissing, MqttBroker

pytestmark = [pytest.mark.slow, needs_mosquitto()]

HERE, GONE = b'"here"', b'"gone"'


@pytest.fixture
def mosquitto(tmp_path: Path) -> Iterator[Mosquitto]:
    """A broker."""
    broker = Mosquitto(tmp_path / "broker").start()
    yield broker
    broker.stop()


class Peer:
    """A client that records the messages it receives."""

    def __init__(self, mosquitto: Mosquitto, name: str, *topics: str, will: tuple[str, bytes] | None = None) -> None:
        self.received: list[bytes] = []
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
        self.received += [payload for _, payload in messages]

    def send(self, topic: str, payload: bytes, retain: bool = False) -> None:
        """Publish, and wait for the broker's acknowledgement."""
        receipt = self.broker.publish(topic, payload, retain=retain)
        wait_for(lambda: receipt.taken)


def wait_for(condition: Callable[[], bool], within_s: float = 20.0) -> None:
    """Wait until the condition holds."""
    until_s = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < until_s, "the condition did not hold in time"
        time.sleep(0.01)


def test_messages_arrive_once_and_in_order(mosquitto: Mosquitto) -> None:
    """A hundred messages arrive once each, in order; a late subscriber gets the retained one."""
    hub, table = Peer(mosquitto, "hub", "t/+/events"), Peer(mosquitto, "table")
    sent = [b"%d" % number for number in range(100)]
    for payload in sent:
        table.broker.publish("t/7/events", payload)
    wait_for(lambda: len(hub.received) == 100)
    assert hub.received == sent
    table.send("t/7/state", b"stands", retain=True)
    late = Peer(mosquitto, "late", "t/+/state")
    wait_for(lambda: late.received == [b"stands"])
    for peer in (hub, table, late):
        peer.broker.close()


def test_command_for_a_disconnected_table_arrives_after_it_reconnects(mosquitto: Mosquitto) -> None:
    """A message for a disconnected table arrives after it reconnects, also after a restart of the broker."""
    hub = Peer(mosquitto, "hub")
    Peer(mosquitto, "table", "t/7/commands").broker.close()
    hub.send("t/7/commands", b"pause")
    hub.send("t/7/commands", b"resume")
    table = Peer(mosquitto, "table", "t/7/commands")
    wait_for(lambda: table.received == [b"pause", b"resume"])
    hub.broker.close()
    table.broker.close()


def test_failed_handler_gets_the_same_message_until_it_succeeds(mosquitto: Mosquitto) -> None:
    """A handler that raises gets the same message again; the next messages wait."""
    hub, table = Peer(mosquitto, "hub"), Peer(mosquitto, "table", "t/7/commands")
    table.fails = 3
    hub.send("t/7/commands", b"one")
    wait_for(lambda: table.fails < 3)
    for payload in (b"two", b"three"):
        hub.send("t/7/commands", payload)
    wait_for(lambda: len(table.received) == 3)
    assert table.received == [b"one", b"two", b"three"]
    assert table.batches == [1, 2], "waiting messages are delivered in one batch"
    hub.broker.close()
    table.broker.close()


def test_unacknowledged_message_is_delivered_again_after_reconnecting(mosquitto: Mosquitto) -> None:
    """A message is delivered again if the connection ends before its handler returns."""
    hub, table = Peer(mosquitto, "hub"), Peer(mosquitto, "table", "t/7/commands")
    table.fails = 10**9
    hub.send("t/7/commands", b"pause")
    wait_for(lambda: table.fails < 10**9)
    table.broker.close()
    assert table.received == []
    reconnected = Peer(mosquitto, "table", "t/7/commands")
    wait_for(lambda: reconnected.received == [b"pause"])
    hub.broker.close()
    reconnected.broker.close()


def test_clients_reconnect_after_the_broker_was_killed(mosquitto: Mosquitto) -> None:
    """Both clients reconnect by themselves after the broker is killed and started again."""
    hub, table = Peer(mosquitto, "hub", "t/+/events"), Peer(mosquitto, "table")
    mosquitto.kill()
    wait_for(lambda: not table.broker.connected and not hub.broker.connected)
    assert table.broker.trouble
    assert not table.broker.publish("t/7/state", b"lost or late").taken
    mosquitto.start()
    wait_for(lambda: table.broker.connections == 2 and hub.broker.connections == 2)
    assert table.broker.trouble == ""
    table.send("t/7/events", b"after")
    wait_for(lambda: hub.received[-1:] == [b"after"])
    hub.broker.close()
    table.broker.close()


def test_killed_client_is_announced_as_gone_by_its_last_will(mosquitto: Mosquitto) -> None:
    """The broker announces a killed client as gone; a client that closes announces it itself."""
    hub = Peer(mosquitto, "hub", "t/+/presence")
    table = Peer(mosquitto, "8", will=("t/8/presence", GONE))
    table.send("t/8/presence", HERE, retain=True)
    table.broker.close()
    wait_for(lambda: hub.received == [HERE, GONE])
    hub.received.clear()
    program = (
        "import sys, time\n"
        "from tilekeeper.companion.messaging.address import HallAddress\n"
        "from tilekeeper.companion.messaging.client import BrokerMissing, MqttBroker\n"
        "broker = MqttBroker(HallAddress.parse(sys.argv[1]), '7', ('t/7/presence', b'\"gone\"'))\n"
        "broker.start({})\n"
        "while not broker.connected: time.sleep(0.01)\n"
        "broker.publish('t/7/presence', b'\"here\"', retain=True)\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, f"mqtt://127.0.0.1:{mosquitto.port}/club"])
    try:
        wait_for(lambda: hub.received == [HERE])
    finally:
        process.kill()
        process.wait()
    wait_for(lambda: hub.received == [HERE, GONE])
    hub.broker.close()


def test_client_without_a_broker_retries_and_closes_at_once(tmp_path: Path) -> None:
    """Without a broker the client retries, gives the reason, and closes at once when asked."""
    address = HallAddress.parse(f"mqtt://127.0.0.1:{Mosquitto(tmp_path / 'none').port}/club")
    broker = MqttBroker(address, "table")
    broker.start({})
    wait_for(lambda: broker.trouble != "")
    assert not broker.connected
    begun_s = time.monotonic()
    broker.close()
    assert time.monotonic() - begun_s < 3


def test_missing_mqtt_library_is_reported_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says what to install."""
    monkeypatch.delitem(sys.modules, "tilekeeper.companion.messaging.steady_client", raising=False)
    monkeypatch.setitem(sys.modules, "paho.mqtt.client", None)
    with pytest.raises(BrokerMissing, match="make club"):
        MqttBroker(HallAddress.parse("mqtt://127.0.0.1/club"), "table")


def test_two_clients_with_one_name_say_so_and_yield(mosquitto: Mosquitto) -> None:
    """Two hubs with one card do not throw each other out every second; one of them works at any time."""
    peers = [Peer(mosquitto, "hub"), Peer(mosquitto, "hub")]
    wait_for(lambda: any("the same access card" in peer.broker.trouble for peer in peers))
    before = [peer.broker.connections for peer in peers]
    time.sleep(4)
    assert sum(peer.broker.connections for peer in peers) <= sum(before) + 1
    assert any(peer.broker.connected for peer in peers)
    for peer in peers:
        peer.broker.close()
