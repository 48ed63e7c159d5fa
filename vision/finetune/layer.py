"""The classifier's last layer as plain arrays, and its logits of features."""

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
from tilekeeper.vision.manifest import ModelsMissing, read_checked

LOGITS, FEATURES = 28, 128
NUMBER, INK, TURN = slice(0, 15), slice(15, 19), slice(19, 20)
"""Logits of the numbers (1 to 13, joker, not a tile), of the inks, and of being upside down."""
LABELS = 20
"""Number of logits of the label; the other logits are corner offsets."""


@dataclass(frozen=True, slots=True, eq=False)
class LastLayer:
    """`weight (28, 128) float32` and `bias (28,) float32`, all finite; raises `ValueError` otherwise."""

    weight: Floats
    bias: Floats

    def __post_init__(self) -> None:
        for name, values, shape in (("weight", self.weight, (LOGITS, FEATURES)), ("bias", self.bias, (LOGITS,))):
            if values.shape != shape or values.dtype != np.float32:
                raise ValueError(f"{name} must be {shape} float32, got {values.shape} {values.dtype}")
            if not np.isfinite(values).all():
                raise ValueError(f"{name} holds what is no finite number")

    def logits(self, features: Floats) -> Floats:
        """Return the logits `(N, 28) float32` of features `(N, 128) float32`."""
        return features @ self.weight.T + self.bias


def classifier_sha256(manifest: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a manifest's classifier, in lower case."""
    return str(manifest["classifier"]["sha256"]).lower()


def load_shipped_layer(manifest: Mapping[str, Any], folder: Traversable | None = None) -> LastLayer:
    """Return the last layer of the shipped classifier, or of the one in `folder`; raise `ModelsMissing`."""
    folder = folder or resources.files("tilekeeper.models")
    entry = manifest["classifier"].get("head")
    if entry is None:
        raise ModelsMissing(lazy_gettext("this classifier has no separate last layer, so it can't be adapted"))
    data = read_checked(folder, entry, "classifier")
    with np.load(io.BytesIO(data)) as arrays:
        return LastLayer(arrays["weight"], arrays["bias"])
