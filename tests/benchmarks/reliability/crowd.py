"""Two hundred tablets listen, a hundred connections send slowly and sixty never read, while host and player act.

Each has its own loopback address; only 127.0.0.1 is the host. Requirements: the app refuses nothing from the host or a
player, every tablet receives the last event, and the app answers within 0.1 s.
"""

from __future__ import annotations

import http.client
import itertools
import json
import re
import selectors
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress

import numpy as np

from tests.benchmarks.reliability.report import Outcome
from tests.support.forked_app import ForkedApp
from tests.support.scratch import scratch_folder
from tilekeeper.companion.doorkeeper.origin import CSRF_HEADER, csrf_token
from tilekeeper.companion.session import access
from tilekeeper.companion.web import connections
from tilekeeper.companion.web.blueprints.access import COOKIE

HOST = "127.0.0.1"
LISTENING, DRIPPING, NEVER_READING = 200, 100, 60
JOINED = 50
"""Number of joined players; each listens on several connections."""
ACTIONS_A_SECOND = 20
ANSWERS_WITHIN_S = 30.0
P95_S = 0.1
_VERSION = re.compile(rb"\nid: (\d+)\n")


def tell_apart() -> None:
    """Treat only 127.0.0.1 as the host, so that other loopback addresses are tablets."""
    access.is_this_machine = connections.is_this_machine = lambda peer: peer == HOST  # type: ignore[attr-defined]


class Client:
    """A client with its own address and one connection."""

    def __init__(self, port: int, address: str = HOST, token: str = "") -> None:
        self._connection = http.client.HTTPConnection(HOST, port, timeout=ANSWERS_WITHIN_S, source_address=(address, 0))
        self.headers = {"Content-Type": "application/json"}
        if token:
            self.headers |= {"Cookie": f"{COOKIE}-{port}={token}", CSRF_HEADER: csrf_token(token)}

    def ask(self, path: str, body: object = None) -> tuple[int, dict[str, object], str]:
        """Send a request; return the status, the answer and its cookie."""
        data = None if body is None else json.dumps(body)
        self._connection.request("GET" if data is None else "POST", path, data, self.headers)
        answer = self._connection.getresponse()
        answer_body = answer.read()
        return answer.status, json.loads(answer_body), answer.headers.get("Set-Cookie", "")

    def close(self) -> None:
        """Hang up."""
        self._connection.close()


