"""Photo decoding: read a photo file, or say in one line why it cannot be read.

EXIF orientation is applied; grey, 16-bit, palette and transparent images become BGR. A photo that is too large is
decoded at a reduced size; `Photo.full_wh` is its full size.
"""

import os
import re
import stat
import struct
import sys
import tempfile
import threading
import zlib
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

_PNG = b"\x89PNG\r\n\x1a\n"
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # JPEG markers that start a frame and carry the image size
_IN_ONE_SCAN = frozenset((0xC0, 0xC1, 0xC3))
_STANDALONE = frozenset(range(0xD0, 0xD9)) | {0x01}
_SCAN_END = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)  # neither a stuffed byte nor a restart
_HEIC = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")


@dataclass(frozen=True, slots=True)
class PictureFile:
    """The facts in the header of an image file.

    `kind`: `jpeg`, `png`, `webp`, `bmp`, `tiff`, `heic`, or `other`; `size_wh`: as stored, before EXIF rotation; None
    if unknown; `whole`: false if the end is missing or a checksum is wrong; `transparent`: whether there may be an
    alpha channel; `working_bytes`: bytes per pixel that decoding needs besides the decoded image; `scans`: passes over
    the pixels of a JPEG.
    """

    kind: str
    size_wh: tuple[int, int] | None
    whole: bool
    transparent: bool = False
    working_bytes: int = 0
    scans: int = 1


