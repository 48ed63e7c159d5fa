"""The connection over HTTP without a broker, with a real server in place of the hub."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tilekeeper.companion.messaging.address import HallAddress
from tilekeeper.companion.messaging.local import LocalBroker
from tilekeeper.companion.messaging.shared_key import (
    ANSWER_HEADER,
    REQUEST_HEADER,
    VALID_FOR_S,
    is_request_signed,
    sign_answer,
    sign_request,
    table_key,
)
from tilekeeper.companion.messaging.topics import Branch, topic

pytestmark = pytest.mark.slow  # real ports

KEY = "key of the hub"


class Hub(ThreadingHTTPServer):
    """Stores posted messages and returns queued ones; the next `broken` posts fail.

    With another key than the tables' it is a program of another user at the hub's port, which answers what it likes.
    """

    daemon_threads = True

    def __init__(self, key: str = KEY) -> None:
        super().__init__(("127.0.0.1", 0), _Wire)
        self.key = table_key(key, "7")
        self.heard: list[str] = []
        self.posted: list[dict[str, Any]] = []
        self.waiting: list[dict[str, Any]] = []
        self.asked_for: list[str] = []
        self.broken = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()


class _Wire(BaseHTTPRequestHandler):
    server: Hub

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        body = json.loads(sent)
        if self.server.broken:
            self.server.broken -= 1
            self._answer(503, sent)
        elif body["payload"] == "bad":
            self._answer(422, sent)
        else:
            self.server.posted.append(body)
            self._answer(204, sent)

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        self.server.asked_for += query["table"]
        until_s = time.monotonic() + float(query["wait"][0])
        while not self.server.waiting and time.monotonic() < until_s:
            time.sleep(0.01)
        messages, self.server.waiting = self.server.waiting, []
        self._answer(200, b"", json.dumps({"messages": messages}).encode())

    def _answer(self, status: int, sent: bytes, body: bytes = b"") -> None:
        signature = self.headers[REQUEST_HEADER]
        self.server.heard.append(signature)
        if self.server.key == table_key(KEY, "7"):
            assert is_request_signed(self.server.key, signature, self.command, urlsplit(self.path).query, sent)
        self.send_response(status)
        self.send_header(ANSWER_HEADER, sign_answer(self.server.key, signature, status, body))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub."""
    server = Hub()
    yield server
    server.shutdown()
    server.server_close()


def wait_for(condition: Any) -> None:
    """Wait until the condition holds."""
    until_s = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < until_s
        time.sleep(0.01)


def test_messages_arrive_in_order_in_both_directions(hub: Hub) -> None:
    """Posted messages arrive in order, past a refused one and after failures; commands arrive at the table."""
    events, commands = topic("c", "7", Branch.EVENTS), topic("c", "7", Branch.COMMANDS)
    got: list[bytes] = []
    address, will = (
        HallAddress.parse(f"http://127.0.0.1:{hub.server_port}/c"),
        (topic("c", "7", Branch.PRESENCE), b'"gone"'),
    )
    broker = LocalBroker(address, "7", KEY, will)
    hub.broken = 1
    broker.start({commands: lambda messages: got.extend(payload for _, payload in messages)})
    receipts = [broker.publish(events, payload) for payload in (b"1", b'"bad"', b"2")]
    wait_for(lambda: receipts[2].taken)
    assert [body["payload"] for body in hub.posted] == [1, 2]
    assert [receipt.taken for receipt in receipts] == [True, False, True]
    wait_for(lambda: broker.connected)
    hub.waiting = [{"topic": "elsewhere", "payload": {}}, {"topic": commands, "payload": {"kind": "pause"}}]
    wait_for(lambda: got == [b'{"kind": "pause"}'])
    assert set(hub.asked_for) == {"7"}
    broker.close()
    assert hub.posted[-1] == {"topic": topic("c", "7", Branch.PRESENCE), "payload": "gone", "retain": True}


def test_client_without_a_hub_reports_it_and_acknowledges_nothing() -> None:
    """The client says that it is not connected, and nothing published is acknowledged."""
    server = Hub()
    address = HallAddress.parse(f"http://127.0.0.1:{server.server_port}/c")
    server.shutdown()
    server.server_close()
    broker = LocalBroker(address, "7", KEY)
    broker.start({})
    receipt = broker.publish(topic("c", "7", Branch.EVENTS), b"1")
    wait_for(lambda: broker.trouble)
    assert "the hub does not answer" in broker.trouble
    assert not broker.connected
    assert not receipt.taken
    broker.close()


def test_program_at_the_hubs_port_learns_no_key_and_gives_no_orders() -> None:
    """Another user may take the port while the hub is away: his answers count for nothing."""
    stranger = Hub("another key")
    commands = topic("c", "7", Branch.COMMANDS)
    stranger.waiting = [{"topic": commands, "payload": {"kind": "pause"}}]
    got: list[object] = []
    broker = LocalBroker(HallAddress.parse(f"http://127.0.0.1:{stranger.server_port}/c"), "7", KEY)
    broker.start({commands: got.extend})
    receipt = broker.publish(topic("c", "7", Branch.EVENTS), b"1")
    wait_for(lambda: stranger.posted and stranger.asked_for and broker.trouble)
    broker.close()
    stranger.shutdown()
    stranger.server_close()
    assert "another program answers there" in broker.trouble
    assert (got, receipt.taken, broker.connected) == ([], False, False)
    assert not any(KEY in signature or table_key(KEY, "7").hex() in signature for signature in stranger.heard)


@pytest.mark.parametrize(
    ("key", "method", "query", "body"),
    [
        (table_key(KEY, "8"), "POST", "", b"{}"),
        (table_key("another", "7"), "POST", "", b"{}"),
        (table_key(KEY, "7"), "GET", "", b"{}"),
        (table_key(KEY, "7"), "POST", "table=8", b"{}"),
        (table_key(KEY, "7"), "POST", "", b"[]"),
    ],
    ids=["table", "hub", "method", "query", "body"],
)
def test_signature_is_valid_for_one_request_of_one_table(
    key: bytes, method: str, query: str, body: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    header = sign_request(table_key(KEY, "7"), "POST", "", b"{}")
    assert is_request_signed(table_key(KEY, "7"), header, "POST", "", b"{}")
    assert not is_request_signed(key, header, method, query, body)
    monkeypatch.setattr(time, "time", lambda: 10.0 + VALID_FOR_S + int(header.split()[1].partition(".")[0]))
    assert not is_request_signed(table_key(KEY, "7"), header, "POST", "", b"{}")
