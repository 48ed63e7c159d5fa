"""Crops of tiles with what they are, as the classifier's heads want it: what a layer is fitted to or checked by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Columns, Floats, Image, Ints, expect_shape
from tilekeeper.vision.finetune.layer import FEATURES, LOGITS
from tilekeeper.vision.recognition.classifier import CROP_WH, white_bytes
from tilekeeper.vision.runtime.network import Network
from tilekeeper.vision.runtime.space_to_depth import space_to_depth
from tilekeeper.vision.types import INKS, JOKER, NO_TILE_LABEL, NOT_A_TILE, NUMBERS

BATCH = 64
NO_INK = -1
"""The ink of a joker and of what is no tile: it says nothing."""

Features = Callable[[Image], tuple[Floats, Floats]]
"""Crops `(N, 72, 48, 3) uint8` BGR before whitening to their logits `(N, 28)` and features `(N, 128)`, float32."""


@dataclass(frozen=True, slots=True, eq=False)
class Lessons(Columns):
    """N crops with their truth.

    `crops (N, 72, 48, 3) uint8` BGR before whitening; `numbers (N,)` 0 to 14 (`JOKER`, `NOT_A_TILE`); `inks (N,)`
    places in `INKS` or `NO_INK`; `turned (N,) bool`, which stand on their heads. Raises `ValueError` for other shapes.
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
    def of_labels(cls, crops: Sequence[Image], labels: Sequence[str]) -> Lessons:
        """Upright crops with labels such as `red-7`, `joker` and `no-tile`; raises `ValueError` for other labels."""
        width, height = CROP_WH
        named = [heads_of(label) for label in labels]
        return cls(
            np.array(crops, np.uint8).reshape(-1, height, width, 3),
            np.array([number for number, _ in named], np.int64),
            np.array([ink for _, ink in named], np.int64),
            np.zeros(len(named), bool),
        )


def heads_of(label: str) -> tuple[int, int]:
    """The number (0 to 14) and the ink (or `NO_INK`) of a label in the classifier's words; raises `ValueError`."""
    if label == "joker":
        return JOKER, NO_INK
    if label == NO_TILE_LABEL:
        return NOT_A_TILE, NO_INK
    ink, _, number = label.partition("-")
    if ink not in INKS or not number.isdecimal() or not 1 <= int(number) <= NUMBERS:
        raise ValueError(f"{label!r} is no label of a tile; such are {INKS[-1]}-7, joker, {NO_TILE_LABEL}")
    return int(number) - 1, INKS.index(ink)


def features_with(session: Network) -> Features:
    """What a classifier's ONNX session makes of crops."""

    def features(crops: Image) -> tuple[Floats, Floats]:
        logits: list[Floats] = [np.zeros((0, LOGITS), np.float32)]
        kept: list[Floats] = [np.zeros((0, FEATURES), np.float32)]
        for at in range(0, len(crops), BATCH):
            squares = space_to_depth(white_bytes(crops[at : at + BATCH]))
            some_logits, some_features = session.run(["logits", "features"], {"crops": squares})
            logits.append(some_logits)
            kept.append(some_features)
        return np.concatenate(logits), np.concatenate(kept)

    return features
