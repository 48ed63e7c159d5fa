"""Data augmentation of a crop: small shifts, rotations, light changes, blur and noise."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Image
from tilekeeper.vision.finetune.labelled_crops import LabelledCrops
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


def augment(crops: LabelledCrops, count: int, rng: np.random.Generator) -> LabelledCrops:
    """Return `count` augmented views of each crop, one crop after the other; the first view is the crop itself."""
    views, upside_down = [], []
    for crop, was_turned in zip(crops.crops, crops.turned, strict=True):
        for i in range(count):
            is_turned = bool(i and rng.random() < UPSIDE_DOWN_VIEW_SHARE)
            views.append(_view(rng, crop, is_turned) if i else crop)
            upside_down.append(was_turned != is_turned)
    return LabelledCrops(
        np.array(views, np.uint8).reshape(-1, *crops.crops.shape[1:]),
        np.repeat(crops.numbers, count),
        np.repeat(crops.inks, count),
        np.array(upside_down, bool),
    )


def _view(rng: np.random.Generator, crop: Image, is_turned: bool) -> Image:
    """Return one random view: shift, rotation, scale, light gradient, tint, blur and noise."""
    width, height = CROP_WH
    middle = float(INNER[:, 0].mean()), float(INNER[:, 1].mean())
    spread, limit = VIEW_ROTATION_SD_MAX_DEG
    degrees = float(np.clip(rng.normal(0, spread), -limit, limit)) + (180 if is_turned else 0)
    matrix = np.asarray(
        cv2.getRotationMatrix2D(middle, degrees, float(np.exp(rng.normal(0, VIEW_SCALE_SD_LOG)))), np.float64
    )
    spread, limit = VIEW_SHIFT_SD_MAX_WIDTHS
    matrix[:, 2] += np.clip(rng.normal(0, spread, 2), -limit, limit) * TILE_PX
    view = cv2.warpAffine(crop, matrix, CROP_WH, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
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
