"""Compares two small pictures of one table whatever the lamp and the camera's exposure did in between.

A lamp that is turned up, or an exposure that steps, changes all of the picture by about one factor a channel; one that
drifts changes it a little more here than there. Both are taken out before anything counts as a change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.vision.geometry.face_color import SATURATED_LEVELS
from tilekeeper.vision.geometry.quantiles import median, median_level
from tilekeeper.vision.imaging import brightest_channel, shrink

# Frames are compared at this width, at which a tile of a full table still covers 10 × 14 pixels.
COMPARISON_WIDTH_PX = 480
# A 3 × 3 mean has changed if it differs by more than this plus twice the median difference (noise).
MIN_CHANGE_LEVELS = 11.0
# The change threshold grows by this per natural-log unit of exposure; a camera's tone curve is no exact power.
CHANGE_LEVELS_PER_EXPOSURE_LOG = 60.0
# Exponential smoothing: each frame adds this share of a cell's new light drift to the known drift.
DRIFT_UPDATE_SHARE = 0.25
# A cell whose log brightness is this far or further off the known drift has changed and updates no drift.
MAX_DRIFT_STEP_LOG = 0.08
# In a frame darker by more than this, saturated pixels may be brighter than predicted without a change.
MIN_DARKENING_LOG = 0.01
# Side of the window for local contrast, in pixels of the downscaled frame: about a tile's width.
PATTERN_WINDOW_PX = 9
# Added to brightness before its logarithm is taken; darker areas show noise and no pattern.
PATTERN_LOG_OFFSET_LEVELS = 12.0
# An area whose log brightness has a smaller standard deviation than this has no pattern.
MIN_PATTERN_STD_LOG = 0.08
# A place whose local pattern correlates less than this with the earlier one shows something else.
MIN_PATTERN_CORRELATION = 0.3
# If all light gains are within this of 1, the frame is not relit: the difference is less than one grey level.
MIN_GAIN_CHANGE_SHARE = 0.004


CELLS_WH = (16, 9)
"""Light is measured in so many cells of the picture."""


def shrunk(image_bgr: np.ndarray) -> np.ndarray:
    """Return a frame `(H, W, 3) uint8` at the width at which frames are compared, `(h, 480, 3) uint8`."""
    height, width = image_bgr.shape[:2]
    size_wh = COMPARISON_WIDTH_PX, max(CELLS_WH[1], round(height * COMPARISON_WIDTH_PX / width))
    return shrink(image_bgr, size_wh, cv2.INTER_LINEAR)


@dataclass(slots=True)
class Lit:
    """A small picture to compare others with, and how the light has drifted since it was taken.

    `picture (h, w, 3) uint8`; `cells (9, 16, 3) float32` its light, natural logarithms, by cell and channel; `drift`,
    of the same shape, what it has changed by, apart from what all of the picture has in common.
    """

    picture: np.ndarray
    cells: np.ndarray
    drift: np.ndarray

    @classmethod
    def of(cls, picture: np.ndarray) -> Lit:
        """Return a small picture as it is, with no drift yet."""
        return cls(picture, _cells(picture), np.zeros((CELLS_WH[1], CELLS_WH[0], 3), np.float32))

    def light_step(self, seen: Lit) -> float:
        """Return by how much the light of all of a picture of the same size is another, a logarithm, 0 or more."""
        return float(np.abs(self._common(seen)).max())

    def changed(self, seen: Lit, follow: bool = False) -> np.ndarray:
        """Return where a small picture of the same size shows something else, `(h, w) uint8`, 0 or 1.

        With `follow` the drift of the light is followed where nothing else changed.
        """
        picture, cells, common = seen.picture, seen.cells - self.cells, self._common(seen)
        expected = self._under(common, picture.shape)
        apart = np.asarray(cv2.absdiff(picture, expected), np.uint8)
        if (
            common.min() < -MIN_DARKENING_LOG
        ):  # where the picture was cut off, it may by rights be brighter than expected
            apart[(self.picture >= SATURATED_LEVELS) & (picture > expected)] = 0
        most = np.asarray(cv2.blur(brightest_channel(apart), (3, 3)), np.uint8)
        usual = median_level(most[::3, ::3])
        least = MIN_CHANGE_LEVELS + 2 * usual + CHANGE_LEVELS_PER_EXPOSURE_LOG * float(np.abs(common).max())
        mask = (most > math.floor(least)).view(np.uint8)
        if follow:
            self._follow(cells - common, mask)
        return mask

    def _common(self, seen: Lit) -> np.ndarray:
        return median((seen.cells - self.cells).reshape(-1, 3).T)

    def _under(self, common: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Return the picture as it would look under the light of now."""
        gains = np.exp(self.drift + common.astype(np.float32))
        if np.abs(gains - 1).max() < MIN_GAIN_CHANGE_SHARE:
            return self.picture
        smooth = cv2.resize(gains, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR)
        return cv2.multiply(self.picture, smooth, dtype=cv2.CV_8U)

    def _follow(self, apart: np.ndarray, mask: np.ndarray) -> None:
        calm = cv2.resize(mask, CELLS_WH, interpolation=cv2.INTER_AREA) == 0
        step = apart - self.drift
        believed = calm[..., None] & (np.abs(step) < MAX_DRIFT_STEP_LOG)
        self.drift = self.drift + DRIFT_UPDATE_SHARE * np.where(believed, step, 0).astype(np.float32)


def pattern_of(picture: np.ndarray) -> np.ndarray:
    """Return by how much each pixel of a small picture is lighter than those around it, `(h, w) float32` logarithms.

    However the light is, it is the same.
    """
    return fine(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32))


def fine(levels: np.ndarray) -> np.ndarray:
    """Return the logarithms of levels `(h, w) float32` less what lies around each, of the same shape."""
    logs = cv2.log(levels + np.float32(PATTERN_LOG_OFFSET_LEVELS))
    return np.asarray(logs - cv2.blur(logs, (PATTERN_WINDOW_PX,) * 2), np.float32)


def patterned_otherwise(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Return where two patterns `(h, w)` are not the same, `(h, w) uint8`, 0 or 1; bare places have none."""
    return _compared(one, two)[1]


def share_patterned_otherwise(one: np.ndarray, two: np.ndarray) -> float:
    """Return how much of what has a pattern in either of two pictures `(h, w)` has another in the other, 0 to 1."""
    patterned, otherwise = _compared(one, two)
    return int(otherwise.sum()) / max(1, int(patterned.sum()))


def _compared(one: np.ndarray, two: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return where either of two patterns `(h, w)` is one, `(h, w)` bool, and where there it is not the same, uint8."""
    floor = MIN_PATTERN_STD_LOG**2
    powers = np.maximum(_around(one * one), floor), np.maximum(_around(two * two), floor)
    patterned = np.maximum(*powers) > floor
    alike = _around(one * two) / np.sqrt(powers[0] * powers[1])
    return patterned, np.asarray(patterned & (alike < MIN_PATTERN_CORRELATION), np.uint8)


def _around(values: np.ndarray) -> np.ndarray:
    return np.asarray(cv2.blur(values, (PATTERN_WINDOW_PX,) * 2), np.float32)


def _cells(picture: np.ndarray) -> np.ndarray:
    """Return the light of each cell, `(9, 16, 3) float32` natural logarithms."""
    return np.log(cv2.resize(picture, CELLS_WH, interpolation=cv2.INTER_AREA).astype(np.float32) + 2)
