"""Fine-tuning: turn and augment the user's crops, fit the last layer, and measure it by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints, normalise_log_probs
from tilekeeper.vision.finetune.labelled_crops import (
    NO_INK,
    FeatureExtractor,
    LabelledCrops,
    ShippedCrops,
    are_classified_correctly,
)
from tilekeeper.vision.finetune.own_sets import INK, LABELS, NUMBER, TURN, LastLayer
from tilekeeper.vision.recognition.classifier import CROP_WH, INNER, TILE_PX
from tilekeeper.vision.types import NOT_A_TILE

GUARD_CROP_WEIGHT = 0.3  # a guard crop (another printing, with the shipped layer's answer) weighs this many own crops
L2_PENALTY_WEIGHT = 0.3  # Squared distance to the shipped weights, on standardized features, weighs this many own crops
MAX_CONVERGED_GRADIENT = 5e-4  # the fit has converged if the steepest gradient per own crop is below this

ROUNDS = 400  # maximum number of gradient steps
BLOCK = 64  # Rows per matrix product: too few for NumPy's threads, 100 times slower next to a running reader.


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Training data of a fit.

    `features (N, 128)`; `targets (N, 20)`: the probabilities to reproduce; `weights (N, 3)`: weights of each crop for
    the three heads number, ink and direction; 0 excludes the crop from a head.
    """

    features: Floats
    targets: Floats
    weights: Floats

    @classmethod
    def from_labels(cls, features: Floats, numbers: Ints, inks: Ints, turned: Bools) -> Task:
        """Return training data with a person's labels as targets; jokers have no ink, non-tiles no ink or direction.

        The number of an upside-down crop is excluded, because the reader turns such a tile and classifies it again.
        """
        targets, indices = np.zeros((len(features), LABELS), np.float32), np.arange(len(features))
        has_ink, is_tile = inks != NO_INK, numbers != NOT_A_TILE
        targets[indices, numbers] = 1
        targets[indices[has_ink], INK.start + inks[has_ink]] = 1
        targets[:, TURN.start] = turned
        return cls(features, targets, np.stack([~turned, has_ink, is_tile], axis=1).astype(np.float32))

    @classmethod
    def from_shipped(cls, features: Floats, shipped: LastLayer) -> Task:
        """Return training data whose targets are the probabilities of the shipped layer."""
        return cls(features, _probabilities(shipped.logits(features)[:, :LABELS]), np.ones((len(features), 3)))


def fit(shipped: LastLayer, own: Task, guard: Task, *, views: int = 1) -> LastLayer:
    """Gradient descent from the shipped layer: return the layer that minimises the loss on own and guard crops.

    `own` holds `views` augmented views of each crop, which together count as one crop.
    """
    features = np.concatenate([own.features, guard.features]).astype(np.float64)
    targets = _blocks(np.concatenate([own.targets, guard.targets]))
    counts = np.concatenate([np.full(len(own.features), 1 / views), np.full(len(guard.features), GUARD_CROP_WEIGHT)])
    weights = np.concatenate([own.weights, guard.weights]) * counts[:, None]
    by_logit = _blocks(np.repeat(weights, [15, 4, 1], axis=1))
    # Standardised features make all directions equally steep.
    middle, spread = guard.features.mean(axis=0, dtype=np.float64), guard.features.std(axis=0, dtype=np.float64) + 1e-3
    scaled = np.concatenate([(features - middle) / spread, np.ones((len(features), 1))], axis=1)
    start_bias = shipped.weight[:LABELS] @ middle + shipped.bias[:LABELS]
    start = np.concatenate([shipped.weight[:LABELS] * spread, start_bias[:, None]], axis=1)
    step_bound = 0.5 * np.linalg.eigvalsh((scaled * weights.max(axis=1, keepdims=True)).T @ scaled)[-1]
    step_bound += L2_PENALTY_WEIGHT
    scaled = _blocks(scaled)
    transposed = np.ascontiguousarray(scaled.transpose(0, 2, 1))
    weights_now = lookahead = start
    momentum = 1.0
    for _ in range(ROUNDS):
        errors = (_probabilities(scaled @ lookahead.T) - targets) * by_logit
        slope = (transposed @ errors).sum(axis=0).T + L2_PENALTY_WEIGHT * (lookahead - start)
        next_weights = lookahead - slope / step_bound
        if float(((lookahead - next_weights) * (next_weights - weights_now)).sum()) > 0:
            momentum = 1.0  # adaptive restart: O'Donoghue and Candès, arXiv 1204.3982
        next_momentum = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
        lookahead = next_weights + (momentum - 1) / next_momentum * (next_weights - weights_now)
        weights_now, momentum = next_weights, next_momentum
        if np.abs(slope).max() < MAX_CONVERGED_GRADIENT * len(own.features) / views:
            break
    weight, bias = shipped.weight.copy(), shipped.bias.copy()
    weight[:LABELS] = weights_now[:, :-1] / spread
    bias[:LABELS] = weights_now[:, -1] - weight[:LABELS] @ middle
    return LastLayer(weight, bias)


