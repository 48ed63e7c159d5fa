"""What the reader is sure of: limits that belong to the networks, whose manifest may bring its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tilekeeper.vision.config.limit import Limits, limit


@dataclass(frozen=True, slots=True)
class ReaderLimits(Limits):
    """What the reader is sure of; the manifest of the networks may bring its own."""

    doubtful_below: float = limit(0.8, unit="confidence", least=0, most=1)
    """A tile with less is in doubt."""
    sure_score: float = limit(0.5, unit="score", least=0, most=1)
    """From this on a find of the detector is taken as certain; that it is no tile is for the classifier to say."""
    working_px: int = limit(12_000_000, unit="px", least=10_000, most=1_000_000_000)
    """Pictures with more are read smaller."""

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> ReaderLimits:
        """Return the limits that the manifest names under `reader`, the rest as they are here."""
        own = manifest.get("reader", {})
        return cls(**{name: own[name] for name in cls.__dataclass_fields__ if name in own})
