"""Add soft reflections of lamps to some of the tiles of an image, as on glossy tiles. No PyTorch here."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.models.evaluation.score import Truth

SHARE = 1 / 6
"""Share of tiles with a reflection."""
SPREAD, STRENGTH = (0.2, 0.6), (0.4, 0.95)
"""Standard deviation of a reflection in tile widths, and its opacity at the middle."""
LAMP_BGR = (255.0, 252.0, 246.0)


def with_reflections(rng: np.random.Generator, image_bgr: np.ndarray, truth: Truth) -> np.ndarray:
    """Return the image `(H, W, 3) uint8` with reflections of lamps on some of its tiles, at least one."""
    count = len(truth.outlines_px)
    if not count:
        return image_bgr
    height, width = image_bgr.shape[:2]
    share = np.zeros((height, width), np.float32)
    for at in rng.permutation(count)[: max(1, round(SHARE * count))]:
        outline = np.asarray(truth.outlines_px[at], np.float32)
        tile_px = max(4.0, min(cv2.minAreaRect(outline)[1]))
        middle = outline.mean(axis=0) + rng.normal(0, 0.25, 2) * tile_px
        spread, strength = rng.uniform(*SPREAD) * tile_px, rng.uniform(*STRENGTH)
        low = np.clip(np.floor(middle - 3 * spread), 0, (width, height)).astype(int)
        high = np.clip(np.ceil(middle + 3 * spread) + 1, 0, (width, height)).astype(int)
        x, y = np.arange(low[0], high[0]) - middle[0], np.arange(low[1], high[1]) - middle[1]
        spot = strength * np.exp(-(x[None] ** 2 + y[:, None] ** 2) / (2 * spread**2))
        part = share[low[1] : high[1], low[0] : high[0]]
        np.maximum(part, spot, out=part)
    lit = image_bgr + share[..., None] * (np.array(LAMP_BGR, np.float32) - image_bgr)
    reflecting: np.ndarray = np.round(np.clip(lit, 0, 255)).astype(np.uint8)
    return reflecting
