"""Header parsing of image files: kind, size and completeness, without decoding.

OpenCV fills the missing part of a cut-off JPEG with grey or fails silently, depending on its version. The markers of a
JPEG (ITU T.81, annex B) and the checksums of a PNG (its specification, chapter 5) show reliably whether a file is
complete.
"""

import re
import struct
import zlib
from dataclasses import dataclass

_PNG = b"\x89PNG\r\n\x1a\n"
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""JPEG markers that start a frame and carry the image size."""
_IN_ONE_SCAN = frozenset((0xC0, 0xC1, 0xC3))
_STANDALONE = frozenset(range(0xD0, 0xD9)) | {0x01}
_SCAN_END = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
"""First marker inside coded data that is neither a stuffed byte nor a restart."""
_HEIC = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")


@dataclass(frozen=True, slots=True)
class PictureFile:
    """What the header of an image file states.

    `kind`: `jpeg`, `png`, `webp`, `bmp`, `tiff`, `heic`, or `other`; `size_wh`: as stored, before EXIF rotation; None
    if unknown; `whole`: false if the end is missing or a checksum is wrong; `transparent`: whether there may be an
    alpha channel; `working_bytes`: bytes per pixel that decoding needs besides the decoded image.
    """

    kind: str
    size_wh: tuple[int, int] | None
    whole: bool
    transparent: bool = False
    working_bytes: int = 0


def parse_header(data: bytes) -> PictureFile:
    """Return what the bytes of an image file state, without decoding them."""
    if data.startswith(b"\xff\xd8"):
        return _jpeg(data)
    if data.startswith(_PNG):
        return _png(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        stated = struct.unpack("<I", data[4:8])[0] + 8
        return PictureFile("webp", _webp_size(data), len(data) >= stated, _webp_alpha(data), working_bytes=8)
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
    size_wh, working_bytes = None, 0
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
            return PictureFile("jpeg", size_wh, whole=size_wh is not None, working_bytes=working_bytes)
        if offset + 4 > len(data):
            return PictureFile("jpeg", size_wh, whole=False)
        length = struct.unpack(">H", data[offset + 2 : offset + 4])[0]
        if marker in _FRAMES and offset + 9 <= len(data):
            height, width = struct.unpack(">HH", data[offset + 5 : offset + 9])
            size_wh = (width, height)
            # Several scans are kept in memory until the last: 16 bits for each value.
            working_bytes = 0 if marker in _IN_ONE_SCAN else 2 * data[offset + 9] if offset + 9 < len(data) else 8
        offset += 2 + length
        if marker == 0xDA:  # coded data follows the header of a scan
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


def _webp_alpha(data: bytes) -> bool:
    if data[12:16] == b"VP8X" and len(data) > 20:
        return bool(data[20] & 0x10)
    return data[12:16] == b"VP8L"


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
            (values[tag],) = struct.unpack_from(f"{order}{'H' if kind == 3 else 'I'}", data, offset + 10 + 12 * entry)
    except struct.error:
        return None
    return (values[256], values[257]) if {256, 257} <= values.keys() else None
