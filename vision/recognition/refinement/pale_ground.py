"""The table as it is beside its tiles, in a small picture: where that is as pale as their faces, and what is printed.

Where nothing was found and the table is pale, a tile may have been missed.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints
from tilekeeper.vision.geometry.face_color import LOG_LIGHT_OFFSET_LEVELS, face_whites, light_and_tint
from tilekeeper.vision.geometry.quads import TILE_ASPECT, areas_px, centres_px, distances_px
from tilekeeper.vision.geometry.quantiles import median
from tilekeeper.vision.imaging import darkest_channel, morphology, resize, shrink

# Pale regions are searched for in an image downscaled until a tile is this wide.
PALE_MAP_TILE_WIDTH_PX = 9.0
# At most this many confident tiles are the reference for the local white of tile faces.
MAX_WHITE_REFERENCE_TILES = 24
# Known quads are enlarged by this factor before masking, because a tile's sides and bevel are pale as well.
KNOWN_QUAD_SCALE_RATIO = 1.12
# A pixel is print if its darkest channel is darker than its surroundings by more than this share.
MIN_PRINT_CONTRAST_SHARE = 0.12
# A morphological closing of this side removes print to estimate the white around it; no stroke is wider.
MAX_STROKE_WIDTHS = 0.5


LONG = TILE_ASPECT**0.5
"""The side of a square as large as a tile, in tile widths."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """A table in a picture so small that a tile is `unit_px` wide.

    `lighter` and `tint`, both `(h, w)`, are by how much each pixel is lighter than the faces of the sure tiles near it,
    and of how much another tint (`light_and_tint`); `unknown (h, w) uint8` is 1 where nothing that was found lies, and
    `ink (h, w)` how much of the light is lost there to what may be print. `scale_xy (2,)` leads from the picture to the
    small one.
    """

    lighter: Floats
    tint: Floats
    unknown: Image
    ink: Floats
    unit_px: float
    scale_xy: Floats

    @classmethod
    def of(cls, image_bgr: Image, sure_px: Floats, explained_px: Floats) -> Ground:
        """Return the ground of a picture with sure tiles at `(N, 4, 2)`, N at least 1, and all finds at `(K, 4, 2)`."""
        unit_px = float(median(np.sqrt(areas_px(sure_px)))) / LONG
        scale = min(1.0, PALE_MAP_TILE_WIDTH_PX / unit_px)
        height, width = (max(8, round(side * scale)) for side in image_bgr.shape[:2])
        small = shrink(image_bgr, (width, height), cv2.INTER_AREA)
        scale_xy = np.array((width / image_bgr.shape[1], height / image_bgr.shape[0]))
        some_px = sure_px[:: -(-len(sure_px) // MAX_WHITE_REFERENCE_TILES)]
        lighter, tint = _off(small, face_whites(image_bgr, some_px), (centres_px(some_px) + 0.5) * scale_xy - 0.5)
        middles = centres_px(explained_px)[:, None]
        grown = middles + KNOWN_QUAD_SCALE_RATIO * (explained_px - middles)
        unknown: Image = np.ones((height, width), np.uint8)
        for quad in np.round(((grown + 0.5) * scale_xy - 0.5) * 16).astype(np.int32):
            cv2.fillConvexPoly(unknown, quad, 0, shift=4)
        stroke_px = _odd(MAX_STROKE_WIDTHS * unit_px * scale)
        return cls(lighter, tint, unknown, _ink(small, unknown, stroke_px), unit_px * scale, scale_xy)

    def as_pale(self, light: float, tint: float) -> Bools:
        """Return which pixels differ from the faces near them by less than `light` and `tint`, `(h, w)` bool."""
        pale: Bools = (np.abs(self.lighter) < light) & (self.tint < tint)
        return pale

    def square(self, widths: float) -> int:
        """Return the side of a square so many tile widths wide, an odd number of pixels, 3 at least."""
        return _odd(widths * self.unit_px)

    def in_picture(self, places: Floats) -> Floats:
        """Return where pixels `(N, 2)` of the small picture lie in the large one."""
        return np.asarray((places + 0.5) / self.scale_xy - 0.5)

    def peaks(self, at: Ints, worth: Floats) -> Bools:
        """Return which of the pixels `at (N,)`, counted row by row, are `worth (N,)` as much as any two pixels off."""
        map_of_worth = np.zeros(self.unknown.shape, np.float32)
        map_of_worth.flat[at] = worth
        return np.asarray(worth >= np.asarray(cv2.dilate(map_of_worth, np.ones((5, 5), np.uint8))).ravel()[at])


def shares_px(mask: Image | Floats, side_px: int) -> Floats:
    """Return the mean of a map `(h, w)` in a square about each pixel, `(h * w,) float32`; beyond its edges it is 0."""
    shares = cv2.boxFilter(mask, cv2.CV_32F, (side_px, side_px), borderType=cv2.BORDER_CONSTANT)
    return np.asarray(shares, np.float32).ravel()


def _odd(side_px: float) -> int:
    return max(3, round(side_px) | 1)


def _ink(small_bgr: Image, unknown: Image, stroke_px: int) -> Floats:
    """How much less than what lies around it each unknown pixel throws back in its darkest channel, `(h, w) float32`.

    That is counted from `printed_ink` on; what is white in a square of `stroke_px` is what lies around.
    """
    seen = darkest_channel(small_bgr)
    white = morphology(seen, cv2.MORPH_CLOSE, stroke_px).astype(np.float32)
    ink = (white - seen) / (white + np.float32(LOG_LIGHT_OFFSET_LEVELS)) - np.float32(MIN_PRINT_CONTRAST_SHARE)
    return np.asarray(np.maximum(ink, np.float32(0)) * unknown.astype(np.float32))


def _off(small_bgr: Image, whites: Floats, middles_px: Floats) -> tuple[Floats, Floats]:
    """By how much pixels are lighter than sure tiles near them, with `whites (N, 3)` at middles `(N, 2)`, and the tint.

    Both are `(H, W)`; see `light_and_tint`.
    """
    height, width = small_bgr.shape[:2]
    cells_wh = max(1, width // 16), max(1, height // 16)
    x, y = (np.arange(cells) * 16 + 8.0 for cells in cells_wh)
    cells = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    weights = 1 / (distances_px(cells, middles_px) ** 2 + PALE_MAP_TILE_WIDTH_PX**2)
    usual = (weights @ whites) / weights.sum(axis=1, keepdims=True)
    usual = resize(usual.reshape(cells_wh[1], cells_wh[0], 3).astype(np.float32), (width, height), cv2.INTER_LINEAR)
    levels = np.log(np.arange(256, dtype=np.float32) + np.float32(LOG_LIGHT_OFFSET_LEVELS))
    return light_and_tint(_by_channel(np.asarray(cv2.LUT(small_bgr, levels))), _by_channel(usual))


def _by_channel(image: Floats) -> Floats:
    """Return an image `(H, W, 3)` with its channels apart: side by side NumPy takes half as long again for them."""
    return np.moveaxis(np.stack(cv2.split(image)), 0, -1)
