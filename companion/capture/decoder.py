"""Decodes untrusted image files in a separate process with limits on memory, time and pixels.

`python -m tilekeeper.companion.capture.decoder` is that process. It writes an empty line when it is ready. A request is
the length of the file, the largest number of pixels allowed, and the file. The answer is a line of JSON, and after it
the pixels if the image was decoded.
"""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from tilekeeper.companion.capture.limits import decoding_environment
from tilekeeper.companion.systems.system import this_system
from tilekeeper.engine.language import LazyText, lazy_gettext
from tilekeeper.vision.photos import MAX_DECODED_AREA_PX, Photo, UnreadablePhoto, decode_photo, read_photo_file

LONGEST_START_S: Final = 60.0
"""The longest time for the start of the process, in seconds; a busy computer needs some."""
LONGEST_S: Final = 6.0
"""The longest time for one image, in seconds; the largest allowed image takes two seconds on a slow computer."""
_ENDS_ITSELF_S: Final = LONGEST_S + 2.0
"""After this time for one image the process ends itself, in case the app has ended meanwhile and can't kill it."""
MORE_MEMORY_BYTES: Final = 520_000_000
"""The memory limit of the process in addition to the libraries: the file plus `MAX_DECODING_BYTES`."""
_REQUEST: Final = struct.Struct(">IQ")
_LONGEST_LINE: Final = 10_000
_NEEDS_MEMORY: Final = lazy_gettext("it needs too much memory; make it smaller")
_NEEDS_TIME: Final = lazy_gettext("it takes too long to read; make it smaller")


class PictureDecoder:
    """Decodes one image file after another in a limited process; may be used by several threads.

    The process starts with the first image, and a new one replaces it after an image that exceeds a limit.
    """

    def __init__(self, max_px: int | None = None, longest_s: float = LONGEST_S) -> None:
        """Set the limits for each image.

        Args:
            max_px: the largest number of pixels of an image; None for the limit of `decode_photo`.
            longest_s: the longest time for one image in seconds, after which the process is killed.
        """
        self._max_px = max_px
        self._longest_s = longest_s
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._end: Any = lambda: None
        self._closed = False
        self._command = (sys.executable, "-P", "-m", __spec__.name)

    def load(self, path: Path | str) -> Photo:
        """Return the photo in a file, upright; raise `UnreadablePhoto` like `decode`, and if there is no such file."""
        return self.decode(read_photo_file(Path(path)))

    def decode(self, data: bytes) -> Photo:
        """Return the photo in the bytes of a file, upright.

        Raises:
            UnreadablePhoto: if the bytes are not an image, it has too many pixels, or it needs too much time or memory.
        """
        with self._lock:
            if self._closed:
                raise UnreadablePhoto(lazy_gettext("the app takes no more pictures"))
            process = self._process = self._process or self._start()
            with _killed_after(process, self._longest_s) as is_late:
                try:
                    return _ask(process, data, self._max_px or 0)
                except (OSError, EOFError, ValueError, KeyError, TypeError):
                    self._stop()
                    raise UnreadablePhoto(_NEEDS_TIME if is_late.is_set() else _NEEDS_MEMORY) from None

    def close(self) -> None:
        """End the process; later images are refused."""
        with self._lock:
            self._closed = True
            self._stop()

    def _start(self) -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=decoding_environment(),
        )
        self._end = weakref.finalize(self, _end, process)
        assert process.stdout is not None  # opened as a pipe
        with _killed_after(process, LONGEST_START_S):
            process.stdout.readline(_LONGEST_LINE)  # empty if the process has ended; then its first image fails
        return process

    def _stop(self) -> None:
        self._process = None
        self._end()


@contextmanager
def _killed_after(process: subprocess.Popen[bytes], seconds: float) -> Iterator[threading.Event]:
    """Kill the process if the block takes longer than `seconds`; yield an event that is set if that happens."""
    is_late = threading.Event()

    def end_late() -> None:
        is_late.set()
        process.kill()

    timer = threading.Timer(seconds, end_late)
    timer.start()
    try:
        yield is_late
    finally:
        timer.cancel()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


def _ask(process: subprocess.Popen[bytes], data: bytes, max_px: int) -> Photo:
    assert process.stdin is not None  # opened as pipes
    assert process.stdout is not None
    process.stdin.write(_REQUEST.pack(len(data), max_px))
    process.stdin.write(data)
    process.stdin.flush()
    # An untrusted file may have taken over the process, so its answer is checked too.
    answer = json.loads(process.stdout.readline(_LONGEST_LINE) or b"null")
    if answer is None:
        raise EOFError
    if "message" in answer:
        raise UnreadablePhoto(lazy_gettext(str(answer["message"]), **answer["values"]))
    height, width = map(int, answer["shape"])
    if not (height > 0 and width > 0 and height * width <= MAX_DECODED_AREA_PX):
        raise EOFError
    image = np.empty((height, width, 3), np.uint8)
    _read_into(process.stdout, image.data.cast("B"))
    full_width, full_height = map(int, answer["full_wh"])
    return Photo(image, (full_width, full_height))


def _read_into(pipe: IO[bytes], pixels: memoryview) -> None:
    at = 0
    while at < len(pixels):
        count = pipe.readinto(pixels[at:])  # type: ignore[attr-defined]  # of the buffered reader
        if not count:
            raise EOFError
        at += count


def _main() -> int:
    this_system().limit_memory(MORE_MEMORY_BYTES)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    answers.write(b"\n")
    answers.flush()
    while len(head := requests.read(_REQUEST.size)) == _REQUEST.size:
        length, max_px = _REQUEST.unpack(head)
        data = requests.read(length)
        late = threading.Timer(_ENDS_ITSELF_S, os._exit, (1,))
        late.daemon = True
        late.start()
        _answer(data, max_px, answers)
        answers.flush()
        late.cancel()
    return 0


def _answer(data: bytes, max_px: int, answers: IO[bytes]) -> None:
    try:
        photo = decode_photo(data, max_px or None)
    except (UnreadablePhoto, MemoryError) as error:
        why = str(error) if isinstance(error, UnreadablePhoto) else _NEEDS_MEMORY
        message, values = (why.message, dict(why.values)) if isinstance(why, LazyText) else (why, {})
        answers.write(json.dumps({"message": message, "values": values}).encode() + b"\n")
        return
    image = np.ascontiguousarray(photo.image_bgr)
    answers.write(json.dumps({"shape": image.shape[:2], "full_wh": photo.full_wh}).encode() + b"\n")
    answers.write(image.data.cast("B"))


if __name__ == "__main__":
    sys.exit(_main())
