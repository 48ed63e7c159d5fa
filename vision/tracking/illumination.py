"""Change detection that ignores the light: compares two small images of one table after removing light and exposure.

A step of the light multiplies each channel of the whole image by about one factor; a drift differs a little from place
to place. Both are removed before anything counts as a change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, median, median_level
from tilekeeper.vision.geometry.face_color import SATURATED_LEVELS
from tilekeeper.vision.imaging import brightest_channel, resize
from tilekeeper.vision.scene import Scene

COMPARISON_WIDTH_PX = 480  # frames are compared at this width, at which a tile of a full table covers 10 × 14 pixels
CELLS_WH = (16, 9)  # light is measured in this many cells of the image, across and down
MIN_CHANGE_LEVELS = 11.0  # a 3 × 3 mean that differs by more than this, plus twice the median (noise), has changed
CHANGE_LEVELS_PER_EXPOSURE_LOG = 60.0  # times the light step, added to that threshold: tone curves are no exact power
DRIFT_UPDATE_SHARE = 0.25  # exponential smoothing: the share of a cell's new drift that each frame adds
MAX_DRIFT_STEP_LOG = 0.08  # a cell whose log brightness is further off the known drift has changed
MIN_DARKENING_LOG = 0.01  # if the light fell by more than this, saturated pixels may be brighter than predicted
PATTERN_WINDOW_PX = 9  # side of the window for local contrast, in pixels of the downscaled frame: about a tile's width
PATTERN_LOG_OFFSET_LEVELS = 12.0  # added to brightness before its logarithm: darker areas show only noise
MIN_PATTERN_STD_LOG = 0.08  # an area whose log brightness has a smaller standard deviation than this has no pattern
MIN_PATTERN_CORRELATION = 0.3  # a place whose local pattern correlates less shows something else
MIN_GAIN_CHANGE_SHARE = 0.004  # with all light gains this close to 1 the difference is below one grey level


def shrink_to_compare(image_bgr: Image) -> Image:
    """Shrink a frame `(H, W, 3) uint8` to the size at which frames are compared, `(h, 480, 3) uint8`."""
    height, width = image_bgr.shape[:2]
    size_wh = COMPARISON_WIDTH_PX, max(CELLS_WH[1], round(height * COMPARISON_WIDTH_PX / width))
    return Scene(image_bgr).shrink(size_wh, cv2.INTER_LINEAR).image_bgr


@dataclass(slots=True)
class LitImage:
    """A small image with which later images are compared, its light, and the drift of the light since this image."""

    image: Image  # (h, w, 3) uint8
    cells: Floats  # the light of each cell and channel, (9, 16, 3) float32 natural logarithms
    drift: Floats  # the change of `cells` since this image, less the change of the whole image

    @classmethod
    def of(cls, image: Image) -> LitImage:
        """Return a `LitImage` of a small image, with no change of the light so far."""
        cells = np.log(cv2.resize(image, CELLS_WH, interpolation=cv2.INTER_AREA).astype(np.float32) + 2)
        return cls(image, cells, np.zeros((CELLS_WH[1], CELLS_WH[0], 3), np.float32))

    def light_step(self, now: LitImage) -> float:
        """Return how much the light of a later image of the same size differs overall, a natural log, 0 or more."""
        return float(np.abs(self._common_change(now)).max())

    def find_changes(self, now: LitImage, follow_drift: bool = False) -> Image:
        """Return a mask `(h, w) uint8`, 1 where the later image `now`, of the same size, shows something else.

        With `follow_drift` the drift of the light is updated where nothing else changed.
        """
        image, common, expected = now.image, self._common_change(now), self.image
        # The earlier image as it would look in the current light.
        gains = np.exp(self.drift + common.astype(np.float32))
        if np.abs(gains - 1).max() >= MIN_GAIN_CHANGE_SHARE:
            smooth = resize(gains, (image.shape[1], image.shape[0]), cv2.INTER_LINEAR)
            expected = np.asarray(cv2.multiply(self.image, smooth, dtype=cv2.CV_8U), np.uint8)
        differences = np.asarray(cv2.absdiff(image, expected), np.uint8)
        if common.min() < -MIN_DARKENING_LOG:
            differences[(self.image >= SATURATED_LEVELS) & (image > expected)] = 0
        largest = np.asarray(cv2.blur(brightest_channel(differences), (3, 3)), np.uint8)
        noise = median_level(largest[::3, ::3])
        threshold = MIN_CHANGE_LEVELS + 2 * noise + CHANGE_LEVELS_PER_EXPOSURE_LOG * float(np.abs(common).max())
        mask = (largest > math.floor(threshold)).view(np.uint8)
        if follow_drift:
            is_unchanged = resize(mask, CELLS_WH, cv2.INTER_AREA) == 0
            step = now.cells - self.cells - common - self.drift
            is_drift = is_unchanged[..., None] & (np.abs(step) < MAX_DRIFT_STEP_LOG)
            self.drift = self.drift + DRIFT_UPDATE_SHARE * np.where(is_drift, step, 0).astype(np.float32)
        return mask

    def _common_change(self, now: LitImage) -> Floats:
        return median((now.cells - self.cells).reshape(-1, 3).T)


def pattern_of(image: Image) -> Floats:
    """Return the local contrast `(h, w) float32` of a small image, in logarithms, which hardly depends on the light."""
    return local_contrast(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY).astype(np.float32))


def local_contrast(levels: np.ndarray) -> Floats:
    """Return the logarithms of levels `(h, w) float32` less their mean in the window around each, `(h, w)`."""
    logs = cv2.log(levels + np.float32(PATTERN_LOG_OFFSET_LEVELS))
    return np.asarray(logs - cv2.blur(logs, (PATTERN_WINDOW_PX,) * 2), np.float32)


def compare_patterns(before: Floats, now: Floats) -> tuple[Bools, Image]:
    """Compare two patterns `(h, w)` by local correlation; return two masks `(h, w)`.

    The first is true where either pattern is strong enough to compare; the second, `uint8`, is 1 where they differ.
    """
    floor = MIN_PATTERN_STD_LOG**2
    powers = np.maximum(_mean_around(before * before), floor), np.maximum(_mean_around(now * now), floor)
    has_pattern: Bools = np.maximum(*powers) > floor
    correlation = _mean_around(before * now) / np.sqrt(powers[0] * powers[1])
    return has_pattern, np.asarray(has_pattern & (correlation < MIN_PATTERN_CORRELATION), np.uint8)


def _mean_around(values: Floats) -> Floats:
    return np.asarray(cv2.blur(values, (PATTERN_WINDOW_PX,) * 2), np.float32)
