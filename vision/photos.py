"""Photo decoding: read a photo file, or raise an error that says in one line why it cannot be read.

EXIF orientation is applied; grey, 16-bit, palette and transparent images become BGR. A photo that is too large is
decoded at a reduced size; `Photo.full_wh` is its full size.
"""

import io
import stat
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from PIL import Image as Pillow
from PIL import ImageOps, UnidentifiedImageError

from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.arrays import Image
from tilekeeper.vision.imaging import convert

MIN_PHOTO_SIDE_PX = 64  # a photo with a shorter side than this cannot hold a readable tile
MAX_PHOTO_AREA_PX = 1_000_000_000  # a photo whose header states more pixels than this is refused before it is decoded
MAX_SCANNED_AREA_PX = 1_000_000_000  # all passes over a JPEG together; phones make up to ten passes
MAX_DECODED_AREA_PX = 64_000_000  # a larger photo is decoded at 1/2, 1/4 or 1/8 of its size
MAX_DECODING_BYTES = 350_000_000  # memory for decoding one photo; a file of a few kilobytes can ask for gigabytes
MAX_PHOTO_FILE_BYTES = 100_000_000  # a larger photo file is refused before it is read
ALPHA_BACKGROUND_LEVELS = 128  # transparent pixels become this grey; on white the edges of ivory tiles would be lost
STORED_PIXEL_BYTES = 4  # Pillow's memory for a pixel
CONVERTED_PIXEL_BYTES = 14  # memory for a pixel of the reduced photo while it is turned upright and converted to BGR
COEFFICIENT_BYTES = 2  # memory for each value of a pixel of a JPEG of several passes, which is kept until the last pass

JPEG_FORMATS = ("JPEG", "MPO")  # an MPO file holds several JPEG images
FORMATS = ("JPEG", "PNG", "WEBP", "BMP")
BEGINNINGS = (b"\xff\xd8", b"\x89PNG", b"RIFF", b"BM")
_HEIC = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
_CUT_OFF = lazy_gettext("cut off: the end of the file is missing or damaged; copy the photo again")

# Pillow would refuse photos of 180 megapixels and warn of those of 90; `decode_photo` checks the size itself.
Pillow.MAX_IMAGE_PIXELS = None


class UnreadablePhoto(Exception):  # noqa: N818, the name says it
    """A file without a readable photo; the message says in one line why and what to do."""


@dataclass(frozen=True, slots=True, eq=False)
class Photo:
    """A decoded photo: the upright image `(H, W, 3) uint8` BGR and its full size.

    If the photo was reduced, both sides of `full_wh` are larger by one factor. Corners are reported at full size.
    """

    image_bgr: Image
    full_wh: tuple[int, int]


def load_photo(path: Path | str) -> Photo:
    """Read and decode a photo file; raise `UnreadablePhoto` if there is no such file or it cannot be decoded."""
    return decode_photo(read_photo_file(Path(path)))


