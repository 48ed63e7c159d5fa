"""Pale map: the table beside its tiles in a small image, with whiteness relative to tiles, and print."""

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

UNIT_SIDE_WIDTHS = TILE_ASPECT**0.5
"""Side of a square with a tile's area, in tile widths."""


@dataclass(frozen=True, slots=True, eq=False)
class PaleMap:
    """Small image of the table, in which a tile is `unit_px` wide.

    `lighter`: log brightness relative to the certain tiles near each pixel, `(h, w)`; `tint`: tint relative to these
    tiles, `(h, w)` (`light_and_tint`); `unknown`: `(h, w) uint8`, 1 outside all known quads; `ink`: share of the light
    lost to possible print, `(h, w)`; `unit_px`: width of a tile; `scale_xy`: scale from the image to the map, `(2,)`.
    """

    lighter: Floats
    tint: Floats
    unknown: Image
    ink: Floats
    unit_px: float
    scale_xy: Floats

    @classmethod
    def measure(cls, image_bgr: Image, sure_px: Floats, explained_px: Floats) -> PaleMap:
        """Return the map of an image with certain tiles `(N, 4, 2)`, N at least 1, and known quads `(K, 4, 2)`."""
        unit_px = float(median(np.sqrt(areas_px(sure_px)))) / UNIT_SIDE_WIDTHS
        scale = min(1.0, PALE_MAP_TILE_WIDTH_PX / unit_px)
        height, width = (max(8, round(side * scale)) for side in image_bgr.shape[:2])
        small = shrink(image_bgr, (width, height), cv2.INTER_AREA)
        scale_xy = np.array((width / image_bgr.shape[1], height / image_bgr.shape[0]))
        ref_px = sure_px[:: -(-len(sure_px) // MAX_WHITE_REFERENCE_TILES)]
        lighter, tint = _relative(small, face_whites(image_bgr, ref_px), (centres_px(ref_px) + 0.5) * scale_xy - 0.5)
        middles = centres_px(explained_px)[:, None]
        enlarged = middles + KNOWN_QUAD_SCALE_RATIO * (explained_px - middles)
        unknown: Image = np.ones((height, width), np.uint8)
        for quad in np.round(((enlarged + 0.5) * scale_xy - 0.5) * 16).astype(np.int32):
            cv2.fillConvexPoly(unknown, quad, 0, shift=4)
        stroke_px = _odd(MAX_STROKE_WIDTHS * unit_px * scale)
        return cls(lighter, tint, unknown, _print_map(small, unknown, stroke_px), unit_px * scale, scale_xy)

    def is_pale(self, light: float, tint: float) -> Bools:
        """Return which pixels differ from the faces near them by less than `light` and `tint`, `(h, w)` bool."""
        result: Bools = (np.abs(self.lighter) < light) & (self.tint < tint)
        return result

    def side_px(self, widths: float) -> int:
        """Return the side of a square of that many tile widths, an odd number of pixels, at least 3."""
        return _odd(widths * self.unit_px)

    def to_image(self, points: Floats) -> Floats:
        """Map pixels `(N, 2)` of the map to the image."""
        return np.asarray((points + 0.5) / self.scale_xy - 0.5)

    def are_peaks(self, indices: Ints, scores: Floats) -> Bools:
        """Return which pixels `indices (N,)`, counted row by row, have the highest score within two pixels."""
        score_map = np.zeros(self.unknown.shape, np.float32)
        score_map.flat[indices] = scores
        return np.asarray(scores >= np.asarray(cv2.dilate(score_map, np.ones((5, 5), np.uint8))).ravel()[indices])


def box_means(mask: Image | Floats, side_px: int) -> Floats:
    """Return the box-filtered map `(h, w)`, flattened to `(h * w,) float32`; outside its edges the map is 0."""
    shares = cv2.boxFilter(mask, cv2.CV_32F, (side_px, side_px), borderType=cv2.BORDER_CONSTANT)
    return np.asarray(shares, np.float32).ravel()


def _odd(side_px: float) -> int:
    return max(3, round(side_px) | 1)


def _print_map(small_bgr: Image, unknown: Image, stroke_px: int) -> Floats:
    """Return how much darker each unknown pixel is than the white around it, in its darkest channel, `(h, w) float32`.

    A morphological closing of side `stroke_px` gives the white. Differences up to `MIN_PRINT_CONTRAST_SHARE` count as
    0.
    """
    darkest = darkest_channel(small_bgr)
    white = morphology(darkest, cv2.MORPH_CLOSE, stroke_px).astype(np.float32)
    ink = (white - darkest) / (white + np.float32(LOG_LIGHT_OFFSET_LEVELS)) - np.float32(MIN_PRINT_CONTRAST_SHARE)
    return np.asarray(np.maximum(ink, np.float32(0)) * unknown.astype(np.float32))


def _relative(small_bgr: Image, whites: Floats, middles_px: Floats) -> tuple[Floats, Floats]:
    """Return log brightness and tint of pixels relative to certain tiles nearby, `(H, W)` each: see `light_and_tint`.

    `whites (N, 3)` are the whites of these tiles at the centres `(N, 2)`, weighted by inverse square distance.
    """
    height, width = small_bgr.shape[:2]
    cells_wh = max(1, width // 16), max(1, height // 16)
    x, y = (np.arange(cells) * 16 + 8.0 for cells in cells_wh)
    cells = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    weights = 1 / (distances_px(cells, middles_px) ** 2 + PALE_MAP_TILE_WIDTH_PX**2)
    local = (weights @ whites) / weights.sum(axis=1, keepdims=True)
    local = resize(local.reshape(cells_wh[1], cells_wh[0], 3).astype(np.float32), (width, height), cv2.INTER_LINEAR)
    levels = np.log(np.arange(256, dtype=np.float32) + np.float32(LOG_LIGHT_OFFSET_LEVELS))
    return light_and_tint(_planar(np.asarray(cv2.LUT(small_bgr, levels))), _planar(local))


def _planar(image: Floats) -> Floats:
    """Return an image `(H, W, 3)` in planar memory layout, which is faster in NumPy."""
    return np.moveaxis(np.stack(cv2.split(image)), 0, -1)
