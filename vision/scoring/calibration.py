"""How far the name of each tile can be trusted: several signs weighed into one chance of being right.

A network is surer, or less sure, than it has a right to be. What it says is one sign; how far the finder was sure, how
far the corners had to be moved, whether the tile's own ink agrees with what the table makes of it, and how well the
other tiles of the picture could be named are others. `python -m tilekeeper.models.calibration.calibrate` fits their
weights on tables that the networks never saw and keeps them in the manifest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.geometry.quads import moved_by, sizes_wh_px
from tilekeeper.vision.recognition.appearance import Looked
from tilekeeper.vision.scoring.logistic import Weighed
from tilekeeper.vision.types import JOINT_JOKER, JOINT_NOT_A_TILE, JOKER, TileNames, log_probs_of

SIGNS = (
    "name_log_odds",
    "name_lead",
    "own_ink_log_odds",
    "own_number_log_odds",
    "some_tile",
    "found_log_odds",
    "moved",
    "narrow",
    "joker",
    "others",
    "few",
)
"""What `signs_of` gives, in order; all but `FALLING` and `joker` grow with the chance."""
FALLING = ("moved", "narrow")
"""The more of these, the less likely a tile is right."""
MOST_LOG_ODDS = 12.0
"""Networks say no more than this: beyond, it is the rounding of their last layer that speaks."""
MOST_MOVED = 0.5
"""In tile widths."""
MISSED_SCORE = 0.3
"""The score of tiles that the finder did not find: it counts nothing below."""
OWN_COMPANY = 0.5
"""Among the others a tile itself counts as so many, so that one with hardly any others is its own company."""
ENOUGH_PX = 24.0
"""Tiles that are this wide are not narrow."""


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """What was seen of the N tiles of one picture.

    `names` after the figures and inks of the table were compared, `own_number_log_probs (N, 15)` and
    `own_ink_log_probs (N, 4)` before; `scores (N,)` 0 to 1, the finder's; `moved (N,)`, how far their corners were
    moved in tile widths; `widths_px (N,)`; `told (N,)` bool, where a person has said what it is.
    """

    names: Sequence[TileNames]
    own_number_log_probs: np.ndarray
    own_ink_log_probs: np.ndarray
    scores: np.ndarray
    moved: np.ndarray
    widths_px: np.ndarray
    told: np.ndarray | None = None

    @classmethod
    def at(
        cls,
        names: Sequence[TileNames],
        looked: Looked,
        found_px: np.ndarray,
        scores: np.ndarray,
    ) -> Looks:
        """Return the looks at the N tiles of `looked`.

        The first F of them the finder found, at `found_px (F, 4, 2)` with `scores (F,)`; the rest it missed.
        """
        quads_px = looked.quads_px
        missed = len(quads_px) - len(found_px)
        widths = np.maximum(sizes_wh_px(quads_px)[:, 0], 1.0)
        moved = moved_by(found_px, quads_px[: len(found_px)])
        return cls(
            names,
            looked.number_log_probs,
            looked.ink_log_probs,
            np.concatenate([np.asarray(scores, np.float64)[: len(found_px)], np.full(missed, MISSED_SCORE)]),
            np.concatenate([moved, np.zeros(missed)]),
            widths,
        )


class Confidence(Weighed):
    """Weighs the signs of how far names can be trusted."""

    __slots__ = ()
    named = SIGNS
    kept_as = "confidence"

    def __call__(self, looks: Looks) -> np.ndarray:
        """Return the chance that each tile's likeliest name is right, `(N,) float64`, 0 to 1."""
        return self.chances(signs_of(looks))


def signs_of(looks: Looks) -> np.ndarray:
    """Return `(N, S) float64`, the signs of N tiles in the order of `SIGNS`."""
    count = len(looks.names)
    if not count:
        return np.zeros((0, len(SIGNS)))
    joint = log_probs_of(looks.names).astype(np.float64)
    numbered = joint[:, :JOINT_NOT_A_TILE]
    at, best = np.arange(count), numbered.argmax(axis=1)
    log_prob = numbered[at, best]
    rest = numbered.copy()
    rest[at, best] = -np.inf
    name_odds = _log_odds(log_prob)
    joker = best == JOINT_JOKER
    own_inks = np.asarray(looks.own_ink_log_probs, np.float64)
    # a joker has any ink; as a number it would be as sure as can be of it
    own_odds = np.where(joker, MOST_LOG_ODDS, _log_odds(own_inks[at, np.where(joker, 0, best % own_inks.shape[1])]))
    own_numbers = np.asarray(looks.own_number_log_probs, np.float64)
    number = np.where(joker, JOKER, best // own_inks.shape[1])
    # what is taken for no tile says nothing of how well tiles can be named here
    tiles = np.maximum(1 - np.exp(np.minimum(joint[:, JOINT_NOT_A_TILE], 0.0)), 1e-9)
    if_tiles = _log_odds(log_prob - np.log(tiles))
    # what a person said of a tile does not show how well the others can be named
    company = tiles if looks.told is None else np.where(looks.told, 0.0, tiles)
    weight, total = company.sum() - company, (company * if_tiles).sum() - company * if_tiles
    others = (total + OWN_COMPANY * if_tiles) / (weight + OWN_COMPANY)
    return np.column_stack(
        [
            name_odds,
            np.minimum(log_prob - rest.max(axis=1), MOST_LOG_ODDS),
            own_odds,
            _log_odds(own_numbers[at, number]),
            np.clip(-joint[:, JOINT_NOT_A_TILE], 0, MOST_LOG_ODDS),
            _log_odds(np.log(np.clip(looks.scores, 1e-6, 1.0))),
            np.clip(looks.moved, 0, MOST_MOVED),
            np.maximum(0, np.log(ENOUGH_PX / np.maximum(looks.widths_px, 1.0))),
            joker,
            others,
            # no figures of others could make it surer, nor say that it is odd
            1 / (1 + weight),
        ]
    )


def _log_odds(log_probs: np.ndarray) -> np.ndarray:
    log_probs = np.minimum(log_probs, -1e-12)
    return np.clip(log_probs - np.log(-np.expm1(log_probs)), -MOST_LOG_ODDS, MOST_LOG_ODDS)
