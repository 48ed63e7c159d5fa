"""A source that delivers given frames to the app one by one, with the times of a camera."""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from tilekeeper.companion.capture.sources import Frame

TAKEN_WITHIN_S = 120.0
"""A frame that is not requested within this time never will be, because the watcher has stopped."""


class Feed:
    """A camera (see `companion.capture.sources.Source`) of which no frame is skipped, even on a slow machine."""

    kind = "camera"
    name = "bench"
    trouble = ""

    def __init__(self, fps: float) -> None:
        """Begin without a frame; the times of the frames are those of `fps` frames a second."""
        self._fps = fps
        self._changed = threading.Condition()
        self._next: Frame | None = None
        self._index = 0
        self._idle = False  # whether the watcher has processed all frames
        self._closed = False

    def put(self, image_bgr: np.ndarray) -> None:
        """Put the next frame `(H, W, 3) uint8`; waits until the previous one was taken.

        Raises:
            TimeoutError: if nobody takes it.
        """
        with self._changed:
            self._wait_for(lambda: self._next is None)
            self._next = Frame(image_bgr, self._index / self._fps, self.name, self._index)
            self._index += 1
            self._idle = False
            self._changed.notify_all()

    def wait_until_taken(self) -> None:
        """Wait until every frame was processed.

        Raises:
            TimeoutError: if nobody does.
        """
        with self._changed:
            self._wait_for(lambda: self._idle)

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Wait for the next frame and return it, or None after `timeout_s`."""
        with self._changed:
            # a watcher that requests the next frame has processed the previous one
            self._idle = self._next is None
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._closed or self._next is not None, timeout_s)
            frame, self._next = self._next, None
            self._idle = self._idle and frame is None
            self._changed.notify_all()
            return frame

    def close(self) -> None:
        """Wake all waiting threads; there will be no more frames."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _wait_for(self, holds: Callable[[], bool]) -> None:
        if not self._changed.wait_for(lambda: self._closed or holds(), TAKEN_WITHIN_S) or self._closed:
            raise TimeoutError("nobody watches the frames of the bench any more")
