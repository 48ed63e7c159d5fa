"""Tile classifier: number or joker, ink, direction, or not a tile, from a rectified crop.

The same network output corrects the tile's corners, because the crop shows a margin around the tile.
"""

from __future__ import annotations

import functools
from collections.abc import Callable

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Image, Ints, split_channels, values_at
from tilekeeper.vision.geometry.quads import axes_px, rotation_matrices, turn_upside_down
from tilekeeper.vision.imaging import perspective_transform, resize, warp_perspective
from tilekeeper.vision.recognition.glyph_embedding import FigureSpace
from tilekeeper.vision.runtime.network import Network, space_to_depth
from tilekeeper.vision.tile_table import Appearances, best_label_log_probs
from tilekeeper.vision.types import JOKER, NOT_A_TILE, WHITE

MAX_CORNER_SHIFT_WIDTHS = 0.45  # Corner corrections are clipped to this; corners further off belong to another object.
MIN_DOWNSCALE_RATIO = 1.5  # Tiles over this times their crop width are downscaled by area averaging (no aliasing).
MAX_RESIDUAL_SCALE_RATIO = 1.2  # Fast whole-number downscale if a tile stays below this times its width in the crop.
MIN_UNVERIFIED_LABEL_PROB = 0.97  # The verifier classifies a tile again if the classifier's label is less likely.
MIN_UNVERIFIED_NON_TILE_PROB = 0.98  # The verifier classifies a non-tile again if the classifier is less certain.
MAX_JOKER_LABEL_PROB = 0.96  # A joker counts as at most this likely, so the verifier checks it; numbers may look alike.
AUGMENTED_CROP_COUNT = 4  # The mean over jittered crops is right more often than one crop, and less certain when wrong.
MAX_CROP_ROTATION_RAD = 0.08726646259971647
MAX_CROP_SCALE_LOG = 0.06
MAX_CROP_SHIFT_WIDTHS = 0.05
CROP_CYCLE_ROUNDS = 6  # The jittered crops of a tile repeat after this many rounds of test-time augmentation.

CROP_WH = (48, 72)
MARGIN = 0.12
"""Margin around the tile in the crop, as a share of the crop on each side."""
_LOW, _HIGH = MARGIN, 1 - MARGIN
INNER = np.array([[_LOW, _LOW], [_HIGH, _LOW], [_HIGH, _HIGH], [_LOW, _HIGH]], np.float32) * np.array(CROP_WH, "f4")
"""Position of a quad's corners in its crop, `(4, 2) float32`."""
TILE_PX = (1 - 2 * MARGIN) * CROP_WH[0]
"""Width of a tile in its crop, the unit of the network's corner offsets."""

Classifier = Callable[[Image, Floats], Appearances]
"""Function that classifies quads `(N, 4, 2)` of an image."""


def whiten(crops: Image | Floats) -> Floats:
    """White balance: divide each crop by its own white, channel by channel.

    The white is the mean of the brightest three tenths of the inner pixels. `crops (N, H, W, 3)`: uint8 or float32, 0
    to 255. Returns the same shape as float32, in which white is 1 and brighter pixels are at most 1.6.
    """
    white_crops = crops / _whites(crops)[:, None, None]
    return np.minimum(white_crops, np.float32(1.6), out=white_crops)


def whiten_to_bytes(crops: Image) -> Image:
    """Return crops `(N, H, W, 3) uint8` white-balanced as by `whiten`, but in bytes, with white at level `WHITE`."""
    white_crops: Image = np.empty(crops.shape, np.uint8)
    gains = (WHITE / _whites(crops))[:, None] * np.eye(3, dtype=np.float32)
    for crop, gain, white_crop in zip(crops, gains, white_crops, strict=True):
        cv2.transform(crop, gain, white_crop)
    return white_crops


def _whites(crops: Image | Floats) -> Floats:
    """Return the white `(N, 3)` of each crop: each channel's mean over the brightest three tenths, at least 12."""
    samples = split_channels(crops[:, 10:-10:3, 7:-7:2])
    rank = int(samples.shape[2] * 0.7)
    # Partitioning bytes takes four times as long.
    sortable = samples.astype(np.uint16) if samples.dtype == np.uint8 else samples
    white = np.partition(sortable, rank, axis=2)[:, :, rank:].mean(axis=2)
    return np.asarray(np.maximum(white, 12.0), np.float32)


