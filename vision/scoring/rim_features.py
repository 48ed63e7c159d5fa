"""Where a face ends: all around a tile that lies by itself the picture changes, inside a page or a rope it does not."""

import numpy as np

from tilekeeper.vision.geometry.face_color import LOG_LIGHT_OFFSET_LEVELS
from tilekeeper.vision.geometry.proximity import nearest_neighbours
from tilekeeper.vision.geometry.quads import TILE_ASPECT, as_quads, centres_px
from tilekeeper.vision.imaging import remap

# The step in light at a tile's edge is searched this far to either side.
RIM_REACH_WIDTHS = 0.22
# The light across a tile's edge is sampled at this many positions.
RIM_SAMPLE_COUNT = 23
# The light on each side of a step is the mean of this many adjacent samples.
RIM_AVERAGE_SAMPLES = 4
# A tile's edges are compared with those of this many nearest certain tiles.
RIM_NEIGHBOUR_COUNT = 12
# This is added to steps in light (natural log) before they are compared, because smaller ones are noise.
RIM_NOISE_LOG = 0.03
# Edges count as at most this much weaker than usual (natural log).
MAX_RIM_FAINTNESS_LOG = 3.0
# The strongest edge counts as at most this much stronger than usual (natural log).
MAX_RIM_STRENGTH_LOG = 0.5


ALONG = np.linspace(0.16, 0.84, 14)
"""Where along a side is looked, as shares of it: corners are round, and quads a little off."""


def rim_steps(image_bgr: np.ndarray, quads_px: np.ndarray) -> np.ndarray:
    """Return how much the picture changes across each side of N quads, `(N, 4) float64` natural logarithms of light.

    Sides are in the order top, right, bottom, left. It is the largest step, of any channel, that runs along the whole
    side: print and pattern average out. NaN where the side lies outside the picture.
    """
    quads = as_quads(quads_px)
    if not len(quads):
        return np.zeros((0, 4))
    begin, end = quads, np.roll(quads, -1, axis=1)
    before, behind = np.roll(quads, 1, axis=1), np.roll(quads, -2, axis=1)  # ends of the side opposite
    side = begin[:, :, None] + (end - begin)[:, :, None] * ALONG[:, None]
    opposite = before[:, :, None] + (behind - before)[:, :, None] * ALONG[:, None]
    width = (side - opposite) / np.array([TILE_ASPECT, 1, TILE_ASPECT, 1])[:, None, None]
    across = np.linspace(-RIM_REACH_WIDTHS, RIM_REACH_WIDTHS, RIM_SAMPLE_COUNT)[:, None]
    points = side[:, :, :, None] + width[:, :, :, None] * across  # (N, 4, along, across, 2)
    samples = remap(image_bgr, points)
    light = np.log(LOG_LIGHT_OFFSET_LEVELS + samples.astype(np.float32)).mean(axis=2)
    sums = np.concatenate([np.zeros_like(light[:, :, :1]), light.cumsum(axis=2)], axis=2)
    means = (sums[:, :, RIM_AVERAGE_SAMPLES:] - sums[:, :, :-RIM_AVERAGE_SAMPLES]) / RIM_AVERAGE_SAMPLES
    steps = (
        np.abs(means[:, :, RIM_AVERAGE_SAMPLES + 1 :] - means[:, :, : -RIM_AVERAGE_SAMPLES - 1])
        .max(axis=(2, 3))
        .astype(np.float64)
    )
    height, width_px = image_bgr.shape[:2]
    inside = ((points >= 0) & (points <= (width_px - 1, height - 1))).all(axis=4).mean(axis=(2, 3)) > 0.5
    return np.where(inside, steps, np.nan)


def shown_rims(
    image_bgr: np.ndarray, quads_px: np.ndarray, sure: np.ndarray, lone: np.ndarray, at: np.ndarray
) -> np.ndarray:
    """Return how plainly the sides of the quads `at (A,)` show against those of the `sure` tiles near them, `(A, 2)`.

    Natural logarithms of ratios, first of the weakest side that should show, then of the plainest: of a `lone (N,)` one
    three sides should show, of one in a row two, which is what is usual of the sure ones, too; what lies outside the
    picture need not. Both are 0, as usual, where fewer than two sides lie in the picture.
    """
    quads = as_quads(quads_px)
    shown = np.zeros((len(at), 2))
    if not len(at):
        return shown
    nearest, there = nearest_neighbours(centres_px(quads), at, np.flatnonzero(sure), RIM_NEIGHBOUR_COUNT)
    needed = np.union1d(at, nearest[there])
    steps = np.full((len(quads), 4), np.nan)
    steps[needed] = rim_steps(image_bgr, quads[needed])
    order = np.sort(np.nan_to_num(steps, nan=0.0), axis=1)
    free = np.where(lone, order[:, 1], order[:, 2])  # in a row two sides lie against others
    for k, one in enumerate(at):
        seen = np.sort(steps[one][~np.isnan(steps[one])])
        near = nearest[k][there[k]]
        if len(seen) < 2 or not len(near):
            continue
        weakest = seen[max(0, (1 if lone[one] else 2) - (4 - len(seen)))]
        usual = float(np.median(free[near]))
        shown[k] = np.log((np.array([weakest, seen[-1]]) + RIM_NOISE_LOG) / (usual + RIM_NOISE_LOG))
    return np.clip(shown, -MAX_RIM_FAINTNESS_LOG, (0.0, MAX_RIM_STRENGTH_LOG))
