"""How likely what was read is a tile at all: what the networks say of it, held against the sure tiles around.

Networks see one face at a time, and the key of a calculator, a day of a calendar or half a domino may look like one.
But it is rarely as large, as white and bounded on as many sides as the tiles of the table are. No single one of these
signs is enough: a shadow darkens, a lamp tints, tiles touch. `python -m tilekeeper.models.calibration.calibrate` fits
what each weighs on tables with other things between the tiles, and keeps it in the manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.config import config
from tilekeeper.vision.geometry.quads import centres_px, distances_px, sizes_wh_px
from tilekeeper.vision.scoring.features import Differences
from tilekeeper.vision.scoring.logistic import Weighed
from tilekeeper.vision.scoring.rim_features import shown_rims
from tilekeeper.vision.types import JOINT_JOKER, NOT_A_TILE, ReadTile, label_of

SIGNS = (
    "number_log_odds",
    "some_tile",
    "found_log_odds",
    "joker",
    "lone",
    "tint",
    "darker",
    "size",
    "rim",
    "plainest_rim",
)
"""What `signs_of` gives, in order; all but `FALLING` grow with the chance."""
FALLING = ("joker", "lone", "tint", "darker", "size")
"""The more of these, the less likely it is a tile."""


@dataclass(frozen=True, slots=True, eq=False)
class AmongTiles:
    """N tiles of one picture `(H, W, 3) uint8`: which are `sure (N,) bool` and like each other, and how all are `off`.

    Those to compare with lie among them; by how much each differs was told by all that are named surely.
    """

    image_bgr: np.ndarray
    tiles: Sequence[ReadTile]
    sure: np.ndarray
    off: Differences

    @property
    def quads_px(self) -> np.ndarray:
        """`(N, 4, 2) float64`."""
        return np.array([tile.sighting.quad_px for tile in self.tiles], np.float64).reshape(-1, 4, 2)

    @property
    def confidences(self) -> np.ndarray:
        """`(N,) float64`, 0 to 1."""
        return np.array([tile.confidence for tile in self.tiles])

    @property
    def jokers(self) -> np.ndarray:
        """Which are named jokers, `(N,) bool`."""
        return np.array([tile.label == label_of(JOINT_JOKER) for tile in self.tiles], bool)


IsTile = Callable[[AmongTiles, np.ndarray], np.ndarray]
"""How likely those `at (A,)` among others are tiles at all, `(A,)`, 0 to 1."""


class TileOrNot(Weighed):
    """Weighs the signs of what is a tile."""

    __slots__ = ()
    named = SIGNS
    kept_as = "tile_or_not"

    def __call__(self, among: AmongTiles, at: np.ndarray) -> np.ndarray:
        """Return the chance that each of those `at (A,)` is a tile, `(A,) float64`."""
        return self.chances(signs_of(among, at))


def signs_of(among: AmongTiles, at: np.ndarray) -> np.ndarray:
    """Return `(A, S) float64`, the signs of those `at (A,)` among others, in the order of `SIGNS`.

    Raises `ValueError` where none is sure: then there is nothing to compare with.
    """
    limits = config().scoring
    if not among.sure.any():
        raise ValueError("a sure tile is needed to compare with")
    quads_px, off, joker = among.quads_px, among.off, among.jokers[at]
    confidence = np.clip(among.confidences[at], 1e-9, 1 - 1e-9)
    none = np.exp([among.tiles[k].sighting.names.number_log_probs[NOT_A_TILE] for k in at])
    none = np.clip(none, 1e-9, 1 - 1e-9)
    found = np.clip([among.tiles[k].sighting.score for k in at], limits.tile_least_score, limits.tile_most_score)
    lone = _apart(quads_px, np.arange(len(quads_px))) > limits.lone
    rim, plainest = shown_rims(among.image_bgr, quads_px, among.sure, lone, at).T
    return np.column_stack(
        [
            # clutter is named a joker as surely as jokers are
            np.where(joker, 0.0, np.log(confidence / (1 - confidence))),
            np.minimum(np.log((1 - none) / none), limits.tile_most),
            np.log(found / (1 - found)),
            joker,
            lone[at],
            np.minimum(off.tint[at] / limits.tile_tint, limits.tile_most_off),
            np.clip(
                -off.light[at] / limits.other_light, 0, limits.tile_most_off
            ),  # what is brighter may lie under a reflection
            np.minimum(np.abs(off.size[at]) / limits.other_size_doubtful, limits.tile_most_off),
            rim,
            plainest,
        ]
    )


def worth_asking(among: AmongTiles) -> np.ndarray:
    """Return the indices of those that may be no tiles, `(A,)`; most are past asking."""
    limits = config().scoring
    doubtful, confidences = np.array([tile.doubtful for tile in among.tiles], bool), among.confidences
    asked = doubtful | (confidences < limits.tile_asked_below)
    left = np.flatnonzero(~asked & (confidences < limits.tile_asked_alone_below))
    if len(left):
        apart = _apart(among.quads_px, left)
        asked[left] = (apart > limits.lone) | (among.jokers[left] & (apart > limits.beside))
    return np.flatnonzero(asked)


def _apart(quads_px: np.ndarray, at: np.ndarray) -> np.ndarray:
    """How far the nearest other middle is from that of each of those `at (A,)`, in the wider one's widths, `(A,)`."""
    widths, middles = sizes_wh_px(quads_px)[:, 0], centres_px(quads_px)
    apart = distances_px(middles[at], middles) / np.maximum(np.maximum(widths[at, None], widths), 1e-6)
    apart[np.arange(len(at)), at] = np.inf
    return np.asarray(apart.min(axis=1))
