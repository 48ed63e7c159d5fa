"""Photos of every format become upright BGR; unreadable ones are reported in one line, and nothing is printed."""

import os
import re
import struct
import subprocess
import sys
import tracemalloc
from pathlib import Path

import cv2
import numpy as np
import pytest

from tilekeeper.vision.photos import ALPHA_BACKGROUND_LEVELS, MAX_DECODED_AREA_PX, UnreadablePhoto, load_photo


def scene(width: int = 160, height: int = 120) -> np.ndarray:
    """Return an image with blue, green, white and red corners, clockwise from the top left."""
    image = np.full((height, width, 3), 90, np.uint8)
    for (x, y), colour in {(0, 0): (255, 0, 0), (1, 0): (0, 255, 0), (0, 1): (0, 0, 255), (1, 1): (255,) * 3}.items():
        left, top = x * (width - width // 3), y * (height - height // 3)
        image[top : top + height // 3, left : left + width // 3] = colour
    return image


def encoded(image: np.ndarray, suffix: str = ".png") -> bytes:
    done, data = cv2.imencode(suffix, image)
    assert done
    return data.tobytes()


def saved(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def with_orientation(jpeg: bytes, orientation: int) -> bytes:
    """Insert an EXIF orientation into a JPEG, as a phone does."""
    tiff = b"II*\x00" + struct.pack("<IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    segment = b"Exif\x00\x00" + tiff
    return jpeg[:2] + b"\xff\xe1" + struct.pack(">H", len(segment) + 2) + segment + jpeg[2:]


def corner_colours(image: np.ndarray) -> list[str]:
    """Return the names of the corner colours, clockwise from the top left."""
    names = {"b": (255, 0, 0), "g": (0, 255, 0), "r": (0, 0, 255), "w": (255, 255, 255)}
    spots = [image[8, 8], image[8, -9], image[-9, -9], image[-9, 8]]
    return [min(names, key=lambda name: np.abs(np.array(names[name]) - spot.astype(int)).sum()) for spot in spots]


@pytest.mark.parametrize("suffix", [".png", ".jpg", ".bmp", ".webp"])
def test_all_usual_formats_give_the_same_image(tmp_path: Path, suffix: str) -> None:
    image = load_photo(saved(tmp_path, f"photo{suffix}", encoded(scene(), suffix))).image_bgr
    assert (image.shape, image.dtype) == ((120, 160, 3), np.uint8)
    assert corner_colours(image) == ["b", "g", "w", "r"]


@pytest.mark.parametrize(
    ("orientation", "corners"),
    [(1, "bgwr"), (3, "wrbg"), (6, "rbgw"), (8, "gwrb"), (2, "gbrw")],
)
def test_exif_orientation_is_applied(tmp_path: Path, orientation: int, corners: str) -> None:
    image = load_photo(saved(tmp_path, "turned.jpg", with_orientation(encoded(scene(), ".jpg"), orientation))).image_bgr
    assert "".join(corner_colours(image)) == corners
    assert image.shape[:2] == ((160, 120) if orientation in (6, 8) else (120, 160))


def test_grey_and_16_bit_images_become_8_bit_bgr(tmp_path: Path) -> None:
    grey = cv2.cvtColor(scene(), cv2.COLOR_BGR2GRAY)
    image = load_photo(saved(tmp_path, "grey.png", encoded(grey))).image_bgr
    assert image.shape == (120, 160, 3)
    assert np.array_equal(image[..., 0], grey)
    deep_image = load_photo(saved(tmp_path, "deep.png", encoded(scene().astype(np.uint16) * 257))).image_bgr
    assert deep_image.dtype == np.uint8
    assert np.abs(deep_image.astype(int) - scene()).max() <= 1
    grey_deep = load_photo(saved(tmp_path, "both.png", encoded(grey.astype(np.uint16) * 257))).image_bgr
    assert np.abs(grey_deep[..., 1].astype(int) - grey).max() <= 1


@pytest.mark.parametrize(("kind", "tolerance"), [(np.uint8, 255), (np.uint16, 65535)])
def test_transparent_pixels_become_grey(tmp_path: Path, kind: type, tolerance: int) -> None:
    image = np.dstack([scene(), np.full((120, 160), 255, np.uint8)])
    image[:40, :53, 3] = 0
    shown = load_photo(
        saved(tmp_path, "alpha.png", encoded((image.astype(float) / 255 * tolerance).astype(kind)))
    ).image_bgr
    assert shown.shape == (120, 160, 3)
    assert shown[8, 8].tolist() == [ALPHA_BACKGROUND_LEVELS] * 3
    assert corner_colours(shown)[1:] == ["g", "w", "r"]


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="only Linux tells what a process took at most")
def test_large_transparent_image_is_blended_in_little_memory(tmp_path: Path) -> None:
    """Blending the whole image in one step would take more than 1 GB."""
    fast_compression = [cv2.IMWRITE_PNG_COMPRESSION, 1]
    data = cv2.imencode(".png", np.full((6000, 7000, 4), 200, np.uint8), fast_compression)[1].tobytes()
    program = (
        "import sys; from tilekeeper.vision.photos import load_photo; "
        "print(*load_photo(sys.argv[1]).full_wh); print(open('/proc/self/status').read())"
    )
    command = [sys.executable, "-c", program, str(saved(tmp_path, "large.png", data))]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert output.startswith("7000 6000\n")
    (peak_kb,) = re.findall(r"VmHWM:\s*(\d+) kB", output)
    assert int(peak_kb) < 600_000


def test_palette_image_is_read_in_colour(tmp_path: Path) -> None:
    palette = b"\xff\x00\x00\x00\x00\xff"  # red, blue
    rows = b"".join(b"\x00" + bytes(x % 2 for x in range(80)) for _ in range(70))
    data = png(struct.pack(">IIBBBBB", 80, 70, 8, 3, 0, 0, 0), (b"PLTE", palette), (b"IDAT", compressed(rows)))
    image = load_photo(saved(tmp_path, "palette.png", data)).image_bgr
    assert image[0, 0].tolist() == [0, 0, 255]
    assert image[0, 1].tolist() == [255, 0, 0]


def compressed(data: bytes) -> bytes:
    import zlib

    return zlib.compress(data)


def png(header: bytes, *chunks: tuple[bytes, bytes]) -> bytes:
    import zlib

    data = b"\x89PNG\r\n\x1a\n"
    for name, body in ((b"IHDR", header), *chunks, (b"IEND", b"")):
        data += struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return data


JPEG, PNG = encoded(scene(), ".jpg"), encoded(scene())
FRAME = b"\xff\xc0\x00\x11\x08" + struct.pack(">HH", 50000, 50000) + b"\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01"
JPEG_HEADER_ONLY = b"\xff\xd8" + FRAME + b"\xff\xd9"
BAD = {
    "text.jpg": (b"Dear camera, this is a letter.\n" * 40, "not a picture"),
    "empty.jpg": (b"", "empty"),
    "half.jpg": (JPEG[: len(JPEG) // 2], "cut off"),
    "last-bytes-missing.jpg": (JPEG[:-2], "cut off"),
    "head.jpg": (JPEG[:30], "cut off"),
    "half.png": (PNG[: len(PNG) // 2], "cut off"),
    "flipped.png": (PNG[:200] + bytes([PNG[200] ^ 1]) + PNG[201:], "cut off"),
    "half.webp": (encoded(scene(), ".webp")[:-20], "cut off"),
    "phone.heic": (b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00" + b"\x00" * 400, "JPEG"),
    "thumbnail.jpg": (encoded(scene(40, 30), ".jpg"), "40×30"),
    "poster.png": (png(struct.pack(">IIBBBBB", 15000, 15000, 8, 2, 0, 0, 0), (b"IDAT", b"")), "too large"),
    "bomb.jpg": (JPEG_HEADER_ONLY, "too large"),
    "bomb.png": (png(struct.pack(">IIBBBBB", 60000, 60000, 8, 2, 0, 0, 0), (b"IDAT", b"")), "too large"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_file_is_reported_in_one_line(tmp_path: Path, name: str, capfd: pytest.CaptureFixture[str]) -> None:
    data, words = BAD[name]
    with pytest.raises(UnreadablePhoto) as caught:
        load_photo(saved(tmp_path, name, data))
    message = str(caught.value)
    assert words in message
    assert "\n" not in message
    assert capfd.readouterr() == ("", "")


def test_missing_file_folder_and_invalid_name_are_reported(tmp_path: Path) -> None:
    with pytest.raises(UnreadablePhoto, match="no such file"):
        load_photo(tmp_path / "nobody.jpg")
    with pytest.raises(UnreadablePhoto, match="folder"):
        load_photo(tmp_path)
    with pytest.raises(UnreadablePhoto, match="can't be opened"):
        load_photo("a\x00b.jpg")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_pipe_and_device_are_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jpg")
    for path in (tmp_path / "pipe.jpg", Path("/dev/zero")):
        with pytest.raises(UnreadablePhoto, match="not an ordinary file"):
            load_photo(path)


def test_junk_inside_coded_data_is_read_silently(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    image = np.random.default_rng(3).integers(0, 255, (400, 400, 3)).astype(np.uint8)
    data = encoded(cv2.GaussianBlur(image, (0, 0), 3), ".jpg")
    damaged = data[:-900] + b"\x12\x34\x56\x78" * 20 + data[-900:]
    assert load_photo(saved(tmp_path, "damaged.jpg", damaged)).image_bgr.shape == (400, 400, 3)
    assert capfd.readouterr() == ("", "")


def test_data_appended_to_a_jpeg_is_ignored(tmp_path: Path) -> None:
    data = encoded(scene(), ".jpg") + b"\x00\x00\x00\x18ftypmp42" + b"\xff\xd8\xff" * 50
    assert corner_colours(load_photo(saved(tmp_path, "motion.jpg", data)).image_bgr) == ["b", "g", "w", "r"]


def test_panorama_is_read_at_full_size(tmp_path: Path) -> None:
    wide = cv2.resize(scene(1200, 80), (12_000, 800), interpolation=cv2.INTER_NEAREST)
    image = load_photo(saved(tmp_path, "panorama.jpg", encoded(wide, ".jpg"))).image_bgr
    assert image.shape == (800, 12_000, 3)
    assert corner_colours(image) == ["b", "g", "w", "r"]


@pytest.mark.slow
@pytest.mark.parametrize("orientation", [1, 6])
def test_enormous_photo_is_reduced_and_keeps_its_full_size(tmp_path: Path, orientation: int) -> None:
    width, height = 12_000, 6_000
    assert width * height > MAX_DECODED_AREA_PX
    # a flat image gives a small file
    data = encoded(cv2.resize(scene(1200, 600), (width, height), interpolation=cv2.INTER_NEAREST), ".jpg")
    path = saved(tmp_path, "enormous.jpg", with_orientation(data, orientation))
    tracemalloc.start()
    photo = load_photo(path)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert photo.full_wh == ((width, height) if orientation == 1 else (height, width))
    assert photo.image_bgr.shape[:2] == ((3000, 6000) if orientation == 1 else (6000, 3000))
    assert peak_bytes < 200_000_000


def test_real_photos_have_their_annotated_size(photos_folder: Path) -> None:
    import json

    listing = json.loads((photos_folder / "photos.json").read_text(encoding="utf-8"))["photos"]
    for entry in listing[::20]:
        photo = load_photo(photos_folder / "images" / entry["file"])
        assert photo.image_bgr.shape == (entry["height"], entry["width"], 3)
        assert photo.full_wh == (entry["width"], entry["height"])