def decode_photo(data: bytes, max_px: int | None = None) -> Photo:
    """Decode a photo, upright, and reduced if its full size needs too much memory.

    `data`: the bytes of a file; `max_px`: photos with more pixels are refused (`MAX_PHOTO_AREA_PX` if None). Raises
    `UnreadablePhoto` if `data` is no image, of an unsupported kind, cut off, damaged, too small or too large.
    """
    if data[4:8] == b"ftyp" and data[8:12] in _HEIC:
        raise UnreadablePhoto(lazy_gettext("a HEIC photo, which can't be read here; save it as JPEG"))
    try:
        with Pillow.open(io.BytesIO(data), formats=FORMATS) as picture:
            full_wh = picture.size
            reduction = _reduction(picture, _scans(data), max_px or MAX_PHOTO_AREA_PX)
            image_bgr = _decode(picture, reduction)
    except UnidentifiedImageError:
        why = lazy_gettext("not a picture that can be read here; give a JPEG or PNG")
        raise UnreadablePhoto(_CUT_OFF if data.startswith(BEGINNINGS) else why) from None
    except (UnreadablePhoto, MemoryError):
        raise
    except Exception:  # noqa: BLE001, Pillow raises errors of many types for damaged files
        raise UnreadablePhoto(_CUT_OFF) from None
    height, width = image_bgr.shape[:2]
    if min(full_wh) < MIN_PHOTO_SIDE_PX:
        why = lazy_gettext(
            "too small to read, {width}×{height} pixels; give the photo itself, not a thumbnail",
            width=width,
            height=height,
        )
        raise UnreadablePhoto(why)
    return Photo(image_bgr, full_wh if (width > height) == (full_wh[0] > full_wh[1]) else full_wh[::-1])


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
            raise UnreadablePhoto(lazy_gettext("too large a file ({size} MB); make the photo smaller", size=size))
        data = path.read_bytes()
    except FileNotFoundError:
        raise UnreadablePhoto(lazy_gettext("no such file; check the name")) from None
    except (OSError, ValueError) as error:
        reason = (getattr(error, "strerror", None) or str(error)).lower()
        raise UnreadablePhoto(lazy_gettext("can't be opened: {reason}", reason=reason)) from None
    if not data:
        raise UnreadablePhoto(lazy_gettext("an empty file; copy the photo again"))
    return data


def _scans(data: bytes) -> int:
    """Return how many passes over the pixels of a JPEG decoding makes; 1 for other files."""
    at = 2
    while data[:2] == b"\xff\xd8" and at + 4 <= len(data) and data[at + 1] != 0xDA:
        at += 2 + int.from_bytes(data[at + 2 : at + 4], "big")
    # The search ends with the first image, because phones append other images and films.
    return max(1, data.count(b"\xff\xda", at, data.find(b"\xff\xd9", at)))


def _reduction(picture: Pillow.Image, scans: int, max_px: int) -> int:
    """Return the factor by which the photo is reduced while it is decoded: 1, 2, 4 or 8."""
    width, height = picture.size
    if width * height <= max_px and width * height * scans <= MAX_SCANNED_AREA_PX:
        is_jpeg = picture.format in JPEG_FORMATS
        is_kept = is_jpeg and (scans > 1 or "progressive" in picture.info)
        kept_bytes = COEFFICIENT_BYTES * len(picture.getbands()) * is_kept
        for factor in (1, 2, 4, 8):
            # Only a JPEG can be reduced before it takes the memory of its full size.
            full_bytes = kept_bytes if is_jpeg else STORED_PIXEL_BYTES * (factor > 1)
            needed_bytes = width * height * (full_bytes + CONVERTED_PIXEL_BYTES / factor**2)
            if width * height / factor**2 <= MAX_DECODED_AREA_PX and needed_bytes <= MAX_DECODING_BYTES:
                return factor
    raise UnreadablePhoto(
        lazy_gettext("too large to read, {width}×{height} pixels; make the photo smaller", width=width, height=height)
    )


def _decode(picture: Pillow.Image, reduction: int) -> Image:
    """Return the image `(H, W, 3) uint8` BGR, upright, with each side divided by `reduction`."""
    picture.draft("RGB", (picture.width // reduction, picture.height // reduction))  # only a JPEG becomes smaller
    shrink = 1 if picture.format in JPEG_FORMATS else reduction
    if picture.mode.startswith("I;16"):
        picture = Pillow.fromarray((np.asarray(picture) / 257).round().astype(np.uint8))
    flat = picture.convert("RGBA" if picture.has_transparency_data else "RGB")
    if shrink > 1:
        flat = flat.reduce(shrink)
    ImageOps.exif_transpose(flat, in_place=True)
    if flat.mode == "RGBA":
        grey = Pillow.new("RGB", flat.size, (ALPHA_BACKGROUND_LEVELS,) * 3)
        grey.paste(flat, mask=flat)
        flat = grey
    return convert(np.asarray(flat), cv2.COLOR_RGB2BGR)
