"""From scene light to a phone's picture: white balance, exposure, tone curve, and the sensor of rendered tables."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.scene.light import take

WHITE_BALANCE = 0.35, 1.0
"""How far the phone removes the tint of the light, from its warmest setting to fully."""
GREY = 0.16, 0.34
"""Mean linear brightness that the exposure aims at."""
FACE_LIGHT = 0.22, 1.15
"""Linear brightness of the tiles' faces: from a dim evening to slightly burnt out."""
SHARE_OF_BLUR = 0.5
"""`take` was made for perfectly sharp drawings; a traced picture already has the blur of its pixels."""


def develop(rng: np.random.Generator, linear_rgb: np.ndarray, faces: np.ndarray, tile_px: float) -> np.ndarray:
    """Return the picture, BGR `(H, W, 3) uint8`, of scene light; `faces (H, W) bool` are the pixels of tile faces."""
    white = np.median(linear_rgb[faces], axis=0) if faces.any() else linear_rgb.mean(axis=(0, 1))
    white = np.maximum(white, 1e-4)
    share = rng.uniform(*WHITE_BALANCE) if rng.random() < 0.85 else rng.uniform(0, 0.4)
    tint = (white.mean() / white) ** share * (1 + rng.normal(0, 0.02, 3))
    balanced = linear_rgb * tint.astype(np.float32)
    gain = rng.uniform(*GREY) / max(float(np.minimum(balanced, 4 * white.mean()).mean()), 1e-4)
    level = float((white * tint).mean())
    gain = float(np.clip(gain * level, *FACE_LIGHT)) / level
    exposed = balanced * np.float32(gain)
    knee = 0.7  # a soft shoulder: highlights are compressed, not clipped
    over = np.maximum(exposed - knee, 0)
    toned = np.minimum(exposed, knee) + (1 - knee) * (1 - np.exp(-over / (1 - knee)))
    srgb = np.where(toned <= 0.0031308, toned * 12.92, 1.055 * np.maximum(toned, 1e-6) ** (1 / 2.4) - 0.055)
    radius = rng.uniform(0.05, 0.3)
    y, x = np.mgrid[-1 : 1 : toned.shape[0] * 1j, -1 : 1 : toned.shape[1] * 1j]
    vignette = 1 - radius * 0.5 * (x**2 + y**2) / 2
    picture = np.ascontiguousarray((srgb * vignette[..., None] * 255)[..., ::-1], np.float32)
    return take(rng, picture, tile_px, SHARE_OF_BLUR)


def write_jpeg(path: str, image_bgr: np.ndarray) -> None:
    """Write a picture as JPEG of good quality; the phone's own loss is in the picture."""
    cv2.imwrite(path, image_bgr, [cv2.IMWRITE_JPEG_QUALITY, 94])
