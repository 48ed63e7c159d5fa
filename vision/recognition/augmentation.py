"""Other cuts of a tile's print: a little turned, larger or shifted.

The classifier is misled by one cut of a print and not by the next: the mean of several is right more often, and above
all less sure where it is wrong.
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
def _cuts() -> Floats:
    """Return turn, growth and shifts of every cut, `(cut_rounds * cuts, 4)`, spread evenly (Roberts' R4 sequence)."""
    root = 1.1673039782614187  # of x ** 5 = x + 1
    steps = root ** -np.arange(1.0, 5.0)
    spread = (0.5 + np.arange(1, CROP_CYCLE_ROUNDS * AUGMENTED_CROP_COUNT + 1)[:, None] * steps) % 1.0
    cuts: Floats = (2 * spread - 1) * (
        MAX_CROP_ROTATION_RAD,
        MAX_CROP_SCALE_LOG,
        MAX_CROP_SHIFT_WIDTHS,
        MAX_CROP_SHIFT_WIDTHS,
    )
    return cuts


def cuts_of(quads_px: Floats, looks: Ints) -> Floats:
    """Return the cuts for the next look at tiles `(N, 4, 2)` that had so many `looks (N,)`: `(N, cuts, 4, 2)`."""
    at = (np.asarray(looks)[:, None] % CROP_CYCLE_ROUNDS) * AUGMENTED_CROP_COUNT + np.arange(AUGMENTED_CROP_COUNT)
    turn, growth, right, low = np.moveaxis(_cuts()[at], -1, 0)
    middles = quads_px.mean(axis=1)[:, None, None]
    across, down = (axis[:, None] for axis in axes_px(quads_px))
    width = np.linalg.norm(across, axis=2)
    down = down * (width / np.maximum(np.linalg.norm(down, axis=2), 1e-6))[..., None]
    turned = rotation_matrices(turn) * np.exp(growth)[..., None, None]
    off = (quads_px[:, None] - middles) @ turned.swapaxes(-1, -2)
    shift = right[..., None] * across + low[..., None] * down
    cuts: Floats = (middles + off + shift[:, :, None]).astype(np.float32)
    return cuts


def look_at_cuts(classifier: Classifier, image_bgr: Image, quads_px: Floats, looks: Ints) -> Appearances:
    """Return what a classifier says of tiles `(N, 4, 2)` in the mean over their cuts; `looks` as in `cuts_of`."""
    seen = classifier(image_bgr, cuts_of(quads_px, looks).reshape(-1, 4, 2))

    def mean(values: Floats) -> Floats:
        means: Floats = values.reshape(len(quads_px), AUGMENTED_CROP_COUNT, *values.shape[1:]).mean(axis=1)
        return means

    return Appearances(*(mean(getattr(seen, one)) for one in Appearances.__slots__))
