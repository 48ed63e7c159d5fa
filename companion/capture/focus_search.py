"""The focus search: measures the sharpness at several lens positions, coarse to fine, and chooses the sharpest one."""

from __future__ import annotations

from collections.abc import Generator
from typing import Final

import cv2
import numpy as np

from tilekeeper.vision.arrays import Image

COARSE_POSITIONS: Final = 9
"""The number of evenly spaced positions of the coarse search; their distance is less than the width of a webcam's
peak."""
FINE_SHARE: Final = 1 / 60
"""The smallest step, as a share of the lens's range; smaller steps made the image of no webcam visibly sharper."""
CLEARLY_BETTER: Final = 1.1
"""The lens leaves its first position only if another one is this many times as sharp; noise alone gives up to 1.05."""
NOISE_BLUR_PX: Final = 3
"""The size of the blur before the Laplacian, which would count the noise of single pixels as sharpness."""


def measure_sharpness(image_bgr: Image) -> float:
    """Return the sharpness of an image `(H, W, 3) uint8` BGR: the variance of its Laplacian, higher is sharper."""
    grey = cv2.cvtColor(image_bgr, cv2.COLOR_BGR2GRAY)
    smooth = cv2.GaussianBlur(grey, (NOISE_BLUR_PX, NOISE_BLUR_PX), 0)
    _, deviation = cv2.meanStdDev(cv2.Laplacian(smooth, cv2.CV_16S))
    return float(deviation[0, 0]) ** 2


def search_focus(start: float, least: float, most: float) -> Generator[float, float, float]:
    """Search the sharpest lens position, coarse to fine; a generator.

    Yields each position to move the lens to; the caller must send the sharpness at that position. Returns the sharpest
    position, or `start` if no other position is clearly sharper.

    Args:
        start: the current position.
        least: the first position of the range.
        most: the last position of the range.
    """
    sharpness = {start: (yield start)}
    # The lens moves from one end to the other, since it finishes small steps soon and comes from the same side.
    for position in np.linspace(least, most, COARSE_POSITIONS).tolist():
        sharpness[position] = yield position
    step = (most - least) / (COARSE_POSITIONS - 1)
    while step / 2 >= FINE_SHARE * (most - least):
        step /= 2
        best = max(sharpness, key=sharpness.__getitem__)
        for position in (best - step, best + step):
            if least <= position <= most and position not in sharpness:
                sharpness[position] = yield position
    best = max(sharpness, key=sharpness.__getitem__)
    if best == start:
        return start
    # The highest of many noisy measurements is biased upwards, so its position is measured again.
    remeasured = yield best
    return best if remeasured >= CLEARLY_BETTER * sharpness[start] else start
