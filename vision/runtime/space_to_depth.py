"""Turns pictures into what a shipped network takes: squares of 2 × 2 pixels, each twelve bytes side by side."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Image


def squares_of(pictures_bgr: Image) -> Image:
    """Return pictures `(N, H, W, 3) uint8`, H and W even, as `(N, H/2, W/2, 12) uint8`.

    Of a square its upper two pixels come first; each pixel is blue, green, red. The first layer of a network works on
    twelve channels in a third of the time that it needs for three.
    """
    count, height, width = pictures_bgr.shape[:3]
    # two pixels are six bytes, or three pairs of bytes: OpenCV puts them together in a fifth of NumPy's time
    pairs = pictures_bgr.reshape(count * height // 2, 2, width // 2, 6).view(np.uint16)
    squares = cv2.merge([pairs[:, 0], pairs[:, 1]])
    return squares.view(np.uint8).reshape(count, height // 2, width // 2, 12)
