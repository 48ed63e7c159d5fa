"""Opens cameras, streams and recordings with OpenCV, without a word of OpenCV's or FFmpeg's own on the terminal."""

import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from tilekeeper.vision.arrays import Image
from tilekeeper.vision.config import sources_limits as limits
from tilekeeper.vision.imaging import convert


class CaptureFailed(Exception):  # noqa: N818, the name says it
    """Why OpenCV could not open something, in half a line that says what to do."""


class Capture:
    """An opened video; `fps` is the pace of a recording in frames a second."""

    def __init__(self, capture: cv2.VideoCapture) -> None:
        self._capture = capture
        fps = capture.get(cv2.CAP_PROP_FPS)
        self.fps = fps if 1 <= fps <= 240 else limits.usual_fps
        self._first = self._next()

    @property
    def gives_pictures(self) -> bool:
        """Whether a first frame came: much opens that never gives one."""
        return self._first is not None

    def read(self) -> Image | None:
        """Return the next frame, BGR `(H, W, 3) uint8`, or None where no more comes."""
        if self._first is not None:
            image, self._first = self._first, None
            return image
        return self._next()

    def _next(self) -> Image | None:
        try:
            there, image = self._capture.read()
        except cv2.error:
            return None
        if not there or image is None:
            return None
        levels = np.asarray(image, np.uint8)
        return convert(levels, cv2.COLOR_GRAY2BGR) if levels.ndim == 2 else levels

    def close(self) -> None:
        """Let go of the device or file."""
        self._capture.release()


@cache
def silence() -> None:
    """Turn the logs of OpenCV and FFmpeg off; has to happen before the first video is opened."""
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)


def ask_for_full_hd(capture: cv2.VideoCapture) -> None:
    """Ask an opened camera for full HD; most give that at full pace only as JPEG."""
    capture.set(cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG"))
    capture.set(cv2.CAP_PROP_FRAME_WIDTH, limits.camera_wh[0])
    capture.set(cv2.CAP_PROP_FRAME_HEIGHT, limits.camera_wh[1])


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
    opened_ms, read_ms = limits.open_timeout_ms, limits.read_timeout_ms
    timeouts = [cv2.CAP_PROP_OPEN_TIMEOUT_MSEC, opened_ms, cv2.CAP_PROP_READ_TIMEOUT_MSEC, read_ms]
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
