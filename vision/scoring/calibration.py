"""How far the name of each tile can be trusted: several signs weighed into one chance of being right.

A network is surer, or less sure, than it has a right to be. How likely it says a name is, is one sign; how well the
other tiles of the picture could be named, and whether there are others at all, are the others. What the detector
scored, how far corners were moved, how wide a tile is and what it looked like before it was compared with the table
told nothing beside these. `python -m tilekeeper.models.calibration.calibrate` fits the weights on tables that the
networks never saw and keeps them in the manifest.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats
from tilekeeper.vision.scoring.logistic import Weighed
from tilekeeper.vision.scoring.tiles import Tiles
from tilekeeper.vision.types import JOINT_NOT_A_TILE

# The networks' log-odds are clipped here; beyond, they only show rounding in the last layer.
MAX_LABEL_LOG_ODDS = 12.0
# A tile counts as this many tiles in the mean of the others, so that an isolated one is its own reference.
SELF_WEIGHT_TILES = 0.5


SIGNS = ("name_log_odds", "others", "few")
"""What `signs_of` gives, in order; all grow with the chance."""


class Confidence(Weighed):
    """Weighs the signs of how far names can be trusted."""

    __slots__ = ()
    named = SIGNS
    kept_as = "confidence"

    def __call__(self, tiles: Tiles, by_person: Bools) -> Floats:
        """Return the chance that each tile's likeliest name is right, `(N,) float64`, 0 to 1; see `signs_of`."""
        return self.chances(signs_of(tiles.log_probs, by_person))


def signs_of(log_probs: Floats, by_person: Bools) -> Floats:
    """Return `(N, S) float64`, the signs of N tiles of one table in the order of `SIGNS`.

    `log_probs (N, 54)`, as in `TileNames.log_probs`, are what they may be after figures and inks were compared;
    `by_person (N,)` says whether a person has said what each is.
    """
    if not len(log_probs):
        return np.zeros((0, len(SIGNS)))
    joint = log_probs.astype(np.float64)
    log_prob = joint[:, :JOINT_NOT_A_TILE].max(axis=1)
    # what is taken for no tile says nothing of how well tiles can be named here
    tiles = np.maximum(1 - np.exp(np.minimum(joint[:, JOINT_NOT_A_TILE], 0.0)), 1e-9)
    if_tiles = _log_odds(log_prob - np.log(tiles))
    # what a person said of a tile does not show how well the others can be named
    company = np.where(by_person, 0.0, tiles)
    weight, total = company.sum() - company, (company * if_tiles).sum() - company * if_tiles
    others = (total + SELF_WEIGHT_TILES * if_tiles) / (weight + SELF_WEIGHT_TILES)
    # no figures of others could make one that has few surer, nor say that it is odd
    return np.column_stack([_log_odds(log_prob), others, 1 / (1 + weight)])


def _log_odds(log_probs: Floats) -> Floats:
    log_probs = np.minimum(log_probs, -1e-12)
    odds: Floats = log_probs - np.log(-np.expm1(log_probs))
    return odds.clip(-MAX_LABEL_LOG_ODDS, MAX_LABEL_LOG_ODDS)