def crop_tiles(image_bgr: Image, quads_px: Floats) -> tuple[Image, Floats]:
    """Crop tiles upright: `quads_px (N, 4, 2) float32` to `(N, 72, 48, 3) uint8` BGR.

    Returns the crops, and the homographies `(N, 3, 3) float64` from the image to each crop. A tile much larger than a
    crop is cropped from an image downscaled by area averaging, which prevents aliasing.
    """
    width, height = CROP_WH
    crops: Image = np.zeros((len(quads_px), height, width, 3), np.uint8)
    warps = np.empty((len(quads_px), 3, 3))
    quads = np.asarray(quads_px, np.float32).reshape(-1, 4, 2)
    tops, rights = np.linalg.norm(np.diff(quads[:, :3], axis=1), axis=2).T
    for i, (quad, side) in enumerate(zip(quads, np.maximum(tops, 0.667 * rights), strict=True)):
        warps[i] = perspective_transform(quad, INNER)
        part, warp = image_bgr, warps[i]
        if side > MIN_DOWNSCALE_RATIO * TILE_PX:
            margin, reduction = 0.35 * side + 2, int(side / TILE_PX)
            low = np.maximum(np.floor(quad.min(axis=0) - margin).astype(int), 0)
            high = np.maximum(np.ceil(quad.max(axis=0) + margin).astype(int) + 1, 0)
            high += (low - high) % reduction  # whole-number downscaling is several times as fast
            part = image_bgr[low[1] : high[1], low[0] : high[0]]
            is_whole_reduction = reduction > 1 and side < MAX_RESIDUAL_SCALE_RATIO * reduction * TILE_PX
            scale = 1 / reduction if is_whole_reduction else TILE_PX / side
            if min(part.shape[:2]) * scale <= 0.5:  # the quad is almost outside the image
                continue
            size_wh = max(1, round(part.shape[1] * scale)), max(1, round(part.shape[0] * scale))
            # Pixel centres are at whole numbers.
            quad = (quad - low.astype(np.float32) + 0.5) * np.divide(size_wh, part.shape[1::-1], dtype=np.float32) - 0.5
            part = resize(part, size_wh, cv2.INTER_AREA)
            warp = perspective_transform(quad, INNER)
        crops[i] = warp_perspective(part, warp, CROP_WH)
    return crops, warps


def ink_absorption(crops: Image) -> Floats:
    """Return the red, green and blue light that the ink of each crop absorbs, as unit vectors `(N, 3) float32`.

    `crops (N, H, W, 3) uint8` BGR with white at `WHITE`. The pixels of thin strokes are mixed with white, which changes
    the amount of absorption but not its colour. So the fifth that absorbs most is averaged, weighted by absorption.
    """
    height, width = crops.shape[1:3]
    glyphs = crops[:, height // 6 : height * 2 // 3 : 2, width // 6 : -width // 6 : 2, ::-1]
    absorption = np.maximum(1 - split_channels(glyphs).astype(np.float32) / WHITE, 0)
    strongest = absorption.max(axis=1)
    rank = strongest.shape[1] * 4 // 5
    strongest_pixels = np.argpartition(strongest, rank, axis=1)[:, rank:]
    weights = values_at(strongest, strongest_pixels) ** 2
    mean = (values_at(absorption, strongest_pixels[:, None]) * weights[:, None]).sum(axis=2)
    return np.asarray(mean / np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-6), np.float32)


def _correct_corners(warps: Floats, shifts: Floats) -> Floats:
    """Return the quads in the image, `(N, 4, 2) float32`, after `shifts (N, 8)` of their corners in tile widths."""
    shifts_px = np.clip(shifts.reshape(-1, 4, 2), -MAX_CORNER_SHIFT_WIDTHS, MAX_CORNER_SHIFT_WIDTHS) * TILE_PX
    inverses = np.linalg.inv(warps).transpose(0, 2, 1)
    projected = (INNER + shifts_px) @ inverses[:, :2] + inverses[:, 2:]
    return np.asarray(projected[..., :2] / projected[..., 2:], np.float32)


