"""An open stream of server-sent events, which takes a permit as long as it is open."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from flask import Response


class Stream:
    """The events for one page."""

    def __init__(self, events: Iterator[bytes], free: threading.BoundedSemaphore) -> None:
        """Stream `events`; `close` releases the permit that the caller acquired from `free`."""
        self._events = events
        self._free: threading.BoundedSemaphore | None = free

    def __iter__(self) -> Iterator[bytes]:
        return self._events

    def close(self) -> None:
        """End the stream; the server calls this when the page has disconnected, even before the first event."""
        free, self._free = self._free, None
        if free is not None:
            free.release()


def stream_response(stream: Stream) -> Response:
    """Return the response that sends a stream, and closes it at its end."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    response = Response(iter(stream), mimetype="text/event-stream", headers=headers)
    response.call_on_close(stream.close)
    return response
