"""Tells when the table lies still: nobody should read, or judge, a table with a hand over it."""

from enum import Enum

import cv2
import numpy as np

# Small enough to look at every frame, large enough that one tile of a full table covers several pixels.
WORK_WIDTH_PX = 320
# The change is averaged over squares of this many pixels, so that noise goes and a moved tile stays.
SQUARE_PX = 5
CHANGED_LEVELS = 9.0


class Rest(Enum):
    """What a new frame says: the table moves, has just come to rest, or lies as it lay when it was last read."""

    MOVING = "moving"
    SETTLED = "settled"
    UNCHANGED = "unchanged"


class StillGate:
    """Compares each frame with the one since which nothing has moved.

    It compares with that one and not with the last, or a tile that is slid slowly would never move at all.
    """

    def __init__(self, still_after_s: float) -> None:
        """Start with no frame; `still_after_s` is how long the picture must be calm."""
        self._still_after_s = still_after_s
        self._anchor: np.ndarray | None = None
        self._calm_since_s = 0.0
        self._read = False

    def push(self, image_bgr: np.ndarray, time_s: float) -> Rest:
        """Take in a frame (H, W, 3) uint8 with its time, and say whether it should be read.

        `SETTLED` is said once for each rest: the caller is expected to read that very frame.
        """
        small = _small(image_bgr)
        if self._anchor is None or small.shape != self._anchor.shape or _differs(small, self._anchor):
            self._anchor, self._calm_since_s, self._read = small, time_s, False
        if self._read:
            return Rest.UNCHANGED
        if time_s - self._calm_since_s < self._still_after_s:
            return Rest.MOVING
        self._read = True
        return Rest.SETTLED


def _small(image_bgr: np.ndarray) -> np.ndarray:
    height_px, width_px = image_bgr.shape[:2]
    work_wh = (WORK_WIDTH_PX, max(1, round(height_px * WORK_WIDTH_PX / width_px)))
    small = cv2.resize(image_bgr, work_wh, interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(small, cv2.COLOR_BGR2GRAY).astype(np.float32)


def _differs(one: np.ndarray, other: np.ndarray) -> bool:
    difference = one - other
    # A lamp or a camera's exposure shifts all of the picture alike: that is no move.
    difference -= np.median(difference)
    return float(cv2.blur(np.abs(difference), (SQUARE_PX, SQUARE_PX)).max()) > CHANGED_LEVELS