def _probabilities(logits: Floats) -> Floats:
    """Return the probabilities of `logits (..., 20)`: softmax of numbers and of inks, logistic of the direction."""
    result = np.empty_like(logits)
    for head in (NUMBER, INK):
        exponentials = np.exp(logits[..., head] - logits[..., head].max(axis=-1, keepdims=True))
        result[..., head] = exponentials / exponentials.sum(axis=-1, keepdims=True)
    result[..., TURN] = 1 / (1 + np.exp(-np.clip(logits[..., TURN], -60, 60)))
    return result


def _blocks(rows: Floats) -> Floats:
    """Return rows `(N, K)` as blocks `(N / BLOCK, BLOCK, K) float64`, padded with zeros."""
    blocks = np.zeros((-(-len(rows) // BLOCK), BLOCK, rows.shape[1]))
    blocks.reshape(-1, rows.shape[1])[: len(rows)] = rows
    return blocks


UPSIDE_DOWN_VIEW_SHARE = 0.15  # this share of the views is turned by 180°, so that the layer still sees which end is up
VIEW_ROTATION_SD_MAX_DEG = (2.5, 6.0)  # views are rotated by a normal angle: standard deviation and maximum
VIEW_SCALE_SD_LOG = 0.03  # the natural log of a view's scale has this standard deviation
VIEW_SHIFT_SD_MAX_WIDTHS = (0.03, 0.07)  # views are shifted along each axis: standard deviation and maximum
MAX_VIEW_LIGHT_SLOPE_SHARE = 0.4  # half of the views have a light gradient of at most this share of their light
VIEW_TINT_SD_LOG = 0.06  # the natural log of each channel's gain in a view has this standard deviation
VIEW_LIGHT_MEAN_SD_LOG = (-0.05, 0.15)  # natural log of a view's brightness gain: mean and standard deviation
VIEW_BLUR_SIGMA_RANGE_PX = (0.3, 1.3)  # half of the views get a Gaussian blur with a sigma in this range
VIEW_NOISE_SD_RANGE_LEVELS = (0.5, 6.0)  # each view gets Gaussian noise with a standard deviation in this range


def augment(crops: LabelledCrops, count: int, rng: np.random.Generator) -> LabelledCrops:
    """Return `count` augmented views of each crop, one crop after the other; the first view is the crop itself."""
    views, upside_down = [], []
    for crop, was_turned in zip(crops.crops, crops.turned, strict=True):
        for i in range(count):
            is_turned = bool(i and rng.random() < UPSIDE_DOWN_VIEW_SHARE)
            views.append(_view(rng, crop, is_turned) if i else crop)
            upside_down.append(was_turned != is_turned)
    images, numbers = np.array(views, np.uint8).reshape(-1, *crops.crops.shape[1:]), np.repeat(crops.numbers, count)
    return LabelledCrops(images, numbers, np.repeat(crops.inks, count), np.array(upside_down, bool))


def _view(rng: np.random.Generator, crop: Image, is_turned: bool) -> Image:
    """Augment a crop at random: shift, rotation, scale, light gradient, tint, blur and noise."""
    width, height = CROP_WH
    middle = float(INNER[:, 0].mean()), float(INNER[:, 1].mean())
    spread, limit = VIEW_ROTATION_SD_MAX_DEG
    degrees = float(np.clip(rng.normal(0, spread), -limit, limit)) + (180 if is_turned else 0)
    scale = float(np.exp(rng.normal(0, VIEW_SCALE_SD_LOG)))
    matrix = np.asarray(cv2.getRotationMatrix2D(middle, degrees, scale), np.float64)
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


MIN_FINETUNE_CROPS = 5  # no layer is fitted to fewer crops, because it would overfit them
CROSS_VALIDATION_FOLDS = 8  # the own crops are cross-validated in this many folds
MAX_GUARD_ACCURACY_LOSS_SHARE = 0.005  # a fine-tuned layer may label at most this share of the shipped crops worse
VIEWS_PER_CROP_RANGE = (4, 16)  # each crop is augmented to a number of views in this range, the crop itself included
TARGET_VIEW_COUNT = 2000  # the layer is fitted to about this many views in total
MIN_ROTATION_GAIN_LOG = 2.0  # a crop is turned by 180° if the log-probability of the person's label gains more

SEED = 3


@dataclass(frozen=True, slots=True)
class AdaptationResult:
    """Numbers of own (cross-validated) and shipped crops, and how many of each are right before and after the fit."""

    own: int
    own_before: int
    own_after: int
    shipped: int
    shipped_before: int
    shipped_after: int

    @property
    def shipped_worse(self) -> bool:
        """Whether the fit lowers the accuracy on shipped crops by more than `MAX_GUARD_ACCURACY_LOSS_SHARE`."""
        return self.shipped_before - self.shipped_after > MAX_GUARD_ACCURACY_LOSS_SHARE * self.shipped

    @property
    def own_worse(self) -> bool:
        """Whether fewer own crops are classified correctly after the fit than before."""
        return self.own_after < self.own_before


ReportProgress = Callable[[int, int], None]  # callback with the number of finished steps and of all steps


def adapt(
    own_crops: LabelledCrops,
    features: FeatureExtractor,
    shipped: LastLayer,
    crops: ShippedCrops,
    report_progress: ReportProgress = lambda done, total: None,
) -> tuple[LastLayer, AdaptationResult]:
    """Fit the last layer to a user's upright `own_crops`, and measure it on these and the shipped `crops`.

    The own crops are cross-validated: each fold is classified by a layer fitted to the other folds. The returned layer
    is fitted to all own crops, with fixed seeds. Raises `ValueError` for fewer than `MIN_FINETUNE_CROPS` crops.
    """
    if len(own_crops) < MIN_FINETUNE_CROPS:
        raise ValueError(f"at least {MIN_FINETUNE_CROPS} tiles are needed, got {len(own_crops)}")
    folds = min(CROSS_VALIDATION_FOLDS, len(own_crops))
    steps = folds + 3
    report_progress(0, steps)
    own_crops = turn_upright(own_crops, features)
    own_logits, own_features = features(own_crops.crops)
    before = are_classified_correctly(own_logits, own_crops)
    guard = Task.from_shipped(features(crops.held.crops)[1], shipped)
    report_progress(1, steps)
    check_logits, check_features = features(crops.check.crops)
    view_count = int(np.clip(TARGET_VIEW_COUNT // len(own_crops), *VIEWS_PER_CROP_RANGE))
    views = augment(own_crops, view_count, np.random.default_rng(SEED))
    view_owners = np.repeat(np.arange(len(own_crops)), view_count)
    view_features = features(views.crops)[1]
    report_progress(2, steps)

    def fitted(rows: Ints) -> LastLayer:
        task = Task.from_labels(view_features[rows], views.numbers[rows], views.inks[rows], views.turned[rows])
        return fit(shipped, task, guard, views=view_count)

    folds_of_crops = np.random.default_rng(SEED).permutation(len(own_crops)) % folds
    after = np.zeros(len(own_crops), bool)
    for fold in range(folds):
        is_in_fold = folds_of_crops == fold
        layer = fitted(folds_of_crops[view_owners] != fold)
        after[is_in_fold] = are_classified_correctly(layer.logits(own_features[is_in_fold]), own_crops.at(is_in_fold))
        report_progress(3 + fold, steps)
    layer = fitted(np.ones(len(view_owners), bool))
    report_progress(steps, steps)
    checks = (are_classified_correctly(logits, crops.check) for logits in (check_logits, layer.logits(check_features)))
    own_before, own_after, shipped_before, shipped_after = (int(right.sum()) for right in (before, after, *checks))
    counts = len(own_crops), own_before, own_after, len(crops.check), shipped_before, shipped_after
    return layer, AdaptationResult(*counts)


def turn_upright(crops: LabelledCrops, features: FeatureExtractor) -> LabelledCrops:
    """Return the crops, turned by 180° if they fit the person's label much better that way, such as a 9 read as a 6."""
    rotated = np.ascontiguousarray(crops.crops[:, ::-1, ::-1])
    before, after = (_label_log_probs(features(images)[0], crops) for images in (crops.crops, rotated))
    is_turned = (after > before + MIN_ROTATION_GAIN_LOG) & (crops.numbers != NOT_A_TILE)
    images = np.where(is_turned[:, None, None, None], rotated, crops.crops)
    return LabelledCrops(images, crops.numbers, crops.inks, crops.turned)


def _label_log_probs(logits: Floats, crops: LabelledCrops) -> Floats:
    """Return the log probability `(N,)` that each crop is an upright tile with its label."""
    rows = np.arange(len(crops))
    numbers, inks = normalise_log_probs(logits[:, NUMBER]), normalise_log_probs(logits[:, INK])
    ink_log_probs = np.where(crops.inks == NO_INK, 0.0, inks[rows, np.maximum(crops.inks, 0)])
    return np.asarray(numbers[rows, crops.numbers] + ink_log_probs - np.logaddexp(0, logits[:, TURN.start]))
