"""Tells a camera that works from one that has stopped, hangs, or gives black, torn or wrongly coloured pictures."""

from __future__ import annotations

from collections import deque
from typing import Final

import cv2
import numpy as np

from tilekeeper.companion.capture.picture_faults import Colours, Tears
from tilekeeper.engine.language import lazy_gettext

SOON_S: Final = 1.5
"""So long something must be wrong before it is told: people hear of it within two seconds."""
HOPELESS_S: Final = 8.0
"""A camera that has been silent for so long hangs in a read; its process is ended and started anew."""
BLACK_LEVEL: Final = 12.0
BLACK_SPREAD: Final = 4.0
LIVELY_FRAMES: Final = 40
"""So many pictures in a row differed from the one before: this camera has noise, and two equal ones are no chance."""
LOOKED_AT_PX: Final = 64
SNOW_LEVELS: Final = 30.0
SNOW_LIKENESS: Final = 0.15
"""Pictures that vary by so many levels and are so little like each other show no table: even one that is knocked over
looks more like the one before."""
SNOWED_FRAMES: Final = 3
TORN_FOR_S: Final = 0.5
"""After a torn picture so long whole ones must have come."""


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
        self._tears, self._colours = Tears(), Colours()
        self._torn_s = float("-inf")
        self._snowed = 0

    def push(self, image_bgr: np.ndarray, now_s: float) -> str:
        """Take in a picture (H, W, 3) uint8; return what is wrong in one line, empty where all is well."""
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
            return lazy_gettext("{name} sends torn pictures: check its cable or the network", name=self._name)
        if self._black_since_s is None and self._colours.push(image_bgr):
            return lazy_gettext("{name} shows red as blue: unplug it and plug it in again", name=self._name)
        return ""

    @property
    def is_wary(self) -> bool:
        """Whether what came last hangs or is black: each further picture says whether that lasts."""
        return self._frozen_since_s is not None or self._black_since_s is not None

    def hear(self, came_s: float) -> None:
        """Note when a picture came last that was not given because nothing was new in it."""
        self._heard_s = max(self._heard_s, came_s)

    def silence(self, now_s: float) -> str:
        """Say what is wrong where no picture has come; empty while that is no cause for worry."""
        if now_s - self._heard_s < SOON_S:
            return ""
        return lazy_gettext("{name} sends no more pictures; waiting for it", name=self._name)

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


def _is_noise(small: np.ndarray, before: np.ndarray | None) -> bool:
    """Whether a sparse picture has nothing to do with the one before, nor its own points with their neighbours."""
    if before is None or before.shape != small.shape or small.std() < SNOW_LEVELS or before.std() < SNOW_LEVELS:
        return False
    pairs = ((small, before), (small[:, 1:], small[:, :-1]))
    return all(abs(float(np.corrcoef(one.ravel(), other.ravel())[0, 1])) < SNOW_LIKENESS for one, other in pairs)
