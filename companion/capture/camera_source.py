"""A camera or stream that is read in a process of its own, which is restarted if it dies or hangs."""

from __future__ import annotations

import ctypes
import multiprocessing
import threading
import time
from multiprocessing.context import SpawnProcess
from multiprocessing.shared_memory import SharedMemory
from multiprocessing.sharedctypes import RawValue
from typing import Any

import numpy as np

from tilekeeper.companion.capture.addresses import hide_password
from tilekeeper.companion.capture.camera_controls import ControlStates
from tilekeeper.companion.capture.camera_process import Orders, watch
from tilekeeper.companion.capture.camera_settings import CameraGives, CameraWishes
from tilekeeper.companion.capture.camera_tuner import WHOLE
from tilekeeper.companion.capture.health import Health
from tilekeeper.companion.capture.limits import prepare_decoding_processes
from tilekeeper.companion.capture.sources import Frame, SourceUnavailable
from tilekeeper.companion.systems.pipes import Connection
from tilekeeper.engine.language import lazy_gettext

OPEN_TIMEOUT_S = 20.0
LOCK_TIMEOUT_S = 0.5
END_TIMEOUT_S = 2.0


class ProcessSource:
    """A `Source` that reads a camera or stream in a process of its own; several threads may read and close it."""

    def __init__(self, named: str, wishes: CameraWishes, reconnect_pause_s: float) -> None:
        """Start the process and wait until the process has opened the source.

        Args:
            named: the value of `--source`.
            wishes: the settings to request from a camera.
            reconnect_pause_s: the longest pause between two attempts to reopen a lost source, in seconds.

        Raises:
            SourceUnavailable: if the source can't be opened.
        """
        self._named = named
        self._wishes = wishes
        self._reconnect_pause_s = reconnect_pause_s
        self._gives: CameraGives | None = None
        self._controls: ControlStates | None = None
        self.name = hide_password(named)
        self.kind = "camera"
        self.trouble = ""
        self._context = multiprocessing.get_context("spawn")
        self._process: SpawnProcess | None = None
        self._connection: Connection | None = None
        self._memory: SharedMemory | None = None
        self._shape: tuple[int, int, int] = (0, 0, 0)
        self._closed = False
        self._busy = threading.Lock()
        # The shared values have no lock, since a killed process would hold it for ever.
        self._resting = RawValue(ctypes.c_bool, False)
        self._came_s = RawValue(ctypes.c_double, float("-inf"))
        self._orders = RawValue(Orders)
        self._orders.box[:] = list(WHOLE)
        self._index = 0
        self._reported = ""  # the trouble that the process has reported last
        self._opens_until_s = 0.0  # until this time the process may still be opening the source
        self._pause_s = 0.5
        self._again_s = 0.0
        self._start()
        self._wait_until_open()
        self._health = Health(self.name, time.monotonic())

    @property
    def pid(self) -> int | None:
        """The id of the process; None while there is none."""
        return None if self._process is None else self._process.pid

    @property
    def wishes(self) -> CameraWishes:
        """The settings that were requested last."""
        return self._wishes

    @property
    def gives(self) -> CameraGives | None:
        """The settings that the camera reports; None before the camera is opened, and for a stream."""
        return self._gives

    @property
    def controls(self) -> ControlStates | None:
        """The state of each control; None if the app does not set them, or before the states are known."""
        return self._controls

    def refocus(self) -> None:
        """Request a new focus search, which begins once nothing moves."""
        self._orders.focus_requests += 1

    def look_at(self, box: tuple[float, float, float, float]) -> None:
        """Measure focus and light only within a box of the frame: left, top, right and bottom, each 0 to 1."""
        self._orders.box[:] = list(box)

    @property
    def came_s(self) -> float:
        """Time of the newest intact frame, passed on or not (`time.monotonic`); `-inf` before the first."""
        return self._came_s.value

    def ask(self, wishes: CameraWishes) -> None:
        """Request other settings and reopen the camera, since drivers change the size of frames only then."""
        with self._busy:
            self._wishes, self._gives = wishes, None
            self._end()
            if not self._closed:
                self._start()
                self._health.started(time.monotonic())

    def rest(self, resting: bool) -> None:
        """While `resting`, deliver only changed frames, unless a fault is suspected; otherwise deliver every frame."""
        self._resting.value = resting and not self._health.is_wary

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Return the next new frame; None after `timeout_s` seconds, or if the frame is faulty (see `trouble`)."""
        with self._busy:
            return self._read_until(time.monotonic() + timeout_s)

    def _read_until(self, end_s: float) -> Frame | None:
        while not self._closed:
            self._listen()
            image = self._copy_newest(max(0.0, min(0.1, end_s - time.monotonic())))
            now_s = time.monotonic()
            if image is not None:
                self._reported, self._pause_s = "", 0.5
                self.trouble = self._health.push(image, now_s)
                if self.trouble and self._health.is_wary:
                    self._resting.value = True  # the trouble is reported; any frame that differs still ends it
                self._index += 1
                return None if self.trouble else Frame(image, now_s, self.name, self._index - 1)
            self._health.hear(self.came_s)
            before = self.trouble
            self.trouble = self._reported or self._health.silence(now_s) or before
            self._mind_process(now_s)
            if now_s >= end_s or self.trouble != before:
                return None
        return None

    def close(self) -> None:
        """End the process; may be called twice, and while another thread reads."""
        self._closed = True
        with self._busy:  # a thread in `read` leaves it within a tenth of a second
            self._end()

    def _start(self) -> None:
        prepare_decoding_processes()
        ours, theirs = self._context.Pipe()
        self._controls = None
        self._lock, self._fresh = self._context.Lock(), self._context.Event()
        self._connection = ours
        self._process = self._context.Process(
            target=watch,
            args=(
                *(self._named, self._wishes, self._reconnect_pause_s),
                *(theirs, self._lock, self._fresh, self._resting, self._came_s, self._orders),
            ),
            name=f"camera {self.name}",
            daemon=True,
        )
        self._process.start()
        theirs.close()
        self._opens_until_s = time.monotonic() + OPEN_TIMEOUT_S

    def _wait_until_open(self) -> None:
        assert self._connection is not None  # `_start` has set it
        message: tuple[str, ...] = ("failed", lazy_gettext("it does not answer"))
        try:
            if self._connection.poll(OPEN_TIMEOUT_S):
                message = self._connection.recv()
        except (EOFError, OSError):
            message = ("failed", lazy_gettext("its program stopped"))
        if message[0] == "failed":
            self._end()
            raise SourceUnavailable(message[1])
        _, self.kind, self.name = message
        self._opens_until_s = 0.0

    def _listen(self) -> None:
        """Handle the messages of the process."""
        connection = self._connection
        try:
            while connection is not None and connection.poll():
                self._receive(connection.recv())
        except (EOFError, OSError):
            self._connection = None

    def _receive(self, message: tuple[Any, ...]) -> None:
        match message:
            case ("shape", int(height_px), int(width_px)):
                self._renew_memory((height_px, width_px, 3))
            case ("gives", CameraGives() as gives):
                self._gives = gives
            case ("controls", ControlStates() | None as controls):
                self._controls = controls
            case ("trouble", str(text)):
                self._reported = text
            case ("failed", str(why)):
                self._reported = lazy_gettext(
                    "no connection to {name}: {error}; trying again", name=self.name, error=why
                )
            case ("opened", *_):
                self._opens_until_s = 0.0
                self._health.started(time.monotonic())

    def _renew_memory(self, shape: tuple[int, int, int]) -> None:
        self._drop_memory()
        self._memory = SharedMemory(create=True, size=int(np.prod(shape)))
        self._shape = shape
        if self._connection is not None:
            self._connection.send(self._memory.name)

    def _copy_newest(self, timeout_s: float) -> np.ndarray | None:
        """Return a copy of the newest frame; None if no new frame comes within `timeout_s` seconds."""
        if not self._fresh.wait(timeout_s) or self._memory is None or not self._lock.acquire(timeout=LOCK_TIMEOUT_S):
            return None
        try:
            self._fresh.clear()
            return np.ndarray(self._shape, np.uint8, self._memory.buf).copy()
        finally:
            self._lock.release()

    def _mind_process(self, now_s: float) -> None:
        """Restart the process if it has died, or hangs while it reads the camera.

        A process that is still starting gets more time, since another start would not be faster.
        """
        alive = self._process is not None and self._process.is_alive()
        if alive and (now_s < self._opens_until_s or not self._health.hopeless(now_s)):
            return
        if alive or self._process is not None:
            self._end()
            self._again_s, self._pause_s = now_s + self._pause_s, min(self._reconnect_pause_s, 2 * self._pause_s)
            self._reported = self._reported or f"{self.name} gives no pictures any more; connecting again"
        elif now_s >= self._again_s and not self._closed:
            self._start()
            self._health.started(now_s)

    def _end(self) -> None:
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if connection is not None:
            connection.close()  # the process ends when its connection is closed
        if process is not None:
            process.join(timeout=END_TIMEOUT_S if self._closed else 0.2)
            if process.is_alive():
                process.kill()  # a process that hangs in a driver ignores SIGTERM
                process.join(timeout=END_TIMEOUT_S)
            if not process.is_alive():
                process.close()
        self._drop_memory()

    def _drop_memory(self) -> None:
        memory, self._memory = self._memory, None
        if memory is not None:
            memory.close()
            memory.unlink()
