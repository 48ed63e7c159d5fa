"""JPEG images served like a network camera: MJPEG over loopback HTTP, by ffmpeg."""

from __future__ import annotations

import contextlib
import itertools
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Callable

STARTS_WITHIN_S = 20.0
PART_HEAD = b"--ffmpeg\r\nContent-type: image/jpeg\r\nContent-length: %d\r\n\r\n"


class NoStream(Exception):  # noqa: N818, the name says it
    """ffmpeg is missing or does not serve; the message gives the reason in one line."""


class JpegStream:
    """Serves images until it is closed; one app can watch them once at `address`."""

    def __init__(self, picture: Callable[[int], bytes], fps: float) -> None:
        """Begin to serve `picture(number)`, a JPEG, `fps` times a second; ffmpeg waits for a watcher.

        Raises:
            NoStream: if ffmpeg is not installed or does not start.
        """
        ffmpeg = shutil.which("ffmpeg")
        if ffmpeg is None:
            raise NoStream("ffmpeg is not installed; it serves the stream that the app watches")
        port = free_port()
        self.address = f"http://127.0.0.1:{port}/table"
        self._picture, self._fps = picture, fps
        # without a container, ffmpeg sends a JPEG only when the next one begins
        take_in = ["-fflags", "nobuffer", "-probesize", "32", "-f", "mpjpeg", "-i", "pipe:0"]
        give_out = ["-c:v", "copy", "-flush_packets", "1", "-f", "mpjpeg", "-listen", "1", self.address]
        self._process = subprocess.Popen([ffmpeg, "-loglevel", "quiet", *take_in, *give_out], stdin=subprocess.PIPE)
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._feed, name="stream", daemon=True)
        self._thread.start()
        try:
            wait_for_port(port, self._process)
        except NoStream:
            self.close()
            raise

    def close(self) -> None:
        """End the stream and its process."""
        self._ending.set()
        self._process.terminate()
        self._thread.join(timeout=10)
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._process.wait(timeout=10)

    def _feed(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None  # it is a pipe
        due_s = time.monotonic()
        with contextlib.suppress(OSError, ValueError):
            for number in itertools.count():
                jpeg = self._picture(number)
                pipe.write(PART_HEAD % len(jpeg) + jpeg + b"\r\n")
                pipe.flush()
                # a late frame is dropped, like in a camera
                due_s = max(due_s + 1 / self._fps, time.monotonic())
                if self._ending.wait(due_s - time.monotonic()):
                    return


def free_port() -> int:
    """Return a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for_port(port: int, process: subprocess.Popen[bytes]) -> None:
    """Wait until ffmpeg listens, without a connection, because it serves only the first one.

    Raises:
        NoStream: if it never does.
    """
    end_s = time.monotonic() + STARTS_WITHIN_S
    while time.monotonic() < end_s and process.poll() is None:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                return
        time.sleep(0.02)
    raise NoStream("ffmpeg does not serve the stream")