class Crowd:
    """Open streams of tablets; the reading ones record their newest version."""

    def __init__(self, port: int, tokens: list[str]) -> None:
        self.heard = [0] * LISTENING
        self.closed = 0
        self._selector = selectors.DefaultSelector()
        self._sockets = []
        self._ended = threading.Event()
        for number, token in zip(range(LISTENING + NEVER_READING), itertools.cycle(tokens), strict=False):
            connection = socket.create_connection((HOST, port), ANSWERS_WITHIN_S, (_address(number), 0))
            request = f"GET /events HTTP/1.1\r\nHost: {HOST}:{port}\r\nCookie: {COOKIE}-{port}={token}\r\n\r\n"
            connection.sendall(request.encode())
            connection.setblocking(False)
            self._sockets.append(connection)
            if number < LISTENING:
                self._selector.register(connection, selectors.EVENT_READ, number)
        self._left = [b""] * LISTENING
        self._thread = threading.Thread(target=self._listen, name="crowd", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Hang up."""
        self._ended.set()
        self._thread.join()
        self._selector.close()
        for connection in self._sockets:
            connection.close()

    def _listen(self) -> None:
        while not self._ended.is_set():
            for key, _ in self._selector.select(0.2):
                connection, number = key.fileobj, key.data
                assert isinstance(connection, socket.socket)  # nothing else was registered
                more = b""
                with suppress(OSError):
                    more = connection.recv(1 << 18)
                if not more:
                    self.closed += 1
                    self._selector.unregister(connection)
                    continue
                text = self._left[number] + more
                found = _VERSION.findall(text)
                self._left[number] = text[-40:]
                if found:
                    self.heard[number] = int(found[-1])


@contextmanager
def dripping(port: int, count: int) -> Iterator[None]:
    """Hold connections that send single bytes slowly, and reconnect after a timeout."""
    ended = threading.Event()

    def drip(number: int) -> None:
        while not ended.is_set():
            with suppress(OSError), socket.create_connection((HOST, port), 10, (_address(1000 + number), 0)) as one:
                one.send(b"GET / HTTP/1.1\r\nX: ")
                while not ended.wait(0.5):
                    one.send(b"y")

    threads = [threading.Thread(target=drip, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join()


def measure(count: int, seed: int = 1) -> Outcome:
    """Press `count` buttons; `seed` is unused."""
    outcome = Outcome()
    with scratch_folder() as folder, ExitStack() as stack:
        app = stack.enter_context(ForkedApp(folder, prepare=tell_apart))
        tokens = list(_joined(app.port, JOINED))
        host = stack.enter_context(closing(Client(app.port)))
        seats = [{"people": [name]} for name in ("Ada", "Bo")]
        _, state, _ = host.ask("/api/evenings", {"seats": seats, "edition": "large-numbers"})
        for path, body in (("starter", {"player": 0, "overruled": True}), ("deal", {})):
            revision = state["evening"]["revision"]  # type: ignore[index]  # one is played
            _, state, _ = host.ask(f"/api/evening/{path}", {"revision": revision} | body)
        crowd = stack.enter_context(closing(Crowd(app.port, tokens)))
        stack.enter_context(dripping(app.port, DRIPPING))
        _wait(lambda: min(crowd.heard) > 0)
        host = stack.enter_context(closing(Client(app.port)))
        player = stack.enter_context(closing(Client(app.port, _address(0), tokens[0])))
        took_s: list[float] = []
        version = 0
        for number, who in zip(range(count), itertools.cycle((host, player)), strict=False):
            due_s = time.monotonic() + 1 / ACTIONS_A_SECOND
            what = ("pause", "resume")[number % 2]
            begun_s = time.perf_counter()
            status, state, _ = who.ask(
                f"/api/evening/{what}",
                {"revision": state["evening"]["revision"]},  # type: ignore[index]  # one is played
            )
            took_s.append(time.perf_counter() - begun_s)
            if status != 200:
                outcome.trouble(
                    f"{what} of the {'host' if who is host else 'player'} was answered with {status}: {state}"
                )
                break
            version = int(state["version"])  # type: ignore[call-overload]  # a number, as the document says
            time.sleep(max(0.0, due_s - time.monotonic()))
        if not _wait(lambda: min(crowd.heard) >= version):
            outcome.trouble(f"{sum(heard < version for heard in crowd.heard)} of the tablets have not heard the last")
        if crowd.closed:
            outcome.trouble(f"{crowd.closed} listening tablets were hung up on")
        outcome.cases["actions"] = len(took_s)
        p95_s = float(np.percentile(took_s, 95))
        outcome.figures["ms for an action, 95th percentile"] = f"{1000 * p95_s:.0f}"
        outcome.figures["ms for an action, median"] = f"{1000 * float(np.median(took_s)):.0f}"
        if p95_s > P95_S:
            outcome.slow.append(f"an action takes more than {1000 * P95_S:.0f} ms")
    return outcome


def _joined(port: int, count: int) -> Iterator[str]:
    """Return the request headers of `count` joined tablets."""
    with closing(Client(port)) as host:
        code = host.ask("/api/access")[1]["code"]
    for number in range(count):
        with closing(Client(port, _address(number))) as tablet:
            status, answer, cookie = tablet.ask("/api/join", {"code": code, "name": f"tablet {number}"})
            assert status == 200, answer
            yield cookie.partition("=")[2].partition(";")[0]


def _address(number: int) -> str:
    return f"127.1.{number // 200}.{number % 200 + 1}"


def _wait(holds: object) -> bool:
    end_s = time.monotonic() + ANSWERS_WITHIN_S
    while not holds():  # type: ignore[operator]
        if time.monotonic() > end_s:
            return False
        time.sleep(0.02)
    return True
