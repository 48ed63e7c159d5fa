"""Decodes uploaded pictures in a process with limits on memory and time.

`python -m tilekeeper.companion.capture.upload` reads a picture's bytes from standard input and writes the decoded
picture in NumPy's format to standard output; on failure it exits with 1 and a line on standard error. With `--stay` it
decodes many pictures: each is preceded by its length, each answer by a byte (0 for a picture) and its length.
"""

from __future__ import annotations

import io
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, Final

import numpy as np

from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext
from tilekeeper.vision.arrays import Image
from tilekeeper.vision.photos import UnreadablePhoto, decode_photo

LARGEST_UPLOAD_BYTES: Final = 20 * 1024 * 1024
MOST_PX: Final = 40_000_000
MOST_MEMORY_BYTES: Final = 1_500_000_000
"""The address space of the process; libraries alone take a third of it."""
LONGEST_S: Final = 15.0
WAITS_S: Final = 10.0
_UNREADABLE: Final = 1
_STAY: Final = "--stay"
_REQUEST: Final = struct.Struct(">I")
_ANSWER: Final = struct.Struct(">BI")
_uploading: Final = threading.Lock()


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let one thread at a time decode and read an uploaded picture, so that the table can be read beside it.

    Raises:
        Refused: if other pictures are still being read after `WAITS_S` seconds.
    """
    if not _uploading.acquire(timeout=WAITS_S):
        raise Refused(gettext("Another rack is being read. Try again in a moment."), "not-now")
    try:
        yield
    finally:
        _uploading.release()


def decode_upload(data: bytes) -> Image:
    """Return the decoded picture `(H, W, 3) uint8` BGR, upright.

    Raises:
        Refused: if the data is no readable picture, or too large.
    """
    try:
        done = subprocess.run(
            _command(), input=data, capture_output=True, timeout=LONGEST_S, env=_environment(), check=False
        )
    except subprocess.TimeoutExpired:
        raise Refused(gettext("This picture takes too long to read. Save it smaller."), "bad-input") from None
    if done.returncode == 0:
        return np.asarray(np.load(io.BytesIO(done.stdout), allow_pickle=False), np.uint8)
    why = gettext("it needs too much memory; save it smaller")
    if done.returncode == _UNREADABLE:
        why = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
    raise Refused(gettext("This picture can't be read: {why}.", why=why), "bad-input")


class PictureDecoder:
    """Decodes one picture after another in one process, under the limits of `decode_upload`."""

    def __init__(self, longest_s: float = LONGEST_S) -> None:
        """Start the process with the first picture; `longest_s` is the time limit for one."""
        self._longest_s = longest_s
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._closed = False

    def decode(self, data: bytes) -> Image:
        """Return the decoded picture `(H, W, 3) uint8` BGR, upright.

        Raises:
            Refused: if the data is no readable picture, or too large.
        """
        with self._lock:
            process = self._running()
            late = threading.Timer(self._longest_s, process.kill)
            late.start()
            try:
                status, answer = _ask(process, data)
            except (OSError, EOFError):
                self._end()
                why = gettext("it needs too much memory; save it smaller")
                raise Refused(gettext("This picture can't be read: {why}.", why=why), "bad-input") from None
            finally:
                late.cancel()
        if status:
            why = answer.decode(errors="replace")
            raise Refused(gettext("This picture can't be read: {why}.", why=why), "bad-input")
        return np.asarray(np.load(io.BytesIO(answer), allow_pickle=False), np.uint8)

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._closed = True
            self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise Refused(gettext("The app takes no more pictures."), "not-now")
        if self._process is None:
            command = (*_command(), _STAY)
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_environment(),
            )
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()


def _ask(process: subprocess.Popen[bytes], data: bytes) -> tuple[int, bytes]:
    assert process.stdin is not None  # opened as pipes
    assert process.stdout is not None
    process.stdin.write(_REQUEST.pack(len(data)) + data)
    process.stdin.flush()
    status, length = _ANSWER.unpack(_read_exactly(process.stdout, _ANSWER.size))
    return status, _read_exactly(process.stdout, length)


def _read_exactly(pipe: IO[bytes], length: int) -> bytes:
    data = pipe.read(length)
    if len(data) < length:
        raise EOFError
    return data


def _command() -> tuple[str, ...]:
    return (sys.executable, "-P", "-m", __spec__.name)


def _environment() -> dict[str, str]:
    return os.environ | {"OPENBLAS_NUM_THREADS": "1"}


def _main() -> int:
    with suppress(ImportError):  # Windows has no such limits; MOST_PX is checked there, too
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES, MOST_MEMORY_BYTES))
    if _STAY in sys.argv:
        return _answer_all(sys.stdin.buffer, sys.stdout.buffer)
    try:
        # NumPy needs a file's position, and a pipe has none
        sys.stdout.buffer.write(_decode_to_npy(sys.stdin.buffer.read()))
    except UnreadablePhoto as error:
        print(error, file=sys.stderr)
        return _UNREADABLE
    except MemoryError:
        return 2
    return 0


def _answer_all(requests: IO[bytes], answers: IO[bytes]) -> int:
    with suppress(EOFError):
        while True:
            (length,) = _REQUEST.unpack(_read_exactly(requests, _REQUEST.size))
            status, answer = _answer(_read_exactly(requests, length))
            answers.write(_ANSWER.pack(status, len(answer)) + answer)
            answers.flush()
    return 0


def _answer(data: bytes) -> tuple[int, bytes | memoryview]:
    try:
        return 0, _decode_to_npy(data)
    except UnreadablePhoto as error:
        return _UNREADABLE, str(error).encode()


def _decode_to_npy(data: bytes) -> memoryview:
    picture = io.BytesIO()
    np.save(picture, decode_photo(data, MOST_PX).image_bgr)
    return picture.getbuffer()


if __name__ == "__main__":
    sys.exit(_main())
