"""Photo decoding: read a photo file, or say in one line why it cannot be read.

EXIF orientation is applied; grey, 16-bit, palette and transparent images become BGR. A photo that is too large is
decoded at a reduced size; `Photo.full_wh` is its full size.
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
from tilekeeper.vision.imaging import convert
from tilekeeper.vision.sources.picture_file import PictureFile, parse_header

# A photo with a shorter side than this cannot hold a readable tile.
MIN_PHOTO_SIDE_PX = 64
# A photo with more pixels is decoded at 1/2, 1/4 or 1/8 of its size; 64 million pixels take 190 MB.
MAX_DECODED_AREA_PX = 64_000_000
# A photo whose header states more pixels than this is refused before it is decoded.
MAX_PHOTO_AREA_PX = 1_000_000_000
# Decoding a photo may take at most this much memory; a file of a few kilobytes can ask for gigabytes.
MAX_DECODING_BYTES = 350_000_000
# A larger photo file is refused before it is read.
MAX_PHOTO_FILE_BYTES = 400_000_000
# Transparent photos are blended with grey in strips of this many rows; all rows at once need far more memory.
ALPHA_BLEND_STRIP_ROWS = 256
# Transparent pixels are blended with this grey; on white the edges of ivory tiles would be lost.
ALPHA_BACKGROUND_LEVELS = 128

# Words in the lines that libjpeg and libpng write to stderr, past OpenCV's log.
_DECODER_WORDS = ("jpeg", "libpng", "tiff", "webp", "opencv", "premature", "corrupt")
_stderr_lock = threading.Lock()


class UnreadablePhoto(Exception):  # noqa: N818, the name says it
    """A file without a readable photo; the message says in one line why and what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """A decoded photo: the upright image `(H, W, 3) uint8` BGR and its full size.

    `full_wh` is larger than the image by one factor if the photo was reduced; corners for people are in its pixels.
    """

    image_bgr: Image
    full_wh: tuple[int, int]


def load_photo(path: Path | str) -> Photo:
    """Return the photo in a file, as `decode_photo`; raise `UnreadablePhoto` also if there is no such file."""
    return decode_photo(_read_bytes(Path(path)))


def decode_photo(data: bytes, max_px: int | None = None) -> Photo:
    """Return the photo, upright, reduced if it is too large for memory.

    `data`: the bytes of a file; `max_px`: largest number of pixels; `MAX_PHOTO_AREA_PX` if None. Raises
    `UnreadablePhoto` if it is no image, of an unsupported kind, cut off, damaged, too small or too large.
    """
    header = parse_header(data)
    _check(header)
    reduction = _reduction(header, max_px or MAX_PHOTO_AREA_PX)
    with _capture_stderr() as decoder_output:
        image = _decode(data, header, reduction)
    if image is None or "premature end" in decoder_output():
        raise UnreadablePhoto(lazy_gettext("damaged: the picture can't be decoded; take or copy it again"))
    height, width = image.shape[:2]
    if min(width, height) < MIN_PHOTO_SIDE_PX and reduction == 1:
        raise UnreadablePhoto(
            lazy_gettext(
                "too small to read, {width}×{height} pixels; give the photo itself, not a thumbnail",
                width=width,
                height=height,
            )
        )
    if reduction == 1 or header.size_wh is None:
        return Photo(image, (width, height))
    full_wh = header.size_wh
    return Photo(image, full_wh if (width > height) == (full_wh[0] > full_wh[1]) else full_wh[::-1])


def _read_bytes(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise UnreadablePhoto(lazy_gettext("a folder; give the photos in it"))
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):  # a pipe would block, a device never end
            raise UnreadablePhoto(lazy_gettext("not an ordinary file; give the photo itself"))
        size = about.st_size
        if size > MAX_PHOTO_FILE_BYTES:
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


