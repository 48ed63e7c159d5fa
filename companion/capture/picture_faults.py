"""Detects torn frames and swapped colours by comparison with earlier frames."""

from __future__ import annotations

from collections import deque
from typing import Final

import cv2
import numpy as np

WINDOW: Final = 12
"""The number of newest frames that are judged together."""
TORN_SHARE: Final = 0.4
"""At least this share of the `WINDOW` newest frames must be torn, and at `FEWEST_HEIGHTS` different heights."""
FEWEST_HEIGHTS: Final = 3
ROWS, COLUMNS, PARTS = 144, 160, 16
"""Frames are compared at a grid of points with this many rows and columns; the width is divided into `PARTS` parts."""
CHANGED_LEVELS: Final = 16
STILL_SHARE: Final = 0.03
"""Above a tear at most this share of the points differs from the frame before; noise alone may change as many."""
PART_SHARE: Final = 0.08
"""A part of the width has changed if this share of its points has changed."""
BELOW_SHARE: Final = 0.75
BAND_SHARE: Final = 0.5
"""Below a tear at least `BELOW_SHARE` of the width has changed, and in the `BAND_ROWS` rows directly below it at
least `BAND_SHARE`. A moving hand changes less there, since only its fingertips are in these rows."""
BAND_ROWS: Final = 9
COLOURS_WH: Final = (96, 72)
COLOURED: Final = 24
"""A pixel counts as coloured if its red and blue differ by this many levels."""
FEWEST_COLOURED: Final = 12
SWAPPED_RATIO: Final = 0.35
"""Colours are swapped if exchanging red and blue reduces the difference from the last correct frame to at most this
share."""


class Tears:
    """Detects torn frames, in which the part below some row was taken at another time."""

    def __init__(self) -> None:
        """Start without frames."""
        self._last: np.ndarray | None = None
        self._heights: deque[int | None] = deque(maxlen=WINDOW)

    def push(self, image_bgr: np.ndarray) -> bool:
        """Add a frame `(H, W, 3) uint8` BGR; return whether enough of the newest frames are torn for a fault."""
        rows = np.linspace(0, image_bgr.shape[0] - 1, ROWS).astype(int)
        columns = np.linspace(0, image_bgr.shape[1] - 1, COLUMNS).astype(int)
        grey = cv2.cvtColor(image_bgr[np.ix_(rows, columns)], cv2.COLOR_BGR2GRAY).astype(np.int16)
        self._heights.append(None if self._last is None else _tear(np.abs(grey - self._last) > CHANGED_LEVELS))
        self._last = grey
        torn = [height for height in self._heights if height is not None]
        return len(torn) >= TORN_SHARE * WINDOW and len({height // BAND_ROWS for height in torn}) >= FEWEST_HEIGHTS


class Colours:
    """Detects frames with red and blue swapped, by comparison with the last correct frame."""

    def __init__(self) -> None:
        """Start without frames; the first frame counts as correct."""
        self._right: np.ndarray | None = None

    def push(self, image_bgr: np.ndarray) -> bool:
        """Add a frame `(H, W, 3) uint8` BGR; return whether its red and blue are swapped."""
        small = cv2.resize(image_bgr, COLOURS_WH, interpolation=cv2.INTER_AREA).astype(np.int16)
        right = self._right
        if right is not None:
            coloured = np.abs(right[..., 0] - right[..., 2]) > COLOURED
            if np.count_nonzero(coloured) >= FEWEST_COLOURED:
                now, before = small[coloured][:, (0, 2)], right[coloured][:, (0, 2)]
                difference = float(np.abs(now - before).mean())
                swapped_difference = float(np.abs(now[:, ::-1] - before).mean())
                if difference > COLOURED / 2 and swapped_difference < SWAPPED_RATIO * difference:
                    return True
        self._right = small
        return False


def _tear(changed: np.ndarray) -> int | None:
    """Return the row of the grid where a tear begins: below it two frames differ over the width; None if there is none.

    Args:
        changed: a mask `(ROWS, COLUMNS)` of the points that differ between a frame and the frame before.
    """
    rows = changed.mean(axis=1)
    above = np.cumsum(rows)[:-1]
    count = np.arange(1, ROWS)
    contrast = (rows.sum() - above) / (ROWS - count) - above / count
    row = int(np.argmax(contrast)) + 1
    if not BAND_ROWS <= row <= ROWS - BAND_ROWS or above[row - 1] / row > STILL_SHARE:
        return None
    parts = changed[row:].reshape(ROWS - row, PARTS, -1)
    below = (parts.mean(axis=(0, 2)) > PART_SHARE).mean()
    band = (parts[:BAND_ROWS].mean(axis=(0, 2)) > PART_SHARE).mean()
    return row if below >= BELOW_SHARE and band >= BAND_SHARE else None
