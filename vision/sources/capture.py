"""Opens cameras, streams and recordings with OpenCV, without a word of OpenCV's or FFmpeg's own on the terminal."""

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from tilekeeper.vision.arrays import Image
from tilekeeper.vision.imaging import convert

# A stream that delivers no first frame within this time fails to open.
STREAM_OPEN_TIMEOUT_MS = 6000
# A stream that delivers no further frame within this time is lost.
STREAM_READ_TIMEOUT_MS = 6000
# Width and height that a camera is asked for; it may deliver another size.
REQUESTED_RESOLUTION_WH_PX = (1920, 1080)
# Frames per second of a recording that states no rate, or one outside 1 to 240.
DEFAULT_VIDEO_FPS = 25.0


MJPG = cv2.VideoWriter.fourcc(*"MJPG")


class CaptureFailed(Exception):  # noqa: N818, the name says it
    """Why OpenCV could not open something, in half a line that says what to do."""


class Capture:
    """An opened video; `fps` is the pace of a recording in frames a second.

    Of a `packed` one, the pictures are JPEGs that come as they were sent, and are decoded where somebody asks for them.
    """

    def __init__(self, capture: cv2.VideoCapture, packed: bool = False) -> None:
        self._capture = capture
        self._packed = packed
        fps = capture.get(cv2.CAP_PROP_FPS)
        self.fps = fps if 1 <= fps <= 240 else DEFAULT_VIDEO_FPS
        self._picture: Image | None = None
        self._sent = np.zeros((0, 0), np.uint8)
        self._is_first = False
        self._is_first = self.grab() and self.retrieve() is not None

    @property
    def gives_pictures(self) -> bool:
        """Whether a first frame came: much opens that never gives one."""
        return self._is_first

    @property
    def image_wh(self) -> tuple[int, int]:
        """Width and height in pixels of the frame that was taken last; zeros where it can't be decoded."""
        image = self.retrieve()
        return (0, 0) if image is None else (image.shape[1], image.shape[0])

    def read(self) -> Image | None:
        """Return the next frame, BGR `(H, W, 3) uint8`, or None where no more comes."""
        return self.retrieve() if self.grab() else None

    def grab(self) -> bool:
        """Take the next frame, and return whether one came; it costs little until it is looked at."""
        if self._is_first:
            self._is_first = False
            return True
        self._picture = None
        try:
            if not self._packed:
                return bool(self._capture.grab())
            there, sent = self._capture.read()
        except cv2.error:
            return False
        if not there or sent is None:
            return False
        self.repeats, self._sent = np.array_equal(self._sent, sent), np.asarray(sent, np.uint8)
        return True

    repeats: bool | None = None
    """Whether the frame that was taken last came to the byte as the one before; None, unknown, unless it is packed."""

    def retrieve(self) -> Image | None:
        """Return the frame that was taken last, BGR `(H, W, 3) uint8`, or None where it is broken."""
        if self._picture is None:
            self._picture = self._decoded()
        return self._picture

    def glance(self) -> Image | None:
        """Return the frame that was taken last in grey at an eighth of its size, `(H, W) uint8`; None where broken."""
        if self._packed:
            return _decoded(self._sent, cv2.IMREAD_REDUCED_GRAYSCALE_8)
        picture = self.retrieve()
        return None if picture is None else np.ascontiguousarray(picture[::8, ::8, 1])

    def _decoded(self) -> Image | None:
        if self._packed:
            return _decoded(self._sent, cv2.IMREAD_COLOR)
        try:
            there, image = self._capture.retrieve()
        except cv2.error:
            return None
        if not there or image is None:
            return None
        levels = np.asarray(image, np.uint8)
        return convert(levels, cv2.COLOR_GRAY2BGR) if levels.ndim == 2 else levels

    def close(self) -> None:
        """Let go of the device or file."""
        self._capture.release()


def _decoded(jpeg: Image, how: int) -> Image | None:
    try:
        image = cv2.imdecode(jpeg, how | cv2.IMREAD_IGNORE_ORIENTATION)
    except cv2.error:
        return None
    return None if image is None else np.asarray(image, np.uint8)


@cache
def silence() -> None:
    """Turn the logs of OpenCV and FFmpeg off; has to happen before the first video is opened."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def ask_for_full_hd(capture: cv2.VideoCapture) -> None:
    """Ask an opened camera for full HD; most give that at full pace only as JPEG."""
    capture.set(cv2.CAP_PROP_FOURCC, MJPG)
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, REQUESTED_RESOLUTION_WH_PX[0])
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, REQUESTED_RESOLUTION_WH_PX[1])


def open_camera(which: int | str, prepare: Callable[[cv2.VideoCapture], object] = ask_for_full_hd) -> Capture:
    """Open a camera by its index or device file, and `prepare` it before its first picture; raises `CaptureFailed`."""
    silence()
    capture = cv2.VideoCapture(which, cv2.CAP_V4L2 if sys.platform == "linux" else cv2.CAP_ANY)
    if capture.isOpened():
        prepare(capture)
    return _checked(capture, "it gives no picture; close other programs that use it, or name another camera")


def open_stream(url: str) -> Capture:
    """Open a network stream; raises `CaptureFailed` after `open_timeout_ms` at the latest."""
    silence()
    opened_ms, read_ms = STREAM_OPEN_TIMEOUT_MS, STREAM_READ_TIMEOUT_MS
    timeouts = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, opened_ms, cv2.CAP_PROP_READ_TIMEOUT_MSEC, read_ms]
    capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, timeouts)
    wide, high = round(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), round(capture.get(cv2.CAP_PROP_FRAME_HEIGHT))
    if round(capture.get(cv2.CAP_PROP_FOURCC)) == MJPG and capture.set(cv2.CAP_PROP_FORMAT, -1):
        packed = Capture(capture, packed=True)
        if packed.gives_pictures and packed.image_wh == (wide, high):
            return packed
        capture.release()  # pictures in two halves, say, which FFmpeg puts together
        capture = cv2.VideoCapture(url, cv2.CAP_FFMPEG, timeouts)
    return _checked(capture, "no video comes from there; check the address and that the camera is on")


def open_recording(path: Path) -> Capture:
    """Open a video file; raises `CaptureFailed`."""
    silence()
    capture = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    return _checked(capture, "no video that can be played; give an MP4, or a folder of photos")


def _checked(capture: cv2.VideoCapture, complaint: str) -> Capture:
    if capture.isOpened():
        opened = Capture(capture)
        if opened.gives_pictures:
            return opened
    capture.release()
    raise CaptureFailed(complaint)
