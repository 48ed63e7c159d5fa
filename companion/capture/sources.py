"""Image sources: `open_source` opens a camera, a network stream, a recording, or a folder of photos.

`read` returns the newest frame that was not returned yet. A thread drains cameras, streams and recordings, so that a
slow reader gets the current frame and never a queue of old ones.
"""

import os
import re
import stat
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import cv2

from tilekeeper.companion.capture.addresses import check_scheme, hide_password
from tilekeeper.companion.capture.decoder import PictureDecoder
from tilekeeper.companion.capture.thumbnails import ThumbnailFilter
from tilekeeper.companion.capture.video_capture import (
    Capture,
    CaptureFailed,
    open_camera,
    open_recording,
    open_stream,
)
from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.arrays import Image
from tilekeeper.vision.photos import UnreadablePhoto

# A recording shows its last frame for this many seconds before it starts again.
LAST_FRAME_HOLD_S = 3.0
# Closing a source waits at most this many seconds for its thread, since some drivers block in a read forever.
MAX_CLOSE_WAIT_S = 3.0
# A camera or stream is reopened after this many frames in a row that cannot be decoded.
MAX_BROKEN_FRAMES = 25

PICTURE_SUFFIXES = frozenset([".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".avif", ".jp2"])


class SourceUnavailable(Exception):  # noqa: N818, the name says it
    """A source delivers no images; the message says in one line why, and what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One image with its time and origin.

    `image_bgr`: `(H, W, 3) uint8`; `time_s`: when it was taken (`time.monotonic`); `name`: the source, or the file of a
    photo; `index`: number from 0 of the photo in its folder or of the frame (a recording restarts at 0).
    """

    image_bgr: Image
    time_s: float
    name: str
    index: int


class Source(Protocol):
    """Interface of all sources of frames.

    `kind` is `camera`, `stream`, `phone`, `video`, `photos` or `none`; `name` is the name that pages show; `trouble`
    says in one line why no frames come now, while the source tries to reconnect, and is empty otherwise.
    """

    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def trouble(self) -> str: ...

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Return the newest frame that was not returned yet; wait up to `timeout_s` for it, then return None.

        Raises `SourceUnavailable` if a photo cannot be read; the next photo may be readable.
        """
        ...

    def close(self) -> None:
        """Release the camera or file; may be called twice."""
        ...


@runtime_checkable
class ThrottledSource(Protocol):
    """A source that delivers fewer frames while nothing moves."""

    @property
    def came_s(self) -> float:
        """Time of the newest intact frame, delivered or not (`time.monotonic`); `-inf` before the first."""
        ...

    def rest(self, resting: bool) -> None:
        """While `resting`, deliver only changed frames and at least about one a second; otherwise every frame."""
        ...


class CameraKeeper(Protocol):
    """Configures a camera whenever it is opened, and adjusts it while it runs."""

    def prepare(self, capture: cv2.VideoCapture) -> None:
        """Configure a camera that was just opened; called before its first frame."""
        ...

    def tune(self, capture: Capture, now_s: float) -> bool:
        """Adjust the camera by the frame that was just grabbed; return whether all next frames are needed for that."""
        ...


def open_source(text: str, reconnect_pause_s: float, keeper: CameraKeeper | None = None) -> Source:
    """Open the source that a user named: `0`, `/dev/video0`, `http://…`, `rtsp://…`, `game.mp4`, `folder/`.

    The pause between two attempts to reopen a lost camera or stream grows up to `reconnect_pause_s`. `keeper`
    configures and adjusts a camera. Raises `SourceUnavailable` if the source can't be opened.
    """
    text = text.strip()
    if not text:
        raise SourceUnavailable(
            lazy_gettext("no source given; give a camera (0), a stream, a video or a folder of photos")
        )
    try:
        if re.fullmatch(r"\d{1,4}", text):
            return _camera(int(text), lazy_gettext("camera {number}", number=text), reconnect_pause_s, keeper)
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text):
            return _stream(text, reconnect_pause_s)
        path = Path(os.path.expanduser(text))  # unlike `Path.expanduser` it accepts unknown users
        if path.exists() and stat.S_ISCHR(path.stat().st_mode):
            return _camera(text, text, reconnect_pause_s, keeper)
        if path.is_dir():
            return PhotoSource(sorted_photos(path), path.resolve().name or str(path))
        if path.is_file():
            if path.suffix.lower() in PICTURE_SUFFIXES:
                return _photo(path)
            return LiveSource("video", path.name, lambda: open_recording(path), reconnect_pause_s)
    except (CaptureFailed, UnreadablePhoto, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceUnavailable(
            lazy_gettext("{source} can't be opened: {reason}", source=hide_password(text), reason=reason)
        ) from None
    if text.startswith("/dev/video"):
        raise SourceUnavailable(
            lazy_gettext(
                "{text} can't be opened: there is no such camera; plug it in or name another source", text=text
            )
        )
    raise SourceUnavailable(
        lazy_gettext(
            "{text}: there is no such file or folder; give a camera (0), a stream, a video or a folder", text=text
        )
    )


def _photo(path: Path) -> "PhotoSource":
    """Return the source of one photo; raise `UnreadablePhoto` here, since later the page would only stay empty."""
    source = PhotoSource((path,), path.name)
    try:
        source.load()
    except UnreadablePhoto:
        source.close()
        raise
    return source


def _camera(which: int | str, name: str, reconnect_pause_s: float, keeper: CameraKeeper | None) -> "LiveSource":
    device = Path(f"/dev/video{which}" if isinstance(which, int) else which)
    if sys.platform == "linux":
        if not device.exists():
            raise CaptureFailed(
                lazy_gettext("there is no {device}; plug in a camera or name another source", device=device)
            )
        if not os.access(device, os.R_OK | os.W_OK):
            raise CaptureFailed(
                lazy_gettext(
                    "you may not use {device}; add yourself to the group 'video' and log in again", device=device
                )
            )
    prepare, tune = (None, None) if keeper is None else (keeper.prepare, keeper.tune)
    return LiveSource("camera", name, lambda: open_camera(which, prepare), reconnect_pause_s, tune)


def _stream(url: str, reconnect_pause_s: float) -> "LiveSource":
    check_scheme(url)
    return LiveSource("stream", hide_password(url), lambda: open_stream(url), reconnect_pause_s)


def sorted_photos(folder: Path) -> tuple[Path, ...]:
    """Return the images in a folder in natural order, `2.jpg` before `10.jpg`, without hidden files.

    Raises `SourceUnavailable` if there are none.
    """

    def counted(path: Path) -> list[tuple[int, str]]:
        return [(int(part), "") if part.isdecimal() else (0, part.lower()) for part in re.split(r"(\d+)", path.name)]

    pictures = [
        path
        for path in folder.iterdir()
        if path.suffix.lower() in PICTURE_SUFFIXES and not path.name.startswith(".") and path.is_file()
    ]
    if not pictures:
        raise SourceUnavailable(
            lazy_gettext("there are no photos in {folder}; give a folder with JPEG or PNG pictures", folder=folder)
        )
    return tuple(sorted(pictures, key=counted))


class PhotoSource:
    """A `Source` of photos that the user steps through; `read` returns the current photo once after each step."""

    kind = "photos"
    trouble = ""

    def __init__(self, paths: tuple[Path, ...], name: str) -> None:
        self.name = name
        self._paths = paths
        self._decoder = PictureDecoder()
        self._index = 0
        self._closed = False
        self._waiting = True
        self._changed = threading.Condition()

    @property
    def count(self) -> int:
        return len(self._paths)

    @property
    def index(self) -> int:
        return self._index

    def step(self, by: int) -> int:
        """Go `by` photos forward (back if negative), wrapping around; return the index. Thread-safe, never blocks."""
        with self._changed:
            self._index = (self._index + by) % len(self._paths)
            self._waiting = True
            self._changed.notify_all()
            return self._index

    def load(self) -> Image:
        """Return the current photo `(H, W, 3) uint8` BGR; raise `UnreadablePhoto` if it can't be read."""
        return self._decoder.load(self._paths[self._index]).image_bgr

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Return the current photo once, then wait for the next step; None after `timeout_s` seconds or `close`."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed, timeout_s)
            if self._closed or not self._waiting:
                return None
            self._waiting = False
            index = self._index
        path = self._paths[index]
        try:
            return Frame(self._decoder.load(path).image_bgr, time.monotonic(), path.name, index)
        except UnreadablePhoto as error:
            raise SourceUnavailable(lazy_gettext("{name}: {error}", name=path.name, error=error)) from None

    def close(self) -> None:
        """Wake a thread that waits in `read`, and end the decoding process."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._decoder.close()


class LiveSource:
    """A `Source` for a camera, stream or recording, which a thread drains; only the newest frame is kept.

    A camera or stream that stops is reopened until it comes back or the source is closed. A recording plays at its own
    rate, holds its last frame for `LAST_FRAME_HOLD_S` and starts over.
    """

    def __init__(
        self,
        kind: str,
        name: str,
        opening: Callable[[], Capture],
        reconnect_pause_s: float,
        tune: Callable[[Capture, float], bool] | None = None,
    ) -> None:
        """Open the source in this thread, so that `CaptureFailed` is raised here, and start the draining thread.

        `opening` opens the source, and reopens it later. `tune` is called with each grabbed frame and its time, as
        `CameraKeeper.tune`.
        """
        self.kind = kind
        self.name = name
        self.trouble = ""
        self.came_s = float("-inf")
        self._opening = opening
        self._tune = tune
        self._reconnect_pause_s = reconnect_pause_s
        self._newest: Frame | None = None
        self._resting = False
        self._arrived = threading.Condition()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(opening(),), name=f"source {name}", daemon=True)
        self._thread.start()

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Return the newest frame that was not returned yet; None after `timeout_s` seconds or `close`."""
        with self._arrived:
            self._arrived.wait_for(lambda: self._newest is not None or self._closing.is_set(), timeout_s)
            frame, self._newest = self._newest, None
            return None if self._closing.is_set() else frame

    def rest(self, resting: bool) -> None:
        """While `resting`, deliver only changed frames, but about one a second at least."""
        self._resting = resting

    def close(self) -> None:
        """Stop the thread, which releases the device; wait only `MAX_CLOSE_WAIT_S`, since some drivers block."""
        self._closing.set()
        with self._arrived:
            self._arrived.notify_all()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=MAX_CLOSE_WAIT_S)

    def _run(self, capture: Capture) -> None:
        count = 0
        while True:
            try:
                count = self._play(capture) if self.kind == "video" else self._drain(capture, count)
            finally:
                capture.close()
            if self._closing.is_set():
                return
            if self.kind != "video":
                self.trouble = lazy_gettext("{name} sends no pictures any more; connecting again", name=self.name)
            reopened = self._reopen()
            if reopened is None:
                return
            capture = reopened

    def _drain(self, capture: Capture, count: int) -> int:
        """Read frames until none comes or too many in a row are broken; return the next frame number."""
        thumbnails, broken_count, is_tuning = ThumbnailFilter(), 0, False
        while not self._closing.is_set() and broken_count < MAX_BROKEN_FRAMES and capture.grab():
            if self._resting and not is_tuning and not self._has_changed(capture, thumbnails):
                broken_count = 0 if broken_count and capture.thumbnail() is not None else broken_count
            elif self._pass_on(capture, count):
                count, broken_count = count + 1, 0
            else:
                broken_count += 1
            # The tuner comes last, because it prefers a frame that was decoded anyway.
            is_tuning = self._tune is not None and self._tune(capture, time.monotonic())
        return count

    def _has_changed(self, capture: Capture, thumbnails: ThumbnailFilter) -> bool:
        now_s = time.monotonic()
        if not thumbnails.is_due(now_s):
            return False
        thumbnail = capture.thumbnail()
        if thumbnail is None:
            return True  # the caller counts broken frames
        self.came_s = now_s
        return thumbnails.is_needed(thumbnail, capture.repeats, now_s)

    def _pass_on(self, capture: Capture, index: int) -> bool:
        """Deliver the grabbed frame; return whether it was intact."""
        image = capture.retrieve()
        if image is not None:
            self._put(image, index)
        return image is not None

    def _play(self, capture: Capture) -> int:
        """Deliver every frame of a recording at its time; return 0, the next frame number."""
        start_s, index = time.monotonic(), 0
        while not self._closing.is_set():
            image = capture.read()
            if image is None:
                break
            self._closing.wait(max(0.0, start_s + index / capture.fps - time.monotonic()))
            self._put(image, index)
            index += 1
        self._closing.wait(LAST_FRAME_HOLD_S)
        return 0

    def _put(self, image: Image, index: int) -> None:
        with self._arrived:
            self.trouble, self.came_s = "", time.monotonic()
            self._newest = Frame(image, self.came_s, self.name, index)
            self._arrived.notify_all()

    def _reopen(self) -> Capture | None:
        """Reopen the source and return it, however long that takes; None if the source is closed meanwhile."""
        pause_s = 0.0 if self.kind == "video" else 0.5
        while not self._closing.wait(pause_s):
            try:
                return self._opening()
            except CaptureFailed as error:
                self.trouble = lazy_gettext(
                    "no connection to {name}: {error}; trying again", name=self.name, error=error
                )
                pause_s = min(self._reconnect_pause_s, 2 * pause_s + 0.5)
        return None
