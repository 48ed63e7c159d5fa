"""Reads a photo from a file, whatever it is like, and says in one line what is wrong where that can't be done.

Orientation written by the camera (EXIF) is honoured, grey, 16-bit, palette and transparent pictures become plain BGR,
and a photo too large to hold is read smaller (`Photo.full_wh` says how large it is).
"""

import os
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.arrays import Image
from tilekeeper.vision.config import sources_limits as limits
from tilekeeper.vision.imaging import convert
from tilekeeper.vision.sources.picture_file import PictureFile, look_into

# what libjpeg and libpng write to the process's own error stream, past OpenCV's log
_DECODER_WORDS = ("jpeg", "libpng", "tiff", "webp", "opencv", "premature", "corrupt")
_stderr_lock = threading.Lock()


class UnreadablePhoto(Exception):  # noqa: N818, the name says it
    """A file from which no photo can be read; the message says in one line why and what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """A photo as it was read: the picture `(H, W, 3) uint8` BGR, upright, and the size of the photo in its file.

    `full_wh` is the size of the picture, or larger by the same factor both ways where the photo was reduced; corners
    for people are given in its pixels.
    """

    image_bgr: Image
    full_wh: tuple[int, int]


def load_photo(path: Path | str) -> Photo:
    """Return the photo in a file; as `decode_photo`, and `UnreadablePhoto` where there is no such file, too."""
    return decode_photo(_read_bytes(Path(path)))


def decode_photo(data: bytes, most_px: int | None = None) -> Photo:
    """Return the photo, upright as a person sees it, reduced where it is too large to hold.

    Args:
        data: the bytes of a file.
        most_px: how many pixels it may have; without it, as many as any picture.

    Raises:
        UnreadablePhoto: if it is no picture, of a kind that is not read here, cut off or damaged, too small to show a
            tile, or too large to be read at all.
    """
    picture = look_into(data)
    _check(picture)
    reduced = _reduction(picture, most_px or limits.most_px)
    with _hushed_decoders() as said:
        image = _decode(data, picture, reduced)
    if image is None or "premature end" in said():
        raise UnreadablePhoto(lazy_gettext("damaged: the picture can't be decoded; take or copy it again"))
    height, width = image.shape[:2]
    if min(width, height) < limits.smallest_side_px and reduced == 1:
        raise UnreadablePhoto(
            lazy_gettext(
                "too small to read, {width}×{height} pixels; give the photo itself, not a thumbnail",
                width=width,
                height=height,
            )
        )
    if reduced == 1 or picture.size_wh is None:
        return Photo(image, (width, height))
    full_wh = picture.size_wh
    return Photo(image, full_wh if (width > height) == (full_wh[0] > full_wh[1]) else full_wh[::-1])


def _read_bytes(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise UnreadablePhoto(lazy_gettext("a folder; give the photos in it"))
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):  # a pipe would be waited for, a device read without end
            raise UnreadablePhoto(lazy_gettext("not an ordinary file; give the photo itself"))
        size = about.st_size
        if size > limits.largest_file_bytes:
            raise UnreadablePhoto(
                lazy_gettext("too large a file ({size} MB); save the photo smaller", size=size // 1_000_000)
            )
        data = path.read_bytes()
    except FileNotFoundError:
        raise UnreadablePhoto(lazy_gettext("no such file; check the name")) from None
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise UnreadablePhoto(lazy_gettext("can't be opened: {reason}", reason=reason)) from None
    if not data:
        raise UnreadablePhoto(lazy_gettext("an empty file; copy the photo again"))
    return data


def _check(picture: PictureFile) -> None:
    if picture.kind == "heic":
        raise UnreadablePhoto(lazy_gettext("a HEIC photo, which can't be read here; save it as JPEG"))
    if not picture.whole:
        raise UnreadablePhoto(lazy_gettext("cut off: the end of the file is missing or damaged; copy the photo again"))
    if picture.kind == "other" or picture.size_wh is None:
        raise UnreadablePhoto(lazy_gettext("not a picture that can be read here; give a JPEG or PNG"))


def _reduction(picture: PictureFile, most_px: int) -> int:
    """Return by what the photo is reduced while it is decoded: 1, 2, 4 or 8."""
    assert picture.size_wh is not None  # others were refused
    width, height = picture.size_wh
    if width * height <= most_px:
        for by in (1, 2, 4, 8):
            # Only JPEG is reduced before it takes its full room.
            full = 0 if picture.kind == "jpeg" else 3 * (by > 1)
            took = width * height * (picture.working_bytes + full + 3 / by**2)
            if width * height / by**2 <= limits.largest_px and took <= limits.most_bytes:
                return by
    raise UnreadablePhoto(
        lazy_gettext("too large to read, {width}×{height} pixels; save the photo smaller", width=width, height=height)
    )


def _decode(data: bytes, picture: PictureFile, reduced: int) -> Image | None:
    """Return BGR `(H, W, 3) uint8`, or None where OpenCV can't make a picture of it."""
    buffer = np.frombuffer(data, np.uint8)
    try:
        if picture.transparent and reduced == 1:
            return _flattened(cv2.imdecode(buffer, cv2.IMREAD_UNCHANGED))
        flag = {
            1: cv2.IMREAD_COLOR,
            2: cv2.IMREAD_REDUCED_COLOR_2,
            4: cv2.IMREAD_REDUCED_COLOR_4,
            8: cv2.IMREAD_REDUCED_COLOR_8,
        }[reduced]
        image = cv2.imdecode(buffer, flag)
        return None if image is None else np.asarray(image, np.uint8)
    except cv2.error:
        return None


def _flattened(image: NDArray[np.integer | np.floating] | None) -> Image | None:
    """Return the BGR picture of one with an alpha channel, laid on grey."""
    if image is None:
        return None
    flat = np.empty((*image.shape[:2], 3), np.uint8)
    for top in range(0, len(image), limits.strip_px):  # all at once would take many times the room of the picture
        flat[top : top + limits.strip_px] = _flattened_strip(image[top : top + limits.strip_px])
    return flat


def _flattened_strip(image: NDArray[np.integer | np.floating]) -> Image:
    if image.dtype == np.uint16:
        image = (image / 257).round()
    levels = image.astype(np.uint8)
    if levels.ndim == 2:
        return convert(levels, cv2.COLOR_GRAY2BGR)
    if levels.shape[2] != 4:
        return np.ascontiguousarray(levels[..., :3])
    share = levels[..., 3:].astype(np.float32) / 255
    return (levels[..., :3] * share + limits.transparent_level * (1 - share)).round().astype(np.uint8)


@contextmanager
def _hushed_decoders() -> Iterator[Callable[[], str]]:
    """Keep what the decoders write to stderr from the person, and yield a function that returns it in lower case.

    libjpeg and libpng write there themselves, so the stream is turned aside for the moment of decoding; lines that
    others wrote meanwhile are handed on.
    """
    with _stderr_lock, ExitStack() as stack:
        caught = ""

        def said() -> str:
            return caught.lower()

        try:
            aside = stack.enter_context(tempfile.TemporaryFile())
            kept = os.dup(2)
        except OSError:  # nowhere to write, or no error stream at all, as in a windowed program
            yield said
            return
        sys.stderr.flush()
        os.dup2(aside.fileno(), 2)
        try:
            yield said
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
            aside.seek(0)
            caught = aside.read().decode(errors="replace")
            for line in caught.splitlines():
                if not any(word in line.lower() for word in _DECODER_WORDS):
                    print(line, file=sys.stderr)
