"""Light and camera of a rendered scene: tint, gradients, shadows, glare, lens, noise, JPEG."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.noise import jpeg_coded


def _smooth_field(rng: np.random.Generator, wh: tuple[int, int], cells: int) -> np.ndarray:
    """Return a smooth random field `(h, w) float32` with a mean of about 0 and a standard deviation of about 1."""
    coarse = rng.normal(0, 1, (cells, cells)).astype(np.float32)
    return cv2.resize(coarse, wh, interpolation=cv2.INTER_CUBIC)


def illuminate(rng: np.random.Generator, bgr: np.ndarray, tiles: np.ndarray, gloss: float) -> np.ndarray:
    """Light a scene `(h, w, 3) float32`, 0 to 255, by a random light: gradient, shadow, tint, exposure and glare.

    `tiles (h, w) float32`: mask of the tiles, on which glare is stronger by their `gloss`, 0 to 1.
    """
    height, width = bgr.shape[:2]
    wh = width, height
    x, y = np.linspace(-0.5, 0.5, width, dtype=np.float32), np.linspace(-0.5, 0.5, height, dtype=np.float32)
    angle, slope = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.5) ** 1.5
    light = (
        1
        + slope * (np.cos(angle) * x[None] + np.sin(angle) * y[:, None])
        + rng.uniform(0, 0.09) * _smooth_field(rng, wh, 5)
    )
    if rng.random() < 0.3:  # vignette
        light *= 1 - rng.uniform(0.2, 0.9) * (x[None] ** 2 + y[:, None] ** 2)
    if rng.random() < 0.35:  # somebody's shadow
        shadow = np.ones((height, width), np.float32)
        centre = rng.uniform(-0.1, 1.1, 2) * wh
        points = centre + rng.normal(0, 0.3, (int(rng.integers(3, 6)), 2)) * wh
        cv2.fillConvexPoly(shadow, cv2.convexHull(points.astype(np.int32)), float(rng.uniform(0.45, 0.85)), cv2.LINE_AA)
        small = cv2.resize(shadow, (width // 4, height // 4), interpolation=cv2.INTER_AREA)
        light *= cv2.resize(cv2.GaussianBlur(small, (0, 0), rng.uniform(1, 18)), wh)
    warm = rng.normal(0.05, 0.14) if rng.random() < 0.7 else rng.uniform(-0.2, 0.5)
    tint = np.array([1 - 0.75 * warm, 1 - 0.08 * abs(warm) + rng.normal(0, 0.025), 1 + 0.35 * warm], np.float32)
    exposure = rng.uniform(0.55, 1.12)
    lit: np.ndarray = bgr * (light * exposure)[..., None] * tint
    for _ in range(int(rng.integers(0, 4)) if rng.random() < 0.4 else 0):  # glare of a lamp or window
        spot: np.ndarray = np.zeros((height // 8 + 1, width // 8 + 1), np.float32)
        middle = int(rng.uniform(0, spot.shape[1])), int(rng.uniform(0, spot.shape[0]))
        axes = int(rng.uniform(2, 0.2 * spot.shape[1])), int(rng.uniform(2, 0.12 * spot.shape[0]))
        cv2.ellipse(spot, middle, axes, rng.uniform(0, 180), 0, 360, 1.0, -1)
        spot = cv2.resize(cv2.GaussianBlur(spot, (0, 0), rng.uniform(0.8, 6)), wh)
        lit += (spot * (0.25 + 0.75 * gloss * tiles) * rng.uniform(30, 190))[..., None]
    return lit


def _motion_blur(rng: np.random.Generator, image: np.ndarray, length_px: float) -> np.ndarray:
    size = max(3, int(length_px) | 1)
    kernel = np.zeros((size, size), np.float32)
    angle = rng.uniform(0, np.pi)
    reach = np.array([np.cos(angle), np.sin(angle)]) * length_px / 2
    centre = np.array([size / 2 - 0.5] * 2)
    cv2.line(
        kernel,
        tuple(np.round(centre - reach).astype(int).tolist()),
        tuple(np.round(centre + reach).astype(int).tolist()),
        1.0,
        1,
        cv2.LINE_AA,
    )
    return cv2.filter2D(image, -1, kernel / max(kernel.sum(), 1e-6))


def take(rng: np.random.Generator, lit: np.ndarray, tile_px: float, rough: float = 1.0) -> np.ndarray:
    """Photograph a lit scene: apply lens blur, motion blur, tone, noise and JPEG; return uint8.

    `tile_px`: width of a tile, to which blurs are relative; `rough`: factor on blur and noise.
    """
    image = lit
    blur = abs(rng.normal(0, 0.012 * rough)) * tile_px
    if blur > 0.35:
        image = cv2.GaussianBlur(image, (0, 0), blur)
    if rng.random() < 0.15 * rough:
        image = _motion_blur(rng, image, rng.uniform(0.02, 0.09) * tile_px)
    tone = rng.uniform(0.75, 1.3)
    image = 255 * (np.clip(image, 0, 290) / 255) ** tone
    if rng.random() < 0.3:  # local contrast of a phone
        image = image + rng.uniform(0.2, 1.0) * (image - cv2.GaussianBlur(image, (0, 0), rng.uniform(0.8, 2.5)))
    noise = rng.uniform(0, 9) * rough if rng.random() < 0.6 else 0.5
    grain = rng.normal(0, 1, image.shape[:2]).astype(np.float32)
    colour = cv2.resize(
        rng.normal(0, 1, (image.shape[0] // 2, image.shape[1] // 2, 3)).astype(np.float32), image.shape[1::-1]
    )
    image = image + noise * (0.8 * grain[..., None] + 0.7 * colour)
    image = np.clip(image, 0, 255).astype(np.uint8)
    if rng.random() < 0.7:
        quality = int(rng.integers(40, 96))
        image = jpeg_coded(image, quality)
    return image
