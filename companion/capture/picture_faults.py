"""Tells torn pictures and swapped colours from what happens at a table, by the pictures that came before."""

from __future__ import annotations

from collections import deque
from typing import Final

import cv2
import numpy as np

WINDOW: Final = 12
"""So many of the newest pictures are looked at together."""
TORN_SHARE: Final = 0.4
"""So many of them must be torn, at other heights than each other."""
FEWEST_HEIGHTS: Final = 3
ROWS, COLUMNS, PARTS = 144, 160, 16
"""Pictures are compared at so many points, the width in so many parts."""
CHANGED_LEVELS: Final = 16
STILL_SHARE: Final = 0.03
"""Above a tear no more than this differs from the picture before; noise does."""
PART_SHARE: Final = 0.08
"""A part of the width has changed where this much of it has."""
BELOW_SHARE: Final = 0.75
BAND_SHARE: Final = 0.5
"""Below a tear so much of the width has changed, and so much right beneath it: a hand begins with its fingertips."""
BAND_ROWS: Final = 9
COLOURS_WH: Final = (96, 72)
COLOURED: Final = 24
"""Red and blue differ by so many levels where a pixel says which of them is which."""
FEWEST_COLOURED: Final = 12
SWAPPED_RATIO: Final = 0.35
"""With red and blue exchanged, such a picture differs from the one before by this share of what it does without."""


class Tears:
    """What a row of pictures says of how they are put together."""

    def __init__(self) -> None:
        """Begin with whole pictures."""
        self._last: np.ndarray | None = None
        self._heights: deque[int | None] = deque(maxlen=WINDOW)

    def push(self, image_bgr: np.ndarray) -> bool:
        """Take in a picture (H, W, 3) uint8; return whether the newest are torn."""
        rows = np.linspace(0, image_bgr.shape[0] - 1, ROWS).astype(int)
        columns = np.linspace(0, image_bgr.shape[1] - 1, COLUMNS).astype(int)
        grey = cv2.cvtColor(image_bgr[np.ix_(rows, columns)], cv2.COLOR_BGR2GRAY).astype(np.int16)
        self._heights.append(None if self._last is None else _tear(np.abs(grey - self._last) > CHANGED_LEVELS))
        self._last = grey
        torn = [height for height in self._heights if height is not None]
        return len(torn) >= TORN_SHARE * WINDOW and len({height // BAND_ROWS for height in torn}) >= FEWEST_HEIGHTS


class Colours:
    """What a row of pictures says of the order of their colours."""

    def __init__(self) -> None:
        """Begin with colours that are right."""
        self._right: np.ndarray | None = None

    def push(self, image_bgr: np.ndarray) -> bool:
        """Take in a picture (H, W, 3) uint8; return whether red and blue have changed places since they were right."""
        small = cv2.resize(image_bgr, COLOURS_WH, interpolation=cv2.INTER_AREA).astype(np.int16)
        right = self._right
        if right is not None:
            coloured = np.abs(right[..., 0] - right[..., 2]) > COLOURED
            if np.count_nonzero(coloured) >= FEWEST_COLOURED:
                there, before = small[coloured][:, (0, 2)], right[coloured][:, (0, 2)]
                differs = float(np.abs(there - before).mean())
                exchanged = float(np.abs(there[:, ::-1] - before).mean())
                if differs > COLOURED / 2 and exchanged < SWAPPED_RATIO * differs:
                    return True
        self._right = small
        return False


def _tear(changed: np.ndarray) -> int | None:
    """Return the row from which on a picture differs over its whole width from the one before; None for no such row.

    Args:
        changed: where it differs, `(ROWS, COLUMNS)` of bool.
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
