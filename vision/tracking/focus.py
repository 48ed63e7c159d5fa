"""Tells a table that the camera is out of focus on from one that was changed: a hand draws the focus to itself.

What a blurred picture no longer shows is not gone: compared with what lay there as blurred as that, it is the same.
"""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.config import tracking_limits as limits
from tilekeeper.vision.tracking.illumination import (
    CELLS_WH,
    Lit,
    pattern_of,
    patterned_otherwise,
    share_patterned_otherwise,
)
from tilekeeper.vision.tracking.registration import moves, shift_between

SPREADS_PX = 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0
"""Blurs that are tried, in pixels of the small picture, and then those a little more and less than the best."""


def is_out_of_focus(before: np.ndarray, seen: Lit, pattern: np.ndarray, mask: np.ndarray) -> bool:
    """Return whether a small picture shows what lay there less in focus than the one `before`, whatever else it shows.

    `pattern (h, w)` is its own, `mask (h, w) uint8` where they differ, 0 or 1: some of that goes where the first is
    blurred as much. A hand may lie over some of the pattern; where most of it is another, so is the table.
    """
    differed = np.count_nonzero(mask)
    for lay in _as_soft(before, seen.picture) if differed else ():
        known = pattern_of(lay)
        left = Lit.of(lay).changed(seen) | patterned_otherwise(known, pattern)
        if np.count_nonzero(left) < differed and share_patterned_otherwise(known, pattern) <= limits.shifted_share:
            return True
    return False


def _as_soft(before: np.ndarray, seen: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return a small picture `(h, w, 3) uint8` as little in focus as another, none where that is as sharp, or flat.

    Where the lens, focused elsewhere, shows it a little larger or smaller (`breathes`), that is returned as well.
    """
    lay, now = _steps(before), _steps(_lit_as(seen, before))
    textured = lay > limits.edge_steps
    if np.count_nonzero(textured) < limits.edged_fewest:
        return ()
    if np.median(now[textured] / lay[textured]) > limits.softer_share:
        return ()
    soft = _as_blurred(before, seen)
    wh = soft.shape[1], soft.shape[0]
    shift = shift_between(soft, seen)
    if shift is None or not moves(shift, wh) or moves(shift, wh, limits.breathes * wh[0]):
        return (soft,)
    breathed = np.asarray(cv2.warpPerspective(before, shift, wh, borderMode=cv2.BORDER_REPLICATE), np.uint8)
    return soft, _as_blurred(breathed, seen)


def _as_blurred(before: np.ndarray, seen: np.ndarray) -> np.ndarray:
    """Return the first picture with the blur with which it is likest the second, in the light that it has."""
    lit = _lit_as(before, seen)

    def off(spread_px: float) -> float:
        return float(cv2.norm(cv2.GaussianBlur(lit, (0, 0), spread_px), seen, cv2.NORM_L1))

    best_px = min(SPREADS_PX, key=off)
    spread_px = min((best_px / 1.2, best_px, best_px * 1.2), key=off)
    return np.asarray(cv2.GaussianBlur(before, (0, 0), spread_px), np.uint8)


def _lit_as(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return a picture in the light of another."""
    return cv2.convertScaleAbs(one, alpha=float(other.mean()) / max(float(one.mean()), 1.0))


def _steps(picture: np.ndarray) -> np.ndarray:
    """Return how much light steps across each cell, as shares of the light there, `(9, 16)`; some rows tell."""
    # noise steps from pixel to pixel, and hardly over three
    green = cv2.blur(picture[:, :, 1], (3, 3))[::3].astype(np.float32)
    steps = np.abs(np.diff(green, axis=1))
    light = cv2.resize(green, CELLS_WH, interpolation=cv2.INTER_AREA)
    return cv2.resize(steps, CELLS_WH, interpolation=cv2.INTER_AREA) / (light + limits.pattern_dim_levels)
