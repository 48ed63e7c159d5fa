"""Tells, while nothing moves, which pictures of a camera are worth a look, from glances at an eighth of their size."""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np

from tilekeeper.vision.arrays import Image

# While nothing moves, a thumbnail of the frame is checked at this interval; a hand is noticed within 100 ms.
THUMBNAIL_INTERVAL_S = 0.045
# The first thumbnail after this time delivers a full frame, so the reading is checked at least once a second.
FULL_FRAME_INTERVAL_S = 0.9
# A thumbnail pixel has changed if it differs by more than this plus the noise allowance.
MIN_THUMBNAIL_CHANGE_LEVELS = 6.0
# The noise allowance is this many times the median difference between the two thumbnails.
THUMBNAIL_NOISE_RATIO = 6.0
# A thumbnail has changed if at least this many pixels differ; a fingertip at full HD covers ten.
MIN_CHANGED_PIXEL_COUNT = 3
# After this many frames that all differ from the one before, an exact repeat means that the camera hangs.
MIN_NOISY_FRAMES = 40


class Glances:
    """Compares each glance with that at the picture that was given last; all times are of one monotonic clock."""

    def __init__(self) -> None:
        """Begin before the first picture."""
        self._newest: Image | None = None
        self._given: Image | None = None
        self._given_s = self._glanced_s = float("-inf")
        self._differed: deque[bool] = deque(maxlen=MIN_NOISY_FRAMES)

    def due(self, time_s: float) -> bool:
        """Return whether it is time for a glance again."""
        return time_s - self._glanced_s >= THUMBNAIL_INTERVAL_S

    def worth(self, glance: Image, repeated: bool | None, time_s: float) -> bool:
        """Take in a glance `(H, W) uint8`, and return whether its picture is to be given.

        It is where something changed, where none was given for `rest_every_s`, and where a picture is the very one
        before (`repeated`; None where only glances can tell) though this camera's never are: it may hang.
        """
        if repeated is None:
            repeated = self._newest is not None and np.array_equal(glance, self._newest)
        self._newest = glance
        self._glanced_s = time_s
        lively = len(self._differed) == MIN_NOISY_FRAMES and all(self._differed)
        hangs = repeated and lively
        if not hangs:
            self._differed.append(not repeated)
        worth = hangs or time_s - self._given_s >= FULL_FRAME_INTERVAL_S or _differ(glance, self._given)
        if worth:
            self._given, self._given_s = glance, time_s
        return worth


def _differ(glance: Image, given: Image | None) -> bool:
    """Return whether two glances differ by more than noise, or than light that changes everywhere alike."""
    if given is None or given.shape != glance.shape:
        return True
    apart = cv2.absdiff(glance, given)
    least = MIN_THUMBNAIL_CHANGE_LEVELS + THUMBNAIL_NOISE_RATIO * float(np.median(apart[::4, ::4]))
    return int(np.count_nonzero(apart > least)) >= MIN_CHANGED_PIXEL_COUNT