def parse_header(data: bytes) -> PictureFile:
    """Return what the bytes of an image file state, without decoding them."""
    if data.startswith(b"\xff\xd8"):
        return _jpeg(data)
    if data.startswith(_PNG):
        return _png(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        stated, chunk = struct.unpack("<I", data[4:8])[0] + 8, data[12:16]
        has_alpha = bool(data[20] & 0x10) if chunk == b"VP8X" and len(data) > 20 else chunk == b"VP8L"
        return PictureFile("webp", _webp_size(data), len(data) >= stated, has_alpha, working_bytes=8)
    if data[4:8] == b"ftyp" and data[8:12] in _HEIC:
        return PictureFile("heic", None, whole=True)
    if data[:2] == b"BM" and len(data) >= 26:
        width, height = struct.unpack("<ii", data[18:26])
        return PictureFile("bmp", (abs(width), abs(height)), whole=True, working_bytes=4)
    if data[:4] in (b"II*\0", b"MM\0*"):
        return PictureFile("tiff", _tiff_size(data), whole=True, working_bytes=16)
    return PictureFile("other", None, whole=True)


def _jpeg(data: bytes) -> PictureFile:
    """Parse the segments of a JPEG up to its end marker; data that phones append is ignored."""
    size_wh, working_bytes, scans = None, 0, 0
    offset = 2
    while True:
        offset = data.find(b"\xff", offset)
        if offset < 0 or offset + 2 > len(data):
            return PictureFile("jpeg", size_wh, whole=False)
        marker = data[offset + 1]
        if marker in (0x00, 0xFF) or marker in _STANDALONE:
            offset += 1 if marker == 0xFF else 2
            continue
        if marker == 0xD9:
            return PictureFile("jpeg", size_wh, size_wh is not None, working_bytes=working_bytes, scans=scans)
        if offset + 4 > len(data):
            return PictureFile("jpeg", size_wh, whole=False)
        length = struct.unpack(">H", data[offset + 2 : offset + 4])[0]
        if marker in _FRAMES and size_wh is not None:  # of two sizes only one would be checked
            return PictureFile("jpeg", size_wh, whole=False)
        if marker in _FRAMES and offset + 9 <= len(data):
            height, width = struct.unpack(">HH", data[offset + 5 : offset + 9])
            size_wh = (width, height)
            # Several scans are kept in memory until the last: 16 bits for each value.
            working_bytes = 0 if marker in _IN_ONE_SCAN else 2 * data[offset + 9] if offset + 9 < len(data) else 8
        offset += 2 + length
        if marker == 0xDA:  # coded data follows the header of a scan
            scans += 1
            end = _SCAN_END.search(data, offset)
            if end is None:
                return PictureFile("jpeg", size_wh, whole=False)
            offset = end.start()


def _png(data: bytes) -> PictureFile:
    """Parse the chunks of a PNG and check each."""
    size_wh, transparent, has_orientation, depth_bytes = None, False, False, 1
    offset = len(_PNG)
    while offset + 12 <= len(data):
        length, name = struct.unpack(">I4s", data[offset : offset + 8])
        end = offset + 12 + length
        if end > len(data):
            break
        if zlib.crc32(memoryview(data)[offset + 4 : end - 4]) != struct.unpack(">I", data[end - 4 : end])[0]:
            break
        if name == b"IHDR" and size_wh is not None:
            break
        if name == b"IHDR" and length >= 13:
            size_wh = struct.unpack(">II", data[offset + 8 : offset + 16])
            transparent = data[offset + 17] in (4, 6)
            depth_bytes = 2 if data[offset + 16] == 16 else 1
        transparent = transparent or name == b"tRNS"
        has_orientation = has_orientation or name == b"eXIf"
        if name == b"IEND":
            # Only decoding without alpha applies an orientation, so transparency is ignored then.
            blended = transparent and not has_orientation
            return PictureFile("png", size_wh, whole=True, transparent=blended, working_bytes=4 * depth_bytes * blended)
        offset = end
    return PictureFile("png", size_wh, whole=False, transparent=transparent)


def _webp_size(data: bytes) -> tuple[int, int] | None:
    """Return the size in the first chunk of a WebP (RFC 9649, sections 2.5 to 2.7)."""
    body = data[20:30]
    if len(body) < 10:
        return None
    match data[12:16]:
        case b"VP8X":
            return int.from_bytes(body[4:7], "little") + 1, int.from_bytes(body[7:10], "little") + 1
        case b"VP8L":
            bits = int.from_bytes(body[1:5], "little")
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 ":
            width, height = struct.unpack("<HH", body[6:10])
            return width & 0x3FFF, height & 0x3FFF
    return None


def _tiff_size(data: bytes) -> tuple[int, int] | None:
    """Return the size in the first directory of a TIFF (its specification, version 6.0, section 2)."""
    order = "<" if data[:2] == b"II" else ">"
    values: dict[int, int] = {}
    try:
        (offset,) = struct.unpack_from(f"{order}I", data, 4)
        (entries,) = struct.unpack_from(f"{order}H", data, offset)
        for entry in range(entries):
            tag, kind = struct.unpack_from(f"{order}HH", data, offset + 2 + 12 * entry)
            if tag in values:
                return None
            (values[tag],) = struct.unpack_from(f"{order}{'H' if kind == 3 else 'I'}", data, offset + 10 + 12 * entry)
    except struct.error:
        return None
    return (values[256], values[257]) if {256, 257} <= values.keys() else None


MIN_PHOTO_SIDE_PX = 64  # a photo with a shorter side than this cannot hold a readable tile
MAX_DECODED_AREA_PX = 64_000_000  # a larger photo is decoded at 1/2, 1/4 or 1/8 of its size; so many pixels take 190 MB
MAX_PHOTO_AREA_PX = 1_000_000_000  # a photo whose header states more pixels than this is refused before it is decoded
MAX_SCANNED_AREA_PX = 1_000_000_000  # all passes over a JPEG together; phones make up to ten passes
MAX_DECODING_BYTES = 350_000_000  # memory for decoding one photo; a file of a few kilobytes can ask for gigabytes
MAX_PHOTO_FILE_BYTES = 100_000_000  # a larger photo file is refused before it is read
ALPHA_BLEND_STRIP_ROWS = 256  # transparent photos are blended in strips; all rows at once need far more memory
ALPHA_BACKGROUND_LEVELS = 128  # transparent pixels become this grey; on white the edges of ivory tiles would be lost

_REDUCED_COLOR = {1: cv2.IMREAD_COLOR} | {by: getattr(cv2, f"IMREAD_REDUCED_COLOR_{by}") for by in (2, 4, 8)}
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
    return decode_photo(read_photo_file(Path(path)))


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


def read_photo_file(path: Path) -> bytes:
    """Return the bytes of a photo file; raise `UnreadablePhoto` if there is no such file, or it is too large."""
    try:
        if path.is_dir():
            raise UnreadablePhoto(lazy_gettext("a folder; give the photos in it"))
        about = path.stat()
        if not stat.S_ISREG(about.st_mode):  # a pipe would block, a device never end
            raise UnreadablePhoto(lazy_gettext("not an ordinary file; give the photo itself"))
        if about.st_size > MAX_PHOTO_FILE_BYTES:
            size = about.st_size // 1_000_000
            raise UnreadablePhoto(lazy_gettext("too large a file ({size} MB); save the photo smaller", size=size))
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
    if width * height <= max_px and width * height * header.scans <= MAX_SCANNED_AREA_PX:
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
        image = cv2.imdecode(buffer, _REDUCED_COLOR[reduction])
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
        try:
            sink = stack.enter_context(tempfile.TemporaryFile())
            saved_descriptor = os.dup(2)
        except OSError:  # no temporary folder, or no stderr, as in a windowed program
            yield lambda: output
            return
        sys.stderr.flush()
        os.dup2(sink.fileno(), 2)
        try:
            yield lambda: output.lower()
        finally:
            sys.stderr.flush()
            os.dup2(saved_descriptor, 2)
            os.close(saved_descriptor)
            sink.seek(0)
            output = sink.read().decode(errors="replace")
            for line in output.splitlines():
                if not any(word in line.lower() for word in _DECODER_WORDS):
                    print(line, file=sys.stderr)
