"""Image augmentation: lamps, shadows, blur, motion blur, noise and JPEG. NumPy and OpenCV, no PyTorch."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.datasets.synthesis.noise import jpeg_coded
from tilekeeper.models.training.lamps import GAMMA, black_body, measured_lamp, relight

LAMPS = 0.28
"""Share of images lit by a lamp that the white balance leaves uncorrected."""
WARM_K, COLD_K = (2200.0, 4500.0), (8000.0, 14000.0)
"""Colour temperatures of these lamps in kelvin."""
MEASURED = 0.5
"""Share of lamps with a measured spectrum, in dim light as well; all others are black bodies."""
ROLLED, ROLLED_LEAN, ROLLED_WAVE, ROLLED_PERIOD = 0.1, 0.1, 0.06, (3.0, 12.0)
"""Rolling shutter: share of images, largest shear, and largest amplitude and period of the wave of a shaking camera,
both in tile widths."""

BLOWN, TOO_BRIGHT = 0.12, (1.3, 1.9)
"""Share of overexposed images, and the gain of their values."""
SHADOWS = 0.22
"""Share of images with the edge of a shadow, as of a window frame, a lamp or an arm."""
LEFT_IN_SHADE = 0.2, 0.75
"""Gain of sRGB values in a shadow, which leaves 4 to 53 % of the linear light."""

HALOS, SMOOTHED, WEBCAMS = 0.08, 0.05, 0.1
"""Shares of images with halos from a phone's tone mapping, with a smoothing filter, and from a webcam, which has a
quarter of the colour resolution and a coarse JPEG."""
EVENING_K, EVENING_LIGHT, EVENING_SHAKE_PX = (2700.0, 6500.0), (0.45, 1.1), 1.5
EVENING_ELECTRONS, EVENING_READ_NOISE = (1000.0, 4000.0), 8.0
EVENING_SHARPER, EVENING_JPEG = 1.0, (50, 93)
"""A phone in dim light: the colour of the lamp that its white balance leaves (as a black body), the exposure, the
largest motion blur, the electrons at white and the read noise (standard deviation, in electrons), the strongest
sharpening and the JPEG quality."""


def recolour(rng: np.random.Generator, image: np.ndarray, strength: float = 1.0, lamps: float = LAMPS) -> np.ndarray:
    """Change white balance, tone, saturation, gradient, shadow and glare of an image `(H, W, 3) float32`, 0 to 255.

    `strength`: factor on the frequency and the size of the changes; `lamps`: share of images lit by a lamp, at strength
    1 (0 if `photograph_in_dim_light` follows, which adds a lamp itself).
    """
    height, width = image.shape[:2]
    if rng.random() < lamps * strength:
        kelvin = float(np.exp(rng.uniform(*np.log(WARM_K if rng.random() < 0.8 else COLD_K))))
        image = relight(image, measured_lamp(rng) if rng.random() < MEASURED else black_body(kelvin))
    warm = rng.normal(0, 0.12) * strength if rng.random() < 0.75 else rng.uniform(-0.25, 0.55) * strength
    gains = np.array(
        [1 - 0.7 * warm, 1 - 0.06 * abs(warm) + rng.normal(0, 0.02 * strength), 1 + 0.3 * warm], np.float32
    )
    gain = float(np.exp(rng.normal(-0.05, 0.28 * strength)))
    if rng.random() < BLOWN * strength:
        gain *= rng.uniform(*TOO_BRIGHT)
    image = image * (gains * gain)
    if rng.random() < 0.35:
        grey = image.mean(axis=2, keepdims=True)
        image = grey + (image - grey) * rng.uniform(0.6, 1.35)
    if rng.random() < 0.5:
        angle, slope = rng.uniform(0, 2 * np.pi), rng.uniform(0, 0.8) * strength
        x, y = np.linspace(-0.5, 0.5, width, dtype=np.float32), np.linspace(-0.5, 0.5, height, dtype=np.float32)
        image = image * (1 + slope * (np.cos(angle) * x[None] + np.sin(angle) * y[:, None]))[..., None]
    if rng.random() < SHADOWS * strength:
        image = cast_shadow(rng, image)
    if rng.random() < 0.15:
        spot = np.zeros((max(2, height // 8), max(2, width // 8)), np.float32)
        centre = int(rng.uniform(0, spot.shape[1])), int(rng.uniform(0, spot.shape[0]))
        axes = int(rng.uniform(1, 0.25 * spot.shape[1])) + 1, int(rng.uniform(1, 0.15 * spot.shape[0])) + 1
        cv2.ellipse(spot, centre, axes, rng.uniform(0, 180), 0, 360, 1.0, -1)
        spot = cv2.resize(cv2.GaussianBlur(spot, (0, 0), rng.uniform(0.8, 5)), (width, height))
        image = image + spot[..., None] * rng.uniform(20, 150)
    if rng.random() < 0.6:
        image = 255 * cv2.pow(
            np.clip(image, 0, 300) * np.float32(1 / 255), float(np.exp(rng.normal(0, 0.25 * strength)))
        )
    return image


def cast_shadow(rng: np.random.Generator, image: np.ndarray) -> np.ndarray:
    """Cast a shadow on one side of a straight line, or in a strip or beside it, with a hard or a soft edge.

    The light that remains in the shadow is usually a little bluer than the lamp's.
    """
    height, width = image.shape[:2]
    angle, size = rng.uniform(0, 2 * np.pi), float(np.hypot(height, width))
    x, y = np.arange(width, dtype=np.float32) - width / 2, np.arange(height, dtype=np.float32) - height / 2
    across = np.cos(angle) * x[None] + np.sin(angle) * y[:, None] - rng.uniform(-0.35, 0.35) * size
    if rng.random() < 0.35:
        across = np.abs(across) - rng.uniform(0.03, 0.3) * size  # a strip: a window bar, an arm
    if rng.random() < 0.3:
        across = -across
    soft = float(np.exp(rng.uniform(np.log(0.5), np.log(0.15 * size))))
    shade = np.clip(across / soft + 0.5, 0, 1).astype(np.float32)[..., None]
    blue = rng.normal(0.06, 0.08)
    remaining = rng.uniform(*LEFT_IN_SHADE) * np.array([1 + blue, 1, 1 - blue], np.float32)
    shaded: np.ndarray = image * (1 - shade * (1 - remaining))
    return shaded


def motion_blur(image: np.ndarray, angle: float, length_px: float) -> np.ndarray:
    """Blur an image `(H, W, 3) float32` along a line, exact to a fraction of a pixel.

    `angle`: of the line, in radians from right to down; `length_px`: of the line, 0 or more. In linear light this
    equals the motion blur of an open shutter.
    """
    offsets_px = np.linspace(-length_px / 2, length_px / 2, max(9, 4 * int(np.ceil(length_px)) + 1))
    reach = int(np.ceil(length_px / 2)) + 1
    kernel = np.zeros((2 * reach + 1, 2 * reach + 1))
    for x, y in np.column_stack([offsets_px * np.cos(angle), offsets_px * np.sin(angle)]) + reach:
        left, top = int(x), int(y)
        u, v = x - left, y - top
        kernel[top : top + 2, left : left + 2] += [[(1 - u) * (1 - v), u * (1 - v)], [(1 - u) * v, u * v]]
    kernel /= kernel.sum()
    return np.asarray(cv2.filter2D(image, -1, kernel, borderType=cv2.BORDER_REPLICATE))


def row_shifts_px(rng: np.random.Generator, rows: np.ndarray, tile_px: float) -> np.ndarray:
    """Return the horizontal shift of each of the `rows` under a rolling shutter, in pixels.

    A moving camera shears the image, a shaking one bends it to a wave. On a single tile the wave is nearly a shear,
    which the classifier's crops have anyway, so only the detector's samples use this.
    """
    lean, wave = rng.uniform(-ROLLED_LEAN, ROLLED_LEAN), rng.uniform(0, ROLLED_WAVE) * tile_px
    period, start = rng.uniform(*ROLLED_PERIOD) * tile_px, rng.uniform(0, 2 * np.pi)
    shifts: np.ndarray = lean * (rows - rows.mean()) + wave * np.sin(2 * np.pi * rows / period + start)
    return shifts.astype(np.float32)


def shift_rows(image: np.ndarray, shifts_px: np.ndarray) -> np.ndarray:
    """Shift the rows of an image `(H, W)` or `(H, W, 3)` right by `shifts_px (H,)`; edge pixels are repeated."""
    height, width = image.shape[:2]
    x = np.arange(width, dtype=np.float32)[None] - shifts_px[:, None]
    y = np.repeat(np.arange(height, dtype=np.float32)[:, None], width, axis=1)
    return np.asarray(cv2.remap(image, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))


def degrade(rng: np.random.Generator, image: np.ndarray, tile_px: float, harm: float = 1.0) -> np.ndarray:
    """Degrade an image `(H, W, 3) float32` by blur, motion blur, noise, sharpening and JPEG; return uint8.

    Blurs are relative to `tile_px`, a tile's width; `harm`: factor on the frequency of most changes.
    """
    if rng.random() < 0.4 * harm:
        sigma = abs(rng.normal(0, 0.02)) * tile_px + rng.uniform(0, 0.7)
        if sigma > 0.3:
            image = cv2.GaussianBlur(image, (0, 0), sigma)
    if rng.random() < 0.22 * harm:
        image = motion_blur(image, rng.uniform(0, np.pi), 1 + rng.uniform(0.01, 0.13) * tile_px)
    if rng.random() < 0.25:
        image = image + rng.uniform(0.2, 1.2) * (image - cv2.GaussianBlur(image, (0, 0), rng.uniform(0.7, 2)))
    if rng.random() < 0.5 * harm:
        noise = rng.uniform(1, 16)
        grain = cv2.randn(np.empty(image.shape[:2], np.float32), np.zeros(1), np.ones(1))
        image = image + (noise * grain)[..., None]
        if rng.random() < 0.5:
            half = np.empty((image.shape[0] // 2 + 1, image.shape[1] // 2 + 1, 3), np.float32)
            cv2.randn(half, np.zeros(3), np.ones(3))
            image = image + noise * 0.8 * cv2.resize(half, image.shape[1::-1])
    image = np.clip(image, 0, 255).astype(np.uint8)
    if rng.random() < 0.5 * harm:
        quality = int(rng.integers(30, 95))
        image = jpeg_coded(image, quality)
    return image


def photograph_in_dim_light(rng: np.random.Generator, image: np.ndarray) -> np.ndarray:
    """Simulate a phone in dim light: lamp, low light with noise, motion blur, sharpening and JPEG, all at once.

    `image (H, W, 3) float32` BGR, 0 to 255, at the resolution of the phone; returns uint8. `recolour` and `degrade`
    apply these changes independently, but small tiles in a dim room show all of them together.
    """
    lamp = measured_lamp(rng) if rng.random() < MEASURED else black_body(rng.uniform(*EVENING_K))
    lit = np.clip(relight(image, lamp), 0, 255)
    light = cv2.pow(lit * np.float32(1 / 255), GAMMA) * np.float32(np.exp(rng.uniform(*np.log(EVENING_LIGHT))))
    light = motion_blur(light, rng.uniform(0, np.pi), rng.uniform(0, EVENING_SHAKE_PX))
    white = float(np.exp(rng.uniform(*np.log(EVENING_ELECTRONS))))
    light = add_sensor_noise(light, white, EVENING_READ_NOISE, rng.standard_normal(light.shape))
    levels = cv2.pow(np.clip(light, 0, 1), 1 / GAMMA) * 255
    levels = levels + rng.uniform(0, EVENING_SHARPER) * (levels - cv2.GaussianBlur(levels, (0, 0), 1.0))
    return jpeg_coded(np.clip(np.rint(levels), 0, 255).astype(np.uint8), int(rng.integers(*EVENING_JPEG)))


def add_sensor_noise(light: np.ndarray, white: float, read_noise: float, normal: np.ndarray) -> np.ndarray:
    """Add the shot noise and the read noise of a sensor.

    `light (H, W, 3) float32`, 1 = white, which is `white` electrons; `read_noise` is a standard deviation in electrons;
    `normal (H, W, 3)` are standard normal samples, one for each channel of each pixel.
    """
    electrons = light * np.float32(white)
    deviation = np.sqrt(electrons + np.float32(read_noise**2))
    noisy: np.ndarray = electrons + deviation * normal
    return noisy / np.float32(white)


def process(rng: np.random.Generator, image: np.ndarray, tile_px: float, harm: float = 1.0) -> np.ndarray:
    """Add the image processing of phones and webcams to an image `(H, W, 3) uint8`: halos, smoothing, coarse colours.

    Sizes are relative to `tile_px`, a tile's width; `harm`: factor on the frequency of the changes.
    """
    if rng.random() < HALOS * harm:
        around = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.15, 0.6) * tile_px)
        share = rng.uniform(0.15, 0.5)
        image = cv2.addWeighted(image, 1 + share, around, -share, 0)
    if rng.random() < SMOOTHED * harm:
        image = cv2.bilateralFilter(image, 5, rng.uniform(12, 40), 2)
    if rng.random() < WEBCAMS * harm:
        luma_chroma = cv2.cvtColor(image, cv2.COLOR_BGR2YCrCb)
        height, width = image.shape[:2]
        half = cv2.resize(luma_chroma, (max(1, width // 2), max(1, height // 2)), interpolation=cv2.INTER_AREA)
        luma_chroma[..., 1:] = cv2.resize(half, (width, height))[..., 1:]
        image = jpeg_coded(cv2.cvtColor(luma_chroma, cv2.COLOR_YCrCb2BGR), int(rng.integers(35, 75)))
    return image
