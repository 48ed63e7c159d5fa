"""The light and the tint of a tile's white face, and how far they are from those of another tile.

Lamp and shadow darken a face, and a lamp tints it, but near tiles of one table are all alike. What is both darker or
brighter and of another tint is no tile's face.
"""

from __future__ import annotations

import functools

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, split_channels, values_at
from tilekeeper.vision.geometry.quads import grid_points
from tilekeeper.vision.imaging import remap

# Added to each channel before its logarithm. Measured: white tiles under a 2700 K lamp have a blue of 1 to 5.
LOG_LIGHT_OFFSET_LEVELS = 16.0
# A channel at or above this level is saturated: its true brightness and its tint are unknown.
SATURATED_LEVELS = 250
# The face is the samples between these shares, sorted by light; darker ones are print, brighter ones glare.
FACE_BRIGHTNESS_RANGE_SHARE = (0.6, 0.9)


US, VS = ((np.arange(count) + 0.5) / count * 0.84 + 0.08 for count in (12, 16))
"""Where a face is sampled, as shares of its width and height."""


def measure_face_whites(image_bgr: Image, quads_px: Floats) -> Floats:
    """Return the light that each tile's face reflects, `(N, 3) float64` natural logarithms of B, G and R.

    `LOG_LIGHT_OFFSET_LEVELS` are added before the logarithm. Each is the mean of those of 12 × 16 samples within the
    quad `(4, 2)` whose brightness is in `FACE_BRIGHTNESS_RANGE_SHARE`: neither print nor a reflection on a tenth of it.
    """
    flat = grid_points(quads_px, US, VS).reshape(len(quads_px), -1, 2)
    samples = remap(image_bgr, flat)
    levels = split_channels(samples).astype(np.int32) + int(LOG_LIGHT_OFFSET_LEVELS)
    # The product ranks a sample that is bright in all channels above one that is bright in one channel, so that lit
    # print does not count as the face of a tile that is half in a shadow.
    bright = levels[:, 0] * levels[:, 1] * levels[:, 2]
    first, last = (int(share * flat.shape[1]) for share in FACE_BRIGHTNESS_RANGE_SHARE)
    order = np.argpartition(bright, (first, min(last, flat.shape[1] - 1)), axis=1)[:, first:last]
    whites: Floats = _logs(LOG_LIGHT_OFFSET_LEVELS)[values_at(levels, order[:, None])].mean(axis=2)
    return whites


@functools.cache
def _logs(dim_levels: float) -> Floats:
    """Return the logarithm of every level with that many added."""
    logs: Floats = np.log(np.maximum(np.arange(256 + dim_levels), dim_levels))
    return logs


def light_and_tint(whites: Floats, usual: Floats) -> tuple[Floats, Floats]:
    """Return by how much whites `(..., 3)`, logarithms of B, G and R, are lighter than the usual ones, and the tint.

    Both are `(...)`; the tint is the distance of `(log B/G, log R/G)`, 0 for the same one and for whites so bright that
    all of their channels are cut off, where these hold `dim_levels`.
    """
    off = whites - usual
    blue, green, red = (off[..., channel] for channel in range(3))
    light: Floats = (blue + green + red) / 3
    tint: Floats = np.sqrt((blue - green) ** 2 + (red - green) ** 2)  # a sixth of the time of np.hypot
    # half a level less: of a face of that very level the mean may be rounded to below its logarithm
    cut_off = np.log(SATURATED_LEVELS - 0.5 + LOG_LIGHT_OFFSET_LEVELS)
    bright = [whites[..., channel] >= cut_off for channel in range(3)]
    return light, np.where(bright[0] & bright[1] & bright[2], 0, tint)


def as_white(whites: Floats, usual: Floats, light: float, tint: float) -> Bools:
    """Return which whites `(..., 3)` differ from the usual ones by less than `light` and less than `tint`, `(...)`."""
    off_light, off_tint = light_and_tint(whites, usual)
    white: Bools = (np.abs(off_light) < light) & (off_tint < tint)
    return white
