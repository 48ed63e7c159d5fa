"""The way through a broker that speaks MQTT 5, such as Mosquitto: each message at least once.

What a handler has not taken is not acknowledged, so that the broker brings it again after a crash; and the broker
keeps for a day what is sent to a table that is away.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections import deque
from collections.abc import Sequence
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Any, Final

from tilekeeper.companion.broker.address import HallAddress
from tilekeeper.companion.broker.broker import MOST_AT_ONCE, Broker, Handler, Receipt
from tilekeeper.engine.language import gettext

if TYPE_CHECKING:
    from paho.mqtt.client import MQTTMessage

log = logging.getLogger(__name__)

QOS: Final = 1
KEPT_FOR_S: Final = 24 * 3600
"""So long the broker keeps messages for somebody who is away."""
KEEPALIVE_S: Final = 10
"""A peer that says nothing for one and a half times as long is gone; then its last will is told."""
_AGAIN_S: Final = (0.1, 0.5, 2.0)
"""After so long a handler that failed is called again; the last one from then on."""


class BrokerMissing(Exception):  # noqa: N818 - says what happened, as it reads in an except
    """The library that speaks with brokers is not installed; the text is a sentence for people."""


class MqttBroker:
    """A connection to a broker that comes back by itself."""

    def __init__(self, address: HallAddress, client_id: str, will: tuple[str, bytes] | None = None) -> None:
        """Prepare a connection; nothing is sent before `start`.

        Args:
            address: where the broker is.
            client_id: one for each table and hub: another connection with the same ends this one.
            will: topic and payload of what the broker says, retained, once this connection breaks off.

        Raises:
            BrokerMissing: if paho-mqtt is not installed.
            OSError: if the authority's certificate can't be read.
        """
        try:
            from paho.mqtt.client import Client
            from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
            from paho.mqtt.packettypes import PacketTypes
            from paho.mqtt.properties import Properties
        except ImportError:
            raise BrokerMissing(
                gettext("A part for tournaments is missing. Run: pip install 'tilekeeper[club]'.")
            ) from None
        self._address = address
        self._properties = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
        self._properties.SessionExpiryInterval = KEPT_FOR_S
        self._properties.ReceiveMaximum = MOST_AT_ONCE
        self._client = Client(
            CallbackAPIVersion.VERSION2, client_id=client_id, protocol=MQTTProtocolVersion.MQTTv5, manual_ack=True
        )
        self._client.reconnect_delay_set(1, 5)
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
        self._handlers: dict[str, Handler] = {}
        self._waiting: deque[tuple[Handler, MQTTMessage, int]] = deque()
        """What has come, with the number of the connection that brought it."""
        self._news = threading.Condition()
        self._closed = threading.Event()
        self._connected = False
        self._connections = 0
        self._trouble = ""
        self._worker = threading.Thread(target=self._work, name="broker", daemon=True)

    @property
    def connected(self) -> bool:
        """Whether the broker is reached now."""
        return self._connected

    @property
    def connections(self) -> int:
        """How often the broker was reached anew."""
        return self._connections

    @property
    def trouble(self) -> str:
        """Why it is not reached, in a few words."""
        return self._trouble

    def start(self, handlers: dict[str, Handler]) -> None:
        """Connect as soon as it can be, and bring messages of these topics to their handlers."""
        self._handlers = handlers
        for topic, handler in handlers.items():
            self._client.message_callback_add(topic, self._queue_for(handler))
        self._worker.start()
        self._client.connect_async(
            self._address.host, self._address.port, KEEPALIVE_S, clean_start=False, properties=self._properties
        )
        self._client.loop_start()

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> Receipt:
        """Send a message."""
        return _MqttReceipt(self._client.publish(topic, payload, QOS, retain))

    def close(self) -> None:
        """Say the last will oneself, since who says goodbye has none, and let go."""
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
        self._connections += 1
        self._trouble, self._connected = "", True

    def _on_connect_fail(self, _client: object, _data: object) -> None:
        self._trouble = self._trouble or gettext("nobody answers at {address}", address=self._address.shown)

    def _on_disconnect(self, _client: object, _data: object, _flags: object, reason: Any, _properties: object) -> None:
        self._connected = False
        if not self._closed.is_set() and not self._trouble:
            self._trouble = str(reason)

    def _queue_for(self, handler: Handler) -> Any:
        def queue(_client: object, _data: object, message: MQTTMessage) -> None:
            with self._news:
                self._waiting.append((handler, message, self._connections))
                self._news.notify()

        return queue

    def _work(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: bool(self._waiting) or self._closed.is_set())
                if self._closed.is_set():
                    return
                handler, batch = self._next()
            if self._taken(handler, [(message.topic, bytes(message.payload)) for _, message, _ in batch]):
                for _, message, connection in batch:
                    # Its number holds for one connection; on the next the broker brings again what it must.
                    if connection == self._connections:
                        self._client.ack(message.mid, message.qos)

    def _next(self) -> tuple[Handler, list[tuple[Handler, MQTTMessage, int]]]:
        """Take what one handler gets next."""
        handler = self._waiting[0][0]
        same = takewhile(lambda one: one[0] == handler, self._waiting)
        batch = list(islice(same, MOST_AT_ONCE))
        for _ in batch:
            self._waiting.popleft()
        return handler, batch

    def _taken(self, handler: Handler, messages: Sequence[tuple[str, bytes]]) -> bool:
        tries = 0
        while not self._closed.is_set():
            try:
                handler(messages)
            except Exception:  # a disk or a database that is away comes back, and nothing may be lost meanwhile
                log.warning("A message of %s could not be taken yet", messages[0][0], exc_info=True)
                self._closed.wait(_AGAIN_S[min(tries, len(_AGAIN_S) - 1)])
                tries += 1
            else:
                return True
        return False


def _without_delay(_client: object, _data: object, connection: Any) -> None:
    """Let small messages go at once: by default the second one waits until the other end has noted the first."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class _MqttReceipt:
    def __init__(self, info: Any) -> None:
        self._info = info

    @property
    def taken(self) -> bool:
        """Whether the broker has it."""
        try:
            return bool(self._info.is_published())
        except (RuntimeError, ValueError):  # it was never on its way: nobody was connected
            return False


def _held_to_the_protocol(broker: MqttBroker) -> Broker:
    return broker
