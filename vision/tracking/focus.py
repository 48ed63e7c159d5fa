"""Tells a frame that is out of focus from a table that changed: a hand draws the autofocus to itself.

The earlier frame is blurred until it is most like this one. If little difference remains, the table is unchanged, and
no tile counts as lost. All images here are those of motion detection, `(h, w, 3) uint8`.
"""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.tracking.illumination import CELLS_WH, PATTERN_LOG_OFFSET_LEVELS
from tilekeeper.vision.tracking.registration import moves, shift_between

# A cell shows focus if its mean step from pixel to pixel exceeds this share of its brightness.
MIN_CELL_GRADIENT_SHARE = 0.012
# With fewer textured cells focus is not judged; a row of eight tiles on a plain cloth has a few.
MIN_TEXTURED_CELLS = 2
# A frame may be out of focus only if its median gradient is at most this times the earlier one.
MAX_DEFOCUS_GRADIENT_RATIO = 0.88
# A frame is out of focus if a blur of the earlier one leaves less than this share of the difference.
MAX_DEFOCUS_RESIDUAL_SHARE = 0.55
# Refocusing (focus breathing) moves the frame's corners by at most this share of the frame width.
MAX_FOCUS_BREATHING_SHARE = 0.01
# The standard deviations of the Gaussian blurs that are tried, and after them 1.2 times more and less than the best.
BLURS_PX = 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0


def is_out_of_focus(before: Image, now: Image) -> bool:
    """Return whether a frame shows the same table as the one before, less in focus.

    Most textured cells have weaker gradients, and a blur of the earlier frame explains most of the difference. A hand
    may cover some cells, and the lens, focused elsewhere, may show everything a little larger or smaller. Tiles that
    were taken weaken gradients as well, but no blur explains that.
    """
    relit = _match_light(before, now)
    gradients_before, gradients_now = _gradients(relit), _gradients(now)
    is_textured = gradients_before > MIN_CELL_GRADIENT_SHARE
    if np.count_nonzero(is_textured) < MIN_TEXTURED_CELLS:
        return False
    if np.median(gradients_now[is_textured] / gradients_before[is_textured]) > MAX_DEFOCUS_GRADIENT_RATIO:
        return False
    differences = _differences(relit, now)[is_textured]
    blurred = _blur_to_match(relit, now)
    if _is_explained(_differences(blurred, now)[is_textured], differences):
        return True
    wh = blurred.shape[1], blurred.shape[0]
    shift = shift_between(blurred, now)
    if shift is None or not moves(shift, wh) or moves(shift, wh, MAX_FOCUS_BREATHING_SHARE * wh[0]):
        return False
    shifted = np.asarray(cv2.warpPerspective(relit, shift, wh, borderMode=cv2.BORDER_REPLICATE), np.uint8)
    return _is_explained(_differences(_blur_to_match(shifted, now), now)[is_textured], differences)


def _is_explained(remaining: Floats, differences: Floats) -> bool:
    """Return whether little remains of the difference of most cells, both `(K,)`."""
    return bool(np.median(remaining / np.maximum(differences, 1e-6)) < MAX_DEFOCUS_RESIDUAL_SHARE)


def _blur_to_match(before: Image, now: Image) -> Image:
    """Return the first frame with the Gaussian blur that makes it most like the second, in whose light it is."""

    def difference(blur_px: float) -> float:
        return float(cv2.norm(cv2.GaussianBlur(before, (0, 0), blur_px), now, cv2.NORM_L1))

    best_px = min(BLURS_PX, key=difference)
    blur_px = min((best_px / 1.2, best_px, best_px * 1.2), key=difference)
    return np.asarray(cv2.GaussianBlur(before, (0, 0), blur_px), np.uint8)


def _match_light(image: Image, other: Image) -> Image:
    """Return an image scaled to the brightness of another, by the median over cells: a hand is no change of light."""
    light, other_light = (_mean_of_cells(one).mean(axis=2) for one in (image, other))
    gain = float(np.median(other_light / np.maximum(light, 1.0)))
    return np.asarray(cv2.convertScaleAbs(image, alpha=gain), np.uint8)


def _differences(image: Image, other: Image) -> Floats:
    """Return by how many levels two images differ in each cell, `(9, 16)`; a 3 × 3 mean removes noise."""
    apart = cv2.absdiff(*(cv2.blur(one, (3, 3)) for one in (image, other)))
    summed: Floats = _mean_of_cells(apart.astype(np.float32)).sum(axis=2)
    return summed


def _gradients(image: Image) -> Floats:
    """Return the mean horizontal step of each cell, as a share of its brightness, `(9, 16)`."""
    # Every third row is enough. Noise steps from pixel to pixel, and hardly from one 3 × 3 mean to the next.
    green = cv2.blur(cv2.extractChannel(image, 1), (3, 3))[::3].astype(np.float32)
    steps = _mean_of_cells(np.abs(np.diff(green, axis=1)))
    return np.asarray(steps / (_mean_of_cells(green) + PATTERN_LOG_OFFSET_LEVELS))


def _mean_of_cells(levels: np.ndarray) -> Floats:
    """Return the mean of each cell, `(9, 16)` or `(9, 16, 3)`, of levels `(h, w)` or `(h, w, 3)`."""
    return np.asarray(cv2.resize(levels, CELLS_WH, interpolation=cv2.INTER_AREA))
