"""Labelled crops: the data to which a layer is fitted and on which it is measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Columns, Floats, Image, Ints, expect_shape
from tilekeeper.vision.finetune.layer import FEATURES, LOGITS
from tilekeeper.vision.recognition.classifier import CROP_WH, whiten_to_bytes
from tilekeeper.vision.runtime.network import Network
from tilekeeper.vision.runtime.space_to_depth import space_to_depth
from tilekeeper.vision.types import INKS, JOKER, NO_TILE_LABEL, NOT_A_TILE, NUMBERS

BATCH = 64
NO_INK = -1
"""Ink of a joker and of a non-tile."""

FeatureExtractor = Callable[[Image], tuple[Floats, Floats]]
"""Function from crops `(N, 72, 48, 3) uint8` BGR to logits `(N, 28)` and features `(N, 128)`, both float32."""


@dataclass(frozen=True, slots=True, eq=False)
class LabelledCrops(Columns):
    """N crops with their labels.

    `crops`: `(N, 72, 48, 3) uint8` BGR, before whitening; `numbers`: `(N,)`, 0 to 14 (`JOKER`, `NOT_A_TILE`); `inks`:
    `(N,)` indices into `INKS`, or `NO_INK`; `turned`: `(N,) bool`, which crops are upside down. Raises `ValueError` for
    other shapes.
    """

    crops: Image
    numbers: Ints
    inks: Ints
    turned: Bools

    def __post_init__(self) -> None:
        width, height = CROP_WH
        if self.crops.shape[1:] != (height, width, 3) or self.crops.dtype != np.uint8:
            raise ValueError(
                f"crops must be (N, {height}, {width}, 3) uint8, got {self.crops.shape} {self.crops.dtype}"
            )
        for name in ("numbers", "inks", "turned"):
            expect_shape(name, getattr(self, name), (len(self.crops),))

    @classmethod
    def from_labels(cls, crops: Sequence[Image], labels: Sequence[str]) -> LabelledCrops:
        """Return upright crops with labels such as `red-7`, `joker`, `no-tile`; raise `ValueError` for other labels."""
        width, height = CROP_WH
        classes = [classes_of_label(label) for label in labels]
        return cls(
            np.array(crops, np.uint8).reshape(-1, height, width, 3),
            np.array([number for number, _ in classes], np.int64),
            np.array([ink for _, ink in classes], np.int64),
            np.zeros(len(classes), bool),
        )


def classes_of_label(label: str) -> tuple[int, int]:
    """Return the number (0 to 14) and the ink (or `NO_INK`) of a classifier label; raise `ValueError`."""
    if label == "joker":
        return JOKER, NO_INK
    if label == NO_TILE_LABEL:
        return NOT_A_TILE, NO_INK
    ink, _, number = label.partition("-")
    if ink not in INKS or not number.isdecimal() or not 1 <= int(number) <= NUMBERS:
        raise ValueError(f"{label!r} is no label of a tile; such are {INKS[-1]}-7, joker, {NO_TILE_LABEL}")
    return int(number) - 1, INKS.index(ink)


def feature_extractor(session: Network) -> FeatureExtractor:
    """Return a function that runs a classifier's ONNX session on crops."""

    def features(crops: Image) -> tuple[Floats, Floats]:
        all_logits: list[Floats] = [np.zeros((0, LOGITS), np.float32)]
        all_features: list[Floats] = [np.zeros((0, FEATURES), np.float32)]
        for start in range(0, len(crops), BATCH):
            squares = space_to_depth(whiten_to_bytes(crops[start : start + BATCH]))
            batch_logits, batch_features = session.run(["logits", "features"], {"crops": squares})
            all_logits.append(batch_logits)
            all_features.append(batch_features)
        return np.concatenate(all_logits), np.concatenate(all_features)

    return features
