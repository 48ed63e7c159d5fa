"""A substitute for a broker: HTTP to a hub on this machine, with the same at-least-once delivery.

A table posts its messages; the hub has stored a message once it has answered. The table fetches the hub's messages by
long polling; the hub repeats a command until the table has answered it. Both sign what they send (`shared_key`).
"""

from __future__ import annotations

import json
import logging
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from typing import Final
from urllib.parse import quote

from tilekeeper.companion.messaging.address import HallAddress
from tilekeeper.companion.messaging.broker import Broker, Handler, Receipt, SetAside, keep_in_log
from tilekeeper.companion.messaging.delivery import deliver
from tilekeeper.companion.messaging.shared_key import (
    ANSWER_HEADER,
    REQUEST_HEADER,
    is_answer_signed,
    sign_request,
    table_key,
)
from tilekeeper.companion.messaging.topics import parse_topic
from tilekeeper.engine.language import gettext

log = logging.getLogger(__name__)

WAITS_S: Final = 5
"""The longest time for which the hub may hold a request open until there is a message."""
_TIMEOUT_S: Final = 15.0
_RETRY_AFTER_S: Final = 1.0
MOST_UNSENT: Final = 200
"""The maximum number of messages that wait while the hub does not answer; further messages are dropped."""
_MOST_ANSWER_BYTES: Final = 20_000_000


class LocalBroker:
    """A `Broker` that posts messages to a hub on this machine, and fetches the hub's messages.

    `POST {hub}/api/wire?table=T` takes `{"topic", "payload", "retain"}`; `GET {hub}/api/wire?table=T&wait=SECONDS`
    answers `{"messages": [{"topic", "payload"}]}`. Each payload is a message as a JSON object.
    """

    def __init__(self, address: HallAddress, table: str, hub_key: str, will: tuple[str, bytes] | None = None) -> None:
        """Prepare a connection; nothing is sent before `start`.

        Args:
            address: where the hub is.
            table: the table's name.
            hub_key: the hub's key, by which hub and table recognise each other.
            will: topic and payload of the last will, which `close` posts.
        """
        self._key = table_key(hub_key, table)
        self._address = address
        self._table = table
        self._will = will
        self._handlers: Mapping[str, Handler] = {}
        self._set_aside: SetAside = keep_in_log
        self._unsent: deque[tuple[_LocalReceipt, bytes]] = deque()
        self._news = threading.Condition()
        self._closed = threading.Event()
        self._connected = False
        self._connections = 0
        self._trouble = ""

    @property
    def connected(self) -> bool:
        """Whether the hub answers."""
        return self._connected

    @property
    def connections(self) -> int:
        """How often the hub has begun to answer."""
        return self._connections

    @property
    def trouble(self) -> str:
        """Why the hub does not answer, in a few words; empty while it answers."""
        return self._trouble

    def start(self, handlers: Mapping[str, Handler], set_aside: SetAside = keep_in_log) -> None:
        """Start two threads: one sends messages, the other fetches messages and calls the handlers."""
        self._handlers = handlers
        self._set_aside = set_aside
        for target, name in ((self._fetch, "hub-in"), (self._send, "hub-out")):
            threading.Thread(target=target, name=name, daemon=True).start()

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> Receipt:
        """Queue a message for sending, and return its receipt."""
        receipt = _LocalReceipt()
        body = json.dumps({"topic": topic, "payload": json.loads(payload), "retain": retain}).encode()
        with self._news:
            if len(self._unsent) < MOST_UNSENT:
                self._unsent.append((receipt, body))
                self._news.notify()
        return receipt

    def close(self) -> None:
        """Post the last will if the hub answers, and stop the threads."""
        self._closed.set()
        with self._news:
            self._news.notify_all()
        if self._connected and self._will is not None:
            topic, payload = self._will
            try:
                self._ask(
                    "POST", body=json.dumps({"topic": topic, "payload": json.loads(payload), "retain": True}).encode()
                )
            except OSError:
                log.info("The last will of this table did not reach the hub")

    def _send(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: bool(self._unsent) or self._closed.is_set())
                if self._closed.is_set():
                    return
                receipt, body = self._unsent[0]
            try:
                status, _ = self._ask("POST", body=body)
                if status >= 500:
                    raise OSError(f"HTTP {status}")
                receipt.taken = status < 400
                if status >= 400:
                    log.warning("The hub refuses a message: %s", status)  # sending it again would not help
            except OSError as error:
                self._note_loss(error)
                self._closed.wait(_RETRY_AFTER_S)
                continue
            with self._news:
                self._unsent.popleft()

    def _fetch(self) -> None:
        wait = 0  # the first request returns at once, to show the connection
        while not self._closed.is_set():
            try:
                messages = json.loads(self._ask("GET", f"&wait={wait}")[1])["messages"]
            except (OSError, ValueError, KeyError, TypeError) as error:
                self._note_loss(error)
                wait = 0
                self._closed.wait(_RETRY_AFTER_S)
                continue
            self._note_connection()
            wait = WAITS_S
            for message in messages:
                self._hand_over(message["topic"], json.dumps(message["payload"]).encode())

    def _hand_over(self, topic: str, payload: bytes) -> None:
        handler = self._handlers.get(topic)
        if handler is None or parse_topic(topic) is None:
            return
        deliver(handler, [(topic, payload)], self._closed, self._set_aside)

    def _ask(self, method: str, more_query: str = "", body: bytes = b"") -> tuple[int, bytes]:
        """Send a signed request, and return the status and the body of the hub's answer.

        Raises:
            OSError: if nobody answers, or another program than the hub.
        """
        query = f"table={quote(self._table)}{more_query}"
        signature = sign_request(self._key, method, query, body)
        headers = {"Content-Type": "application/json", REQUEST_HEADER: signature}
        try:
            with closing(HTTPConnection(self._address.host, self._address.port, timeout=_TIMEOUT_S)) as connection:
                connection.request(method, f"/api/wire?{query}", body or None, headers)
                answer = connection.getresponse()
                status, answer_body = answer.status, answer.read(_MOST_ANSWER_BYTES)
        except HTTPException as error:
            raise OSError(f"{type(error).__name__}: {error}") from None
        if not is_answer_signed(self._key, answer.headers.get(ANSWER_HEADER, ""), signature, status, answer_body):
            raise OSError(gettext("another program answers there, or this is not the hub's key"))
        return status, answer_body

    def _note_connection(self) -> None:
        if not self._connected:
            self._connected, self._trouble = True, ""
            self._connections += 1

    def _note_loss(self, error: Exception) -> None:
        self._connected = False
        self._trouble = gettext("the hub does not answer: {reason}", reason=error)


class _LocalReceipt:
    def __init__(self) -> None:
        self.taken = False


def _check_protocol(broker: LocalBroker) -> Broker:
    return broker
