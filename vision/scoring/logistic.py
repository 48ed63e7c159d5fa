"""Logistic functions of signs, as they are fitted and kept in the manifest of the networks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np


def chances(signs: np.ndarray, weights: np.ndarray, bias: float) -> np.ndarray:
    """Return the logistic function of weighed signs `(N, S)`, `(N,)`."""
    chance: np.ndarray = 1 / (1 + np.exp(-np.clip(signs @ weights + bias, -40, 40)))
    return chance


@dataclass(frozen=True, slots=True)
class Weighed:
    """Weighs signs: a logistic function of them. `weights` are as many as there are `named` signs, in that order.

    `kept_as` is what the manifest calls the fit, under `reader`.
    """

    named: ClassVar[tuple[str, ...]] = ()
    kept_as: ClassVar[str] = ""

    weights: tuple[float, ...]
    bias: float

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.named):
            raise ValueError(f"there are {len(self.named)} signs, got {len(self.weights)} weights")

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> Self | None:
        """Return the fit that the manifest has; None where nothing was fitted for the networks.

        A sign that the manifest does not know counts nothing. Raises `ValueError` for one that is not known here.
        """
        fitted = manifest.get("reader", {}).get(cls.kept_as)
        if fitted is None:
            return None
        weights = fitted["weights"]
        if strangers := set(weights) - set(cls.named):
            raise ValueError(f"the manifest weighs signs that there are not: {', '.join(sorted(strangers))}")
        return cls(tuple(float(weights.get(sign, 0.0)) for sign in cls.named), float(fitted["bias"]))

    def chances(self, signs: np.ndarray) -> np.ndarray:
        """Return the chance that each has, `(N,) float64`, 0 to 1, by its signs `(N, S)`."""
        return chances(signs, np.array(self.weights), self.bias)
