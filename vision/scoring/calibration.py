"""Calibration: the confidence of a label, and the other values that were fitted for the networks.

The confidence is a logistic regression on three features: the classifier's own probability, which is over- or
underconfident; how well the other tiles of the image could be labelled; and how many tiles there are. The detector's
score, the shift of the corners, the tile's width and its label before the comparison with the table added nothing.
`tilekeeper.models.calibration.calibrate` fits the weights on held-out tables and writes them into the manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints
from tilekeeper.vision.recognition.glyph_embedding import FigureSpace
from tilekeeper.vision.scoring.tileness import FEATURES as TILENESS_FEATURES
from tilekeeper.vision.scoring.tileness import AmongTiles, IsTile, tileness_features
from tilekeeper.vision.tile_table import NONE, TileTable
from tilekeeper.vision.types import JOINT_NOT_A_TILE

MAX_LABEL_LOG_ODDS = 12.0  # the networks' log-odds are clipped here; beyond, they only show rounding in the last layer
SELF_WEIGHT_TILES = 0.5  # a tile counts as this many in the mean of the others, so an isolated one is its own reference
MAX_IMAGE_PX = 1_000_000_000  # OpenCV opens no larger image, so this limit shrinks none

FEATURES = ("name_log_odds", "others", "few")
"""Names of the features in the order of `confidence_features`; the confidence grows with each."""


def chances(features: Floats, weights: Floats, bias: float) -> Floats:
    """Return the logistic function of weighted features `(N, S)`: probabilities `(N,)`."""
    return np.asarray(1 / (1 + np.exp(-np.clip(features @ weights + bias, -40, 40))))


@dataclass(frozen=True, slots=True)
class LogisticRegression:
    """Logistic regression; `features` names the feature of each weight, `key` is the model's name in the manifest."""

    features: ClassVar[tuple[str, ...]] = ()
    key: ClassVar[str] = ""

    weights: tuple[float, ...]
    bias: float

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.features):
            raise ValueError(f"there are {len(self.features)} features, got {len(self.weights)} weights")

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> Self | None:
        """Return the model with the weights under `reader` in the manifest; None if it has none.

        A feature without a weight gets the weight 0. Raises `ValueError` for weights of unknown features.
        """
        fitted = manifest.get("reader", {}).get(cls.key)
        if fitted is None:
            return None
        weights = fitted["weights"]
        if unknown := set(weights) - set(cls.features):
            raise ValueError(f"the manifest weighs features that there are not: {', '.join(sorted(unknown))}")
        return cls(tuple(float(weights.get(feature, 0.0)) for feature in cls.features), float(fitted["bias"]))

    def chances(self, features: Floats) -> Floats:
        """Return the probabilities `(N,) float64` of features `(N, S)`."""
        return chances(features, np.array(self.weights), self.bias)


class Confidence(LogisticRegression):
    """Logistic regression that estimates how likely labels are right, from the features of `confidence_features`."""

    __slots__ = ()
    features = FEATURES
    key = "confidence"

    def __call__(self, tiles: TileTable) -> Floats:
        """Return the probability `(N,) float64` that each tile's most likely label is right."""
        return self.chances(confidence_features(tiles.joint_log_probs, tiles.person_label != NONE))


def confidence_features(log_probs: Floats, by_person: Bools) -> Floats:
    """Return the features `(N, S) float64` of the tiles of one table, in the order of `FEATURES`.

    `log_probs (N, 54)`: after the tiles were compared; `by_person (N,)`: mask of the tiles that a person labelled.
    """
    if not len(log_probs):
        return np.zeros((0, len(FEATURES)))
    joint = log_probs.astype(np.float64)
    log_prob = joint[:, :JOINT_NOT_A_TILE].max(axis=1)
    # Non-tiles and tiles that a person has labelled do not show how well the classifier labels tiles here.
    tiles = np.maximum(1 - np.exp(np.minimum(joint[:, JOINT_NOT_A_TILE], 0.0)), 1e-9)
    log_odds_of_tiles = _log_odds(log_prob - np.log(tiles))
    company = np.where(by_person, 0.0, tiles)
    weighted = company * log_odds_of_tiles
    weight, total = company.sum() - company, weighted.sum() - weighted
    blended = (total + SELF_WEIGHT_TILES * log_odds_of_tiles) / (weight + SELF_WEIGHT_TILES)
    return np.column_stack([_log_odds(log_prob), blended, 1 / (1 + weight)])


def _log_odds(log_probs: Floats) -> Floats:
    log_probs = np.minimum(log_probs, -1e-12)
    odds = log_probs - np.log(-np.expm1(log_probs))
    return np.asarray(odds.clip(-MAX_LABEL_LOG_ODDS, MAX_LABEL_LOG_ODDS))


class TileOrNot(LogisticRegression):
    """Logistic regression that estimates how likely candidates are tiles, from the features of `tileness_features`."""

    __slots__ = ()
    features = TILENESS_FEATURES
    key = "tile_or_not"

    def __call__(self, among: AmongTiles, indices: Ints) -> Floats:
        return self.chances(tileness_features(among, indices))


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """Thresholds of the reader; raises `ValueError` if one is out of its range.

    `doubtful_below`: a tile with a lower confidence (0 to 1) is flagged; `sure_score`: from this detector score (0 to
    1) on, only the classifier decides whether a detection is a tile; `working_px`: larger images are shrunk to this.
    """

    doubtful_below: float = 0.8
    sure_score: float = 0.5
    working_px: int = MAX_IMAGE_PX

    def __post_init__(self) -> None:
        for name in ("doubtful_below", "sure_score"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, got {getattr(self, name)}")
        if not 10_000 <= self.working_px <= MAX_IMAGE_PX:
            raise ValueError(f"working_px must be from 10,000 to {MAX_IMAGE_PX:,}, got {self.working_px}")

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> ReaderLimits:
        """Return the thresholds under `reader` in the manifest; a missing threshold has its default."""
        named = manifest.get("reader", {})
        return cls(**{name: named[name] for name in cls.__dataclass_fields__ if name in named})


@dataclass(frozen=True, slots=True)
class Calibration:
    """The values that were fitted for the detector and the classifier.

    `confidence`: function that returns how likely each label is right; if None, the classifier's probabilities count.
    `space`: embedding space of glyphs; if None, glyphs are not compared. `is_tile`: function that returns how likely a
    candidate is a tile at all; if None, thresholds on its size and label decide.
    """

    limits: ReaderLimits = field(default_factory=ReaderLimits)
    confidence: Callable[[TileTable], Floats] | None = None
    space: FigureSpace | None = None
    is_tile: IsTile | None = None

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any], space: FigureSpace | None) -> Calibration:
        """Return the calibration in a manifest, with the embedding space of its classifier."""
        confidence, is_tile = Confidence.of_manifest(manifest), TileOrNot.of_manifest(manifest)
        return cls(ReaderLimits.of_manifest(manifest), confidence, space, is_tile)
