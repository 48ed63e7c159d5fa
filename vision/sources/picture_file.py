"""Looks into the bytes of a picture file before it is decoded: its kind and size, and whether it is all there.

OpenCV fills what is missing of a cut-off JPEG with grey or gives up without a word, depending on its version; the
markers of the file (ITU T.81, annex B) and the checksums of a PNG (its specification, chapter 5) tell for certain.
"""

import re
import struct
import zlib
from dataclasses import dataclass

_PNG = b"\x89PNG\r\n\x1a\n"
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
"""JPEG markers that start a frame and carry the size of the picture."""
_IN_ONE_SCAN = frozenset((0xC0, 0xC1, 0xC3))
_STANDALONE = frozenset(range(0xD0, 0xD9)) | {0x01}
_SCAN_END = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
"""The first marker inside coded data that is neither a stuffed byte nor a restart."""
_HEIC = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")


@dataclass(frozen=True, slots=True)
class PictureFile:
    """What the bytes of a picture say of it.

    Attributes:
        kind: `jpeg`, `png`, `webp`, `bmp`, `tiff`, `heic`, or `other` for whatever else it may be.
        size_wh: as stored, before any turning; None where it is not known.
        whole: false where the end is missing or a checksum is wrong.
        transparent: whether there may be an alpha channel.
        working_bytes: how many bytes a pixel takes while it is decoded, beside the picture that comes of it.
    """

    kind: str
    size_wh: tuple[int, int] | None
    whole: bool
    transparent: bool = False
    working_bytes: int = 0


def look_into(data: bytes) -> PictureFile:
    """Return what can be told of the bytes of a picture file without decoding it."""
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
    """Walk through the segments of a JPEG to its end marker; whatever phones append after that is ignored."""
    size_wh, working_bytes = None, 0
    at = 2
    while True:
        at = data.find(b"\xff", at)
        if at < 0 or at + 2 > len(data):
            return PictureFile("jpeg", size_wh, whole=False)
        marker = data[at + 1]
        if marker in (0x00, 0xFF) or marker in _STANDALONE:
            at += 1 if marker == 0xFF else 2
            continue
        if marker == 0xD9:
            return PictureFile("jpeg", size_wh, whole=size_wh is not None, working_bytes=working_bytes)
        if at + 4 > len(data):
            return PictureFile("jpeg", size_wh, whole=False)
        length = struct.unpack(">H", data[at + 2 : at + 4])[0]
        if marker in _FRAMES and at + 9 <= len(data):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            size_wh = (width, height)
            # What comes in several scans is held whole until the last: 16 bits for each value.
            working_bytes = 0 if marker in _IN_ONE_SCAN else 2 * data[at + 9] if at + 9 < len(data) else 8
        at += 2 + length
        if marker == 0xDA:  # coded data follows the header of a scan
            end = _SCAN_END.search(data, at)
            if end is None:
                return PictureFile("jpeg", size_wh, whole=False)
            at = end.start()


def _png(data: bytes) -> PictureFile:
    """Walk through the chunks of a PNG and check each."""
    size_wh, transparent, turned, depth_bytes = None, False, False, 1
    at = len(_PNG)
    while at + 12 <= len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        end = at + 12 + length
        if end > len(data):
            break
        if zlib.crc32(memoryview(data)[at + 4 : end - 4]) != struct.unpack(">I", data[end - 4 : end])[0]:
            break
        if name == b"IHDR" and length >= 13:
            size_wh = struct.unpack(">II", data[at + 8 : at + 16])
            transparent = data[at + 17] in (4, 6)
            depth_bytes = 2 if data[at + 16] == 16 else 1
        transparent = transparent or name == b"tRNS"
        turned = turned or name == b"eXIf"
        if name == b"IEND":
            # only the plain way of decoding honours an orientation: there transparency gives way
            laid = transparent and not turned
            return PictureFile("png", size_wh, whole=True, transparent=laid, working_bytes=4 * depth_bytes * laid)
        at = end
    return PictureFile("png", size_wh, whole=False, transparent=transparent)


def _webp_alpha(data: bytes) -> bool:
    if data[12:16] == b"VP8X" and len(data) > 20:
        return bool(data[20] & 0x10)
    return data[12:16] == b"VP8L"


def _webp_size(data: bytes) -> tuple[int, int] | None:
    """The size that the first chunk of a WebP states (RFC 9649, sections 2.5 to 2.7)."""
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
    """The size that the first directory of a TIFF states (its specification, version 6.0, section 2)."""
    order = "<" if data[:2] == b"II" else ">"
    found: dict[int, int] = {}
    try:
        (at,) = struct.unpack_from(f"{order}I", data, 4)
        (entries,) = struct.unpack_from(f"{order}H", data, at)
        for entry in range(entries):
            tag, kind = struct.unpack_from(f"{order}HH", data, at + 2 + 12 * entry)
            (found[tag],) = struct.unpack_from(f"{order}{'H' if kind == 3 else 'I'}", data, at + 10 + 12 * entry)
    except struct.error:
        return None
    return (found[256], found[257]) if {256, 257} <= found.keys() else None
