"""Adapts the classifier to one set of tiles: turns the crops upright, fits, and measures before and after on both
sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Floats, Ints
from tilekeeper.vision.finetune.augmentation import views_of
from tilekeeper.vision.finetune.fit import Task, fit
from tilekeeper.vision.finetune.guard_crops import ShippedCrops, rightly_named
from tilekeeper.vision.finetune.labelled_crops import NO_INK, Features, Lessons
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
class Measured:
    """How many crops are named rightly before and after; the own ones by layers that were fitted without them."""

    own: int
    own_before: int
    own_after: int
    shipped: int
    shipped_before: int
    shipped_after: int

    @property
    def shipped_worse(self) -> bool:
        """Whether the shipped crops get worse by more than `guard_margin`."""
        return self.shipped_before - self.shipped_after > MAX_GUARD_ACCURACY_LOSS_SHARE * self.shipped

    @property
    def own_worse(self) -> bool:
        """Whether the own crops get worse at all."""
        return self.own_after < self.own_before


Tell = Callable[[int, int], None]
"""Is told how many steps are done, and of how many."""


def adapt(
    lessons: Lessons,
    features: Features,
    shipped: LastLayer,
    crops: ShippedCrops,
    tell: Tell = lambda done, of: None,
) -> tuple[LastLayer, Measured]:
    """The last layer fitted to upright crops of one set, and what it does; raises `ValueError` for too few crops.

    The same crops give the same layer. Each of `folds` parts of the own crops is named by a layer that was fitted to
    the others, which is what is measured; the layer that is returned is fitted to all of them.
    """
    if len(lessons) < MIN_FINETUNE_CROPS:
        raise ValueError(f"at least {MIN_FINETUNE_CROPS} tiles are needed, got {len(lessons)}")
    folds = min(CROSS_VALIDATION_FOLDS, len(lessons))
    steps = folds + 3
    tell(0, steps)
    lessons = upright(lessons, features)
    logits, own_features = features(lessons.crops)
    before = rightly_named(logits, lessons)
    held = Task.held(features(crops.held.crops)[1], shipped)
    tell(1, steps)
    check_logits, check_features = features(crops.check.crops)
    views = int(np.clip(TARGET_VIEW_COUNT // len(lessons), *VIEWS_PER_CROP_RANGE))
    seen = views_of(lessons, views, np.random.default_rng(SEED))
    of = np.repeat(np.arange(len(lessons)), views)
    seen_features = features(seen.crops)[1]
    tell(2, steps)

    def fitted(which: Ints) -> LastLayer:
        task = Task.own(seen_features[which], seen.numbers[which], seen.inks[which], seen.turned[which])
        return fit(shipped, task, held, views=views)

    part = np.random.default_rng(SEED).permutation(len(lessons)) % folds
    after = np.zeros(len(lessons), bool)
    for fold in range(folds):
        mine = part == fold
        layer = fitted(part[of] != fold)
        after[mine] = rightly_named(layer.logits(own_features[mine]), lessons.at(mine))
        tell(3 + fold, steps)
    layer = fitted(np.ones(len(of), bool))
    tell(steps, steps)
    return layer, Measured(
        len(lessons),
        int(before.sum()),
        int(after.sum()),
        len(crops.check),
        int(rightly_named(check_logits, crops.check).sum()),
        int(rightly_named(layer.logits(check_features), crops.check).sum()),
    )


def upright(lessons: Lessons, features: Features) -> Lessons:
    """The crops, those turned round that are far likelier what a person says they are when they stand on their heads.

    A 9 that was cut out as a 6 is one, for the reader thought that it lay the other way.
    """
    turned_round = np.ascontiguousarray(lessons.crops[:, ::-1, ::-1])
    as_it_is, turned = (_likely(features(crops)[0], lessons) for crops in (lessons.crops, turned_round))
    turn = (turned > as_it_is + MIN_ROTATION_GAIN_LOG) & (lessons.numbers != NOT_A_TILE)
    crops = np.where(turn[:, None, None, None], turned_round, lessons.crops)
    return Lessons(crops, lessons.numbers, lessons.inks, lessons.turned)


def _likely(logits: Floats, lessons: Lessons) -> Floats:
    """How likely each crop is an upright tile of its label, as a logarithm."""
    rows = np.arange(len(lessons))
    numbers, inks = normalise_log_probs(logits[:, NUMBER]), normalise_log_probs(logits[:, INK])
    inked = np.where(lessons.inks == NO_INK, 0.0, inks[rows, np.maximum(lessons.inks, 0)])
    likely: Floats = numbers[rows, lessons.numbers] + inked - np.logaddexp(0, logits[:, TURN.start])
    return likely
