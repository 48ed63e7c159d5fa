"""Pictures and camera streams that lie about their size, sent to a running app.

Requirements: each picture is answered within 10 s, app and decoders take 600 MB at most, and others get their answers
within 200 ms meanwhile. A stream that lies takes 600 MB at most, and true pictures come again afterwards.
"""

from __future__ import annotations

import http.client
import random
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import cv2
import numpy as np

from tests.benchmarks.companion.app_process import AppProcess, family_of
from tests.benchmarks.reliability.report import Outcome
from tests.support.app_process import running
from tests.support.lying_pictures import LIES, large_jpeg, of_many_scans, png_of, png_of_two_sizes, with_second_size
from tests.support.mjpeg_camera import NetworkCamera, network_camera
from tilekeeper.companion.capture.camera_settings import CameraWishes
from tilekeeper.companion.capture.camera_source import ProcessSource
from tilekeeper.companion.user_settings import UserSettings

MOST_MB = 600
ANSWER_WITHIN_S = 10.0
OTHERS_WITHIN_S = 0.2
STREAMS_PER_PICTURE = 0.25
"""One stream for four pictures."""
LIES_FOR_S = 1.5
WELL_WITHIN_S = 90.0
"""Frames that were sent before are decoded first; 30 of 36 megapixels take half a minute on a slow machine."""
_LOOK_EVERY_S = 0.05
_REFUSED = 400


def jpeg_of(width: int, height: int) -> bytes:
    """Return a large JPEG whose header states other sides."""
    data = bytearray(large_jpeg())
    at = data.index(b"\xff\xc2") + 5
    data[at : at + 4] = struct.pack(">HH", height, width)
    return bytes(data)


def webp_of(width: int, height: int) -> bytes:
    """Return a WebP picture whose header states other sides."""
    data = bytearray(cv2.imencode(".webp", np.zeros((64, 64, 3), np.uint8), [cv2.IMWRITE_WEBP_QUALITY, 50])[1])
    at = data.index(b"\x9d\x01\x2a") + 3
    data[at : at + 4] = struct.pack("<HH", width & 0x3FFF, height & 0x3FFF)
    return bytes(data)


def change_bytes(data: bytes, rng: random.Random) -> bytes:
    """Return a picture with some bytes of its first kilobyte changed, and perhaps cut short."""
    bytes_ = bytearray(data)
    for _ in range(rng.choice((1, 3, 10))):
        bytes_[rng.randrange(min(1000, len(bytes_)))] = rng.randrange(256)
    return bytes(bytes_[: rng.choice((len(bytes_), len(bytes_), rng.randrange(20, len(bytes_))))])


def _side(rng: random.Random) -> int:
    return rng.choice((1, 255, 4000, 9000, 16_000, 30_000, 65_000))


MADE: dict[str, Callable[[random.Random], bytes]] = {
    **{kind: lambda _, make=make: make() for kind, make in LIES.items()},  # type: ignore[misc]  # the default binds
    "JPEG of any size": lambda rng: jpeg_of(_side(rng), _side(rng)),
    "JPEG of two sizes": lambda rng: with_second_size(jpeg_of(_side(rng), _side(rng))),
    "JPEG of many scans": lambda rng: of_many_scans(rng.choice((10, 40, 300))),
    "PNG of any size": lambda rng: png_of(_side(rng), _side(rng), rng.choice((1, 8, 16)), rng.choice((0, 2, 3, 6))),
    "WebP of any size": lambda rng: webp_of(_side(rng), _side(rng)),
    "changed bytes": lambda rng: change_bytes(
        rng.choice((large_jpeg, png_of_two_sizes, lambda: webp_of(9000, 9000)))(), rng
    ),
}


