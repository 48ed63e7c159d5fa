"""The figures of one table, seen together: its sevens look like one another, in whatever typeface they are printed.

To the classifier the 7 of a printing may look half like a 9. But all sevens of that set do, and its nines look
otherwise: what the tiles on the table have in common says more of a printing that nobody has seen than any training
can. Each number is taken to look somewhere near where it usually does, and its tiles on one table alike (in the way in
which speakers are told apart by their voices: Prince and Elder, "Probabilistic Linear Discriminant Analysis for
Inferences About Identity", 2007). A tile's number is what the classifier says of it by itself, times how much likelier
its looks have become for what the other tiles of that number look like. `python -m
tilekeeper.models.calibration.calibrate` fits what is usual.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import numpy as np

from tilekeeper.vision.arrays import Floats
from tilekeeper.vision.types import NUMBERS, normalise_log_probs

# Weight of the glyph log likelihood ratio. Measured: 0.1 is best for the labels of 30,000 training tiles.
GLYPH_LIKELIHOOD_WEIGHT = 0.1
# The glyphs of other tiles lower the log probability of a tile's number by no more than this.
MIN_GLYPH_GAIN_LOG = -5.0
# The glyphs of other tiles raise the log probability of a tile's number by no more than this.
MAX_GLYPH_GAIN_LOG = 3.0
# The number probabilities are re-estimated from the glyphs of the other tiles this many times.
GLYPH_UPDATE_ROUNDS = 3
# A tile counts as an example of a number with its probability of that number raised to this power.
GLYPH_WEIGHT_EXPONENT = 2
# A tile counts as an example of a number only if that number is likelier than this.
MIN_GLYPH_EXAMPLE_PROB = 0.02
# The prior variance of one number's glyphs counts as much as this many tiles of the table.
GLYPH_PRIOR_TILES = 4.0
# Prior variance of one number's glyph embeddings on one table; the embedding space is scaled to variance 1.
GLYPH_PRIOR_VARIANCE = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class FigureSpace:
    """Where the features of a classifier tell printings apart, and where each number usually lies there.

    `axes (F, K) float32` lead from features to places `(K,)`, in which tiles of one number on one table are spread by 1
    each way; `usual (13, K)` are the numbers' middles over all printings, and `spread (K,)` by how much, squared, those
    of one printing are off them.
    """

    axes: Floats
    usual: Floats
    spread: Floats

    def __post_init__(self) -> None:
        """Raise `ValueError` where the shapes don't go together."""
        places = self.axes.shape[-1]
        if self.axes.ndim != 2 or self.usual.shape != (NUMBERS, places) or self.spread.shape != (places,):
            raise ValueError(f"axes {self.axes.shape}, usual {self.usual.shape} and spread {self.spread.shape}")

    @classmethod
    def of_file(cls, file: Path | IO[bytes]) -> FigureSpace:
        """Read a NumPy archive, a path or an open file; raises `ValueError` and `OSError` for what is none."""
        try:
            with np.load(file, allow_pickle=False) as archive:
                return cls(*(np.asarray(archive[name], np.float32) for name in cls.__slots__))
        except KeyError as error:
            raise ValueError(f"the archive has no {error}") from None
        except zipfile.BadZipFile as error:
            raise ValueError(str(error)) from None

    def places(self, features: Floats) -> Floats:
        """Return where features `(N, F)` lie, `(N, K) float32`."""
        return features @ self.axes


def joint_numbers(number_log_probs: Floats, figures: Floats, space: FigureSpace | None) -> Floats:
    """Return `number_log_probs (N, 15)` of the tiles of one table after each has been compared with the others.

    `figures (N, K)` are their places in `space`; without one, or without places, nothing changes. How likely it is that
    a tile has a number at all, and is no joker or no tile, stays as it was.
    """
    if space is None or figures.shape != (len(number_log_probs), len(space.spread)) or not np.isfinite(figures).all():
        return number_log_probs
    own = number_log_probs.astype(np.float64)
    numbered = np.logaddexp.reduce(own[:, :NUMBERS], axis=1, keepdims=True)
    alone = own[:, :NUMBERS] - numbered
    joint, figures = alone, figures.astype(np.float64)
    for _ in range(GLYPH_UPDATE_ROUNDS):
        share = np.exp(joint + numbered)
        gain = GLYPH_LIKELIHOOD_WEIGHT * _likelier(
            figures, np.where(share > MIN_GLYPH_EXAMPLE_PROB, share**GLYPH_WEIGHT_EXPONENT, 0.0), space
        )
        joint = normalise_log_probs(alone + np.clip(gain, MIN_GLYPH_GAIN_LOG, MAX_GLYPH_GAIN_LOG))
    return np.concatenate([joint + numbered, own[:, NUMBERS:]], axis=1)


def _likelier(figures: Floats, share: Floats, space: FigureSpace) -> Floats:
    """How much likelier each tile's looks are for each number once the others are seen, `(N, 13)` logarithms.

    `share (N, 13)` is how much of each tile counts as which number.
    """
    tiles, places = share.sum(axis=0)[:, None], share.T @ figures
    noise = _noise(figures, share, tiles, places, space)
    hold = noise / space.spread
    of_all = (places + hold * space.usual) / (tiles + hold)
    seen = _log_densities(figures, of_all, noise * (1 + 1 / (tiles + hold)))
    # all others: a tile is no witness for itself
    at, number = np.nonzero(share)
    own = share[at, number, None]
    tiles, places = tiles[number] - own, places[number] - own * figures[at]
    of_others = (places + hold * space.usual[number]) / (tiles + hold)
    seen[at, number] = _log_density(figures[at] - of_others, noise * (1 + 1 / (tiles + hold)))
    gained: Floats = seen - _log_densities(figures, space.usual, noise + space.spread)
    return gained


def _noise(figures: Floats, share: Floats, tiles: Floats, places: Floats, space: FigureSpace) -> float:
    """By how much, squared, the tiles of one number are spread on this table, where 1 is usual."""
    several = tiles[:, 0] > 1.5
    middles = (places + space.usual / space.spread) / (tiles + 1 / space.spread)
    off = _squares_apart(figures, middles[several], np.array(1 / figures.shape[1]))
    free = max(float((tiles[several] - 1).sum()), 0.0)
    seen = float((share[:, several] * off).sum()) + GLYPH_PRIOR_TILES * GLYPH_PRIOR_VARIANCE
    return seen / (free + GLYPH_PRIOR_TILES)


def _log_density(off: Floats, variance: Floats) -> Floats:
    """Logarithms of the normal density, less what is the same for all, summed over the last axis."""
    logs: Floats = -0.5 * (off**2 / variance + np.log(variance)).sum(axis=-1)
    return logs


def _log_densities(places: Floats, middles: Floats, variances: Floats) -> Floats:
    """The same of N places `(N, K)` about M middles `(M, K)`, with variances `(M, K)` or `(K,)`: `(N, M)`."""
    logs: Floats = -0.5 * (_squares_apart(places, middles, 1 / variances) + np.log(variances).sum(axis=-1))
    return logs


def _squares_apart(places: Floats, middles: Floats, weights: Floats) -> Floats:
    """Squared distances of N places `(N, K)` to M middles `(M, K)`, each axis weighed as `weights (M, K)`: `(N, M)`.

    Multiplied out, they are two products of matrices, an eighth of the time.
    """
    weights = np.broadcast_to(weights, middles.shape)
    weighed = middles * weights
    squares: Floats = places**2 @ weights.T - 2 * places @ weighed.T + (middles * weighed).sum(axis=1)
    return squares
