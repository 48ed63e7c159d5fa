"""The source for a table without a camera: it has no frames, and people enter everything by hand."""

import threading

from tilekeeper.companion.capture.sources import Frame
from tilekeeper.engine.language import lazy_gettext


class NoSource:
    """A `Source` that never gives a frame."""

    kind = "none"
    name = lazy_gettext("No camera")
    trouble = ""

    def __init__(self) -> None:
        """Prepare the event that `close` sets."""
        self._closing = threading.Event()

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Wait `timeout_s` seconds or until `close`, and return None."""
        self._closing.wait(timeout_s)
        return None

    def close(self) -> None:
        """Wake a thread that waits in `read`."""
        self._closing.set()
