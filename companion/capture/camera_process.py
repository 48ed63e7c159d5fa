"""The process of a camera or stream: opens it, and writes its newest frame to memory that is shared with the app."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections import deque
from multiprocessing.shared_memory import SharedMemory
from multiprocessing.synchronize import Event, Lock

import cv2
import numpy as np

from tilekeeper.companion.capture.camera_controls import ControlStates, OpenCvControls
from tilekeeper.companion.capture.camera_settings import CameraGives, CameraWishes, prepare
from tilekeeper.companion.capture.camera_tuner import CameraTuner
from tilekeeper.companion.capture.sources import Frame, Source, SourceUnavailable, ThrottledSource, open_source
from tilekeeper.companion.capture.video_capture import Capture
from tilekeeper.companion.heap import HeapTrimmer
from tilekeeper.companion.systems.pipes import Connection
from tilekeeper.companion.systems.system import this_system

READ_TIMEOUT_S = 0.2
# The memory limit for a network stream, in addition to the libraries; a 4K stream takes half of it.
MORE_MEMORY_BYTES = 500_000_000
# The app copies a frame in a few milliseconds; if it holds the lock for this many seconds, it has died.
LOCK_TIMEOUT_S = 1.0
# At the end of the process the controls are set to automatic when the next frame comes, within this many seconds. The
# app kills a process that takes longer; then the camera keeps its locked controls until it is opened again.
GIVE_BACK_TIMEOUT_S = 0.12


class Orders(ctypes.Structure):
    """The app's orders for the controls, in shared memory without a lock, since a killed process would keep it."""

    _fields_ = (("focus_requests", ctypes.c_uint), ("box", ctypes.c_double * 4))
    focus_requests: int
    """Counts the requests for a new focus search."""
    box: ctypes.Array[ctypes.c_double]
    """The part of the frame to measure: left, top, right and bottom, each 0 to 1."""


class Keeper:
    """Implements `CameraKeeper`: configures a camera when it is opened, and sets its controls while it runs."""

    def __init__(self, wishes: CameraWishes, orders: Orders) -> None:
        """Request the settings `wishes` whenever the camera is opened, and follow the app's `orders`."""
        self.gives: deque[CameraGives] = deque(maxlen=1)  # renewed whenever the camera is opened
        self._wishes, self._orders = wishes, orders
        self._tuner: CameraTuner | None = None
        self._heard_requests = orders.focus_requests

    @property
    def states(self) -> ControlStates | None:
        """The state of each control; None if the app does not set them, or before the camera is opened."""
        return None if self._tuner is None else self._tuner.states

    def prepare(self, capture: cv2.VideoCapture) -> None:
        """Request the settings from a camera that was just opened, and store the reported settings in `gives`."""
        self.gives.append(prepare(capture, self._wishes))
        if self._wishes.sets_controls:
            self._tuner = CameraTuner(OpenCvControls(capture), self._wishes.exposure_s is not None)

    def tune(self, capture: Capture, now_s: float) -> bool:
        """Pass the grabbed frame and the app's orders to the tuner; return whether the tuner needs every next frame."""
        tuner, requests = self._tuner, self._orders.focus_requests
        if tuner is None:
            return False
        left, top, right, bottom = self._orders.box
        tuner.look_at((left, top, right, bottom))
        if requests != self._heard_requests:
            self._heard_requests = requests
            tuner.request_focus()
        return tuner.push(capture, now_s)

    def give_back(self) -> None:
        """Set all controls to automatic again, as other programs expect them."""
        if self._tuner is not None:
            self._tuner.release(GIVE_BACK_TIMEOUT_S)


