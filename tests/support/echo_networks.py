"""What stand-ins for networks see in the squares that they are handed: the picture again."""

from __future__ import annotations

import numpy as np


def planes_in(squares: np.ndarray) -> np.ndarray:
    """Return the pictures that were made into squares `(N, H/2, W/2, 12) uint8`: `(N, 3, H, W) uint8` RGB."""
    assert squares.dtype == np.uint8
    count, rows, columns, channels = squares.shape
    assert channels == 12
    pixels = squares.reshape(count, rows, columns, 2, 2, 3).transpose(0, 5, 1, 3, 2, 4)
    return pixels.reshape(count, 3, 2 * rows, 2 * columns)[:, ::-1]
