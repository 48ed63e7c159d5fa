"""The namer's last layer as plain arrays: what ships with the network, and how logits come of features by it."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

import numpy as np

from tilekeeper.engine.language import lazy_gettext
from tilekeeper.vision.arrays import Floats
from tilekeeper.vision.manifest import ModelsMissing, checked_bytes

LOGITS, FEATURES = 28, 128
NUMBER, INK, TURN = slice(0, 15), slice(15, 19), slice(19, 20)
"""The logits of the numbers (1 to 13, joker, not a tile), of the inks, and of standing upside down."""
NAMING = 20
"""How many of the logits name the tile; the others are how far its corners are off."""


@dataclass(frozen=True, slots=True, eq=False)
class LastLayer:
    """`weight (28, 128) float32` and `bias (28,) float32`; other shapes and no numbers are `ValueError`s."""

    weight: Floats
    bias: Floats

    def __post_init__(self) -> None:
        for name, values, shape in (("weight", self.weight, (LOGITS, FEATURES)), ("bias", self.bias, (LOGITS,))):
            if values.shape != shape or values.dtype != np.float32:
                raise ValueError(f"{name} must be {shape} float32, got {values.shape} {values.dtype}")
            if not np.isfinite(values).all():
                raise ValueError(f"{name} holds what is no finite number")

    def logits(self, features: Floats) -> Floats:
        """The logits `(N, 28) float32` of features `(N, 128) float32`."""
        return features @ self.weight.T + self.bias


def namer_sha256(manifest: Mapping[str, Any]) -> str:
    """Which namer a manifest describes: the SHA-256 of its file, in lower case."""
    return str(manifest["namer"]["sha256"]).lower()


def shipped_layer(manifest: Mapping[str, Any], folder: Traversable | None = None) -> LastLayer:
    """The last layer of the namer that ships with the project, or of the one in `folder`; raises `ModelsMissing`."""
    folder = folder or resources.files("tilekeeper.models")
    entry = manifest["namer"].get("head")
    if entry is None:
        raise ModelsMissing(lazy_gettext("this classifier has no separate last layer, so it can't be adapted"))
    data = checked_bytes(folder, entry, "namer")
    with np.load(io.BytesIO(data)) as arrays:
        return LastLayer(arrays["weight"], arrays["bias"])