def watch(
    named: str,
    wishes: CameraWishes,
    reconnect_pause_s: float,
    connection: Connection,
    lock: Lock,
    fresh: Event,
    resting: ctypes.c_bool,
    came_s: ctypes.c_double,
    orders: Orders,
) -> None:
    """Read a source until the app closes the connection, and write its frames into shared memory.

    While `resting` is true, only frames that differ from the last written one are written. `came_s` is set to the time
    of the last frame, written or not, by `time.monotonic`, which is the same in all processes. The event `fresh` is set
    with each written frame.

    Messages to the app:
    - `("opened", kind, name)` or `("failed", why)` first;
    - `("gives", settings)` whenever a camera was opened and configured;
    - `("controls", states)` whenever the states of the controls change;
    - `("shape", height, width)` before the first frame and whenever the size changes; the app answers with the name of
    the shared memory;
    - `("trouble", text)` whenever the trouble changes.
    """
    # Ctrl+C goes to all processes of the terminal, but the app itself ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _hush()
    threading.Thread(target=_end_with_app, name="end-with-app", daemon=True).start()
    if "://" in named:
        this_system().limit_memory(MORE_MEMORY_BYTES)
    keeper = Keeper(wishes, orders)
    try:
        source = open_source(named, reconnect_pause_s, keeper)
    except SourceUnavailable as error:
        connection.send(("failed", str(error)))
        return
    try:
        connection.send(("opened", source.kind, source.name))
        _Writer(source, connection, lock, fresh, resting, came_s, keeper).run()
    except (EOFError, OSError):
        pass  # the app has ended
    keeper.give_back()
    # Not source.close(), in which some drivers block; the system closes everything with the process.
    os._exit(0)


def _hush() -> None:
    """Discard what native libraries print about broken frames, so that it does not fill the app's terminal."""
    sys.stderr = os.fdopen(os.dup(2), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _end_with_app() -> None:
    """End this process when the app has ended, even if this process waits for a lock that the app never released."""
    app = multiprocessing.parent_process()
    if app is not None:
        app.join()
        os._exit(0)


class _Writer:
    """Writes each new frame into the shared memory, over the previous frame."""

    def __init__(
        self,
        source: Source,
        connection: Connection,
        lock: Lock,
        fresh: Event,
        resting: ctypes.c_bool,
        came_s: ctypes.c_double,
        keeper: Keeper,
    ) -> None:
        self._resting, self._came_s = resting, came_s
        self._keeper = keeper  # used by the thread that opens and reads the camera
        self._states: ControlStates | None = None
        self._source, self._connection, self._lock, self._fresh = source, connection, lock, fresh
        self._memory: SharedMemory | None = None
        self._shape: tuple[int, ...] = ()
        self._trouble = ""
        self._heap = HeapTrimmer()

    def run(self) -> None:
        while not self._connection.poll():  # any message of the app, or its closed connection, ends this process
            resting = self._resting.value
            if isinstance(self._source, ThrottledSource):
                self._source.rest(resting)
                self._came_s.value = self._source.came_s
            self._heap.note(resting, time.monotonic())
            # Bind the frame to no local name, so that its memory is freed before the next read.
            if not self._pass_on(self._source.read(timeout_s=READ_TIMEOUT_S)):
                return

    def _pass_on(self, frame: Frame | None) -> bool:
        """Send changes of state to the app and write the frame, if there is one; return whether to continue."""
        if self._keeper.gives:
            self._connection.send(("gives", self._keeper.gives.popleft()))
        if self._keeper.states != self._states:
            self._states = self._keeper.states
            self._connection.send(("controls", self._states))
        if self._source.trouble != self._trouble:
            self._trouble = self._source.trouble
            self._connection.send(("trouble", self._trouble))
        return frame is None or self._write(frame)

    def _write(self, frame: Frame) -> bool:
        image = np.ascontiguousarray(frame.image_bgr)
        if image.shape != self._shape:
            self._connection.send(("shape", image.shape[0], image.shape[1]))
            name = self._connection.recv()
            if not isinstance(name, str):
                return False
            if self._memory is not None:
                self._memory.close()
            self._memory, self._shape = SharedMemory(name), image.shape
        assert self._memory is not None  # set together with the shape
        if self._lock.acquire(timeout=LOCK_TIMEOUT_S):
            try:
                np.copyto(np.ndarray(self._shape, np.uint8, self._memory.buf), image)
                self._fresh.set()
            finally:
                self._lock.release()
        return True
