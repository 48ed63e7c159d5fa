"""Where pictures come from: a camera, a network stream, a recording, or a folder of photos; `open_source` tells which.

All are used alike: `read` gives the newest frame that has not been given yet. Cameras, streams and recordings are
drained by a thread of their own, so that a slow reader sees the table as it is now and never a queue of the past.
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
from urllib.parse import urlsplit

import cv2

from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.arrays import Image
from tilekeeper.vision.config import sources_limits as limits
from tilekeeper.vision.sources.capture import (
    Capture,
    CaptureFailed,
    ask_for_full_hd,
    open_camera,
    open_recording,
    open_stream,
)
from tilekeeper.vision.sources.glances import Glances
from tilekeeper.vision.sources.photos import UnreadablePhoto, load_photo

PICTURE_SUFFIXES = frozenset([".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".avif", ".jp2"])
STREAM_SCHEMES = ("http", "https", "rtsp", "rtsps", "rtmp", "udp", "tcp")


class SourceUnavailable(Exception):  # noqa: N818, the name says it
    """A source that gives no pictures; the message says in one line why and what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One picture: BGR `(H, W, 3) uint8`, when it was taken (`time.monotonic`), its source or file, and its number.

    `index` counts from 0: photos of a folder, frames of a camera; a recording begins again at 0 when it starts over.
    """

    image_bgr: Image
    time_s: float
    name: str
    index: int


class Source(Protocol):
    """What every source does.

    `kind` is `camera`, `stream`, `video` or `photos`; `name` is for people; `trouble` is empty, or says in one line why
    there are no frames at the moment while the source tries to get them again.
    """

    @property
    def kind(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def trouble(self) -> str: ...

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Return the newest frame not given yet; wait for one, None after `timeout_s`.

        Raises `SourceUnavailable` where a photo can't be read; the next one may well be.
        """
        ...

    def close(self) -> None:
        """Let go of the camera or file; may be called twice."""
        ...


@runtime_checkable
class Sparing(Protocol):
    """A source that takes less trouble while nothing moves."""

    @property
    def came_s(self) -> float:
        """When a whole picture came last, given or not (`time.monotonic`); `-inf` before the first."""
        ...

    def rest(self, resting: bool) -> None:
        """Say whether pictures without anything new are of use to nobody at the moment.

        Then it gives one where something changed and about once a second, else each.
        """
        ...


def open_source(text: str, prepare: Callable[[cv2.VideoCapture], object] = ask_for_full_hd) -> Source:
    """Return the source that a person named: `0`, `/dev/video0`, `http://…`, `rtsp://…`, `game.mp4`, `folder/`.

    A camera is handed to `prepare` each time it has been opened, before its first picture. Raises `SourceUnavailable`
    where it can't be opened.
    """
    text = text.strip()
    if not text:
        raise SourceUnavailable(
            lazy_gettext("no source given; give a camera (0), a stream, a video or a folder of photos")
        )
    try:
        if re.fullmatch(r"\d{1,4}", text):
            return _camera(int(text), lazy_gettext("camera {number}", number=text), prepare)
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text):
            return _stream(text)
        path = Path(os.path.expanduser(text))  # as `Path.expanduser`, but for users that there are not
        if path.exists() and stat.S_ISCHR(path.stat().st_mode):
            return _camera(text, text, prepare)
        if path.is_dir():
            return PhotoSource(sorted_photos(path), path.resolve().name or str(path))
        if path.is_file():
            if path.suffix.lower() in PICTURE_SUFFIXES:
                load_photo(path)  # one that can't be read is better refused now than shown as an empty page
                return PhotoSource((path,), path.name)
            return LiveSource("video", path.name, lambda: open_recording(path))
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


def _camera(which: int | str, name: str, prepare: Callable[[cv2.VideoCapture], object]) -> "LiveSource":
    device = Path(f"/dev/video{which}" if isinstance(which, int) else which)
    if sys.platform == "linux":
        if not device.exists():
            raise CaptureFailed(
                lazy_gettext("there is no {device}; plug in a camera or name another source", device=device)
            )
        if not os.access(device, os.R_OK | os.W_OK):
            raise CaptureFailed(
                lazy_gettext(
                    "{device} may not be used; add yourself to the group 'video' and log in again", device=device
                )
            )
    return LiveSource("camera", name, lambda: open_camera(which, prepare))


def _stream(url: str) -> "LiveSource":
    scheme = urlsplit(url).scheme.lower()
    if scheme not in STREAM_SCHEMES:
        raise CaptureFailed(
            lazy_gettext("{scheme}:// is not a known stream; use http://, https:// or rtsp://", scheme=scheme)
        )
    return LiveSource("stream", hide_password(url), lambda: open_stream(url))


def hide_password(url: str) -> str:
    """Return the address without the user and password that may stand in it."""
    return re.sub(r"^([A-Za-z][A-Za-z0-9+.-]+://)[^/?#]*@", r"\1…@", url)


