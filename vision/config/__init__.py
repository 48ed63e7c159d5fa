"""Every limit of vision that was set by hand, one frozen config for each stage.

A stage reads its own: `from tilekeeper.vision.config import layout_limits as limits`, which are those in force. A bench
or a test that wants to know what a limit does runs with another one:

    with configured(replace(config(), layout=replace(config().layout, joint_gap=0.6))):
        ...
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, cast

from tilekeeper.vision.config.detection import DetectionConfig
from tilekeeper.vision.config.geometry import GeometryConfig
from tilekeeper.vision.config.layout import LayoutConfig
from tilekeeper.vision.config.quality import QualityConfig
from tilekeeper.vision.config.recognition import RecognitionConfig
from tilekeeper.vision.config.refinement import RefinementConfig
from tilekeeper.vision.config.scoring import ScoringConfig
from tilekeeper.vision.config.tracking import TrackingConfig


@dataclass(frozen=True, slots=True)
class VisionConfig:
    """The limits of all stages."""

    detection: DetectionConfig = field(default_factory=DetectionConfig)
    geometry: GeometryConfig = field(default_factory=GeometryConfig)
    recognition: RecognitionConfig = field(default_factory=RecognitionConfig)
    refinement: RefinementConfig = field(default_factory=RefinementConfig)
    scoring: ScoringConfig = field(default_factory=ScoringConfig)
    layout: LayoutConfig = field(default_factory=LayoutConfig)
    quality: QualityConfig = field(default_factory=QualityConfig)
    tracking: TrackingConfig = field(default_factory=TrackingConfig)


_current = VisionConfig()


def config() -> VisionConfig:
    """Return the limits that are in force."""
    return _current


@contextmanager
def configured(other: VisionConfig) -> Iterator[None]:
    """Put other limits in force for all threads while the block runs."""
    global _current
    before, _current = _current, other
    try:
        yield
    finally:
        _current = before


class _InForce:
    """The limits of a stage, whichever are in force when one is read."""

    def __init__(self, stage: str) -> None:
        self._stage = stage

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(_current, self._stage), name)


detection_limits = cast(DetectionConfig, _InForce("detection"))
geometry_limits = cast(GeometryConfig, _InForce("geometry"))
recognition_limits = cast(RecognitionConfig, _InForce("recognition"))
refinement_limits = cast(RefinementConfig, _InForce("refinement"))
scoring_limits = cast(ScoringConfig, _InForce("scoring"))
layout_limits = cast(LayoutConfig, _InForce("layout"))
quality_limits = cast(QualityConfig, _InForce("quality"))
tracking_limits = cast(TrackingConfig, _InForce("tracking"))
