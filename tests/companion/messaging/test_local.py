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
from tilekeeper.companion.messaging.topics import Branch, topic

pytestmark = pytest.mark.slow  # real ports


class Hub(ThreadingHTTPServer):
    """Stores posted messages and returns queued ones; the next `broken` posts fail."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Wire)
        self.posted: list[dict[str, Any]] = []
        self.waiting: list[dict[str, Any]] = []
        self.asked_for: list[str] = []
        self.broken = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()


class _Wire(BaseHTTPRequestHandler):
    server: Hub

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.server.broken:
            self.server.broken -= 1
            self.send_error(503)
        elif body["payload"] == "bad":
            self.send_error(422)
        else:
            self.server.posted.append(body)
            self.send_response(204)
            self.end_headers()

    def do_GET(self) -> None:
        query = parse_qs(urlsplit(self.path).query)
        self.server.asked_for += query["table"]
        until_s = time.monotonic() + float(query["wait"][0])
        while not self.server.waiting and time.monotonic() < until_s:
            time.sleep(0.01)
        messages, self.server.waiting = self.server.waiting, []
        body = json.dumps({"messages": messages}).encode()
        self.send_response(200)
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
    broker = LocalBroker(
        HallAddress.parse(f"http://127.0.0.1:{hub.server_port}/c"), "7", (topic("c", "7", Branch.PRESENCE), b'"gone"')
    )
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
    broker = LocalBroker(address, "7")
    broker.start({})
    receipt = broker.publish(topic("c", "7", Branch.EVENTS), b"1")
    wait_for(lambda: broker.trouble)
    assert "the hub does not answer" in broker.trouble
    assert not broker.connected
    assert not receipt.taken
    broker.close()
