"""Compares the faces of tiles in two pictures: what no longer has the print it had is another tile, or has moved.

In the small picture in which motion is looked for, a 6 under a weak lamp differs from a 9 by less than its noise does.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.geometry.quads import grid_points
from tilekeeper.vision.imaging import remap
from tilekeeper.vision.tracking.illumination import MIN_PATTERN_STD_LOG, PATTERN_LOG_OFFSET_LEVELS

# A face that correlates less is read again. Measured: a 9 in place of a 6 gives 0.915, untouched faces 0.94 or more.
MIN_FACE_CORRELATION = 0.93


ACROSS, DOWN = np.linspace(0.06, 0.94, 20), np.linspace(0.05, 0.95, 28)
"""Where a face is sampled, as shares of its width and height."""


def faces_of(image_bgr: Image, quads_px: Floats) -> Floats:
    """Return the faces of tiles `(N, 4, 2)`, `(N, 28, 20, 3) float32`, levels of a picture `(H, W, 3) uint8`."""
    return remap(image_bgr, grid_points(quads_px, ACROSS, DOWN)).astype(np.float32)


def printed_otherwise(before_bgr: Image, now_bgr: Image, quads_px: Floats) -> Bools:
    """Return which tiles `(N, 4, 2)` no longer look as they did, however the light is, `(N,)` bool.

    Both pictures are `(H, W, 3) uint8` of one camera that has not moved.
    """
    if not len(quads_px):
        return np.zeros(0, bool)
    points = grid_points(quads_px, ACROSS[::2], DOWN[::2])
    logs = np.log(np.arange(256, dtype=np.float32) + PATTERN_LOG_OFFSET_LEVELS)  # of every level: there are many points
    one, other = (_prints(logs.take(remap(image, points))) for image in (before_bgr, now_bgr))
    powers, of_other = (one**2).mean(axis=1), (other**2).mean(axis=1)
    otherwise: Bools = (one * other).mean(axis=1) < MIN_FACE_CORRELATION * np.sqrt(powers * of_other)
    shows: Bools = np.maximum(powers, of_other) >= MIN_PATTERN_STD_LOG**2
    return otherwise & shows


def _prints(logs: Floats) -> Floats:
    """Return how much darker or lighter than the rest of its face each point is, `(N, P)`, of logarithms."""
    every = logs.reshape(len(logs), -1, 3)
    every -= np.full((1, every.shape[1]), 1 / every.shape[1], np.float32) @ every  # in a tenth of a mean's time
    prints: Floats = every.reshape(len(every), -1)
    return prints
