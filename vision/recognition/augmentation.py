"""Test-time augmentation: classify several jittered crops of a tile and average.

The mean of several crops is right more often than one crop, and less certain where it is wrong.
"""

from __future__ import annotations

import functools

import numpy as np

from tilekeeper.vision.arrays import Floats, Image, Ints
from tilekeeper.vision.geometry.quads import axes_px, rotation_matrices
from tilekeeper.vision.recognition.appearance import Appearances, Classifier

# Test-time augmentation: the classifier's output is averaged over this many jittered crops of a tile.
AUGMENTED_CROP_COUNT = 4
# Test-time augmentation rotates a crop by up to this angle, in radians, in either direction.
MAX_CROP_ROTATION_RAD = 0.08726646259971647
# Test-time augmentation enlarges or shrinks a crop by up to this natural logarithm of the scale.
MAX_CROP_SCALE_LOG = 0.06
# Test-time augmentation shifts a crop by up to this distance along each axis of the tile.
MAX_CROP_SHIFT_WIDTHS = 0.05
# The jittered crops of a tile repeat after this many rounds of test-time augmentation.
CROP_CYCLE_ROUNDS = 6


@functools.cache
def _jitters() -> Floats:
    """Return rotation, log scale and shifts of all crops, `(rounds * crops, 4)`, from Roberts' R4 sequence."""
    base = 1.1673039782614187  # root of x ** 5 = x + 1
    steps = base ** -np.arange(1.0, 5.0)
    points = (0.5 + np.arange(1, CROP_CYCLE_ROUNDS * AUGMENTED_CROP_COUNT + 1)[:, None] * steps) % 1.0
    jitters: Floats = (2 * points - 1) * (
        MAX_CROP_ROTATION_RAD,
        MAX_CROP_SCALE_LOG,
        MAX_CROP_SHIFT_WIDTHS,
        MAX_CROP_SHIFT_WIDTHS,
    )
    return jitters


def jittered_quads(quads_px: Floats, rounds: Ints) -> Floats:
    """Return the jittered quads of tiles `(N, 4, 2)` that had `rounds (N,)` of augmentation: `(N, crops, 4, 2)`."""
    indices = (np.asarray(rounds)[:, None] % CROP_CYCLE_ROUNDS) * AUGMENTED_CROP_COUNT + np.arange(AUGMENTED_CROP_COUNT)
    angle, log_scale, shift_across, shift_down = np.moveaxis(_jitters()[indices], -1, 0)
    middles = quads_px.mean(axis=1)[:, None, None]
    across, down = (axis[:, None] for axis in axes_px(quads_px))
    width = np.linalg.norm(across, axis=2)
    down = down * (width / np.maximum(np.linalg.norm(down, axis=2), 1e-6))[..., None]
    matrices = rotation_matrices(angle) * np.exp(log_scale)[..., None, None]
    offsets = (quads_px[:, None] - middles) @ matrices.swapaxes(-1, -2)
    shift = shift_across[..., None] * across + shift_down[..., None] * down
    jittered: Floats = (middles + offsets + shift[:, :, None]).astype(np.float32)
    return jittered


def classify_augmented(classifier: Classifier, image_bgr: Image, quads_px: Floats, rounds: Ints) -> Appearances:
    """Return the classifier's mean output over jittered crops of tiles `(N, 4, 2)`; `rounds` as in `jittered_quads`."""
    appearances = classifier(image_bgr, jittered_quads(quads_px, rounds).reshape(-1, 4, 2))

    def mean(values: Floats) -> Floats:
        means: Floats = values.reshape(len(quads_px), AUGMENTED_CROP_COUNT, *values.shape[1:]).mean(axis=1)
        return means

    return Appearances(*(mean(getattr(appearances, column)) for column in Appearances.__slots__))
