"""How likely what was read is a tile at all: what the networks say of it, held against the sure tiles around.

Networks see one face at a time, and the key of a calculator, a day of a calendar or half a domino may look like one.
But it is rarely as large, as white and bounded on as many sides as the tiles of the table are. No single one of these
signs is enough: a shadow darkens, a lamp tints, tiles touch. `python -m tilekeeper.models.calibration.calibrate` fits
what each weighs on tables with other things between the tiles, and keeps it in the manifest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints
from tilekeeper.vision.geometry.quads import centres_px, distances_px, sizes_wh_px
from tilekeeper.vision.scoring.features import MAX_DOUBTFUL_SIZE_LOG, MAX_ROW_NEIGHBOUR_WIDTHS, Differences, shown_rims
from tilekeeper.vision.scoring.tile_table import TileTable
from tilekeeper.vision.types import JOINT_JOKER, NOT_A_TILE


def chances(signs: np.ndarray, weights: np.ndarray, bias: float) -> np.ndarray:
    """Return the logistic function of weighed signs `(N, S)`, `(N,)`."""
    chance: np.ndarray = 1 / (1 + np.exp(-np.clip(signs @ weights + bias, -40, 40)))
    return chance


@dataclass(frozen=True, slots=True)
class Weighed:
    """Weighs signs: a logistic function of them. `weights` are as many as there are `named` signs, in that order.

    `kept_as` is what the manifest calls the fit, under `reader`.
    """

    named: ClassVar[tuple[str, ...]] = ()
    kept_as: ClassVar[str] = ""

    weights: tuple[float, ...]
    bias: float

    def __post_init__(self) -> None:
        if len(self.weights) != len(self.named):
            raise ValueError(f"there are {len(self.named)} signs, got {len(self.weights)} weights")

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> Self | None:
        """Return the fit that the manifest has; None where nothing was fitted for the networks.

        A sign that the manifest does not know counts nothing. Raises `ValueError` for one that is not known here.
        """
        fitted = manifest.get("reader", {}).get(cls.kept_as)
        if fitted is None:
            return None
        weights = fitted["weights"]
        if strangers := set(weights) - set(cls.named):
            raise ValueError(f"the manifest weighs signs that there are not: {', '.join(sorted(strangers))}")
        return cls(tuple(float(weights.get(sign, 0.0)) for sign in cls.named), float(fitted["bias"]))

    def chances(self, signs: np.ndarray) -> np.ndarray:
        """Return the chance that each has, `(N,) float64`, 0 to 1, by its signs `(N, S)`."""
        return chances(signs, np.array(self.weights), self.bias)


# The tile verdict divides darker light (natural log) by this unit.
LIGHT_UNIT_LOG = 0.35
# A tile is isolated if every other tile's middle is further away; no joint reaches further.
MIN_ISOLATED_DISTANCE_WIDTHS = 1.75
# The classifier's log-odds of a tile are clipped here, so that one sign never outweighs all others.
MAX_TILE_LOG_ODDS = 8.0
# The tile verdict raises lower detector scores to this.
MIN_TILENESS_SCORE = 0.3
# The tile verdict lowers higher detector scores to this.
MAX_TILENESS_SCORE = 0.98
# The tile verdict divides differences in tint (natural log) by this unit.
TINT_UNIT_LOG = 0.1
# Tint, light and size differences count up to this many of their units.
MAX_DIFFERENCE_UNITS = 3.0
# A tile with less confidence is checked for whether it is a tile at all.
MIN_UNCHECKED_CONFIDENCE_PROB = 0.99
# An isolated tile, or a joker, with less confidence is checked for whether it is a tile at all.
MIN_UNCHECKED_ISOLATED_PROB = 0.9995


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
    tiles: TileTable
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
    quads_px, joker = tiles.quads_px, tiles.label[at] == JOINT_JOKER
    confidence = np.clip(tiles.confidence[at], 1e-9, 1 - 1e-9)
    none = np.clip(np.exp(tiles.joint_number_log_probs[at, NOT_A_TILE]), 1e-9, 1 - 1e-9)
    found = np.clip(tiles.trusted_score[at], MIN_TILENESS_SCORE, MAX_TILENESS_SCORE)
    lone = _apart(quads_px, np.arange(len(quads_px))) > MIN_ISOLATED_DISTANCE_WIDTHS
    rim, plainest = shown_rims(among.image_bgr, quads_px, among.sure, lone, at).T
    return np.column_stack(
        [
            # clutter is named a joker as surely as jokers are
            np.where(joker, 0.0, np.log(confidence / (1 - confidence))),
            np.minimum(np.log((1 - none) / none), MAX_TILE_LOG_ODDS),
            np.log(found / (1 - found)),
            joker,
            lone[at],
            np.minimum(off.tint[at] / TINT_UNIT_LOG, MAX_DIFFERENCE_UNITS),
            np.clip(
                -off.light[at] / LIGHT_UNIT_LOG, 0, MAX_DIFFERENCE_UNITS
            ),  # what is brighter may lie under a reflection
            np.minimum(np.abs(off.size[at]) / MAX_DOUBTFUL_SIZE_LOG, MAX_DIFFERENCE_UNITS),
            rim,
            plainest,
        ]
    )


def worth_asking(tiles: TileTable, is_doubtful: Bools, sure: Bools) -> Bools:
    """Return which of N tiles may be none, `(N,)`; most are past asking. `sure (N,)` are as in `AmongTiles`."""
    asked = is_doubtful | (tiles.confidence < MIN_UNCHECKED_CONFIDENCE_PROB)
    left = np.flatnonzero(~asked & (tiles.confidence < MIN_UNCHECKED_ISOLATED_PROB))
    if len(left):
        # keys and days lie in rows, too, and none of them tells that another is a tile
        apart = _apart(tiles.quads_px, left, sure)
        asked[left] = (apart > MIN_ISOLATED_DISTANCE_WIDTHS) | (
            (tiles.label[left] == JOINT_JOKER) & (apart > MAX_ROW_NEIGHBOUR_WIDTHS)
        )
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
