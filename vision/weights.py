"""Weights of signs, as they are fitted and kept in the manifest of the networks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def weights_of(fitted: Mapping[str, Any], signs: Sequence[str]) -> tuple[tuple[float, ...], float]:
    """Return the weights of the `signs`, in their order, and the bias that a fit in the manifest has.

    A sign that the fit does not know weighs nothing. Raises `ValueError` for one of the fit's that is not known here.
    """
    weights = fitted["weights"]
    if strangers := set(weights) - set(signs):
        raise ValueError(f"the manifest weighs signs that there are not: {', '.join(sorted(strangers))}")
    return tuple(float(weights.get(sign, 0.0)) for sign in signs), float(fitted["bias"])
