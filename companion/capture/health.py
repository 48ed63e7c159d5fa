"""Tells a camera that works from one that has stopped, hangs on one picture, or gives nothing but black."""

from __future__ import annotations

from collections import deque
from typing import Final

import cv2
import numpy as np

SOON_S: Final = 1.5
"""So long something must be wrong before it is told: people hear of it within two seconds."""
HOPELESS_S: Final = 8.0
"""A camera that has been silent for so long hangs in a read; its process is ended and started anew."""
BLACK_LEVEL: Final = 12.0
BLACK_SPREAD: Final = 4.0
LIVELY_FRAMES: Final = 40
"""So many pictures in a row differed from the one before: this camera has noise, and two equal ones are no chance."""
LOOKED_AT_PX: Final = 64


class Health:
    """What a row of pictures says of the camera that gives them."""

    def __init__(self, name: str, now_s: float) -> None:
        """Begin with a camera that works; all times are of one monotonic clock."""
        self._name = name
        self._heard_s = now_s
        self._last: np.ndarray | None = None
        self._differed: deque[bool] = deque(maxlen=LIVELY_FRAMES)
        self._frozen_since_s: float | None = None
        self._black_since_s: float | None = None

    def push(self, image_bgr: np.ndarray, now_s: float) -> str:
        """Take in a picture (H, W, 3) uint8; return what is wrong in one line, empty where all is well."""
        self._heard_s = now_s
        small = _small(image_bgr)
        same = self._last is not None and np.array_equal(small, self._last)
        self._last = small
        lively = len(self._differed) == LIVELY_FRAMES and all(self._differed)
        if not same:
            self._differed.append(True)
            self._frozen_since_s = None
        elif lively or self._frozen_since_s is not None:
            self._frozen_since_s = now_s if self._frozen_since_s is None else self._frozen_since_s
        else:
            self._differed.append(False)
        black = float(small.mean()) < BLACK_LEVEL and float(small.std()) < BLACK_SPREAD
        self._black_since_s = None if not black else now_s if self._black_since_s is None else self._black_since_s
        if self._frozen_since_s is not None and now_s - self._frozen_since_s >= SOON_S:
            return f"{self._name} hangs on one picture; waiting for a new one"
        if self._black_since_s is not None and now_s - self._black_since_s >= SOON_S:
            return f"{self._name} gives a black picture: is its lid closed, or the light off?"
        return ""

    def silence(self, now_s: float) -> str:
        """Say what is wrong where no picture has come; empty while that is no cause for worry."""
        if now_s - self._heard_s < SOON_S:
            return ""
        return f"{self._name} gives no pictures any more; waiting for it"

    def hopeless(self, now_s: float) -> bool:
        """Whether it has been silent for so long that its process is better started anew."""
        return now_s - self._heard_s >= HOPELESS_S

    def started(self, now_s: float) -> None:
        """Begin to wait anew: its process was started again."""
        self._heard_s = now_s
        self._last, self._frozen_since_s, self._black_since_s = None, None, None
        self._differed.clear()


def _small(image_bgr: np.ndarray) -> np.ndarray:
    """A sparse sample: noise shows in single pixels, and a mean would wash it out."""
    step = max(1, image_bgr.shape[1] // LOOKED_AT_PX)
    return cv2.cvtColor(np.ascontiguousarray(image_bgr[::step, ::step]), cv2.COLOR_BGR2GRAY)
