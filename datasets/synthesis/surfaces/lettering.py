"""Simple lettering for clutter and surfaces; tiles are drawn with real typefaces."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.noise import Colour

FONTS = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX, cv2.FONT_HERSHEY_TRIPLEX)


def write(
    rng: np.random.Generator, image: np.ndarray, text: str, centre: tuple[float, float], height_px: float, ink: Colour
) -> None:
    """Draw a short text on `image`, centred at a point, with capitals `height_px` high, in a random plain font."""
    face = FONTS[int(rng.integers(len(FONTS)))]
    weight = max(1, round(height_px * rng.uniform(0.07, 0.16)))
    (_, tall), _ = cv2.getTextSize("8", face, 1.0, 1)
    scale = max(height_px, 3.0) / max(tall, 1)
    (wide, tall), _ = cv2.getTextSize(text, face, scale, weight)
    at = (round(centre[0] - wide / 2), round(centre[1] + tall / 2))
    cv2.putText(image, text, at, face, scale, tuple(float(channel) for channel in ink), weight, cv2.LINE_AA)
