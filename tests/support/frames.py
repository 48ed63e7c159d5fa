"""A frame for tests and benches that push images to a `FrameReader`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """A frame of a stream: its image `(H, W, 3) uint8` BGR and its time in seconds."""

    image_bgr: np.ndarray
    time_s: float
