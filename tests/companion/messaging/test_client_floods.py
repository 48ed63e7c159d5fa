"""A flood of one sender does not delay messages of the others, and what is dropped is read again."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from tests.support.hub_ear import CLUB, wait_for
from tilekeeper.companion.messaging import client as client_module
from tilekeeper.companion.messaging.address import HallAddress
from tilekeeper.companion.messaging.broker import MOST_AT_ONCE, MOST_ON_THE_WAY
from tilekeeper.companion.messaging.client import MqttBroker
from tilekeeper.companion.messaging.fair_queue import PATIENCE
from tilekeeper.companion.messaging.topics import Branch, topic

HOSTILE, HONEST = topic(CLUB, "3", Branch.EVENTS), topic(CLUB, "2", Branch.EVENTS)
Messages = Sequence[tuple[str, bytes]]


@dataclass
class Received:
    topic: str
    payload: bytes
    mid: int
    qos: int = 1


@dataclass
class Wire:
    """A substitute for the MQTT library and the broker, which sends as long as few messages are unacknowledged."""

    unsent: list[tuple[str, bytes]]
    sent: int = 0
    acknowledged: list[int] = field(default_factory=list)
    subscribed: list[str] = field(default_factory=list)
    queue: object = None

    def message_callback_add(self, _topic: str, queue: object) -> None:
        self.queue = queue

    def connect_async(self, *_: object, **__: object) -> None:
        self.send()

    def send(self) -> None:
        while self.unsent and self.sent - len(self.acknowledged) < MOST_ON_THE_WAY:
            self.sent += 1
            self.queue(None, None, Received(*self.unsent.pop(0), self.sent))  # type: ignore[operator]

    def ack(self, mid: int, _qos: int) -> None:
        self.acknowledged.append(mid)

    def subscribe(self, topic: str, _qos: int) -> None:
        self.subscribed.append(topic)

    def loop_start(self) -> None: ...

    def loop_stop(self) -> None: ...

    def disconnect(self) -> None: ...


@dataclass
class Hub:
    """A handler of all messages."""

    wire: Wire
    batches: list[list[tuple[str, bytes]]] = field(default_factory=list)
    at_first: list[int] = field(default_factory=list)
    """How many messages were acknowledged when each batch came."""
    aside: list[tuple[str, str]] = field(default_factory=list)

    def take(self, messages: Messages) -> None:
        self.at_first.append(len(self.wire.acknowledged))
        self.batches.append(list(messages))
        self.wire.send()

    def set_aside(self, topic: str, _payload: bytes, error: Exception) -> None:
        self.aside.append((topic, str(error)))

    def of(self, topic: str) -> list[bytes]:
        return [payload for batch in self.batches for name, payload in batch if name == topic]


def run(unsent: list[tuple[str, bytes]]) -> tuple[Hub, Wire]:
    """Receive all messages with a client."""
    broker = MqttBroker(HallAddress.parse("mqtt://127.0.0.1/club"), "hub")
    count, wire = len(unsent), Wire(unsent)
    hub = Hub(wire)
    broker._client = wire  # type: ignore[assignment]
    broker._connected = True
    broker.start({topic(CLUB, "+", Branch.EVENTS): hub.take}, hub.set_aside)
    wait_for(lambda: len(wire.acknowledged) == count)
    broker.close()
    assert wire.acknowledged == list(range(1, count + 1)), "MQTT wants them in the order in which they came"
    return hub, wire


@pytest.fixture(autouse=True)
def _all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the client's thread start only when the broker has sent what it may."""
    connect = MqttBroker.start

    def start(self: MqttBroker, *what: object) -> None:
        work, self._worker = self._worker, threading.Thread()
        connect(self, *what)  # type: ignore[arg-type]
        self._worker = work
        work.start()

    monkeypatch.setattr(MqttBroker, "start", start)


def test_honest_table_waits_for_one_batch_behind_a_flood() -> None:
    """The order within each table stays, and no message is acknowledged before its handler has returned."""
    flood = [(HOSTILE, b"%d" % number) for number in range(MOST_ON_THE_WAY // 2 - 50)]
    honest = [(HONEST, b"%d" % number) for number in range(20)]
    hub, wire = run([*flood, *honest])
    assert [payload for name, payload in hub.batches[0] if name == HONEST] == [payload for _, payload in honest]
    assert (hub.of(HOSTILE), hub.of(HONEST)) == ([payload for _, payload in flood], [payload for _, payload in honest])
    assert hub.aside == []
    assert wire.subscribed == [], "the broker had room"
    handled = 0
    for batch, acknowledged in zip(hub.batches, hub.at_first, strict=True):
        assert acknowledged <= handled
        handled += len(batch)


def test_endless_flood_is_dropped_and_the_others_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The organiser is told of it, and the retained messages are read again, since the broker may have dropped more."""
    monkeypatch.setattr(client_module, "_RECOVERS_AFTER_S", 0.01)
    flood = [(HOSTILE, b"%d" % number) for number in range(10 * MOST_ON_THE_WAY)]
    honest = [(HONEST, b"%d" % number) for number in range(200)]
    mixed = [one for at in range(200) for one in (*flood[at * 100 : (at + 1) * 100], honest[at])]
    hub, wire = run(mixed)
    assert hub.of(HONEST) == [payload for _, payload in honest]
    taken = [int(payload) for payload in hub.of(HOSTILE)]
    assert taken == sorted(taken)
    assert PATIENCE * MOST_AT_ONCE - len(honest) <= len(taken) < 0.75 * len(flood)
    assert set(hub.aside) == {(HOSTILE, "It sends more than a table needs.")}
    assert wire.subscribed != []
