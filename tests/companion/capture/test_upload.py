"""Uploaded pictures are decoded in a process with limits; huge ones are refused by their header."""

import re
import resource
import signal
import struct
import subprocess
import sys
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from tilekeeper.companion.capture.upload import MOST_MEMORY_BYTES, PictureDecoder, decode_upload
from tilekeeper.companion.refusal import Refused

pytestmark = pytest.mark.slow  # pictures are decoded in a separate process


def encoded(suffix: str, image: np.ndarray) -> bytes:
    """Return a picture as a file of a kind."""
    return cv2.imencode(suffix, image)[1].tobytes()


def png_of(width: int, height: int, depth: int, colour: int) -> bytes:
    """Return a PNG with a size in its header and truncated data, which only decoding shows."""

    def chunk(name: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))

    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, 0)
    data = zlib.compress(bytes(1000))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("suffix", [".png", ".bmp", ".tiff"])
def test_decoded_picture_equals_the_original(suffix, unbuffered, monkeypatch):
    """Also if the environment does not set Python's output buffering, as on most machines."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    image = np.random.default_rng(1).integers(0, 255, (90, 120, 3), np.uint8)
    assert np.array_equal(decode_upload(encoded(suffix, image)), image)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"GIF89a" + bytes(100), "not a picture that can be read"),
        (b"P6 9999 9999 255\n", "not a picture that can be read"),
        (b"", "not a picture that can be read"),
        (png_of(7000, 7000, 16, 6), "too large to read, 7000×7000"),
        (png_of(30_000, 30_000, 8, 2), "too large to read"),
        (encoded(".webp", np.zeros((7000, 7000, 3), np.uint8)), "too large to read, 7000×7000"),
        (b"BM" + bytes(16) + struct.pack("<ii", 20_000, -20_000) + bytes(40), "too large to read, 20000×20000"),
        (b"II*\0" + struct.pack("<IHHHIIHHII", 8, 2, 256, 4, 1, 90_000, 257, 4, 1, 90_000), "too large to read"),
        (encoded(".jpg", np.zeros((6000, 8000), np.uint8)), "too large to read, 8000×6000"),
        (encoded(".jpg", np.zeros((90, 120, 3), np.uint8))[:-300], "cut off"),
    ],
)
def test_huge_or_invalid_picture_is_refused_in_one_line(data, why):
    subprocess.run([sys.executable, "-c", ""], check=True)  # the peak of a child includes the memory of its parent
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    with pytest.raises(Refused, match=why):
        decode_upload(data)
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert after <= max(before, 300_000)  # kB


def test_kept_decoder_reads_all_pictures_in_one_process():
    image = np.random.default_rng(1).integers(0, 255, (90, 120, 3), np.uint8)
    decoder = PictureDecoder()
    try:
        assert np.array_equal(decoder.decode(encoded(".png", image)), image)
        first = decoder._process
        for bad, why in (
            (b"no picture", "not a picture that can be read"),
            (png_of(30_000, 30_000, 8, 2), "too large"),
        ):
            with pytest.raises(Refused, match=why):
                decoder.decode(bad)
        assert np.array_equal(decoder.decode(encoded(".png", image[::-1])), image[::-1])
        assert decoder._process is first
    finally:
        decoder.close()
    assert first is not None
    assert first.returncode is not None


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="only Linux tells the limits of a process")
def test_decoding_process_is_limited_in_memory():
    decoder = PictureDecoder()
    try:
        decoder.decode(encoded(".png", np.zeros((90, 120, 3), np.uint8)))
        assert decoder._process is not None
        limits = Path(f"/proc/{decoder._process.pid}/limits").read_text()
    finally:
        decoder.close()
    (address_space,) = re.findall(r"Max address space +(\d+) +(\d+)", limits)
    assert address_space == 2 * (str(MOST_MEMORY_BYTES),)


def test_decoder_restarts_a_hanging_or_dead_process():
    image = np.zeros((90, 120, 3), np.uint8)
    decoder = PictureDecoder()
    try:
        decoder.decode(encoded(".png", image))
        assert decoder._process is not None
        decoder._process.send_signal(signal.SIGSTOP)
        decoder._longest_s = 0.3
        with pytest.raises(Refused, match="too much memory"):
            decoder.decode(encoded(".png", image))
        decoder._longest_s = 60.0
        assert decoder.decode(encoded(".png", image)).shape == image.shape
    finally:
        decoder.close()
