"""What many looks at one tile say together: averaged log-probabilities, weighed by how much each look adds.

Frames of a tile that lies still show the same light and the same scratch: ten of them are far from ten independent
looks. Other cuts of the same print mislead the namer less often together. A look from another place on the table is
worth nearly a new one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tilekeeper.vision.config import config
from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.types import NOT_A_TILE, NUMBERS, sureness_of


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """The weighted mean of the looks at one tile, each field as in `Appearances`.

    `score` is the detector's, `weight` what they weigh in the mean, `worth` how many independent looks they are worth,
    `looks` how many there were at the place where it lies now.
    """

    number_log_probs: np.ndarray
    ink_log_probs: np.ndarray
    upside_down_log_odds: float
    ink_colours: np.ndarray
    figures: np.ndarray
    score: float
    weight: float = 1.0
    worth: float = 1.0
    looks: int = 1

    @classmethod
    def of_cuts(cls, means: Appearances, at: int, score: float, cuts: int) -> Evidence:
        """Return what the mean of so many cuts of one tile says, made at one look."""
        return replace(cls.of(means, at, score), weight=float(cuts))

    @classmethod
    def of(cls, appearances: Appearances, at: int, score: float) -> Evidence:
        """Return what one look says; `score` is the detector's, 0 to 1."""
        return cls.each(appearances.part(slice(at, at + 1)), np.array([score]))[0]

    @classmethod
    def each(cls, appearances: Appearances, scores: np.ndarray) -> list[Evidence]:
        """Return what one look at each of N tiles says; `scores (N,)` are the detector's, 0 to 1."""
        fields = ("number_log_probs", "ink_log_probs", "upside_down_log_odds", "ink_colours", "figures")
        numbers, inks, over, colours, figures = (getattr(appearances, name).astype(np.float64) for name in fields)
        return list(map(cls, numbers, inks, over.tolist(), colours, figures, scores.tolist()))

    def plus(self, other: Evidence, moved: bool) -> Evidence:
        """Return this evidence with one more look, at the same place or after the tile moved."""
        limits = config().scoring
        own, more = (
            min(self.weight, limits.most_weight),
            (limits.moved_crop_weight if moved else limits.crop_weight) * other.weight,
        )
        share = more / (own + more)
        return Evidence(
            (1 - share) * self.number_log_probs + share * other.number_log_probs,
            (1 - share) * self.ink_log_probs + share * other.ink_log_probs,
            (1 - share) * self.upside_down_log_odds + share * other.upside_down_log_odds,
            (1 - share) * self.ink_colours + share * other.ink_colours,
            (1 - share) * self.figures + share * other.figures,
            max(self.score, other.score),
            own + more,
            min(max(self.worth, other.worth) + limits.moved_worth * moved, limits.most_worth),
            1 if moved else self.looks + 1,
        )

    @property
    def is_tile(self) -> bool:
        """Whether it is likelier a tile of some name than none."""
        return int(self.number_log_probs.argmax()) != NOT_A_TILE

    @property
    def sureness(self) -> float:
        """How likely the likeliest name is, 0 where it is likeliest no tile."""
        if not self.is_tile:
            return 0.0
        return float(np.exp(sureness_of(self.number_log_probs[None], self.ink_log_probs[None])[0]))


def fused(tiles: Sequence[Evidence]) -> tuple[np.ndarray, np.ndarray]:
    """Return `number_log_probs (N, 15)` and `ink_log_probs (N, 4)` of N tiles: all looks, tempered by their worth."""
    sharper = np.array([tile.worth for tile in tiles])[:, None]
    numbers = np.array([tile.number_log_probs for tile in tiles]) * sharper
    inks = np.array([tile.ink_log_probs for tile in tiles]) * sharper
    return _normal(numbers), _normal(inks)


def likeness(one: Evidence, other: Evidence) -> float:
    """Return how alike two tiles look, 0 to 1: Bhattacharyya's coefficient of their names."""
    numbers = np.exp((_normal(one.number_log_probs) + _normal(other.number_log_probs)) / 2)
    inks = np.exp((_normal(one.ink_log_probs) + _normal(other.ink_log_probs)) / 2).sum()
    return float(numbers[:NUMBERS].sum() * inks + numbers[NUMBERS:].sum())


def _normal(log_probs: np.ndarray) -> np.ndarray:
    return log_probs - np.logaddexp.reduce(log_probs, axis=-1, keepdims=True)
