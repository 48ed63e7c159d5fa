"""Light that stays the same over a whole recording, and the fixed camera that takes its frames, each with new noise."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.scene.light import illuminate

BALANCE = 0.6
"""How much of a tint the camera's white balance takes out, 0 to 1."""
MEAN_GAIN = 0.93
"""What the camera's exposure makes of the light on average, so that ivory comes out light and not white."""

GLARE = 0.35
"""How much of the glare stays: whoever sets a camera up for an evening sees to it that no lamp blinds it."""


class SteadyLight:
    """One draw of `illuminate`, kept as what it does to a picture: a gain and glare, on the table and on tiles.

    The light multiplies and adds, so three pictures (white, black, black with tiles all over) tell all about it.
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
        """Light a scene `(h, w, 3) float32`; `on_tiles (h, w) bool` is where tiles show. Returns float32."""
        lit: np.ndarray = bgr * self._gain
        lit += self._glare
        lit[on_tiles] += self._tile_glare[on_tiles]
        return lit


class SteadyCamera:
    """The lens, tone and noise of one camera."""

    def __init__(self, rng: np.random.Generator, tile_px: float) -> None:
        self._blur_px = abs(float(rng.normal(0, 0.006))) * tile_px
        tone = rng.uniform(0.9, 1.15)
        self._tone = (255 * (np.arange(256) / 255) ** tone).round().astype(np.uint8)
        self._noise = float(rng.uniform(1.0, 2.5))

    def expose(self, lit: np.ndarray) -> np.ndarray:
        """What the lens and the tone make `(h, w, 3) uint8` of a lit scene."""
        if self._blur_px > 0.3:
            lit = cv2.GaussianBlur(lit, (0, 0), self._blur_px)
        return cv2.LUT(np.clip(lit, 0, 255).astype(np.uint8), self._tone)

    def grain(self, rng: np.random.Generator, image_bgr: np.ndarray) -> np.ndarray:
        """One frame of what was exposed, with noise of its own from `rng`."""
        grain = rng.standard_normal(image_bgr.shape[:2], dtype=np.float32) * self._noise
        frame: np.ndarray = np.clip(image_bgr + grain[..., None], 0, 255).astype(np.uint8)
        return frame
