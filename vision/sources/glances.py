"""Tells, while nothing moves, which pictures of a camera are worth a look, from glances at an eighth of their size."""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np

from tilekeeper.vision.arrays import Image
from tilekeeper.vision.config import sources_limits as limits


class Glances:
    """Compares each glance with that at the picture that was given last; all times are of one monotonic clock."""

    def __init__(self) -> None:
        """Begin before the first picture."""
        self._newest: Image | None = None
        self._given: Image | None = None
        self._given_s = self._glanced_s = float("-inf")
        self._differed: deque[bool] = deque(maxlen=limits.lively_pictures)

    def due(self, time_s: float) -> bool:
        """Return whether it is time for a glance again."""
        return time_s - self._glanced_s >= limits.glance_every_s

    def worth(self, glance: Image, repeated: bool | None, time_s: float) -> bool:
        """Take in a glance `(H, W) uint8`, and return whether its picture is to be given.

        It is where something changed, where none was given for `rest_every_s`, and where a picture is the very one
        before (`repeated`; None where only glances can tell) though this camera's never are: it may hang.
        """
        if repeated is None:
            repeated = self._newest is not None and np.array_equal(glance, self._newest)
        self._newest = glance
        self._glanced_s = time_s
        lively = len(self._differed) == limits.lively_pictures and all(self._differed)
        hangs = repeated and lively
        if not hangs:
            self._differed.append(not repeated)
        worth = hangs or time_s - self._given_s >= limits.rest_every_s or _differ(glance, self._given)
        if worth:
            self._given, self._given_s = glance, time_s
        return worth


def _differ(glance: Image, given: Image | None) -> bool:
    """Return whether two glances differ by more than noise, or than light that changes everywhere alike."""
    if given is None or given.shape != glance.shape:
        return True
    apart = cv2.absdiff(glance, given)
    least = limits.glance_levels + limits.glance_noises * float(np.median(apart[::4, ::4]))
    return int(np.count_nonzero(apart > least)) >= limits.glance_fewest
