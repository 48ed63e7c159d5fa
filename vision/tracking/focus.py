"""Tells a table that the camera is out of focus on from one that was changed: a hand draws the focus to itself.

What a blurred picture no longer shows is not gone: compared with what lay there as blurred as that, it is the same.
"""

from __future__ import annotations

import cv2
import numpy as np

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


SPREADS_PX = 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0
"""Blurs that are tried, in pixels of the small picture, and then those a little more and less than the best."""


def is_out_of_focus(before: np.ndarray, seen: np.ndarray) -> bool:
    """Return whether a small picture `(h, w, 3) uint8` shows what lay there less in focus than the one `before`.

    In most cells that had something to show it steps less, and a blur of what lay there tells most of how. A hand may
    lie over some of them, and the lens, focused elsewhere, show all a little larger or smaller (`breathes`). Tiles that
    were taken step less as well, but no blur tells that they are gone.
    """
    lay = _lit_as(before, seen)
    had, has = _steps(lay), _steps(seen)
    textured = had > MIN_CELL_GRADIENT_SHARE
    if np.count_nonzero(textured) < MIN_TEXTURED_CELLS:
        return False
    if np.median(has[textured] / had[textured]) > MAX_DEFOCUS_GRADIENT_RATIO:
        return False
    off = _off(lay, seen)[textured]
    soft = _as_blurred(lay, seen)
    if _is_told(_off(soft, seen)[textured], off):
        return True
    wh = soft.shape[1], soft.shape[0]
    shift = shift_between(soft, seen)
    if shift is None or not moves(shift, wh) or moves(shift, wh, MAX_FOCUS_BREATHING_SHARE * wh[0]):
        return False
    breathed = np.asarray(cv2.warpPerspective(lay, shift, wh, borderMode=cv2.BORDER_REPLICATE), np.uint8)
    return _is_told(_off(_as_blurred(breathed, seen), seen)[textured], off)


def _is_told(left: np.ndarray, off: np.ndarray) -> bool:
    """Return whether little is left of how far off most cells `(K,)` were."""
    return bool(np.median(left / np.maximum(off, 1e-6)) < MAX_DEFOCUS_RESIDUAL_SHARE)


def _as_blurred(lay: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return the first picture with the blur with which it is likest the second, in whose light it is."""

    def off(spread_px: float) -> float:
        return float(cv2.norm(cv2.GaussianBlur(lay, (0, 0), spread_px), seen, cv2.NORM_L1))

    best_px = min(SPREADS_PX, key=off)
    spread_px = min((best_px / 1.2, best_px, best_px * 1.2), key=off)
    return np.asarray(cv2.GaussianBlur(lay, (0, 0), spread_px), np.uint8)


def _lit_as(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return a picture in the light of another, as it is in the middle: a hand is no light."""
    was, now = (_in_cells(picture).mean(axis=2) for picture in (one, other))
    return cv2.convertScaleAbs(one, alpha=float(np.median(now / np.maximum(was, 1.0))))


def _off(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return by how many levels two pictures differ in each cell, `(9, 16)`, but for noise."""
    apart = cv2.absdiff(*(cv2.blur(picture, (3, 3)) for picture in (one, other)))
    summed: np.ndarray = _in_cells(apart.astype(np.float32)).sum(axis=2)
    return summed


def _steps(picture: np.ndarray) -> np.ndarray:
    """Return how much light steps across each cell, as shares of the light there, `(9, 16)`; some rows tell."""
    # noise steps from pixel to pixel, and hardly over three
    green = cv2.blur(cv2.extractChannel(picture, 1), (3, 3))[::3].astype(np.float32)
    return _in_cells(np.abs(np.diff(green, axis=1))) / (_in_cells(green) + PATTERN_LOG_OFFSET_LEVELS)


def _in_cells(levels: np.ndarray) -> np.ndarray:
    """Return the mean of each cell, `(9, 16)` or `(9, 16, 3)`, of levels `(h, w)` or `(h, w, 3)`."""
    return np.asarray(cv2.resize(levels, CELLS_WH, interpolation=cv2.INTER_AREA))
