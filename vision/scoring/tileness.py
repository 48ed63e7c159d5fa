"""How likely what was read is a tile at all: what the networks say of it, held against the sure tiles around.

Networks see one face at a time, and the key of a calculator, a day of a calendar or half a domino may look like one.
But it is rarely as large, as white and bounded on as many sides as the tiles of the table are. No single one of these
signs is enough: a shadow darkens, a lamp tints, tiles touch. `python -m tilekeeper.models.calibration.calibrate` fits
what each weighs on tables with other things between the tiles, and keeps it in the manifest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints
from tilekeeper.vision.config import scoring_limits as limits
from tilekeeper.vision.geometry.quads import centres_px, distances_px, sizes_wh_px
from tilekeeper.vision.scoring.features import Differences
from tilekeeper.vision.scoring.logistic import Weighed
from tilekeeper.vision.scoring.rim_features import shown_rims
from tilekeeper.vision.scoring.tiles import Tiles
from tilekeeper.vision.types import JOINT_JOKER, NOT_A_TILE

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

    image_bgr: Image
    tiles: Tiles
    sure: Bools
    off: Differences


IsTile = Callable[[AmongTiles, Ints], Floats]
"""How likely those `at (A,)` among others are tiles at all, `(A,)`, 0 to 1."""


class TileOrNot(Weighed):
    """Weighs the signs of what is a tile."""

    __slots__ = ()
    named = SIGNS
    kept_as = "tile_or_not"

    def __call__(self, among: AmongTiles, at: Ints) -> Floats:
        """Return the chance that each of those `at (A,)` is a tile, `(A,) float64`."""
        return self.chances(signs_of(among, at))


def signs_of(among: AmongTiles, at: Ints) -> Floats:
    """Return `(A, S) float64`, the signs of those `at (A,)` among others, in the order of `SIGNS`.

    Raises `ValueError` where none is sure: then there is nothing to compare with.
    """
    if not among.sure.any():
        raise ValueError("a sure tile is needed to compare with")
    tiles, off = among.tiles, among.off
    quads_px, joker = tiles.quads_px, tiles.name[at] == JOINT_JOKER
    confidence = np.clip(tiles.confidence[at], 1e-9, 1 - 1e-9)
    none = np.clip(np.exp(tiles.number_log_probs[at, NOT_A_TILE]), 1e-9, 1 - 1e-9)
    found = np.clip(tiles.score[at], limits.tile_least_score, limits.tile_most_score)
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


def worth_asking(tiles: Tiles, sure: Bools) -> Bools:
    """Return which may be no tiles, `(N,)`; most are past asking. `sure (N,)` are as in `AmongTiles`."""
    asked = tiles.doubtful | (tiles.confidence < limits.tile_asked_below)
    left = np.flatnonzero(~asked & (tiles.confidence < limits.tile_asked_alone_below))
    if len(left):
        # keys and days lie in rows, too, and none of them tells that another is a tile
        apart = _apart(tiles.quads_px, left, sure)
        asked[left] = (apart > limits.lone) | ((tiles.name[left] == JOINT_JOKER) & (apart > limits.beside))
    return asked


def _apart(quads_px: Floats, at: Ints, others: Bools | None = None) -> Floats:
    """How far the nearest other middle is from that of each of those `at (A,)`, in the wider one's widths, `(A,)`.

    Only the `others (N,) bool` count where they are given.
    """
    widths, middles = sizes_wh_px(quads_px)[:, 0], centres_px(quads_px)
    apart = distances_px(middles[at], middles) / np.maximum(np.maximum(widths[at, None], widths), 1e-6)
    apart[np.arange(len(at)), at] = np.inf
    if others is not None:
        apart[:, ~others] = np.inf
    return np.asarray(apart.min(axis=1))
