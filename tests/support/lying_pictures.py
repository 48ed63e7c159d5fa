"""Pictures that lie about themselves: they state a small size and decode to a large one, or cost much time."""

import struct
import zlib

import cv2
import numpy as np


def png_of(width: int, height: int, depth: int, colour: int) -> bytes:
    """Return a PNG with a size in its header and truncated data, which only decoding shows."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    data = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def with_second_size(jpeg: bytes) -> bytes:
    """Return a JPEG that states a small size after its first scan, where a decoder no longer looks."""
    frame = bytes.fromhex("ffc0 0011 08 0040 0040 03 011100 021100 031100")
    return jpeg[:-2] + frame + jpeg[-2:]


def large_jpeg() -> bytes:
    """Return a progressive JPEG of 400 megapixels in half a kilobyte."""
    jpeg = bytearray(cv2.imencode(".jpg", np.zeros((64, 64, 3), np.uint8), [cv2.IMWRITE_JPEG_PROGRESSIVE, 1])[1])
    at = jpeg.index(b"\xff\xc2") + 5
    jpeg[at : at + 4] = struct.pack(">HH", 20_000, 20_000)
    return bytes(jpeg)


def of_many_scans(scans: int) -> bytes:
    """Return a JPEG of 36 megapixels with many scans of a few bytes, each of which goes through all pixels."""
    jpeg = cv2.imencode(".jpg", np.zeros((6000, 6000, 3), np.uint8), [cv2.IMWRITE_JPEG_PROGRESSIVE, 1])[1].tobytes()
    start = jpeg.rindex(b"\xff\xda")
    return jpeg[:start] + scans * jpeg[start:-2] + jpeg[-2:]


def png_of_two_sizes() -> bytes:
    """Return a PNG with a large header, and a small one after it."""
    large, small = png_of(20_000, 20_000, 8, 2), png_of(64, 64, 8, 2)
    return large[: 8 + 25] + small[8:]


LIES = {
    "second frame header": lambda: with_second_size(large_jpeg()),
    "thousands of scans": lambda: of_many_scans(2000),
    "second IHDR": png_of_two_sizes,
    "large JPEG": large_jpeg,
}