def sorted_photos(folder: Path) -> tuple[Path, ...]:
    """Return the pictures in a folder as people count, `2.jpg` before `10.jpg`; hidden files are left out.

    Raises `SourceUnavailable` where there are none.
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
            lazy_gettext("{folder} holds no photos; name a folder with JPEG or PNG pictures", folder=folder)
        )
    return tuple(sorted(pictures, key=counted))


class PhotoSource:
    """Photos that are stepped through; each is given once when it is stepped to."""

    kind = "photos"
    trouble = ""

    def __init__(self, paths: tuple[Path, ...], name: str) -> None:
        self.name = name
        self._paths = paths
        self._index = 0
        self._closed = False
        self._waiting = True
        self._changed = threading.Condition()

    @property
    def count(self) -> int:
        """How many photos there are."""
        return len(self._paths)

    @property
    def index(self) -> int:
        """Which photo is shown, from 0."""
        return self._index

    def step(self, by: int) -> int:
        """Go `by` photos on (back where negative), round and round; return the index. Thread-safe, never blocks."""
        with self._changed:
            self._index = (self._index + by) % len(self._paths)
            self._waiting = True
            self._changed.notify_all()
            return self._index

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """Return the present photo if it has not been given yet, else wait for a step; see `Source.read`."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed, timeout_s)
            if self._closed or not self._waiting:
                return None
            self._waiting = False
            index = self._index
        path = self._paths[index]
        try:
            return Frame(load_photo(path).image_bgr, time.monotonic(), path.name, index)
        except UnreadablePhoto as error:
            raise SourceUnavailable(lazy_gettext("{name}: {error}", name=path.name, error=error)) from None

    def close(self) -> None:
        """Wake whoever waits for a photo."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()


class LiveSource:
    """A camera, stream or recording, drained by its own thread into one place that holds the newest frame.

    A camera or stream that stops is opened again and again until it comes back or the source is closed; a recording
    plays at its own pace, rests on its last frame for `hold_last_s` and starts over.
    """

    def __init__(self, kind: str, name: str, opening: Callable[[], Capture]) -> None:
        """Open it once, so that what can't be opened is told at once: raises `CaptureFailed`."""
        self.kind = kind
        self.name = name
        self.trouble = ""
        self.came_s = float("-inf")
        self._opening = opening
        self._newest: Frame | None = None
        self._resting = False
        self._arrived = threading.Condition()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(opening(),), name=f"source {name}", daemon=True)
        self._thread.start()

    def read(self, timeout_s: float = 1.0) -> Frame | None:
        """See `Source.read`."""
        with self._arrived:
            self._arrived.wait_for(lambda: self._newest is not None or self._closing.is_set(), timeout_s)
            frame, self._newest = self._newest, None
            return None if self._closing.is_set() else frame

    def rest(self, resting: bool) -> None:
        """See `Sparing.rest`."""
        self._resting = resting

    def close(self) -> None:
        """Stop the thread, which lets go of the device; waits for it a moment, for some drivers block."""
        self._closing.set()
        with self._arrived:
            self._arrived.notify_all()
        if self._thread is not threading.current_thread():
            self._thread.join(timeout=limits.closing_s)

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
                self.trouble = lazy_gettext("{name} sends no more pictures; connecting again", name=self.name)
            again = self._open_again()
            if again is None:
                return
            capture = again

    def _drain(self, capture: Capture, count: int) -> int:
        """Take every frame as it comes until none comes any more; return how many there have been."""
        glances, broken = Glances(), 0
        while not self._closing.is_set() and broken < limits.broken_most and capture.grab():
            if self._resting and not self._is_worth_a_look(capture, glances):
                broken = 0 if broken and capture.glance() is not None else broken
                continue
            if self._pass_on(capture, count):
                count, broken = count + 1, 0
            else:
                broken += 1
        return count

    def _is_worth_a_look(self, capture: Capture, glances: Glances) -> bool:
        now_s = time.monotonic()
        if not glances.due(now_s):
            return False
        glance = capture.glance()
        if glance is None:
            return True  # a broken one is counted
        self.came_s = now_s
        return glances.worth(glance, capture.repeats, now_s)

    def _pass_on(self, capture: Capture, index: int) -> bool:
        """Put the frame that was taken last, and hold it no longer here; return whether it was whole."""
        image = capture.retrieve()
        if image is not None:
            self._put(image, index)
        return image is not None

    def _play(self, capture: Capture) -> int:
        """Show every frame of a recording when its time has come; return 0, the number of the next beginning."""
        start_s, index = time.monotonic(), 0
        while not self._closing.is_set():
            image = capture.read()
            if image is None:
                break
            self._closing.wait(max(0.0, start_s + index / capture.fps - time.monotonic()))
            self._put(image, index)
            index += 1
        self._closing.wait(limits.hold_last_s)
        return 0

    def _put(self, image: Image, index: int) -> None:
        with self._arrived:
            self.trouble, self.came_s = "", time.monotonic()
            self._newest = Frame(image, self.came_s, self.name, index)
            self._arrived.notify_all()

    def _open_again(self) -> Capture | None:
        """Return the source opened anew, however long that takes; None where it is closed meanwhile."""
        pause_s = 0.0 if self.kind == "video" else 0.5
        while not self._closing.wait(pause_s):
            try:
                return self._opening()
            except CaptureFailed as error:
                self.trouble = lazy_gettext(
                    "no connection to {name}: {error}; trying again", name=self.name, error=error
                )
                pause_s = min(limits.longest_pause_s, 2 * pause_s + 0.5)
        return None
