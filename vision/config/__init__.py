"""Every limit of vision that was set by hand, one frozen config for each stage.

A stage reads its own: `from tilekeeper.vision.config import layout_limits as limits`, which are those in force. A bench
or a test that wants to know what a limit does runs with another one:

    with configured(replace(config(), layout=replace(config().layout, joint_gap=0.6))):
        ...
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field, fields

from tilekeeper.vision.config.detection import DetectionConfig
from tilekeeper.vision.config.finetune import FinetuneConfig
from tilekeeper.vision.config.geometry import GeometryConfig
from tilekeeper.vision.config.layout import LayoutConfig
from tilekeeper.vision.config.quality import QualityConfig
from tilekeeper.vision.config.recognition import RecognitionConfig
from tilekeeper.vision.config.refinement import RefinementConfig
from tilekeeper.vision.config.runtime import RuntimeConfig
from tilekeeper.vision.config.scoring import ScoringConfig
from tilekeeper.vision.config.sources import SourcesConfig
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
    sources: SourcesConfig = field(default_factory=SourcesConfig)
    finetune: FinetuneConfig = field(default_factory=FinetuneConfig)
    runtime: RuntimeConfig = field(default_factory=RuntimeConfig)


_current = VisionConfig()

# what `config()` has, as plain attributes: stages read them thousands of times for one picture
detection_limits = copy(_current.detection)
geometry_limits = copy(_current.geometry)
recognition_limits = copy(_current.recognition)
refinement_limits = copy(_current.refinement)
scoring_limits = copy(_current.scoring)
layout_limits = copy(_current.layout)
quality_limits = copy(_current.quality)
tracking_limits = copy(_current.tracking)
sources_limits = copy(_current.sources)
finetune_limits = copy(_current.finetune)
runtime_limits = copy(_current.runtime)


def config() -> VisionConfig:
    """Return the limits that are in force."""
    return _current


@contextmanager
def configured(other: VisionConfig) -> Iterator[None]:
    """Put other limits in force for all threads while the block runs."""
    before = _current
    _put_in_force(other)
    try:
        yield
    finally:
        _put_in_force(before)


def _put_in_force(other: VisionConfig) -> None:
    global _current
    _current = other
    for stage in fields(other):
        limits, view = getattr(other, stage.name), globals()[f"{stage.name}_limits"]
        for one in fields(limits):
            object.__setattr__(view, one.name, getattr(limits, one.name))
