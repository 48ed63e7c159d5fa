"""Detects a camera that has stopped or hangs, or whose frames are black, torn, noise or have red and blue swapped."""

from __future__ import annotations

from collections import deque
from typing import Final

import cv2
import numpy as np

from tilekeeper.companion.capture.picture_faults import Colours, Tears
from tilekeeper.engine.language import lazy_gettext

SOON_S: Final = 1.5
"""A fault is reported once it has lasted this many seconds, so that the page shows it within two seconds."""
HOPELESS_S: Final = 8.0
"""A camera without frames for this many seconds hangs; its process is restarted."""
BLACK_LEVEL: Final = 12.0
BLACK_SPREAD: Final = 4.0
LIVELY_FRAMES: Final = 40
"""After this many different frames in a row the camera is known to be noisy: from then on two equal frames mean that
it hangs."""
LOOKED_AT_PX: Final = 64
SNOW_LEVELS: Final = 30.0
SNOW_LIKENESS: Final = 0.15
"""A frame is noise if its standard deviation is at least `SNOW_LEVELS` and its correlation at most `SNOW_LIKENESS`;
even the frames of a camera that is knocked over correlate more."""
SNOWED_FRAMES: Final = 3
TORN_FOR_S: Final = 0.5
"""The fault "torn" ends after this many seconds without a torn frame."""


class Health:
    """Detects the faults of one camera by its frames and their times."""

    def __init__(self, name: str, now_s: float) -> None:
        """Start with a healthy camera; `now_s` and all later times are in seconds of one monotonic clock."""
        self._name = name
        self._heard_s = now_s
        self._last: np.ndarray | None = None
        self._differed: deque[bool] = deque(maxlen=LIVELY_FRAMES)
        self._frozen_since_s: float | None = None
        self._black_since_s: float | None = None
        self._tears, self._colours = Tears(), Colours()
        self._torn_s = float("-inf")
        self._snowed = 0

    def push(self, image_bgr: np.ndarray, now_s: float) -> str:
        """Add a frame `(H, W, 3) uint8` BGR; return the camera's fault in one line, empty for a healthy camera."""
        self._heard_s = now_s
        small = _small(image_bgr)
        before, self._last = self._last, small
        same = before is not None and np.array_equal(small, before)
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
            return lazy_gettext("{name} keeps sending the same picture; waiting for a new one", name=self._name)
        if self._black_since_s is not None and now_s - self._black_since_s >= SOON_S:
            return lazy_gettext("{name} shows a black picture: is its lid closed, or the light off?", name=self._name)
        self._snowed = self._snowed + 1 if _is_noise(small, before) else 0
        if self._snowed >= SNOWED_FRAMES:
            return lazy_gettext("{name} shows only noise: check its cable", name=self._name)
        if self._tears.push(image_bgr):
            self._torn_s = now_s
        if now_s - self._torn_s < TORN_FOR_S:
            return lazy_gettext("{name} sends broken pictures: check its cable or the network", name=self._name)
        if self._black_since_s is None and self._colours.push(image_bgr):
            return lazy_gettext("{name} shows red as blue: unplug it and plug it in again", name=self._name)
        return ""

    @property
    def is_wary(self) -> bool:
        """Whether a fault is suspected, since the last frame was black or a repeat; then push every frame."""
        return self._frozen_since_s is not None or self._black_since_s is not None

    def hear(self, came_s: float) -> None:
        """Note the time of the newest frame, even if the frame was not passed on because nothing had changed."""
        self._heard_s = max(self._heard_s, came_s)

    def silence(self, now_s: float) -> str:
        """Return the fault in one line if no frame came for `SOON_S` seconds; otherwise an empty text."""
        if now_s - self._heard_s < SOON_S:
            return ""
        return lazy_gettext("{name} sends no pictures any more; waiting for it", name=self._name)

    def hopeless(self, now_s: float) -> bool:
        """Return whether no frame came for `HOPELESS_S` seconds, so that the camera's process must be restarted."""
        return now_s - self._heard_s >= HOPELESS_S

    def started(self, now_s: float) -> None:
        """Assume a healthy camera again, since its process was restarted."""
        self._heard_s = now_s
        self._last, self._frozen_since_s, self._black_since_s = None, None, None
        self._differed.clear()


def _small(image_bgr: np.ndarray) -> np.ndarray:
    """Return every n-th pixel in grey, about `LOOKED_AT_PX` a row; not averaged, since noise is in single pixels."""
    step = max(1, image_bgr.shape[1] // LOOKED_AT_PX)
    return cv2.cvtColor(np.ascontiguousarray(image_bgr[::step, ::step]), cv2.COLOR_BGR2GRAY)


def _is_noise(small: np.ndarray, before: np.ndarray | None) -> bool:
    """Return whether a sampled frame is noise: like neither `before` nor itself shifted by one pixel."""
    if before is None or before.shape != small.shape or small.std() < SNOW_LEVELS or before.std() < SNOW_LEVELS:
        return False
    pairs = ((small, before), (small[:, 1:], small[:, :-1]))
    return all(abs(float(np.corrcoef(one.ravel(), other.ravel())[0, 1])) < SNOW_LIKENESS for one, other in pairs)
