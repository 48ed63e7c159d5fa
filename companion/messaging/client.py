"""An MQTT 5 client with at-least-once delivery, for brokers such as Mosquitto.

A message is acknowledged after its handler has returned, so the broker delivers it again after a crash. For a table
without a connection the broker keeps messages for a day.

Waiting messages are taken from their senders in turn (`fair_queue`). After a flood, the broker or this client may have
dropped messages, also those of others. The client then reads the retained messages again, which say what is missing.
"""

from __future__ import annotations

import logging
import socket
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tilekeeper.companion.messaging.address import HallAddress
from tilekeeper.companion.messaging.broker import (
    MOST_AT_ONCE,
    MOST_BYTES_AT_ONCE,
    MOST_BYTES_ON_THE_WAY,
    MOST_ON_THE_WAY,
    Broker,
    Handler,
    Receipt,
    SetAside,
    keep_in_log,
)
from tilekeeper.companion.messaging.delivery import deliver, report
from tilekeeper.companion.messaging.fair_queue import FairQueue, Load
from tilekeeper.companion.messaging.messages import TOO_MANY, MessageRefused
from tilekeeper.companion.messaging.topics import parse_topic
from tilekeeper.engine.language import gettext

if TYPE_CHECKING:
    from paho.mqtt.client import MQTTMessage

log = logging.getLogger(__name__)

QOS: Final = 1
KEPT_FOR_S: Final = 24 * 3600
"""The broker keeps messages for a disconnected client for this time."""
_RECONNECTS_AFTER_S: Final = (1, 5)
_SHORT_S: Final = 10.0
_MOST_SHORT: Final = 3
"""After this many connections in a row that lasted less than `_SHORT_S`, a client waits for `_YIELDS_FOR_S`. Two
clients with the same name disconnect each other again and again, and Mosquitto 2.0.11 gives no reason."""
_YIELDS_FOR_S: Final = 60
KEEPALIVE_S: Final = 10
"""The MQTT keep-alive: after 1.5 times this silence the broker drops a client and publishes its last will."""

