"""Views of one kept crop as the camera might have seen it another time: a little off, in other light, less sharp."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Image
from tilekeeper.vision.finetune.labelled_crops import Lessons
from tilekeeper.vision.recognition.classifier import CROP_WH, INNER, TILE_PX

# This share of the views is turned by 180°, so that the layer still recognizes which end is up.
UPSIDE_DOWN_VIEW_SHARE = 0.15
# Views are rotated by a normal angle: the standard deviation, and the most.
VIEW_ROTATION_SD_MAX_DEG = (2.5, 6.0)
# The natural log of a view's scale has this standard deviation.
VIEW_SCALE_SD_LOG = 0.03
# Views are shifted along each axis: the standard deviation, and the most.
VIEW_SHIFT_SD_MAX_WIDTHS = (0.03, 0.07)
# Half of the views have a light gradient, from one side to the other at most this share of their light.
MAX_VIEW_LIGHT_SLOPE_SHARE = 0.4
# The natural log of each channel's gain in a view has this standard deviation.
VIEW_TINT_SD_LOG = 0.06
# The natural log of a view's brightness gain: the mean, and the standard deviation.
VIEW_LIGHT_MEAN_SD_LOG = (-0.05, 0.15)
# Half of the views get a Gaussian blur with a sigma in this range.
VIEW_BLUR_SIGMA_RANGE_PX = (0.3, 1.3)
# Each view gets Gaussian noise with a standard deviation in this range.
VIEW_NOISE_SD_RANGE_LEVELS = (0.5, 6.0)


def views_of(lessons: Lessons, count: int, rng: np.random.Generator) -> Lessons:
    """`count` views of each lesson, one after the other; the first of each is the crop as it was kept."""
    crops, turned = [], []
    for crop, was_turned in zip(lessons.crops, lessons.turned, strict=True):
        for i in range(count):
            turn = bool(i and rng.random() < UPSIDE_DOWN_VIEW_SHARE)
            crops.append(_view(rng, crop, turn) if i else crop)
            turned.append(was_turned != turn)
    return Lessons(
        np.array(crops, np.uint8).reshape(-1, *lessons.crops.shape[1:]),
        np.repeat(lessons.numbers, count),
        np.repeat(lessons.inks, count),
        np.array(turned, bool),
    )


def _view(rng: np.random.Generator, crop: Image, turn: bool) -> Image:
    """Moved by up to a twentieth of a tile, turned by some degrees, lit from a side, blurred and grainy."""
    width, height = CROP_WH
    middle = float(INNER[:, 0].mean()), float(INNER[:, 1].mean())
    spread, most = VIEW_ROTATION_SD_MAX_DEG
    degrees = float(np.clip(rng.normal(0, spread), -most, most)) + (180 if turn else 0)
    move = np.asarray(
        cv2.getRotationMatrix2D(middle, degrees, float(np.exp(rng.normal(0, VIEW_SCALE_SD_LOG)))), np.float64
    )
    spread, most = VIEW_SHIFT_SD_MAX_WIDTHS
    move[:, 2] += np.clip(rng.normal(0, spread, 2), -most, most) * TILE_PX
    view = cv2.warpAffine(crop, move, CROP_WH, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    light = np.asarray(view, np.float32)
    if rng.random() < 0.5:
        angle, slope = rng.uniform(0, 2 * np.pi), rng.uniform(0, MAX_VIEW_LIGHT_SLOPE_SHARE)
        x, y = np.linspace(-0.5, 0.5, width, dtype=np.float32), np.linspace(-0.5, 0.5, height, dtype=np.float32)
        light *= (1 + slope * (np.cos(angle) * x[None] + np.sin(angle) * y[:, None]))[..., None]
    light *= np.exp(rng.normal(0, VIEW_TINT_SD_LOG, 3)).astype(np.float32)
    light *= np.float32(np.exp(rng.normal(*VIEW_LIGHT_MEAN_SD_LOG)))
    if rng.random() < 0.5:
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), rng.uniform(*VIEW_BLUR_SIGMA_RANGE_PX)), np.float32)
    light += rng.normal(0, rng.uniform(*VIEW_NOISE_SD_RANGE_LEVELS), light.shape).astype(np.float32)
    return np.clip(light, 0, 255).astype(np.uint8)
