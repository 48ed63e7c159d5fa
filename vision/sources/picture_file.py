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
_STANDALONE = frozenset(range(0xD0, 0xD9)) | {0x01}
_SCAN_END = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
"""The first marker inside coded data that is neither a stuffed byte nor a restart."""
_HEIC = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")


@dataclass(frozen=True, slots=True)
class PictureFile:
    """What the bytes say: `kind` (`jpeg`, `png`, `webp`, `heic`, `other`), `size_wh` as stored, before any turning.

    `size_wh` is None where it is not known; `whole` is false where the end is missing or a checksum is wrong;
    `transparent` says that there may be an alpha channel.
    """

    kind: str
    size_wh: tuple[int, int] | None
    whole: bool
    transparent: bool = False


def look_into(data: bytes) -> PictureFile:
    """Return what can be told of the bytes of a picture file without decoding it."""
    if data.startswith(b"\xff\xd8"):
        return _jpeg(data)
    if data.startswith(_PNG):
        return _png(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        stated = struct.unpack("<I", data[4:8])[0] + 8
        return PictureFile("webp", None, len(data) >= stated, transparent=_webp_alpha(data))
    if data[4:8] == b"ftyp" and data[8:12] in _HEIC:
        return PictureFile("heic", None, whole=True)
    return PictureFile("other", None, whole=True)


def _jpeg(data: bytes) -> PictureFile:
    """Walk through the segments of a JPEG to its end marker; whatever phones append after that is ignored."""
    size_wh = None
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
            return PictureFile("jpeg", size_wh, whole=size_wh is not None)
        if at + 4 > len(data):
            return PictureFile("jpeg", size_wh, whole=False)
        length = struct.unpack(">H", data[at + 2 : at + 4])[0]
        if marker in _FRAMES and at + 9 <= len(data):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            size_wh = (width, height)
        at += 2 + length
        if marker == 0xDA:  # coded data follows the header of a scan
            end = _SCAN_END.search(data, at)
            if end is None:
                return PictureFile("jpeg", size_wh, whole=False)
            at = end.start()


def _png(data: bytes) -> PictureFile:
    """Walk through the chunks of a PNG and check each."""
    size_wh, transparent, turned = None, False, False
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
        transparent = transparent or name == b"tRNS"
        turned = turned or name == b"eXIf"
        if name == b"IEND":
            # only the plain way of decoding honours an orientation: there transparency gives way
            return PictureFile("png", size_wh, whole=True, transparent=transparent and not turned)
        at = end
    return PictureFile("png", size_wh, whole=False, transparent=transparent)


def _webp_alpha(data: bytes) -> bool:
    if data[12:16] == b"VP8X" and len(data) > 20:
        return bool(data[20] & 0x10)
    return data[12:16] == b"VP8L"
