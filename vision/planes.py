"""Turns pictures into what a network takes: from BGR to RGB, and each channel a plane of its own."""

from __future__ import annotations

import cv2
import numpy as np


def planes_of(pictures_bgr: np.ndarray) -> np.ndarray:
    """Return pictures `(N, H, W, 3)`, uint8 or float32, as `(N, 3, H, W) float32` RGB of the same levels."""
    count, height, width = pictures_bgr.shape[:3]
    planes = np.empty((count, 3, height, width), np.float32)
    # channels are parted while they are bytes: a blob is made of floats, which takes six times as long
    for channel, plane in enumerate(reversed(cv2.split(pictures_bgr.reshape(-1, width, 3)))):
        planes[:, channel] = plane.reshape(count, height, width)
    return planes
