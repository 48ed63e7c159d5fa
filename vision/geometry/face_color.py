"""Faces of tiles: how much of a quad shows one, and how bright and tinted its white is beside other tiles.

A shadow darkens a face and a lamp tints it, but tiles near each other look alike.
"""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, split_channels, values_at
from tilekeeper.vision.geometry.quads import enlarge, grid_points
from tilekeeper.vision.imaging import remap
from tilekeeper.vision.types import FaceMap

LOG_LIGHT_OFFSET_LEVELS = 16.0  # added before the logarithm; measured: under a 2700 K lamp white has a blue of 1 to 5
SATURATED_LEVELS = 250  # a channel at or above this level is saturated: its true brightness and its tint are unknown
FACE_BRIGHTNESS_RANGE_SHARE = (0.6, 0.9)  # samples between these quantiles of brightness are face, not print or glare
LEVEL_LOGS = np.log(np.maximum(np.arange(256 + LOG_LIGHT_OFFSET_LEVELS), LOG_LIGHT_OFFSET_LEVELS))  # log of each level
MIN_UNCOVERED_SHARE = 0.2  # a point shows a missed tile if this share of a tile's area around it is uncovered face
FACE_EDGE_RATIO = 1.2  # a tile covers this times its size, because the face map is blurred at its edges
# A face is sampled at these shares of its width and height.
US, VS = ((np.arange(count) + 0.5) / count * 0.84 + 0.08 for count in (12, 16))


def measure_face_whites(image_bgr: Image, quads_px: Floats) -> Floats:
    """Return the white of each tile's face, `(N, 3) float64`: B, G and R as natural logarithms.

    A quad has 12 × 16 samples. The white is the mean over the samples with a brightness in
    `FACE_BRIGHTNESS_RANGE_SHARE`, without print and small reflections. `LOG_LIGHT_OFFSET_LEVELS` are added to each.
    """
    flat = grid_points(quads_px, US, VS).reshape(len(quads_px), -1, 2)
    levels = split_channels(remap(image_bgr, flat)).astype(np.int32) + int(LOG_LIGHT_OFFSET_LEVELS)
    # The product ranks a sample that is bright in all channels above one that is bright in one channel, so that lit
    # print does not count as the face of a tile that is half in a shadow.
    bright = levels[:, 0] * levels[:, 1] * levels[:, 2]
    first, last = (int(share * flat.shape[1]) for share in FACE_BRIGHTNESS_RANGE_SHARE)
    order = np.argpartition(bright, (first, min(last, flat.shape[1] - 1)), axis=1)[:, first:last]
    return np.asarray(LEVEL_LOGS[values_at(levels, order[:, None])].mean(axis=2))


def face_shares(faces: FaceMap, quads_px: Floats) -> Floats:
    """Return the share `(N,)` of each quad `(N, 4, 2)` that shows the face of a tile: the mean of its probability."""
    height, width = faces.logits.shape
    cells = np.floor((grid_points(quads_px, US, VS) + 0.5) / faces.cell_px).astype(int)
    logits = faces.logits[np.clip(cells[..., 1], 0, height - 1), np.clip(cells[..., 0], 0, width - 1)]
    return np.asarray((1 / (1 + np.exp(-logits))).mean(axis=(1, 2)))


def find_uncovered_faces(faces: FaceMap, tiles_px: Floats, tile_px: float) -> Floats:
    """Return the points `(P, 2)` around which most of a tile's face shows outside the tiles `(N, 4, 2)`, best first.

    `tile_px`: side of a square of a tile's area.
    """
    # The ground around a tile is often half as likely as its face and would draw the centre of the face to it.
    shares = np.maximum(np.tanh(faces.logits / 2), 0.0)
    for quad in np.round(enlarge(tiles_px, FACE_EDGE_RATIO) / faces.cell_px - 0.5).astype(np.int32):
        cv2.fillConvexPoly(shares, quad, 0.0)
    width, height = (max(1, round(tile_px / float(cell))) for cell in faces.cell_px)
    ys, xs = np.indices(shares.shape, np.float32)
    sums = (
        cv2.blur(part, (width, height), borderType=cv2.BORDER_CONSTANT) for part in (shares, shares * xs, shares * ys)
    )
    around, around_x, around_y = sums
    highest = cv2.dilate(around, np.ones((height // 2 * 2 + 1, width // 2 * 2 + 1), np.uint8))
    rows, columns = np.nonzero((around == highest) & (around >= MIN_UNCOVERED_SHARE))
    order = np.argsort(-around[rows, columns], kind="stable")
    centroids = np.column_stack([around_x[rows, columns], around_y[rows, columns]]) / around[rows, columns, None]
    return np.asarray((centroids[order] + 0.5) * faces.cell_px - 0.5)


def light_and_tint(whites: Floats, usual: Floats) -> tuple[Floats, Floats]:
    """Compare `whites (..., 3)` with `usual`, both natural logs of B, G and R; return two arrays `(...)`: light, tint.

    Light is the mean difference of the channels, above 0 if the white is lighter than usual. Tint is the distance
    between the two `(log B/G, log R/G)`, or 0 if all channels of the white are saturated.
    """
    off = whites - usual
    blue, green, red = (off[..., channel] for channel in range(3))
    light: Floats = (blue + green + red) / 3
    tint: Floats = np.sqrt((blue - green) ** 2 + (red - green) ** 2)  # a sixth of the time of np.hypot
    # Half a level less, because the mean of a face at exactly this level may be rounded to below its logarithm.
    cut_off = np.log(SATURATED_LEVELS - 0.5 + LOG_LIGHT_OFFSET_LEVELS)
    bright = [whites[..., channel] >= cut_off for channel in range(3)]
    return light, np.where(bright[0] & bright[1] & bright[2], 0, tint)


def as_white(whites: Floats, usual: Floats, light: float, tint: float) -> Bools:
    """Return a mask `(...)` of the whites that differ from `usual` by less than `light` and `tint` (natural logs)."""
    off_light, off_tint = light_and_tint(whites, usual)
    return np.asarray((np.abs(off_light) < light) & (off_tint < tint))
