"""Change detection on thumbnails: decides which frames of a camera must be delivered while nothing moves."""

from __future__ import annotations

from collections import deque

import cv2
import numpy as np

from tilekeeper.vision.arrays import Image

# While nothing moves, a thumbnail is checked at this interval in seconds; a hand is noticed within 100 ms.
THUMBNAIL_INTERVAL_S = 0.045
# After this many seconds a full frame is delivered in any case, so the reading is checked about once a second.
FULL_FRAME_INTERVAL_S = 0.9
# A thumbnail pixel has changed if it differs by more than this many levels plus the noise allowance.
MIN_THUMBNAIL_CHANGE_LEVELS = 6.0
# The noise allowance is this many times the median difference between the two thumbnails.
THUMBNAIL_NOISE_RATIO = 6.0
# A thumbnail has changed if at least this many pixels differ; a fingertip at full HD covers ten.
MIN_CHANGED_PIXEL_COUNT = 3
# After this many frames in a row that all differ, an exact repeat of a frame means that the camera may hang.
MIN_NOISY_FRAMES = 40


class ThumbnailFilter:
    """Compares each thumbnail with the thumbnail of the last delivered frame; times are of one monotonic clock."""

    def __init__(self) -> None:
        self._newest: Image | None = None
        self._given: Image | None = None
        self._given_s = self._glanced_s = float("-inf")
        self._differed: deque[bool] = deque(maxlen=MIN_NOISY_FRAMES)

    def is_due(self, time_s: float) -> bool:
        """Return whether it is time for the next thumbnail."""
        return time_s - self._glanced_s >= THUMBNAIL_INTERVAL_S

    def is_needed(self, thumbnail: Image, is_repeat: bool | None, time_s: float) -> bool:
        """Compare a thumbnail `(H, W) uint8`; return whether its frame must be delivered.

        The frame is needed if something changed, if no frame was delivered for `FULL_FRAME_INTERVAL_S`, or if it
        repeats the frame before exactly although this camera otherwise never does: the camera may hang then. If
        `is_repeat` is None, the thumbnails show whether the frame is a repeat.
        """
        if is_repeat is None:
            is_repeat = self._newest is not None and np.array_equal(thumbnail, self._newest)
        self._newest = thumbnail
        self._glanced_s = time_s
        is_noisy_camera = len(self._differed) == MIN_NOISY_FRAMES and all(self._differed)
        hangs = is_repeat and is_noisy_camera
        if not hangs:
            self._differed.append(not is_repeat)
        is_needed = hangs or time_s - self._given_s >= FULL_FRAME_INTERVAL_S or _differ(thumbnail, self._given)
        if is_needed:
            self._given, self._given_s = thumbnail, time_s
        return is_needed


def _differ(thumbnail: Image, delivered: Image | None) -> bool:
    """Return whether two thumbnails differ by more than noise and an even change of light."""
    if delivered is None or delivered.shape != thumbnail.shape:
        return True
    differences = cv2.absdiff(thumbnail, delivered)
    threshold = MIN_THUMBNAIL_CHANGE_LEVELS + THUMBNAIL_NOISE_RATIO * float(np.median(differences[::4, ::4]))
    return int(np.count_nonzero(differences > threshold)) >= MIN_CHANGED_PIXEL_COUNT