def log_softmax(logits: Floats) -> Floats:
    """Return the log probabilities `(N, K)` of logits `(N, K)`, row by row."""
    shifted = logits - logits.max(axis=1, keepdims=True)
    return np.asarray(shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True)))


class TileClassifier:
    """Runs the classifier's ONNX session (any object with `run`) on rectified tiles.

    `session`: the classifier; `verifier`: a wider network with the same outputs, whose output counts for jokers and for
    crops of which the classifier is uncertain; `space`: the space of the glyph embeddings; `logits_of`: fine-tuned last
    layer, from features `(N, 128)` to logits `(N, 28)`.
    """

    def __init__(
        self,
        session: Network,
        verifier: Network | None = None,
        space: FigureSpace | None = None,
        logits_of: Callable[[Floats], Floats] | None = None,
    ) -> None:
        self._session, self._verifier, self._space, self._logits_of = session, verifier, space, logits_of

    def __call__(self, image_bgr: Image, quads_px: Floats) -> Appearances:
        """Classify the quads `(N, 4, 2)`, clockwise from each tile's own top left, in pixels of `image_bgr`."""
        if not len(quads_px):
            return Appearances.empty(0 if self._space is None else len(self._space.spread))
        crops, views = crop_tiles(image_bgr, quads_px)
        white_crops = whiten_to_bytes(crops)
        squares, ink_colours = space_to_depth(white_crops), ink_absorption(white_crops)
        logits, figures = self._run(squares)
        numbers, inks, rest = log_softmax(logits[:, :15]), log_softmax(logits[:, 15:19]), logits[:, 19:].copy()
        unsure = np.flatnonzero(doubt_margin(numbers, inks, rest[:, 0]) > 0)
        if self._verifier is not None and len(unsure):
            verified = self._verifier.run(["logits"], {"crops": squares[unsure]})[0]
            numbers[unsure], inks[unsure] = log_softmax(verified[:, :15]), log_softmax(verified[:, 15:19])
            rest[unsure] = verified[:, 19:28]
        return Appearances(numbers, inks, rest[:, 0], _correct_corners(views, rest[:, 1:]), ink_colours, figures)

    def _run(self, squares: Image) -> tuple[Floats, Floats]:
        """Return logits `(N, 28)` and glyph embeddings of packed crops `(N, 36, 24, 12)`."""
        shipped, no_figures = self._logits_of is None, np.zeros((len(squares), 0), np.float32)
        if shipped and self._space is None:
            return self._session.run(["logits"], {"crops": squares})[0], no_figures
        *logits, features = self._session.run(["logits", "features"] if shipped else ["features"], {"crops": squares})
        figures = no_figures if self._space is None else features @ self._space.axes
        return logits[0] if self._logits_of is None else self._logits_of(features), figures


def doubt_margin(number_log_probs: Floats, ink_log_probs: Floats, upside_down_log_odds: Floats) -> Floats:
    """Return by how much `(N,)` each label's log probability is too low; above 0 the verifier classifies the crop.

    Upside-down crops get minus infinity, because they are turned and classified again anyway.
    """
    best = number_log_probs.argmax(axis=1)
    log_probs = best_label_log_probs(number_log_probs, ink_log_probs)
    log_probs = np.where(best == JOKER, np.minimum(log_probs, np.log(MAX_JOKER_LABEL_PROB)), log_probs)
    thresholds = np.log(np.where(best == NOT_A_TILE, MIN_UNVERIFIED_NON_TILE_PROB, MIN_UNVERIFIED_LABEL_PROB))
    return np.where(upside_down_log_odds > 0, -np.inf, thresholds - log_probs)


def classify_upright(classifier: Classifier, image_bgr: Image, quads_px: Floats) -> Appearances:
    """Classify quads `(N, 4, 2)`; turn upside-down quads by 180° and classify them again."""
    appearances = classifier(image_bgr, quads_px)
    upside_down = np.flatnonzero(appearances.upside_down_log_odds > 0)
    if len(upside_down):
        appearances.put(upside_down, classifier(image_bgr, turn_upside_down(appearances.quads_px[upside_down])))
    return appearances


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
