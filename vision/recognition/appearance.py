"""The classifier's output for tiles, the interface of a classifier, and test-time augmentation."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Columns, Floats, Image, Ints
from tilekeeper.vision.geometry.quads import axes_px, rotation_matrices, turn_upside_down
from tilekeeper.vision.types import INKS, JOKER, NOT_A_TILE, NUMBERS, best_label_log_probs

MIN_CONFIDENT_LABEL_PROB = 0.9  # From this on a tile is confident: it sets the shape and size expected of others.
MIN_SURE_TILE_PROB = 0.97  # Above this probability of being a tile, whatever its label, a candidate is surely a tile.
MIN_FLAGGED_LABEL_PROB = 0.3  # A sure tile is kept and flagged if its best label, and all numbers together, reach this.


@dataclass(slots=True, eq=False)
class Appearances(Columns):
    """Classifier output for N tiles; the arrays belong to the table and may be written to.

    `number_log_probs (N, 15)` and `ink_log_probs (N, 4)`: as in `LabelProbabilities`; `upside_down_log_odds (N,)`:
    above 0 if the tile is upside down; `quads_px (N, 4, 2)`: the classified quads with corrected corners;
    `ink_colours (N, 3)`: red, green and blue light that the ink absorbs, from `ink_absorption`; `figures (N, K)`: glyph
    embeddings in a `FigureSpace`, K is 0 without one.
    """

    number_log_probs: Floats
    ink_log_probs: Floats
    upside_down_log_odds: Floats
    quads_px: Floats
    ink_colours: Floats
    figures: Floats

    @classmethod
    def empty(cls, dimensions: int = 0) -> Appearances:
        """Return an empty table whose glyph embeddings have `dimensions` columns."""
        shapes = (NUMBERS + 2,), (len(INKS),), (), (4, 2), (3,), (dimensions,)
        return Appearances(*(np.zeros((0, *shape), np.float32) for shape in shapes))

    @property
    def is_tile(self) -> Bools:
        """Mask `(N,)` of the rows that are more likely a tile than not, whatever the label."""
        return are_likely_tiles(self.number_log_probs)

    @property
    def is_surely_a_tile(self) -> Bools:
        """Mask `(N,)` of rows whose probability of being a tile, whatever its label, exceeds `MIN_SURE_TILE_PROB`."""
        return np.asarray(self.number_log_probs[:, NOT_A_TILE] < np.log(1 - MIN_SURE_TILE_PROB))

    @property
    def is_surely_numbered(self) -> Bools:
        """Mask `(N,)` of the sure tiles that have a number (no joker) with at least `MIN_FLAGGED_LABEL_PROB`."""
        number_probs = np.exp(self.number_log_probs[:, :NUMBERS]).sum(axis=1)
        return np.asarray(self.is_surely_a_tile & (number_probs >= MIN_FLAGGED_LABEL_PROB))

    @property
    def is_joker(self) -> Bools:
        """Mask `(N,)` of the rows whose most likely number is the joker."""
        return np.asarray(self.number_log_probs.argmax(axis=1) == JOKER)

    def certainty(self) -> Floats:
        """Return the probability `(N,)` of the most likely label of each tile; 0 for a likely non-tile."""
        tile_log_probs = self.number_log_probs[:, :NOT_A_TILE]
        return np.where(self.is_tile, np.exp(best_label_log_probs(tile_log_probs, self.ink_log_probs)), 0.0)


Classifier = Callable[[Image, Floats], Appearances]
"""Function that classifies quads `(N, 4, 2)` of an image."""


def are_likely_tiles(number_log_probs: Floats) -> Bools:
    """Return a mask `(N,)` of the candidates that are more likely a tile than not, by `number_log_probs (N, 15)`.

    All numbers together are compared with "no tile", because an unreadable number may be any of several. The
    probabilities need not sum to 1, for example in a geometric mean.
    """
    probs = np.exp(number_log_probs)
    return np.asarray(probs[:, NOT_A_TILE] < probs[:, :NOT_A_TILE].sum(axis=1))


def classify_upright(classifier: Classifier, image_bgr: Image, quads_px: Floats) -> Appearances:
    """Classify quads `(N, 4, 2)`; turn upside-down quads by 180° and classify them again."""
    appearances = classifier(image_bgr, quads_px)
    upside_down = np.flatnonzero(appearances.upside_down_log_odds > 0)
    if len(upside_down):
        appearances.put(upside_down, classifier(image_bgr, turn_upside_down(appearances.quads_px[upside_down])))
    return appearances


AUGMENTED_CROP_COUNT = 4  # The mean over jittered crops is right more often than one crop, and less certain when wrong.
MAX_CROP_ROTATION_RAD = 0.08726646259971647
MAX_CROP_SCALE_LOG = 0.06
MAX_CROP_SHIFT_WIDTHS = 0.05
CROP_CYCLE_ROUNDS = 6  # The jittered crops of a tile repeat after this many rounds of test-time augmentation.


@functools.cache
def _jitters() -> Floats:
    """Return rotation, log scale and shifts `(rounds * crops, 4)` of all jittered crops, by Roberts' R4 sequence."""
    base = 1.1673039782614187  # root of x ** 5 = x + 1
    steps = base ** -np.arange(1.0, 5.0)
    points = (0.5 + np.arange(1, CROP_CYCLE_ROUNDS * AUGMENTED_CROP_COUNT + 1)[:, None] * steps) % 1.0
    limits = MAX_CROP_ROTATION_RAD, MAX_CROP_SCALE_LOG, MAX_CROP_SHIFT_WIDTHS, MAX_CROP_SHIFT_WIDTHS
    return np.asarray((2 * points - 1) * limits)


def jittered_quads(quads_px: Floats, rounds: Ints) -> Floats:
    """Return the next jittered quads `(N, crops, 4, 2)` of tiles `(N, 4, 2)` after `rounds (N,)` of augmentation."""
    indices = (np.asarray(rounds)[:, None] % CROP_CYCLE_ROUNDS) * AUGMENTED_CROP_COUNT + np.arange(AUGMENTED_CROP_COUNT)
    angle, log_scale, shift_across, shift_down = np.moveaxis(_jitters()[indices], -1, 0)
    middles = quads_px.mean(axis=1)[:, None, None]
    across, down = (axis[:, None] for axis in axes_px(quads_px))
    width = np.linalg.norm(across, axis=2)
    down = down * (width / np.maximum(np.linalg.norm(down, axis=2), 1e-6))[..., None]
    matrices = rotation_matrices(angle) * np.exp(log_scale)[..., None, None]
    offsets = (quads_px[:, None] - middles) @ matrices.swapaxes(-1, -2)
    shift = shift_across[..., None] * across + shift_down[..., None] * down
    return np.asarray(middles + offsets + shift[:, :, None], np.float32)


def classify_augmented(classifier: Classifier, image_bgr: Image, quads_px: Floats, rounds: Ints) -> Appearances:
    """Return the classifier's mean output over jittered crops of tiles `(N, 4, 2)`; `rounds (N,)`: earlier rounds."""
    appearances = classifier(image_bgr, jittered_quads(quads_px, rounds).reshape(-1, 4, 2))
    columns = (getattr(appearances, name) for name in Appearances.__slots__)
    return Appearances(
        *(column.reshape(len(quads_px), AUGMENTED_CROP_COUNT, *column.shape[1:]).mean(axis=1) for column in columns)
    )
