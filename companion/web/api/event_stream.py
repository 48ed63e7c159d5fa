"""The stream of server-sent events that keeps all open pages up to date."""

import threading
from collections.abc import Callable, Iterator

from tilekeeper.companion.web.api.state_feed import StateFeed
from tilekeeper.companion.web.api.stream import Stream

# The most open streams. Each one takes a thread of the server; the other threads are for buttons and pictures.
MOST_STREAMS = 280
RETRY_MS = 1500


class Streams:
    """Opens event streams, at most `MOST_STREAMS` at once."""

    def __init__(self, feed: StateFeed, heartbeat_s: float) -> None:
        """Stream the states of `feed`; each stream sends an event at least every `heartbeat_s` seconds."""
        self._feed = feed
        self._heartbeat_s = heartbeat_s
        self._free = threading.BoundedSemaphore(MOST_STREAMS)

    def open(self, language: str, may_see: Callable[[], bool]) -> "Stream | None":
        """Return a new stream; None if `MOST_STREAMS` streams are open. The caller must close it.

        Args:
            language: the language of the page.
            may_see: returns whether the page may still see the table; the stream ends when it may not.
        """
        if not self._free.acquire(blocking=False):
            return None
        return Stream(_events(self._feed, language, self._heartbeat_s, may_see), self._free)


def _events(feed: StateFeed, language: str, heartbeat_s: float, may_see: Callable[[], bool]) -> Iterator[bytes]:
    yield f"retry: {RETRY_MS}\n\n".encode()
    version = -1
    while not feed.session.closed:
        newer = feed.newer(language, version, heartbeat_s)
        if not may_see():
            return
        if newer is None:
            # Only a failed write shows the server that a tablet has disconnected; only missing heartbeats show a page
            # that the network is down.
            yield b"event: beat\ndata: still here\n\n"
            continue
        version = newer.version
        yield f"id: {version}\ndata: {newer.text}\n\n".encode()
