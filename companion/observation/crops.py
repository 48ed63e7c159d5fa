"""Parts of the newest picture that a question is about: a tile upright, or rows of tiles, each with an outline."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import cv2
import numpy as np

from tilekeeper.companion.session.snapshot import Picture

TILE_MARGIN = 0.35
"""A crop shows a little of what lies around the tile, in shares of it."""
TILE_WIDTH_PX = 160
MELDS_MARGIN = 0.6
"""In tile widths around the rows."""
MELDS_WIDTH_PX, LARGEST = 560, 4.0
OUTLINES_BGR = ((60, 190, 60), (40, 140, 255), (220, 120, 40), (200, 60, 200))
"""Each row has a colour of its own."""


def tile_crop(picture: Picture, quad_px: np.ndarray) -> np.ndarray:
    """Return the tile at a quad `(4, 2)`, in pixels of the picture before scaling, upright: `(H, W, 3) uint8`."""
    image, scale = decoded(picture)
    quad = quad_px * scale
    middle = quad.mean(axis=0)
    wider = (middle + (quad - middle) * (1 + TILE_MARGIN)).astype(np.float32)
    width_px = round(float(np.linalg.norm(wider[1] - wider[0])))
    height_px = round(float(np.linalg.norm(wider[3] - wider[0])))
    larger = TILE_WIDTH_PX / max(1, width_px)
    size_wh = (round(width_px * larger), max(1, round(height_px * larger)))
    target = np.array([(0, 0), (size_wh[0], 0), size_wh, (0, size_wh[1])], np.float32)
    return cv2.warpPerspective(image, cv2.getPerspectiveTransform(wider, target), size_wh, flags=cv2.INTER_CUBIC)


def melds_crop(picture: Picture, rows_px: Sequence[Sequence[np.ndarray]]) -> np.ndarray:
    """Return the part of the picture in which rows of quads `(4, 2)` lie, outlined: `(H, W, 3) uint8`."""
    image, scale = decoded(picture)
    rows = [np.concatenate([quad * scale for quad in row]) for row in rows_px]
    every = np.concatenate(rows)
    first = rows_px[0][0] * scale
    room_px = MELDS_MARGIN * float(np.linalg.norm(first[1] - first[0]))
    low = np.maximum(np.floor(every.min(axis=0) - room_px), 0).astype(int)
    high = np.minimum(np.ceil(every.max(axis=0) + room_px), image.shape[1::-1]).astype(int)
    part = image[low[1] : max(high[1], low[1] + 1), low[0] : max(high[0], low[0] + 1)]
    larger = min(LARGEST, MELDS_WIDTH_PX / part.shape[1])
    part = cv2.resize(part, None, fx=larger, fy=larger, interpolation=cv2.INTER_CUBIC)
    for number, row in enumerate(rows):
        outline = np.round((cv2.convexHull((row - low).astype(np.float32)) + 0.5) * larger).astype(np.int32)
        for colour, thick_px in (((255, 255, 255), 9), (OUTLINES_BGR[number % len(OUTLINES_BGR)], 5)):
            cv2.polylines(part, [outline], True, colour, thick_px, cv2.LINE_AA)
    return part


@lru_cache(maxsize=1)
def decoded(picture: Picture) -> tuple[np.ndarray, float]:
    """The picture `(H, W, 3) uint8`, not to be written on, and by how much it was scaled for the page."""
    image = cv2.imdecode(np.frombuffer(picture.jpeg, np.uint8), cv2.IMREAD_COLOR)
    return image, image.shape[1] / picture.image_wh[0]
