"""Thresholds of the reader that belong to its networks: the manifest brings those that were fitted for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """Thresholds of the reader; raises `ValueError` for one out of its range.

    Attributes:
        doubtful_below: a tile with a lower confidence (0 to 1) is flagged.
        sure_score: from this detector score (0 to 1) on, only the classifier decides whether a detection is a tile.
        working_px: an image with more pixels is read at a smaller size.
    """

    doubtful_below: float = 0.8
    sure_score: float = 0.5
    working_px: int = 12_000_000

    def __post_init__(self) -> None:
        for name in ("doubtful_below", "sure_score"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, got {getattr(self, name)}")
        if not 10_000 <= self.working_px <= 1_000_000_000:
            raise ValueError(f"working_px must be from 10,000 to 1,000,000,000, got {self.working_px}")

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> ReaderLimits:
        """Return the thresholds that the manifest names under `reader`, and the defaults for the others."""
        named = manifest.get("reader", {})
        return cls(**{name: named[name] for name in cls.__dataclass_fields__ if name in named})
