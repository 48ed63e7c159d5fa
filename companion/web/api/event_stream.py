"""The stream of events that keeps every open page up to date (server-sent events)."""

import threading
from collections.abc import Callable, Iterator

from tilekeeper.companion.web.api.state_feed import StateFeed

# Each stream holds a thread of the server for as long as its page is open; the rest are left for buttons and pictures.
MOST_STREAMS = 280
RETRY_MS = 1500


class Streams:
    """Gives out event streams, no more than `MOST_STREAMS` at once."""

    def __init__(self, feed: StateFeed, heartbeat_s: float) -> None:
        """Take the feed of states; `heartbeat_s` is how long a stream may be silent."""
        self._feed = feed
        self._heartbeat_s = heartbeat_s
        self._free = threading.BoundedSemaphore(MOST_STREAMS)

    def open(self, language: str, may_see: Callable[[], bool]) -> "Stream | None":
        """Return a stream to be iterated and closed, or None where there are too many.

        Args:
            language: that in which the page gets its events.
            may_see: whether the page may still see the table; the stream ends once it may not.
        """
        if not self._free.acquire(blocking=False):
            return None
        return Stream(_events(self._feed, language, self._heartbeat_s, may_see), self._free)


class Stream:
    """One page's events: the state at once, then each newer one, and a beat where nothing happens."""

    def __init__(self, events: Iterator[bytes], free: threading.BoundedSemaphore) -> None:
        """Take over a place that has been acquired from `free`; `close` gives it back."""
        self._events = events
        self._free: threading.BoundedSemaphore | None = free

    def __iter__(self) -> Iterator[bytes]:
        return self._events

    def close(self) -> None:
        """End the stream; the server calls this when the page has gone."""
        free, self._free = self._free, None
        if free is not None:
            free.release()


def _events(feed: StateFeed, language: str, heartbeat_s: float, may_see: Callable[[], bool]) -> Iterator[bytes]:
    yield f"retry: {RETRY_MS}\n\n".encode()
    version = -1
    while not feed.session.closed:
        newer = feed.newer(language, version, heartbeat_s)
        if not may_see():
            return
        if newer is None:
            # The only way to notice that a tablet has gone is to write to it; its page notices by what does not come
            # that the network is gone.
            yield b"event: beat\ndata: still here\n\n"
            continue
        version = newer.version
        yield f"id: {version}\ndata: {newer.text}\n\n".encode()