_FULL: Final = Load(MOST_ON_THE_WAY // 2, MOST_BYTES_ON_THE_WAY // 2)
"""With so much waiting here, messages also wait at the broker, since others are being handled or acknowledged."""
_RECOVERS_AFTER_S: Final = 5.0
"""The shortest time between two recoveries from a flood."""


class BrokerMissing(Exception):  # noqa: N818 - says what happened, as it reads in an except
    """The MQTT library is not installed; the message is a sentence with the fix, for the command line."""


@dataclass(slots=True, eq=False)
class _Received:
    """A received message."""

    handler: Handler
    message: MQTTMessage
    connection: int
    """The number of the connection on which it came."""
    is_done: bool = False
    """Whether it can be acknowledged."""

    def content(self) -> tuple[str, bytes]:
        """Return topic and payload."""
        return self.message.topic, bytes(self.message.payload)


class MqttBroker:
    """A `Broker` that speaks MQTT 5 and reconnects by itself."""

    def __init__(self, address: HallAddress, client_id: str, will: tuple[str, bytes] | None = None) -> None:
        """Prepare a connection; nothing is sent before `start`.

        Args:
            address: the broker's address, with credentials.
            client_id: a unique name for each table and hub; another connection with the same id ends this one.
            will: topic and payload of the last will, which the broker publishes, retained, if the connection breaks.

        Raises:
            BrokerMissing: if paho-mqtt is not installed.
            OSError: if the authority's certificate can't be read.
        """
        try:
            from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
            from paho.mqtt.packettypes import PacketTypes
            from paho.mqtt.properties import Properties

            from tilekeeper.companion.messaging.steady_client import SteadyClient
        except ImportError:
            raise BrokerMissing(
                gettext(
                    "A part for tournaments is missing. Run “make club” in Tilekeeper's folder, or install its wheel "
                    "with [club]."
                )
            ) from None
        self._address = address
        self._properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        self._properties.SessionExpiryInterval = KEPT_FOR_S
        self._properties.ReceiveMaximum = MOST_ON_THE_WAY
        self._client = SteadyClient(
            CallbackAPIVersion.VERSION2, client_id=client_id, protocol=MQTTProtocolVersion.MQTTv5, manual_ack=True
        )
        self._client.reconnect_delay_set(*_RECONNECTS_AFTER_S)
        if address.user:
            self._client.username_pw_set(address.user, address.password)
        context = address.context()
        if context is not None:
            self._client.tls_set_context(context)
        self._will = will
        if will is not None:
            self._client.will_set(will[0], will[1], QOS, retain=True)
        self._client.on_socket_open = _without_delay
        self._client.on_connect = self._on_connect
        self._client.on_connect_fail = self._on_connect_fail
        self._client.on_disconnect = self._on_disconnect
        self._handlers: Mapping[str, Handler] = {}
        self._set_aside: SetAside = keep_in_log
        self._waiting: FairQueue[_Received] = FairQueue(_FULL, Load(MOST_AT_ONCE, MOST_BYTES_AT_ONCE))
        """Received messages that wait for their handler."""
        self._unacknowledged: deque[_Received] = deque()
        """Received messages in the order in which they came, in which MQTT wants them acknowledged."""
        self._may_lack = False
        """Whether messages may have been dropped since the last recovery."""
        self._dropped: dict[str, tuple[str, bytes]] = {}
        """By sender of a flood: one of the messages that were dropped since then."""
        self._recovered_s = 0.0
        self._news = threading.Condition()
        self._closed = threading.Event()
        self._connected = False
        self._connections = 0
        self._connected_s, self._short = 0.0, 0
        self._trouble = ""
        self._worker = threading.Thread(target=self._work, name="broker", daemon=True)

    @property
    def connected(self) -> bool:
        """Whether the connection stands now."""
        return self._connected

    @property
    def connections(self) -> int:
        """How often the connection was made."""
        return self._connections

    @property
    def trouble(self) -> str:
        """Why there is no connection, in a few words; empty while connected."""
        return self._trouble

    def start(self, handlers: Mapping[str, Handler], set_aside: SetAside = keep_in_log) -> None:
        """Connect as soon as possible, and pass messages to the handlers of their topic filters."""
        self._handlers = handlers
        self._set_aside = set_aside
        for topic, handler in handlers.items():
            self._client.message_callback_add(topic, self._queue_for(handler))
        self._worker.start()
        self._client.connect_async(
            self._address.host, self._address.port, KEEPALIVE_S, clean_start=False, properties=self._properties
        )
        self._client.loop_start()

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> Receipt:
        """Send a message; with `retain` the broker keeps it for later subscribers."""
        return _MqttReceipt(self._client.publish(topic, payload, QOS, retain))

    def close(self) -> None:
        """Publish the last will, which the broker does not do after a regular disconnection, and disconnect."""
        if self._connected and self._will is not None:
            self._client.publish(*self._will, QOS, retain=True).wait_for_publish(1.0)
        self._closed.set()
        with self._news:
            self._news.notify_all()
        self._client.disconnect()
        self._client.loop_stop()
        if self._worker.ident is not None and self._worker is not threading.current_thread():
            self._worker.join(2.0)

    def _on_connect(self, client: Any, _data: object, _flags: object, reason: Any, _properties: object) -> None:
        if reason.is_failure:
            self._trouble = str(reason)
            log.warning("The broker at %s refuses: %s", self._address.shown, reason)
            return
        for topic in self._handlers:
            client.subscribe(topic, QOS)
        client.reconnect_delay_set(*_RECONNECTS_AFTER_S)
        self._connected_s = time.monotonic()
        self._connections += 1
        self._trouble, self._connected = "", True

    def _on_connect_fail(self, _client: object, _data: object) -> None:
        self._trouble = self._trouble or gettext("nobody answers at {address}", address=self._address.shown)

    def _on_disconnect(self, client: Any, _data: object, _flags: object, reason: Any, _properties: object) -> None:
        was_short = self._connected and time.monotonic() - self._connected_s < _SHORT_S
        self._connected, self._short = False, self._short + 1 if was_short else 0
        if self._closed.is_set():
            return
        if self._short >= _MOST_SHORT:
            client.reconnect_delay_set(_YIELDS_FOR_S, _YIELDS_FOR_S)
            self._trouble = gettext(
                "the connection breaks again and again; does another hub or table use the same access card?"
            )
        elif not self._trouble:
            self._trouble = str(reason)

    def _queue_for(self, handler: Handler) -> Any:
        def queue(_client: object, _data: object, message: MQTTMessage) -> None:
            received = _Received(handler, message, self._connections)
            place = parse_topic(message.topic)
            sender = message.topic if place is None else place.table
            with self._news:
                self._unacknowledged.append(received)
                self._waiting.add(sender, received, len(message.payload))
                self._may_lack |= self._waiting.is_full  # then messages also wait at the broker, which has a limit
                self._news.notify()

        return queue

    def _work(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: bool(self._waiting) or self._closed.is_set(), _RECOVERS_AFTER_S)
                if self._closed.is_set():
                    return
                batch = self._waiting.take()
            for same_handler in _split(batch):
                messages = [received.content() for received in same_handler]
                if not deliver(same_handler[0].handler, messages, self._closed, self._set_aside):
                    return
            self._acknowledge(batch)
            self._shed()
            self._recover()

    def _acknowledge(self, batch: Sequence[_Received]) -> None:
        """Acknowledge all messages up to the first one that is not done."""
        done: list[_Received] = []
        with self._news:
            for received in batch:
                received.is_done = True
            while self._unacknowledged and self._unacknowledged[0].is_done:
                done.append(self._unacknowledged.popleft())
        for received in done:
            # A message id is valid only for its connection; on the next one the broker delivers again.
            if received.connection == self._connections:
                self._client.ack(received.message.mid, received.message.qos)

    def _shed(self) -> None:
        """Drop messages of a flood."""
        with self._news:
            excess = self._waiting.shed()
        for sender, messages in excess:
            self._dropped[sender] = messages[0].content()
            self._acknowledge(messages)

    def _recover(self) -> None:
        """After messages may have been dropped, report the senders of a flood, and read the retained messages again."""
        now_s = time.monotonic()
        if not self._may_lack or not self._connected or now_s - self._recovered_s < _RECOVERS_AFTER_S:
            return
        self._may_lack, self._recovered_s = False, now_s
        for message in self._dropped.values():
            report(message, MessageRefused(TOO_MANY), self._set_aside)
        self._dropped.clear()
        for topic in self._handlers:
            self._client.subscribe(topic, QOS)  # the broker then sends them


def _split(batch: Sequence[_Received]) -> list[list[_Received]]:
    """Return the messages for each handler, in order."""
    by_handler: dict[Handler, list[_Received]] = {}
    for received in batch:
        by_handler.setdefault(received.handler, []).append(received)
    return list(by_handler.values())


def _without_delay(_client: object, _data: object, connection: Any) -> None:
    """Set TCP_NODELAY, so that a small message does not wait for the acknowledgement of the one before."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class _MqttReceipt:
    def __init__(self, info: Any) -> None:
        self._info = info

    @property
    def taken(self) -> bool:
        """Whether the broker has acknowledged the message."""
        try:
            return bool(self._info.is_published())
        except (RuntimeError, ValueError):  # the message was never sent, since there was no connection
            return False


def _check_protocol(broker: MqttBroker) -> Broker:
    return broker
