"""The stream of events that keeps every open page up to date (server-sent events)."""

import threading
from collections.abc import Iterator

from tilekeeper.companion.session.table_state import Desk

# Each stream holds a thread of the server for as long as its page is open; the rest are left for buttons and pictures.
MOST_STREAMS = 64
RETRY_MS = 1500


class Streams:
    """Gives out event streams, no more than `MOST_STREAMS` at once."""

    def __init__(self, desk: Desk, heartbeat_s: float) -> None:
        """Take the desk whose news is told; `heartbeat_s` is how long a stream may be silent."""
        self._desk = desk
        self._heartbeat_s = heartbeat_s
        self._free = threading.BoundedSemaphore(MOST_STREAMS)

    def open(self) -> "Stream | None":
        """Return a stream to be iterated and closed, or None where there are too many."""
        return Stream(self._desk, self._heartbeat_s, self._free) if self._free.acquire(blocking=False) else None


class Stream:
    """One page's events: the state at once, then each newer one, and a comment where nothing happens for long."""

    def __init__(self, desk: Desk, heartbeat_s: float, free: threading.BoundedSemaphore) -> None:
        """Take over a place that has been acquired from `free`; `close` gives it back."""
        self._events = _events(desk, heartbeat_s)
        self._free: threading.BoundedSemaphore | None = free

    def __iter__(self) -> Iterator[bytes]:
        return self._events

    def close(self) -> None:
        """End the stream; the server calls this when the page has gone."""
        free, self._free = self._free, None
        if free is not None:
            free.release()


def _events(desk: Desk, heartbeat_s: float) -> Iterator[bytes]:
    yield f"retry: {RETRY_MS}\n\n".encode()
    version = -1
    while not desk.closed:
        news = desk.news(after=version, timeout_s=heartbeat_s)
        if news is None:
            # The only way to notice that a tablet has gone is to write to it.
            yield b": still here\n\n"
            continue
        version = news.version
        yield f"id: {version}\ndata: {news.text}\n\n".encode()
