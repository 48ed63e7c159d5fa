"""Encodes images as JPEG or PNG, for the page and the disk: frames, crops for questions, and stored tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import cv2
import numpy as np

TILE_MARGIN = 0.35
"""The margin of a crop around its tile, as a share of the tile's size."""
TILE_WIDTH_PX = 160
MELDS_MARGIN = 0.6
"""The margin around the rows of a crop, in tile widths."""
MELDS_WIDTH_PX, LARGEST_SCALE = 560, 4.0
OUTLINES_BGR = ((60, 190, 60), (40, 140, 255), (220, 120, 40), (200, 60, 200))
"""The colours of the rows' outlines, repeated from the fifth row on."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A frame or photo, encoded for the page.

    Attributes:
        number: the number of the picture, counted since the start of the app; a page requests the picture by it.
        jpeg: the image as JPEG, scaled so that no side is longer than the user's setting.
        image_wh: width and height in pixels before scaling; the corners of a reading are in these pixels.
        name: the name of the photo or of the source.
        area_px: left, top, width and height of the play area (the rest is black), in pixels before scaling.
    """

    number: int
    jpeg: bytes
    image_wh: tuple[int, int]
    name: str
    area_px: tuple[int, int, int, int]


def picture_of(
    image_bgr: np.ndarray,
    number: int,
    name: str,
    longest_side_px: int,
    quality_percent: int,
    area_px: tuple[int, int, int, int] | None = None,
) -> Picture:
    """Encode an image for the page.

    Args:
        image_bgr: the image `(H, W, 3) uint8`.
        number: the picture's number.
        name: the name of the photo or of the source.
        longest_side_px: an image with a longer side is scaled down to this.
        quality_percent: the quality of the JPEG, 1 to 100.
        area_px: the play area, as in `Picture`; None for the whole image.
    """
    height_px, width_px = image_bgr.shape[:2]
    scale = longest_side_px / max(height_px, width_px)
    if scale < 1:
        small_wh = (max(1, round(width_px * scale)), max(1, round(height_px * scale)))
        image_bgr = cv2.resize(image_bgr, small_wh, interpolation=cv2.INTER_AREA)
    _, jpeg = cv2.imencode(".jpg", image_bgr, [cv2.IMWRITE_JPEG_QUALITY, quality_percent])
    return Picture(number, jpeg.tobytes(), (width_px, height_px), name, area_px or (0, 0, width_px, height_px))


def preview(image_bgr: np.ndarray, width_px: int) -> bytes:
    """Return an image `(H, W, 3) uint8` BGR as JPEG with a width of at most `width_px`."""
    scale = min(1.0, width_px / image_bgr.shape[1])
    size_wh = (max(1, round(image_bgr.shape[1] * scale)), max(1, round(image_bgr.shape[0] * scale)))
    return _jpeg(cv2.resize(image_bgr, size_wh, interpolation=cv2.INTER_AREA))


def tile_crop(picture: Picture, quad_px: np.ndarray) -> bytes:
    """Return an upright crop of one tile as JPEG, `TILE_WIDTH_PX` wide.

    Args:
        picture: the picture that the tile is on.
        quad_px: the tile's corners `(4, 2)`, clockwise from its own top left, in pixels before scaling.
    """
    image, scale = _decoded(picture)
    quad = quad_px * scale
    centre = quad.mean(axis=0)
    wider = (centre + (quad - centre) * (1 + TILE_MARGIN)).astype(np.float32)
    width_px = round(float(np.linalg.norm(wider[1] - wider[0])))
    height_px = round(float(np.linalg.norm(wider[3] - wider[0])))
    larger = TILE_WIDTH_PX / max(1, width_px)
    size_wh = (round(width_px * larger), max(1, round(height_px * larger)))
    target = np.array([(0, 0), (size_wh[0], 0), size_wh, (0, size_wh[1])], np.float32)
    return _jpeg(cv2.warpPerspective(image, cv2.getPerspectiveTransform(wider, target), size_wh, flags=cv2.INTER_CUBIC))


def rows_crop(picture: Picture, rows_px: Sequence[Sequence[np.ndarray]]) -> bytes:
    """Return the part of a picture that shows some rows of tiles, each row outlined, as JPEG.

    Args:
        picture: the picture that the tiles are on.
        rows_px: for each row the corners `(4, 2)` of its tiles, in pixels before scaling.
    """
    image, scale = _decoded(picture)
    rows = [np.concatenate([quad * scale for quad in row]) for row in rows_px]
    all_corners = np.concatenate(rows)
    first = rows_px[0][0] * scale
    margin_px = MELDS_MARGIN * float(np.linalg.norm(first[1] - first[0]))
    low = np.maximum(np.floor(all_corners.min(axis=0) - margin_px), 0).astype(int)
    high = np.minimum(np.ceil(all_corners.max(axis=0) + margin_px), image.shape[1::-1]).astype(int)
    part = image[low[1] : max(high[1], low[1] + 1), low[0] : max(high[0], low[0] + 1)]
    larger = min(LARGEST_SCALE, MELDS_WIDTH_PX / part.shape[1])
    crop = cv2.resize(part, None, fx=larger, fy=larger, interpolation=cv2.INTER_CUBIC)
    for number, row in enumerate(rows):
        hull = np.asarray(cv2.convexHull((row - low).astype(np.float32)))
        outline = np.round((hull + 0.5) * larger).astype(np.int32)
        for colour, thick_px in (((255, 255, 255), 9), (OUTLINES_BGR[number % len(OUTLINES_BGR)], 5)):
            cv2.polylines(crop, [outline], True, colour, thick_px, cv2.LINE_AA)
    return _jpeg(crop)


def encode_png(image_bgr: np.ndarray) -> bytes:
    """Return an image `(H, W, 3) uint8` BGR as PNG, without loss."""
    return bytes(cv2.imencode(".png", image_bgr)[1].tobytes())


def decode(data: bytes) -> np.ndarray | None:
    """Return the image `(H, W, 3) uint8` BGR of an image file's bytes; None if they are not an image."""
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)


def _jpeg(image_bgr: np.ndarray) -> bytes:
    return bytes(cv2.imencode(".jpg", image_bgr)[1].tobytes())


@lru_cache(maxsize=1)
def _decoded(picture: Picture) -> tuple[np.ndarray, float]:
    """Return the picture's image `(H, W, 3) uint8` BGR, which must not be changed, and its scale (at most 1)."""
    image = decode(picture.jpeg)
    assert image is not None  # `picture_of` has encoded it
    return image, image.shape[1] / picture.image_wh[0]
