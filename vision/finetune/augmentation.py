"""Views of one kept crop as the camera might have seen it another time: a little off, in other light, less sharp."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Image
from tilekeeper.vision.config import finetune_limits as limits
from tilekeeper.vision.finetune.labelled_crops import Lessons
from tilekeeper.vision.recognition.classifier import CROP_WH, INNER, TILE_PX


def views_of(lessons: Lessons, count: int, rng: np.random.Generator) -> Lessons:
    """`count` views of each lesson, one after the other; the first of each is the crop as it was kept."""
    crops, turned = [], []
    for crop, was_turned in zip(lessons.crops, lessons.turned, strict=True):
        for i in range(count):
            turn = bool(i and rng.random() < limits.views_turned)
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
    spread, most = limits.view_degrees
    degrees = float(np.clip(rng.normal(0, spread), -most, most)) + (180 if turn else 0)
    move = np.asarray(
        cv2.getRotationMatrix2D(middle, degrees, float(np.exp(rng.normal(0, limits.view_growth)))), np.float64
    )
    spread, most = limits.view_shift
    move[:, 2] += np.clip(rng.normal(0, spread, 2), -most, most) * TILE_PX
    view = cv2.warpAffine(crop, move, CROP_WH, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    light = np.asarray(view, np.float32)
    if rng.random() < 0.5:
        angle, slope = rng.uniform(0, 2 * np.pi), rng.uniform(0, limits.view_slope)
        x, y = np.linspace(-0.5, 0.5, width, dtype=np.float32), np.linspace(-0.5, 0.5, height, dtype=np.float32)
        light *= (1 + slope * (np.cos(angle) * x[None] + np.sin(angle) * y[:, None]))[..., None]
    light *= np.exp(rng.normal(0, limits.view_tint, 3)).astype(np.float32)
    light *= np.float32(np.exp(rng.normal(*limits.view_light)))
    if rng.random() < 0.5:
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), rng.uniform(*limits.view_blur_px)), np.float32)
    light += rng.normal(0, rng.uniform(*limits.view_noise), light.shape).astype(np.float32)
    return np.clip(light, 0, 255).astype(np.uint8)
