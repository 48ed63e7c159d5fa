"""Compares two small pictures of one table whatever the lamp and the camera's exposure did in between.

A lamp that is turned up, or an exposure that steps, changes all of the picture by about one factor a channel; one that
drifts changes it a little more here than there. Both are taken out before anything counts as a change.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.vision.geometry.quantiles import median

WORK_WIDTH_PX = 480
"""Frames are compared at this width: small enough for every frame, and a tile of a full table still covers 10 × 14."""
CELLS_WH = (16, 9)
"""Light is measured in so many cells of the picture."""
CHANGED_LEVELS = 11.0
"""What differs by more than so many levels of 255, averaged over 3 × 3 pixels, has changed; noise comes on top."""
LEVELS_A_STEP = 60.0
"""How many levels more for each step (a natural logarithm) of exposure: a camera's tone is no clean power."""
FULL = 250
"""From this level on a pixel is as good as saturated: how bright it was nobody knows."""
DRIFT, MOST_DRIFT = 0.25, 0.08
"""The share of a drift in one cell that is believed with each frame, and the largest (a logarithm) that is one."""


def shrunk(image_bgr: np.ndarray) -> np.ndarray:
    """Return a frame `(H, W, 3) uint8` at the width at which frames are compared, `(h, 480, 3) uint8`."""
    # halves, and a last step in which four neighbours are averaged, are ten times as quick as one step
    while image_bgr.shape[1] >= 2 * WORK_WIDTH_PX:
        height, width = image_bgr.shape[:2]
        image_bgr = cv2.resize(image_bgr, (width // 2, max(1, height // 2)), interpolation=cv2.INTER_LINEAR)
    height, width = image_bgr.shape[:2]
    if width == WORK_WIDTH_PX:
        return image_bgr
    size_wh = WORK_WIDTH_PX, max(CELLS_WH[1], round(height * WORK_WIDTH_PX / width))
    return cv2.resize(image_bgr, size_wh, interpolation=cv2.INTER_LINEAR)


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

    def changed(self, seen: Lit, follow: bool = False) -> np.ndarray:
        """Return where a small picture of the same size shows something else, `(h, w) uint8`, 0 or 1.

        With `follow` the drift of the light is followed where nothing else changed.
        """
        picture, cells = seen.picture, seen.cells - self.cells
        common = median(cells.reshape(-1, 3).T)
        expected = self._under(common, picture.shape)
        apart = cv2.absdiff(picture, expected)
        if common.min() < -0.01:  # where the picture was saturated, it may by rights be brighter than expected
            apart[(self.picture >= FULL) & (picture > expected)] = 0
        most = cv2.blur(cv2.max(cv2.max(apart[..., 0], apart[..., 1]), apart[..., 2]), (3, 3))
        usual = float(median(most[::3, ::3].ravel().astype(np.float32)))
        mask = (most > CHANGED_LEVELS + 2 * usual + LEVELS_A_STEP * float(np.abs(common).max())).astype(np.uint8)
        if follow:
            self._follow(cells - common, mask)
        return mask

    def _under(self, common: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
        """Return the picture as it would look under the light of now."""
        gains = np.exp(self.drift + common.astype(np.float32))
        if np.abs(gains - 1).max() < 0.004:  # less than a level
            return self.picture
        smooth = cv2.resize(gains, (shape[1], shape[0]), interpolation=cv2.INTER_LINEAR)
        return cv2.multiply(self.picture, smooth, dtype=cv2.CV_8U)

    def _follow(self, apart: np.ndarray, mask: np.ndarray) -> None:
        calm = cv2.resize(mask, CELLS_WH, interpolation=cv2.INTER_AREA) == 0
        step = apart - self.drift
        believed = calm[..., None] & (np.abs(step) < MOST_DRIFT)
        self.drift = self.drift + DRIFT * np.where(believed, step, 0).astype(np.float32)


def _cells(picture: np.ndarray) -> np.ndarray:
    """Return the light of each cell, `(9, 16, 3) float32` natural logarithms."""
    return np.log(cv2.resize(picture, CELLS_WH, interpolation=cv2.INTER_AREA).astype(np.float32) + 2)
