"""How far the name of each tile can be trusted: several signs weighed into one chance of being right.

A network is surer, or less sure, than it has a right to be. How likely it says a name is, is one sign; how well the
other tiles of the picture could be named, and whether there are others at all, are the others. What the detector
scored, how far corners were moved, how wide a tile is and what it looked like before it was compared with the table
told nothing beside these. `python -m tilekeeper.models.calibration.calibrate` fits the weights on tables that the
networks never saw and keeps them in the manifest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.config import config
from tilekeeper.vision.scoring.logistic import Weighed
from tilekeeper.vision.types import JOINT_NOT_A_TILE, TileNames, log_probs_of

SIGNS = ("name_log_odds", "others", "few")
"""What `signs_of` gives, in order; all grow with the chance."""


@dataclass(frozen=True, slots=True, eq=False)
class TableNames:
    """What the N tiles of one table may be.

    `names` after the figures and inks of the table were compared; `own_number_log_probs (N, 15)` and
    `own_ink_log_probs (N, 4)` before, which the fit needs to take each tile for one that lies alone;
    `by_person (N,)` bool, where a person has said what it is.
    """

    names: Sequence[TileNames]
    own_number_log_probs: np.ndarray
    own_ink_log_probs: np.ndarray
    by_person: np.ndarray | None = None


class Confidence(Weighed):
    """Weighs the signs of how far names can be trusted."""

    __slots__ = ()
    named = SIGNS
    kept_as = "confidence"

    def __call__(self, table: TableNames) -> np.ndarray:
        """Return the chance that each tile's likeliest name is right, `(N,) float64`, 0 to 1."""
        return self.chances(signs_of(table))


def signs_of(table: TableNames) -> np.ndarray:
    """Return `(N, S) float64`, the signs of N tiles in the order of `SIGNS`."""
    limits = config().scoring
    count = len(table.names)
    if not count:
        return np.zeros((0, len(SIGNS)))
    joint = log_probs_of(table.names).astype(np.float64)
    log_prob = joint[:, :JOINT_NOT_A_TILE].max(axis=1)
    # what is taken for no tile says nothing of how well tiles can be named here
    tiles = np.maximum(1 - np.exp(np.minimum(joint[:, JOINT_NOT_A_TILE], 0.0)), 1e-9)
    if_tiles = _log_odds(log_prob - np.log(tiles))
    # what a person said of a tile does not show how well the others can be named
    company = tiles if table.by_person is None else np.where(table.by_person, 0.0, tiles)
    weight, total = company.sum() - company, (company * if_tiles).sum() - company * if_tiles
    others = (total + limits.own_company * if_tiles) / (weight + limits.own_company)
    return np.column_stack(
        [
            _log_odds(log_prob),
            others,
            # no figures of others could make it surer, nor say that it is odd
            1 / (1 + weight),
        ]
    )


def _log_odds(log_probs: np.ndarray) -> np.ndarray:
    limits = config().scoring
    log_probs = np.minimum(log_probs, -1e-12)
    odds: np.ndarray = log_probs - np.log(-np.expm1(log_probs))
    return odds.clip(-limits.most_log_odds, limits.most_log_odds)
