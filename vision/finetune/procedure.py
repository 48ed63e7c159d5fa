"""Fine-tuning procedure: turn the crops upright, fit the layer, and measure it by cross-validation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Floats, Ints
from tilekeeper.vision.finetune.augmentation import augment
from tilekeeper.vision.finetune.fit import Task, fit
from tilekeeper.vision.finetune.guard_crops import ShippedCrops, are_classified_correctly
from tilekeeper.vision.finetune.labelled_crops import NO_INK, FeatureExtractor, LabelledCrops
from tilekeeper.vision.finetune.layer import INK, NUMBER, TURN, LastLayer
from tilekeeper.vision.types import NOT_A_TILE, normalise_log_probs

# Fewer crops are not fitted; they would describe themselves more than the set.
MIN_FINETUNE_CROPS = 5
# The own crops are cross-validated in this many folds.
CROSS_VALIDATION_FOLDS = 8
# A fine-tuned layer may label at most this share of the shipped crops worse.
MAX_GUARD_ACCURACY_LOSS_SHARE = 0.005
# Each crop is augmented to a number of views in this range, the crop itself included.
VIEWS_PER_CROP_RANGE = (4, 16)
# The layer is fitted to about this many views in total.
TARGET_VIEW_COUNT = 2000
# A crop is turned by 180° if that raises the log-probability of the person's label by more than this.
MIN_ROTATION_GAIN_LOG = 2.0

SEED = 3


@dataclass(frozen=True, slots=True)
class AdaptationResult:
    """Numbers of correctly classified crops before and after; own crops are measured by cross-validation."""

    own: int
    own_before: int
    own_after: int
    shipped: int
    shipped_before: int
    shipped_after: int

    @property
    def shipped_worse(self) -> bool:
        """Whether the shipped crops lose more than `MAX_GUARD_ACCURACY_LOSS_SHARE`."""
        return self.shipped_before - self.shipped_after > MAX_GUARD_ACCURACY_LOSS_SHARE * self.shipped

    @property
    def own_worse(self) -> bool:
        """Whether the own crops lose anything."""
        return self.own_after < self.own_before


ReportProgress = Callable[[int, int], None]
"""Callback with the number of finished steps and of all steps."""


def adapt(
    own_crops: LabelledCrops,
    features: FeatureExtractor,
    shipped: LastLayer,
    crops: ShippedCrops,
    report_progress: ReportProgress = lambda done, total: None,
) -> tuple[LastLayer, AdaptationResult]:
    """Return the last layer fitted to upright crops of one set, and its measurement; deterministic.

    The own crops are cross-validated: each fold is classified by a layer fitted to the other folds. The returned layer
    is fitted to all crops. Raises `ValueError` for fewer than `MIN_FINETUNE_CROPS` crops.
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
    return layer, AdaptationResult(
        len(own_crops),
        int(before.sum()),
        int(after.sum()),
        len(crops.check),
        int(are_classified_correctly(check_logits, crops.check).sum()),
        int(are_classified_correctly(layer.logits(check_features), crops.check).sum()),
    )


def turn_upright(crops: LabelledCrops, features: FeatureExtractor) -> LabelledCrops:
    """Turn the crops by 180° that fit the person's label much better that way.

    For example, a 9 was cropped as a 6 because the reader took it for upside down.
    """
    rotated = np.ascontiguousarray(crops.crops[:, ::-1, ::-1])
    before, after = (_label_log_probs(features(images)[0], crops) for images in (crops.crops, rotated))
    is_turned = (after > before + MIN_ROTATION_GAIN_LOG) & (crops.numbers != NOT_A_TILE)
    images = np.where(is_turned[:, None, None, None], rotated, crops.crops)
    return LabelledCrops(images, crops.numbers, crops.inks, crops.turned)


def _label_log_probs(logits: Floats, crops: LabelledCrops) -> Floats:
    """Return the log probability that each crop is an upright tile of its label."""
    rows = np.arange(len(crops))
    numbers, inks = normalise_log_probs(logits[:, NUMBER]), normalise_log_probs(logits[:, INK])
    ink_log_probs = np.where(crops.inks == NO_INK, 0.0, inks[rows, np.maximum(crops.inks, 0)])
    log_probs: Floats = numbers[rows, crops.numbers] + ink_log_probs - np.logaddexp(0, logits[:, TURN.start])
    return log_probs