class Peak:
    """Watches the memory of processes until it is closed; `most_mb` is the largest memory of any one of them, in MB."""

    def __init__(self, pids: Callable[[], list[int]]) -> None:
        """Watch the processes whose ids `pids` returns."""
        self.most_mb = 0.0
        self._pids = pids
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop watching."""
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ended.wait(_LOOK_EVERY_S):
            with suppress(OSError):
                self.most_mb = max(self.most_mb, max(map(_resident_mb, self._pids())))


def _resident_mb(pid: int) -> float:
    """Return the most memory that a process has had."""
    with suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/status").read_text().split("VmHWM:")[1].split()[0]) / 1024
    return 0.0


@contextmanager
def asking(app: AppProcess, waited_s: list[float]) -> Iterator[None]:
    """Ask for the state again and again, as another tablet does, and note how long each answer takes."""
    ended = threading.Event()

    def ask() -> None:
        while not ended.wait(_LOOK_EVERY_S):
            begun_s = time.monotonic()
            with suppress(OSError, http.client.HTTPException):  # it counts as a long time
                _ = app.state
            waited_s.append(time.monotonic() - begun_s)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def send(app: AppProcess, data: bytes) -> tuple[int, float]:
    """Send a picture of a rack; return the status of the answer, 0 without one, and its time in seconds."""
    head = b'--x\r\nContent-Disposition: form-data; name="picture"; filename="rack.jpg"\r\n\r\n'
    begun_s = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", app.port, timeout=60)
    try:
        media = {"Content-Type": "multipart/form-data; boundary=x", **app.headers}
        connection.request("POST", "/api/scan", head + data + b"\r\n--x--\r\n", media)
        answer = connection.getresponse()
        answer.read()
        return answer.status, time.monotonic() - begun_s
    except (OSError, http.client.HTTPException):  # the app has dropped the connection
        return 0, time.monotonic() - begun_s
    finally:
        connection.close()


def measure(count: int, seed: int = 1) -> Outcome:
    """Send `count` pictures, and a quarter as many streams."""
    rng, outcome = random.Random(seed), Outcome()
    send_pictures(count, rng, outcome)
    watch_streams(max(1, round(count * STREAMS_PER_PICTURE)), rng, outcome)
    return outcome


def send_pictures(count: int, rng: random.Random, outcome: Outcome) -> None:
    """Send pictures to an app, while somebody else asks for its state."""
    waited_s: list[float] = []
    longest_s = 0.0
    with running("--source", "none", module="tilekeeper") as app:
        peak = Peak(lambda: family_of(app.process.pid))
        with asking(app, waited_s):
            for number in range(count):
                kind = list(MADE)[number % len(MADE)]
                outcome.cases[f"picture: {kind}"] += 1
                status, took_s = send(app, MADE[kind](rng))
                longest_s = max(longest_s, took_s)
                outcome.counts[f"answers {status}"] += 1
                if status not in (200, _REFUSED):
                    outcome.trouble(f"{kind}, {number}: answer {status}")
                if took_s > ANSWER_WITHIN_S:
                    outcome.trouble(f"{kind}, {number}: answered after {took_s:.1f} s")
        peak.close()
        if app.process.poll() is not None:
            outcome.trouble("the app has ended")
    waited_s.sort()
    late = [one for one in waited_s if one > OTHERS_WITHIN_S]
    if late:
        outcome.slow.append(f"{len(late)} of {len(waited_s)} answers to others after {late[0]:.2f} to {late[-1]:.2f} s")
    if peak.most_mb > MOST_MB:
        outcome.trouble(f"a process took {peak.most_mb:.0f} MB")
    outcome.figures["MB at most for a process, pictures"] = f"{peak.most_mb:.0f}"
    outcome.figures["s at most for a picture"] = f"{longest_s:.1f}"
    outcome.figures["ms for others, 95th percentile"] = f"{1000 * waited_s[int(len(waited_s) * 0.95)]:.0f}"
    outcome.figures["ms for others at most"] = f"{1000 * waited_s[-1]:.0f}"


def watch_streams(count: int, rng: random.Random, outcome: Outcome) -> None:
    """Watch cameras that lie for a while."""
    most_mb = 0.0
    with network_camera() as camera:
        source = ProcessSource(camera.address, CameraWishes.of(UserSettings()), 0.2)
        try:
            for number in range(count):
                kind = rng.choice([kind for kind in MADE if "JPEG" in kind or "frame" in kind])
                outcome.cases[f"stream: {kind}"] += 1
                most_mb = max(most_mb, _lie(camera, source, MADE[kind](rng)))
                if not _is_well_again(source):
                    outcome.trouble(f"{kind}, {number}: no true picture after {WELL_WITHIN_S:g} s")
        finally:
            source.close()
    if most_mb > MOST_MB:
        outcome.trouble(f"a camera's process took {most_mb:.0f} MB")
    outcome.figures["MB at most for a process, streams"] = f"{most_mb:.0f}"


def _lie(camera: NetworkCamera, source: ProcessSource, lie: bytes) -> float:
    """Let a camera lie for a while; return the most memory of its process in MB."""
    peak = Peak(lambda: [source.pid])
    camera.lie = lie
    end_s = time.monotonic() + LIES_FOR_S
    while time.monotonic() < end_s:
        source.read(_LOOK_EVERY_S)
    camera.lie = None
    peak.close()
    return peak.most_mb


def _is_well_again(source: ProcessSource) -> bool:
    end_s = time.monotonic() + WELL_WITHIN_S
    while time.monotonic() < end_s:
        if source.read(_LOOK_EVERY_S) is not None:
            return True
    return False
