"""A film that ffmpeg serves as MJPEG over loopback http, as a network camera does, and that goes as the test goes."""

from __future__ import annotations

import contextlib
import subprocess
import threading

import cv2
import numpy as np

from tests.companion.running import free_port, wait_for_port

FRAMES_A_SECOND = 10


class Film:
    """Shows a picture until it is given another; `address` is where it is watched."""

    def __init__(self, ffmpeg_path: str, image_bgr: np.ndarray) -> None:
        """Begin to serve; ffmpeg waits for whoever watches."""
        port = free_port()
        self.address = f"http://127.0.0.1:{port}/table"
        words = ["-loglevel", "quiet", "-f", "mjpeg", "-framerate", str(FRAMES_A_SECOND), "-i", "pipe:0"]
        self._process = subprocess.Popen(
            [ffmpeg_path, *words, "-q:v", "3", "-f", "mpjpeg", "-listen", "1", self.address],
            stdin=subprocess.PIPE,
        )
        self._jpeg = b""
        self._shown = threading.Event()
        self._ending = threading.Event()
        self.show(image_bgr)
        self._thread = threading.Thread(target=self._feed, name="film")
        self._thread.start()
        wait_for_port(port)

    def show(self, image_bgr: np.ndarray) -> None:
        """Show another picture from the next frame on."""
        _, jpeg = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 95])
        self._jpeg = jpeg.tobytes()
        self._shown.clear()

    def wait_until_shown(self) -> None:
        """Wait until the picture has been handed to ffmpeg."""
        assert self._shown.wait(10)

    def close(self) -> None:
        """End the film and its process."""
        self._ending.set()
        self._process.terminate()
        self._thread.join(timeout=10)
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait(timeout=10)

    def _feed(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while not self._ending.wait(1 / FRAMES_A_SECOND):
                jpeg = self._jpeg
                self._process.stdin.write(jpeg)
                self._process.stdin.flush()
                if jpeg is self._jpeg:
                    self._shown.set()
