"""An MJPEG stream like that of a network camera, with images given by the test."""

from __future__ import annotations

import threading

import cv2
import numpy as np

from tests.benchmarks.companion.jpeg_stream import JpegStream

FRAMES_A_SECOND = 10


class Film:
    """Shows an image until the test shows another; `address` is its URL."""

    def __init__(self, image_bgr: np.ndarray) -> None:
        """Start the server."""
        self._jpeg = b""
        self._shown = threading.Event()
        self.show(image_bgr)
        self._stream = JpegStream(self._picture, FRAMES_A_SECOND)
        self.address = self._stream.address

    def show(self, image_bgr: np.ndarray) -> None:
        """Show another image from the next frame on."""
        _, jpeg = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])
        self._jpeg = jpeg.tobytes()
        self._shown.clear()

    def wait_until_shown(self) -> None:
        """Wait until the image has been sent."""
        assert self._shown.wait(10)

    def close(self) -> None:
        """Stop the server."""
        self._stream.close()

    def _picture(self, _: int) -> bytes:
        self._shown.set()
        return self._jpeg
