"""Pictures from outside are decoded in a process with limits, which decides by what it decodes."""

import re
import resource
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import cv2
import numpy as np
import pytest

from tests.support.lying_pictures import LIES, png_of
from tilekeeper.companion.capture.decoder import MORE_MEMORY_BYTES, PictureDecoder
from tilekeeper.companion.capture.upload import MOST_PX
from tilekeeper.vision.photos import UnreadablePhoto

pytestmark = pytest.mark.slow  # pictures are decoded in a separate process

LARGEST_KB = 600_000
"""The most memory that a picture may take, with the process around it."""


@pytest.fixture
def decoder() -> Iterator[PictureDecoder]:
    """A decoder with the limits for uploads."""
    with closing(PictureDecoder(MOST_PX)) as decoder:
        yield decoder


def encoded(suffix: str, image: np.ndarray) -> bytes:
    """Return a picture as a file of a kind."""
    return cv2.imencode(suffix, image)[1].tobytes()


def large_bmp() -> bytes:
    """Return a BMP whose header states 400 megapixels."""
    bmp = encoded(".bmp", np.zeros((90, 120, 3), np.uint8))
    return bmp[:18] + struct.pack("<ii", 20_000, -20_000) + bmp[26:]


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("suffix", [".png", ".bmp"])
def test_decoded_picture_equals_the_original(decoder, suffix, unbuffered, monkeypatch):
    """Also if the environment does not set Python's output buffering, as on most machines."""
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    image = np.random.default_rng(1).integers(0, 255, (90, 120, 3), np.uint8)
    assert np.array_equal(decoder.decode(encoded(suffix, image)).image_bgr, image)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"GIF89a" + bytes(100), "not a picture that can be read"),
        (b"P6 9999 9999 255\n", "not a picture that can be read"),
        (b"", "not a picture that can be read"),
        (png_of(7000, 7000, 16, 6), "too large to read, 7000×7000"),
        (png_of(30_000, 30_000, 8, 2), "too large to read"),
        (encoded(".webp", np.zeros((7000, 7000, 3), np.uint8)), "too large to read, 7000×7000"),
        (large_bmp(), "too large to read, 20000×20000"),
        (encoded(".jpg", np.zeros((6000, 8000), np.uint8)), "too large to read, 8000×6000"),
        (encoded(".jpg", np.zeros((90, 120, 3), np.uint8))[:-300], "cut off"),
    ],
)
def test_huge_or_invalid_picture_is_refused_in_one_line(decoder, data, why):
    subprocess.run([sys.executable, "-c", ""], check=True)  # the peak of a child includes the memory of its parent
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    with pytest.raises(UnreadablePhoto, match=why):
        decoder.decode(data)
    decoder.close()
    after = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    assert after <= max(before + 20_000, 300_000)  # kB; this process may have grown meanwhile


def test_kept_decoder_reads_all_pictures_in_one_process():
    image = np.random.default_rng(1).integers(0, 255, (90, 120, 3), np.uint8)
    decoder = PictureDecoder()
    try:
        assert np.array_equal(decoder.decode(encoded(".png", image)).image_bgr, image)
        first = decoder._process
        for bad, why in (
            (b"no picture", "not a picture that can be read"),
            (png_of(30_000, 30_000, 8, 2), "too large"),
        ):
            with pytest.raises(UnreadablePhoto, match=why):
                decoder.decode(bad)
        assert np.array_equal(decoder.decode(encoded(".png", image[::-1])).image_bgr, image[::-1])
        assert decoder._process is first
    finally:
        decoder.close()
    assert first is not None
    assert first.returncode is not None


@pytest.mark.skipif(not Path("/proc/self/limits").exists(), reason="only Linux tells the limits of a process")
def test_decoding_process_is_limited_in_memory(decoder):
    decoder.decode(encoded(".png", np.zeros((90, 120, 3), np.uint8)))
    assert decoder._process is not None
    limits = Path(f"/proc/{decoder._process.pid}/limits").read_text()
    ((soft, hard),) = re.findall(r"Max data size +(\d+) +(\d+)", limits)
    assert soft == hard
    assert MORE_MEMORY_BYTES <= int(soft) <= MORE_MEMORY_BYTES + 300_000_000


def test_decoder_restarts_a_hanging_or_dead_process():
    image = np.zeros((90, 120, 3), np.uint8)
    decoder = PictureDecoder()
    try:
        decoder.decode(encoded(".png", image))
        assert decoder._process is not None
        decoder._process.send_signal(signal.SIGSTOP)
        decoder._longest_s = 0.3
        with pytest.raises(UnreadablePhoto, match="takes too long"):
            decoder.decode(encoded(".png", image))
        decoder._longest_s = 60.0
        assert decoder.decode(encoded(".png", image)).image_bgr.shape == image.shape
    finally:
        decoder.close()


@pytest.mark.parametrize("lie", LIES)
def test_picture_that_lies_about_itself_is_refused_in_little_memory_and_time(decoder, lie):
    data = LIES[lie]()
    decoder.decode(encoded(".png", np.zeros((90, 120, 3), np.uint8)))
    began_s = time.monotonic()
    with pytest.raises(UnreadablePhoto):
        decoder.decode(data)
    assert time.monotonic() - began_s < 5
    assert peak_kb(decoder) < LARGEST_KB


@pytest.mark.parametrize("lie", LIES)
def test_limits_hold_where_the_header_is_not_checked(lie, tmp_path):
    """The process itself refuses what it decodes, whatever its first look at the header says."""
    unchecked = tmp_path / "unchecked.py"
    unchecked.write_text(
        "from tilekeeper.vision import photos\n"
        "photos._reduction = lambda picture, scans, most: 1\n"
        "from tilekeeper.companion.capture import decoder\n"
        "decoder._main()\n"
    )
    with closing(PictureDecoder(MOST_PX, longest_s=3.0)) as decoder:
        decoder._command = (sys.executable, "-P", str(unchecked))
        began_s = time.monotonic()
        with pytest.raises(UnreadablePhoto):
            decoder.decode(LIES[lie]())
        assert time.monotonic() - began_s < 10
        assert peak_kb(decoder) < LARGEST_KB


def test_decoder_ends_itself_if_the_app_is_gone_in_the_middle_of_a_picture(tmp_path):
    endless = tmp_path / "endless.py"
    endless.write_text(
        "import time\n"
        "from tilekeeper.companion.capture import decoder\n"
        "decoder._ENDS_ITSELF_S = 0.1\n"
        "decoder.decode_photo = lambda *_: time.sleep(600)\n"
        "decoder._main()\n"
    )
    with subprocess.Popen(
        (sys.executable, "-P", str(endless)), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        process.stdin.write(b"\0\0\0\1" + bytes(8) + b"x")
        process.stdin.flush()
        assert process.wait(30) == 1


def peak_kb(decoder: PictureDecoder) -> int:
    """Return the most memory that a decoder's process has taken; 0 if it was ended."""
    if decoder._process is None:
        return 0
    status = Path(f"/proc/{decoder._process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
