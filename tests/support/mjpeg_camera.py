"""A network camera: MJPEG over HTTP on loopback, with the faults of bad cameras on request."""

import contextlib
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np

FRAMES_A_SECOND = 20


class NetworkCamera:
    """`image` is its picture; `noisy` adds noise; `hangs` sends nothing; `lie` is a JPEG that it sends instead."""

    def __init__(self) -> None:
        self.image = np.full((240, 320, 3), (60, 90, 40), np.uint8)
        self.noisy = True
        self.hangs = False
        self.lie: bytes | None = None
        self._ended = threading.Event()
        self._rng = np.random.default_rng(3)
        self._server: ThreadingHTTPServer | None = None
        self.port = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/video"

    def plug_in(self) -> None:
        """Start to serve, on the same port as before."""
        camera = self
        self._ended = ended = threading.Event()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                with contextlib.suppress(OSError):
                    while not ended.wait(1 / FRAMES_A_SECOND):
                        if not camera.hangs:
                            self.wfile.write(camera.part())

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            allow_reuse_address = True
            daemon_threads = True

        self._server = Server(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def part(self) -> bytes:
        """Return one picture of the stream."""
        image = self.image
        if self.noisy:
            image = cv2.add(image, self._rng.integers(0, 9, image.shape, np.uint8))
        encoded = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()
        jpeg = encoded if self.lie is None else self.lie
        head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n".encode()
        return head + jpeg + b"\r\n"

    def unplug(self) -> None:
        """Stop serving, and close all connections."""
        self._ended.set()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


@contextlib.contextmanager
def network_camera() -> Iterator[NetworkCamera]:
    """Yield a camera that is plugged in."""
    camera = NetworkCamera()
    camera.plug_in()
    try:
        yield camera
    finally:
        camera.unplug()


def wait_for(holds: object, timeout_s: float = 30.0) -> float:
    """Wait until a condition holds; return the seconds that this took."""
    start_s = time.monotonic()
    while time.monotonic() - start_s < timeout_s:
        if holds():  # type: ignore[operator]
            return time.monotonic() - start_s
        time.sleep(0.02)
    raise AssertionError("it never came true")
