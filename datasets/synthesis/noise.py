"""Helpers for procedural surfaces and clutter: noise, colour and light.

All randomness comes from the `numpy.random.Generator` argument, so a seed always gives the same image. For speed,
operations on whole images are few and use uint8 or float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import cv2
import numpy as np

Colour = tuple[float, float, float]
"""A BGR colour, 0 to 255 each."""

_TILE_WH = (509, 487)  # white noise repeats with this period, which is invisible to people and networks


def white(rng: np.random.Generator, wh: tuple[int, int]) -> np.ndarray:
    """Return white noise `(h, w) float32` with mean 0 and standard deviation 1."""
    w, h = wh
    if w * h <= 1.5 * _TILE_WH[0] * _TILE_WH[1]:
        return rng.standard_normal((h, w), dtype=np.float32)
    tile_w, tile_h = min(w, _TILE_WH[0]), min(h, _TILE_WH[1])
    tile = rng.standard_normal((tile_h, tile_w), dtype=np.float32)
    return np.tile(tile, (-(-h // tile_h), -(-w // tile_w)))[:h, :w]


def fractal(
    rng: np.random.Generator,
    wh: tuple[int, int],
    cell_px: float | tuple[float, float] = 64.0,
    octaves: int = 5,
    gain: float = 0.55,
) -> np.ndarray:
    """Return fractal noise `(h, w) float32` with mean 0 and standard deviation 1.

    `cell_px`: size of the coarsest blobs (one number, or width and height for streaks). Each octave has half the size
    and `gain` times the amplitude of the one before. Octaves finer than a pixel are left out.
    """
    w, h = wh
    cell_x, cell_y = cell_px if isinstance(cell_px, tuple) else (cell_px, cell_px)
    total: np.ndarray | None = None
    amplitude = 1.0
    size = (0, 0)
    for octave in range(octaves):
        last = size
        size = (
            min(w, max(2, round(w * 2**octave / max(cell_x, 1.0)) + 1)),
            min(h, max(2, round(h * 2**octave / max(cell_y, 1.0)) + 1)),
        )
        if size == last:
            break
        layer = white(rng, size)
        if total is None:
            total = layer
        else:
            smooth = cv2.INTER_CUBIC if size[0] * size[1] < 100_000 else cv2.INTER_LINEAR
            total = cv2.addWeighted(cv2.resize(total, size, interpolation=smooth), 1.0, layer, amplitude, 0.0)
        amplitude *= gain
    assert total is not None
    if total.shape != (h, w):
        total = cv2.resize(total, wh, interpolation=cv2.INTER_CUBIC)
    mean, spread = (float(value[0, 0]) for value in cv2.meanStdDev(total))
    scale = 1.0 / max(spread, 1e-6)
    return cv2.addWeighted(total, scale, total, 0.0, -mean * scale)


def paint(values: np.ndarray, stops: Sequence[Colour], low: float = 0.0, high: float = 1.0) -> np.ndarray:
    """Colour a map `(h, w) float32` by a gradient from the first stop at `low` to the last at `high`; BGR uint8."""
    scale = 255.0 / (high - low)
    grey = cv2.addWeighted(values, scale, values, 0.0, -low * scale, dtype=cv2.CV_8U)
    places = np.linspace(0.0, 255.0, len(stops))
    table = np.stack([np.interp(np.arange(256), places, [stop[c] for stop in stops]) for c in range(3)], axis=1)
    return cv2.applyColorMap(grey, np.clip(np.rint(table), 0, 255).astype(np.uint8).reshape(256, 1, 3))


def relight(image: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """Multiply a BGR uint8 image by a (h, w) float32 map of gains, 0 to 1.99, saturating."""
    grey = cv2.addWeighted(gain, 128.0, gain, 0.0, 0.0, dtype=cv2.CV_8U)
    return cv2.multiply(image, cv2.merge([grey, grey, grey]), scale=1.0 / 128.0)


def grain(rng: np.random.Generator, image: np.ndarray, sigma: float) -> np.ndarray:
    """Add grey white noise of `sigma` levels to a BGR uint8 image."""
    h, w = image.shape[:2]
    if sigma <= 0:
        return image
    # The noise is stored around mid-grey, which is subtracted in the same pass, so that one uint8 pass is enough.
    noise = white(rng, (w, h))
    grey = cv2.addWeighted(noise, 24.0, noise, 0.0, 128.0, dtype=cv2.CV_8U)
    return cv2.addWeighted(image, 1.0, cv2.merge([grey, grey, grey]), sigma / 24.0, -128.0 * sigma / 24.0)


def jpeg_coded(image: np.ndarray, quality: int) -> np.ndarray:
    """Encode a BGR uint8 image as JPEG with this quality, 0 to 100, and decode it."""
    code = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])[1]
    decoded = cv2.imdecode(code, cv2.IMREAD_COLOR)
    assert decoded is not None  # OpenCV reads what it has just written
    return decoded


def hsv(hue_deg: float, saturation: float, value: float) -> Colour:
    """Return the BGR colour of a hue in degrees (also beyond 0 to 360), and a saturation and value from 0 to 1."""
    hue = (hue_deg % 360.0) / 60.0
    saturation, value = min(max(saturation, 0.0), 1.0), min(max(value, 0.0), 1.0)

    def channel(offset: float) -> float:
        place = (offset + hue) % 6.0
        return 255.0 * value * (1.0 - saturation * max(0.0, min(place, 4.0 - place, 1.0)))

    return channel(1.0), channel(3.0), channel(5.0)


def any_colour(
    rng: np.random.Generator, saturation: tuple[float, float] = (0.1, 0.9), value: tuple[float, float] = (0.15, 0.95)
) -> Colour:
    """Return a random colour within ranges of saturation and value; warm and muted colours are more frequent."""
    hue = float(rng.choice([rng.uniform(5, 50), rng.uniform(190, 240), rng.uniform(0, 360)], p=[0.4, 0.2, 0.4]))
    low, high = saturation
    return hsv(hue, low + (high - low) * float(rng.beta(1.1, 1.9)), rng.uniform(*value))


def mix(first: Colour, second: Colour, share: float) -> Colour:
    """Interpolate between two colours; `share` 0 gives the first, 1 the second."""
    b, g, r = (a + (z - a) * share for a, z in zip(first, second, strict=True))
    return b, g, r


def scaled(colour: Colour, gain: float) -> Colour:
    """Multiply a colour by a gain, clipped to 0 to 255."""
    b, g, r = (min(max(channel * gain, 0.0), 255.0) for channel in colour)
    return b, g, r


def plain(wh: tuple[int, int], colour: Colour) -> np.ndarray:
    """Return an image of one colour, BGR (h, w, 3) uint8."""
    return np.full((wh[1], wh[0], 3), np.rint(colour), dtype=np.uint8)


def wobble(
    rng: np.random.Generator, image: np.ndarray, cell_px: float, reach_px: float, border: int = cv2.BORDER_REFLECT_101
) -> np.ndarray:
    """Distort an image by smooth random shifts, so that no line stays straight.

    `cell_px`: size of the distortions; `reach_px`: standard deviation of the shifts.
    """
    h, w = image.shape[:2]
    # The shifts are smooth, so a quarter of the resolution is enough.
    small = (max(2, w // 4), max(2, h // 4))
    x, y = (cv2.resize(fractal(rng, small, max(2.0, cell_px / 4), 2), (w, h)) for _ in range(2))
    x = x * np.float32(reach_px) + np.arange(w, dtype=np.float32)[None, :]
    y = y * np.float32(reach_px) + np.arange(h, dtype=np.float32)[:, None]
    return cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=border)


def draw_rotated(
    rng: np.random.Generator,
    wh: tuple[int, int],
    draw: Callable[[tuple[int, int]], np.ndarray],
    angle_deg: float | None = None,
) -> np.ndarray:
    """Draw a rotated texture `(h, w, 3) uint8`; `draw` gets the size of a canvas that covers `wh` after the rotation.

    If `angle_deg` is None it is random; a third of the textures are parallel to the image's edges, as most tables are.
    """
    if angle_deg is None:
        square = rng.random() < 0.35
        angle_deg = float(rng.integers(4) * 90 + (rng.normal(0, 2.0) if square else rng.uniform(-45, 45)))
        if square and rng.random() < 0.5:
            angle_deg = float(rng.integers(2) * 90)
    w, h = wh
    cos, sin = abs(math.cos(math.radians(angle_deg))), abs(math.sin(math.radians(angle_deg)))
    canvas_w, canvas_h = math.ceil(w * cos + h * sin - 1e-6) + 2, math.ceil(w * sin + h * cos - 1e-6) + 2
    canvas = draw((canvas_w, canvas_h))
    matrix = cv2.getRotationMatrix2D((canvas_w / 2, canvas_h / 2), angle_deg, 1.0)
    matrix[:, 2] += np.array([(w - canvas_w) / 2, (h - canvas_h) / 2])
    return cv2.warpAffine(canvas, matrix, wh, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT_101)
