"""A source that gives the app one frame after another as they are handed in, with times as a camera gives them."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from tilekeeper.companion.capture.sources import Frame

TAKEN_WITHIN_S = 120.0
"""A frame that nobody has asked for after so long will never be: whoever watched has stopped."""


class Feed:
    """A camera (see `companion.capture.sources.Source`) whose every frame is looked at, however slow the machine is."""

    kind = "camera"
    name = "bench"
    trouble = ""

    def __init__(self, fps: float) -> None:
        """Begin with nothing to see; frames come `fps` a second by their own time."""
        self._fps = fps
        self._changed = threading.Condition()
        self._next: Frame | None = None
        self._index = 0
        self._idle = False  # whether whoever reads has dealt with all that was put
        self._closed = False

    def put(self, image_bgr: np.ndarray) -> None:
        """Hand in the next frame `(H, W, 3) uint8`; waits until the one before has been taken.

        Raises:
            TimeoutError: where nobody takes it.
        """
        with self._changed:
            self._wait_for(lambda: self._next is None)
            self._next = Frame(image_bgr, self._index / self._fps, self.name, self._index)
            self._index += 1
            self._idle = False
            self._changed.notify_all()

    def wait_until_taken(self) -> None:
        """Wait until every frame has been dealt with.

        Raises:
            TimeoutError: where nobody does.
        """
        with self._changed:
            self._wait_for(lambda: self._idle)

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """The next frame; waits for one, None after `timeout_s`."""
        with self._changed:
            # Who asks for the next has dealt with the one before.
            self._idle = self._next is None
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._closed or self._next is not None, timeout_s)
            frame, self._next = self._next, None
            self._idle = self._idle and frame is None
            self._changed.notify_all()
            return frame

    def close(self) -> None:
        """Wake all who wait; nothing more will come."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _wait_for(self, holds: Callable[[], bool]) -> None:
        if not self._changed.wait_for(lambda: self._closed or holds(), TAKEN_WITHIN_S) or self._closed:
            raise TimeoutError("nobody watches the frames of the bench any more")
