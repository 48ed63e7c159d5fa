"""Constant light and a fixed camera for a whole recording; only the noise differs from frame to frame."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.scene.light import illuminate

BALANCE = 0.6
"""How much of a tint the camera's white balance removes, 0 to 1."""
MEAN_GAIN = 0.93
"""Mean gain of the exposed light, by which ivory becomes light, but not white."""

GLARE = 0.35
"""Share of the glare that remains, because people set up a camera so that it sees few reflections."""


class SteadyLight:
    """The light of one call of `illuminate`, stored as a gain and an offset (glare), for the table and for tiles.

    `illuminate` is an affine function of the image, so three images determine it: black, black with tiles everywhere,
    and a constant one.
    """

    def __init__(self, rng: np.random.Generator, wh: tuple[int, int], gloss: float) -> None:
        seed = int(rng.integers(2**31))
        width, height = wh
        none, all_over = np.zeros((height, width), np.float32), np.ones((height, width), np.float32)
        black = np.zeros((height, width, 3), np.float32)

        def lit(bgr: np.ndarray, tiles: np.ndarray) -> np.ndarray:
            return illuminate(np.random.default_rng(seed), bgr, tiles, gloss)

        glare = lit(black, none)
        gain = lit(black + 1, none) - glare
        self._glare, self._tile_glare = GLARE * glare, GLARE * (lit(black, all_over) - glare)
        mean = gain.mean(axis=(0, 1))
        balance = (mean.mean() / mean) ** BALANCE
        exposure = MEAN_GAIN / float((mean * balance).mean())
        self._gain = (gain * (balance * exposure)).astype(np.float32)

    def __call__(self, bgr: np.ndarray, on_tiles: np.ndarray) -> np.ndarray:
        """Light a scene `(h, w, 3) float32`; `on_tiles (h, w)`: mask of visible tiles. Returns float32."""
        lit: np.ndarray = bgr * self._gain
        lit += self._glare
        lit[on_tiles] += self._tile_glare[on_tiles]
        return lit


class SteadyCamera:
    """One camera: its lens blur, its tone curve and its noise."""

    def __init__(self, rng: np.random.Generator, tile_px: float) -> None:
        self._blur_px = abs(float(rng.normal(0, 0.006))) * tile_px
        tone = rng.uniform(0.9, 1.15)
        self._tone = (255 * (np.arange(256) / 255) ** tone).round().astype(np.uint8)
        self._noise = float(rng.uniform(1.0, 2.5))

    def expose(self, lit: np.ndarray) -> np.ndarray:
        """Apply lens and tone to a lit scene; return `(h, w, 3) uint8`."""
        if self._blur_px > 0.3:
            lit = cv2.GaussianBlur(lit, (0, 0), self._blur_px)
        return cv2.LUT(np.clip(lit, 0, 255).astype(np.uint8), self._tone)

    def grain(self, rng: np.random.Generator, image_bgr: np.ndarray) -> np.ndarray:
        """Return the exposed image with noise from `rng`, as a new frame."""
        grain = rng.standard_normal(image_bgr.shape[:2], dtype=np.float32) * self._noise
        frame: np.ndarray = np.clip(image_bgr + grain[..., None], 0, 255).astype(np.uint8)
        return frame
