"""Time until fifty tablets have received an event, on fifty open event streams."""

from __future__ import annotations

import re
import selectors
import socket
import threading
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from tests.benchmarks.companion.app_process import AppFailed, AppProcess

LISTENERS = 50
READ_BYTES = 1 << 16
HEARD_WITHIN_S = 30.0
BETWEEN_S = 0.25
EVENT = re.compile(rb"(?:^|\n)id: (\d+)\n")


class Listeners:
    """Open event streams; records when each has completely received which version of the state."""

    def __init__(self, app: AppProcess, count: int = LISTENERS) -> None:
        """Open this number of streams."""
        parts = urlsplit(app.address)
        self._received: list[list[tuple[int, float]]] = [[] for _ in range(count)]
        self._changed = threading.Condition()
        self._ending = False
        self._selector = selectors.DefaultSelector()
        headers = {"Host": parts.netloc, "Accept": "text/event-stream", **app.headers}
        lines = ["GET /events HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        request = "".join(f"{line}\r\n" for line in (*lines, "")).encode()
        self._sockets = []
        for number in range(count):
            connection = socket.create_connection((parts.hostname, parts.port), timeout=HEARD_WITHIN_S)
            connection.sendall(request)
            connection.setblocking(False)
            self._selector.register(connection, selectors.EVENT_READ, number)
            self._sockets.append(connection)
        self._left = [b""] * count
        self._thread = threading.Thread(target=self._listen, name="listeners", daemon=True)
        self._thread.start()

    def seconds_until_received(self, version: int, since_s: float) -> list[float]:
        """Return the seconds from `since_s` (`time.perf_counter`) until each had received a version, or a newer one.

        Raises:
            AppFailed: if one of them never does.
        """

        def received() -> list[float]:
            return [next((when for at, when in one if at >= version), -1.0) for one in self._received]

        with self._changed:
            if not self._changed.wait_for(lambda: min(received()) >= 0, HEARD_WITHIN_S):
                missing = sum(when < 0 for when in received())
                raise AppFailed(f"{missing} of {len(self._received)} listeners never received version {version}")
            return [when - since_s for when in received()]

    def forget(self) -> None:
        """Forget all received versions except the newest."""
        with self._changed:
            self._received = [one[-1:] for one in self._received]

    def close(self) -> None:
        """Close all streams."""
        self._ending = True
        self._thread.join(timeout=5)
        self._selector.close()
        for connection in self._sockets:
            connection.close()

    def _listen(self) -> None:
        while not self._ending:
            for key, _ in self._selector.select(0.2):
                self._take(key)

    def _take(self, key: selectors.SelectorKey) -> None:
        connection, number = key.fileobj, key.data
        assert isinstance(connection, socket.socket)  # nothing else was registered
        more = connection.recv(READ_BYTES)
        now_s = time.perf_counter()
        if not more:
            self._selector.unregister(connection)
            return
        # an event ends with an empty line
        text = self._left[number] + more
        whole, mark, rest = text.rpartition(b"\n\n")
        self._left[number] = rest if mark else text
        versions = [int(found) for found in EVENT.findall(whole)]
        if versions:
            with self._changed:
                self._received[number] += [(version, now_s) for version in versions]
                self._changed.notify_all()


def time_listeners(
    app: AppProcess, events: int, received: Callable[[int], None], count: int = LISTENERS
) -> dict[str, Any]:
    """Send actions to the current game night, and time each event from before its request.

    Returns milliseconds of all events and listeners.
    """
    listeners = Listeners(app, count)
    times_ms: list[float] = []
    try:
        listeners.seconds_until_received(0, 0.0)
        revision = app.state["evening"]["revision"]
        for event in range(events):
            time.sleep(BETWEEN_S)
            since_s = time.perf_counter()
            state = app.post(f"evening/{'pause' if event % 2 == 0 else 'resume'}", revision=revision)
            revision = state["evening"]["revision"]
            times_ms += [1000 * one for one in listeners.seconds_until_received(state["version"], since_s)]
            listeners.forget()
            received(1)
    finally:
        listeners.close()
    return {
        "listeners": count,
        "events": events,
        "p50_ms": float(np.percentile(times_ms, 50)),
        "p95_ms": float(np.percentile(times_ms, 95)),
        "longest_ms": max(times_ms),
    }
