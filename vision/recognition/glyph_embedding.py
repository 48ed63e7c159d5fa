"""Probabilistic linear discriminant analysis of glyphs: tiles of one number on one table look alike.

In an unknown printing the classifier may take a 7 for a 9. But all sevens of that set resemble each other, and its
nines look different. As in speaker recognition, each number has a usual place in an embedding space, and its tiles on
one table are close together. So the classifier's probability of a number is multiplied by a likelihood ratio: how well
the tile's embedding fits the other tiles of that number. `tilekeeper.models.calibration.calibrate` fits the space.

Prince and Elder, "Probabilistic Linear Discriminant Analysis for Inferences About Identity", 2007.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from tilekeeper.vision.arrays import Floats, normalise_log_probs
from tilekeeper.vision.types import NUMBERS

GLYPH_LIKELIHOOD_WEIGHT = 0.1  # Weight of the glyph log likelihood ratio. Measured: best on 30,000 training tiles.
GLYPH_GAIN_RANGE_LOG = (-5.0, 3.0)  # Range of the change of a number's log probability by other tiles' glyphs.
GLYPH_UPDATE_ROUNDS = 3
GLYPH_WEIGHT_EXPONENT = 2  # A tile counts as an example of a number with its probability to this power.
MIN_GLYPH_EXAMPLE_PROB = 0.02  # A tile counts as an example of a number only if that number is likelier than this.
GLYPH_PRIOR_TILES = 4.0  # Prior variance of a number's glyphs (1 in the embedding space) counts as this many tiles.


@dataclass(frozen=True, slots=True, eq=False)
class FigureSpace:
    """Embedding space of glyphs.

    `axes`: projection `(F, K) float32` from features to embeddings (`features @ axes`), in which tiles of one number on
    one table have variance 1; `usual`: mean of each number over all printings, `(13, K)`; `spread`: variance of the
    means of one number between printings, `(K,)`.
    """

    axes: Floats
    usual: Floats
    spread: Floats

    def __post_init__(self) -> None:
        """Raise `ValueError` if the shapes do not match."""
        dimensions = self.axes.shape[-1]
        if self.axes.ndim != 2 or self.usual.shape != (NUMBERS, dimensions) or self.spread.shape != (dimensions,):
            raise ValueError(f"axes {self.axes.shape}, usual {self.usual.shape} and spread {self.spread.shape}")

    @classmethod
    def load(cls, file: Path | IO[bytes]) -> FigureSpace:
        """Load the space from a NumPy archive; raise `ValueError` or `OSError` if it cannot be read."""
        try:
            with np.load(file, allow_pickle=False) as archive:
                return cls(*(np.asarray(archive[name], np.float32) for name in cls.__slots__))
        except KeyError as error:
            raise ValueError(f"the archive has no {error}") from None
        except zipfile.BadZipFile as error:
            raise ValueError(str(error)) from None


def joint_numbers(number_log_probs: Floats, figures: Floats, space: FigureSpace | None) -> Floats:
    """Update `number_log_probs (N, 15)` of all tiles of one table by comparing their glyphs with each other.

    `figures (N, K)`: their embeddings in `space`; without a space, or with embeddings of another size, nothing changes.
    The probabilities of "joker" and "not a tile" stay.
    """
    if space is None or figures.shape != (len(number_log_probs), len(space.spread)) or not np.isfinite(figures).all():
        return number_log_probs
    log_probs = number_log_probs.astype(np.float64)
    any_number = np.logaddexp.reduce(log_probs[:, :NUMBERS], axis=1, keepdims=True)
    isolated = log_probs[:, :NUMBERS] - any_number
    joint: Floats = isolated
    figures = figures.astype(np.float64)
    for _ in range(GLYPH_UPDATE_ROUNDS):
        probs = np.exp(joint + any_number)
        weights = np.where(probs > MIN_GLYPH_EXAMPLE_PROB, probs**GLYPH_WEIGHT_EXPONENT, 0.0)
        gain = GLYPH_LIKELIHOOD_WEIGHT * _glyph_gains(figures, weights, space)
        joint = normalise_log_probs(isolated + np.clip(gain, *GLYPH_GAIN_RANGE_LOG))
    return np.concatenate([joint + any_number, log_probs[:, NUMBERS:]], axis=1)


def _glyph_gains(figures: Floats, weights: Floats, space: FigureSpace) -> Floats:
    """Return the log likelihood ratio `(N, 13)` of each tile's embedding for each number, given the other tiles.

    `weights (N, 13)`: how much each tile counts as an example of each number.
    """
    counts, sums = weights.sum(axis=0)[:, None], weights.T @ figures
    noise = _noise(figures, weights, counts, sums, space)
    prior_counts = noise / space.spread
    means = (sums + prior_counts * space.usual) / (counts + prior_counts)
    densities = _log_densities(figures, means, noise * (1 + 1 / (counts + prior_counts)))
    # Leave one out: a tile must not count as an example for itself.
    tile, number = np.nonzero(weights)
    own_weight = weights[tile, number, None]
    counts, sums = counts[number] - own_weight, sums[number] - own_weight * figures[tile]
    other_means = (sums + prior_counts * space.usual[number]) / (counts + prior_counts)
    variances = noise * (1 + 1 / (counts + prior_counts))
    log_terms = (figures[tile] - other_means) ** 2 / variances + np.log(variances)
    densities[tile, number] = -0.5 * log_terms.sum(axis=-1)
    return np.asarray(densities - _log_densities(figures, space.usual, noise + space.spread))


def _noise(figures: Floats, weights: Floats, counts: Floats, sums: Floats, space: FigureSpace) -> float:
    """Return the variance of the embeddings within one number on this table, pooled over the numbers; 1 is usual."""
    is_repeated = counts[:, 0] > 1.5
    means = (sums + space.usual / space.spread) / (counts + 1 / space.spread)
    squares = _square_distances(figures, means[is_repeated], np.array(1 / figures.shape[1]))
    degrees_of_freedom = max(float((counts[is_repeated] - 1).sum()), 0.0)
    squared_sum = float((weights[:, is_repeated] * squares).sum()) + GLYPH_PRIOR_TILES
    return squared_sum / (degrees_of_freedom + GLYPH_PRIOR_TILES)


def _log_densities(embeddings: Floats, means: Floats, variances: Floats) -> Floats:
    """Return the log densities `(N, M)` of embeddings `(N, K)` in Gaussians with `means (M, K)` and `variances`."""
    return np.asarray(-0.5 * (_square_distances(embeddings, means, 1 / variances) + np.log(variances).sum(axis=-1)))


def _square_distances(embeddings: Floats, means: Floats, weights: Floats) -> Floats:
    """Return the weighted squared distances `(N, M)` of embeddings `(N, K)` to `means (M, K)`; `weights (M, K)`.

    The squares are expanded into two matrix products, which takes an eighth of the time.
    """
    weights = np.broadcast_to(weights, means.shape)
    weighted = means * weights
    return np.asarray(embeddings**2 @ weights.T - 2 * embeddings @ weighted.T + (means * weighted).sum(axis=1))