def _check(header: PictureFile) -> None:
    if header.kind == "heic":
        raise UnreadablePhoto(lazy_gettext("a HEIC photo, which can't be read here; save it as JPEG"))
    if not header.whole:
        raise UnreadablePhoto(lazy_gettext("cut off: the end of the file is missing or damaged; copy the photo again"))
    if header.kind == "other" or header.size_wh is None:
        raise UnreadablePhoto(lazy_gettext("not a picture that can be read here; give a JPEG or PNG"))


def _reduction(header: PictureFile, max_px: int) -> int:
    """Return the factor by which the photo is reduced while it is decoded: 1, 2, 4 or 8."""
    assert header.size_wh is not None  # `_check` refuses other files
    width, height = header.size_wh
    if width * height <= max_px:
        for factor in (1, 2, 4, 8):
            # Only JPEG is reduced before it takes its full room.
            full_bytes = 0 if header.kind == "jpeg" else 3 * (factor > 1)
            needed_bytes = width * height * (header.working_bytes + full_bytes + 3 / factor**2)
            if width * height / factor**2 <= MAX_DECODED_AREA_PX and needed_bytes <= MAX_DECODING_BYTES:
                return factor
    raise UnreadablePhoto(
        lazy_gettext("too large to read, {width}×{height} pixels; save the photo smaller", width=width, height=height)
    )


def _decode(data: bytes, header: PictureFile, reduction: int) -> Image | None:
    """Return BGR `(H, W, 3) uint8`, or None if OpenCV cannot decode it."""
    buffer = np.frombuffer(data, np.uint8)
    try:
        if header.transparent and reduction == 1:
            return _flatten(cv2.imdecode(buffer, cv2.IMREAD_UNCHANGED))
        flag = {
            1: cv2.IMREAD_COLOR,
            2: cv2.IMREAD_REDUCED_COLOR_2,
            4: cv2.IMREAD_REDUCED_COLOR_4,
            8: cv2.IMREAD_REDUCED_COLOR_8,
        }[reduction]
        image = cv2.imdecode(buffer, flag)
        return None if image is None else np.asarray(image, np.uint8)
    except cv2.error:
        return None


def _flatten(image: NDArray[np.integer | np.floating] | None) -> Image | None:
    """Return an image with an alpha channel blended with grey, as BGR."""
    if image is None:
        return None
    flat = np.empty((*image.shape[:2], 3), np.uint8)
    for top in range(0, len(image), ALPHA_BLEND_STRIP_ROWS):
        flat[top : top + ALPHA_BLEND_STRIP_ROWS] = _flatten_strip(image[top : top + ALPHA_BLEND_STRIP_ROWS])
    return flat


def _flatten_strip(image: NDArray[np.integer | np.floating]) -> Image:
    if image.dtype == np.uint16:
        image = (image / 257).round()
    levels = image.astype(np.uint8)
    if levels.ndim == 2:
        return convert(levels, cv2.COLOR_GRAY2BGR)
    if levels.shape[2] != 4:
        return np.ascontiguousarray(levels[..., :3])
    alpha = levels[..., 3:].astype(np.float32) / 255
    return (levels[..., :3] * alpha + ALPHA_BACKGROUND_LEVELS * (1 - alpha)).round().astype(np.uint8)


@contextmanager
def _capture_stderr() -> Iterator[Callable[[], str]]:
    """Redirect stderr while decoding; yield a function that returns the output in lower case.

    libjpeg and libpng write to the file descriptor. Lines of other writers are passed on afterwards.
    """
    with _stderr_lock, ExitStack() as stack:
        output = ""

        def said() -> str:
            return output.lower()

        try:
            sink = stack.enter_context(tempfile.TemporaryFile())
            saved_descriptor = os.dup(2)
        except OSError:  # no temporary folder, or no stderr, as in a windowed program
            yield said
            return
        sys.stderr.flush()
        os.dup2(sink.fileno(), 2)
        try:
            yield said
        finally:
            sys.stderr.flush()
            os.dup2(saved_descriptor, 2)
            os.close(saved_descriptor)
            sink.seek(0)
            output = sink.read().decode(errors="replace")
            for line in output.splitlines():
                if not any(word in line.lower() for word in _DECODER_WORDS):
                    print(line, file=sys.stderr)
