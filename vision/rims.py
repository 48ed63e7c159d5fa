"""Where a face ends: all around a tile that lies by itself the picture changes, inside a page or a rope it does not."""

import cv2
import numpy as np

from tilekeeper.vision.geometry import TILE_ASPECT, as_quads, centres_px, distances_px, sizes_wh_px
from tilekeeper.vision.peers import DIM, FEWEST

ALONG = np.linspace(0.16, 0.84, 14)
"""Where along a side is looked, as shares of it: corners are round, and quads a little off."""
REACH, STEPS = 0.22, 23
"""So far to either side of each is looked, in tile widths, at so many places."""
FOOT = 4
"""Over so many places next to each other light is averaged on both sides of a step."""
AMID = 12
"""With so many of the nearest sure tiles one is compared."""
LONE = 1.75
"""What has no other tile's middle nearer than this, in widths, lies by itself: no joint reaches further."""
PLAIN = 0.5
"""A side shows plainly with as large a share of the step that sides of tiles have there."""


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
    across = np.linspace(-REACH, REACH, STEPS)[:, None]
    points = side[:, :, :, None] + width[:, :, :, None] * across  # (N, 4, along, across, 2)
    flat = points.reshape(len(quads) * 4, -1, 2).astype(np.float32)
    samples = cv2.remap(image_bgr, flat, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    light = np.log(DIM + samples.astype(np.float32)).reshape(*points.shape[:4], 3).mean(axis=2)
    sums = np.concatenate([np.zeros_like(light[:, :, :1]), light.cumsum(axis=2)], axis=2)
    means = (sums[:, :, FOOT:] - sums[:, :, :-FOOT]) / FOOT
    steps = np.abs(means[:, :, FOOT + 1 :] - means[:, :, : -FOOT - 1]).max(axis=(2, 3)).astype(np.float64)
    height, width_px = image_bgr.shape[:2]
    inside = ((points >= 0) & (points <= (width_px - 1, height - 1))).all(axis=4).mean(axis=(2, 3)) > 0.5
    return np.where(inside, steps, np.nan)


def rimless(image_bgr: np.ndarray, quads_px: np.ndarray, sure: np.ndarray, asked: np.ndarray) -> np.ndarray:
    """Return which of those `asked (N,)` about lie by themselves and do not end as the `sure` tiles do, `(N,)` bool.

    Of four sides one may show plainly, of fewer in the picture none; what shows less than two tells nothing. What lies
    beside others is left: of a tile in a row two sides need not show.
    """
    quads = as_quads(quads_px)
    rimless_ones = np.zeros(len(quads), bool)
    if not asked.any():
        return rimless_ones
    widths, middles = sizes_wh_px(quads)[:, 0], centres_px(quads)
    apart = distances_px(middles, middles)
    beside = apart < LONE * np.maximum(widths[:, None], widths[None])
    lone = np.count_nonzero(beside, axis=1) < 2
    for at in np.flatnonzero(asked & lone):
        others = np.flatnonzero(sure & (np.arange(len(quads)) != at))
        if len(others) < FEWEST:
            continue
        near = others[apart[at, others].argsort()[:AMID]]
        steps = rim_steps(image_bgr, quads[[at, *near]])
        order = np.sort(np.nan_to_num(steps[1:], nan=0.0), axis=1)
        usual = np.median(np.where(lone[near], order[:, 1], order[:, 2]))  # in a row two sides lie against others
        seen = steps[0][~np.isnan(steps[0])]
        rimless_ones[at] = len(seen) > 1 and np.count_nonzero(seen >= PLAIN * usual) <= (len(seen) == 4)
    return rimless_ones
