"""Features of a candidate that show whether it is a tile at all, and the comparison of its rims with those of others.

The networks see one face at a time, and the key of a calculator, a day of a calendar or half a domino may look like a
tile. But it rarely has the size, the white and the visible edges (its rims) of the tiles around it. No feature is
enough alone, because a lamp tints tiles and neighbours hide rims. `TileOrNot` weighs the
features together.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Columns, Floats, Image, Ints
from tilekeeper.vision.geometry.face_color import LOG_LIGHT_OFFSET_LEVELS
from tilekeeper.vision.geometry.proximity import nearest_distances_widths, nearest_neighbours
from tilekeeper.vision.geometry.quads import TILE_ASPECT, as_quads, centres_px
from tilekeeper.vision.imaging import remap
from tilekeeper.vision.tile_table import TileTable
from tilekeeper.vision.types import JOINT_JOKER, NOT_A_TILE

TINT_UNIT_LOG = 0.1  # unit of the feature "tint" (natural log)
MAX_DIFFERENCE_UNITS = 3.0  # tint and size differences count up to this many of their units
MIN_ISOLATED_DISTANCE_WIDTHS = 1.75  # an isolated tile has every other middle further away; no joint reaches further
MAX_TILE_LOG_ODDS = 8.0  # the classifier's log-odds are clipped here, so that one feature never outweighs the others
TILENESS_SCORE_RANGE = (0.3, 0.98)  # the detector's scores are clipped to this range
MAX_DOUBTFUL_SIZE_LOG = 0.35  # a doubtful tile that differs by more is checked; also the unit of the size feature
RIM_REACH_WIDTHS = 0.22  # the step in light at a tile's edge is searched this far to either side
RIM_SAMPLE_COUNT = 23  # the light across a tile's edge is sampled at this many positions
RIM_AVERAGE_SAMPLES = 4  # the light on each side of a step is the mean of this many adjacent samples
RIM_POSITION_SHARES = np.linspace(0.16, 0.84, 14)  # where sides are sampled; corners are round, and quads a little off
RIM_NEIGHBOUR_COUNT = 12  # a tile's edges are compared with those of this many nearest certain tiles
RIM_NOISE_LOG = 0.03  # added to steps in light (natural log) before they are compared; smaller ones are noise
MAX_RIM_FAINTNESS_LOG = 3.0  # edges count as at most this much weaker than usual (natural log)
MAX_RIM_STRENGTH_LOG = 0.5  # the strongest edge counts as at most this much stronger than usual (natural log)

FEATURES = ("number_log_odds", "some_tile", "found_log_odds", "joker", "lone", "tint", "size", "rim", "plainest_rim")
"""Names of the features, in the order of `tileness_features`; the probability grows with all but `FALLING`."""
FALLING = ("joker", "lone", "tint", "size")  # features with which the probability falls


@dataclass(frozen=True, slots=True)
class Differences(Columns):
    """Differences of N tiles from the certain tiles near them, `(N,) float64` each.

    `size`: signed natural log of the ratio of widths or heights on the table, whichever differs more; `tint`: distance
    of `(log B/G, log R/G)`, 0 for the same tint.
    """

    size: Floats
    tint: Floats


@dataclass(frozen=True, slots=True, eq=False)
class AmongTiles:
    """N tiles of an image `(H, W, 3) uint8`, a mask `sure (N,)` of certain tiles, and differences `off` from these."""

    image_bgr: Image
    tiles: TileTable
    sure: Bools
    off: Differences


IsTile = Callable[[AmongTiles, Ints], Floats]
"""Function that returns the probability `(A,)` that each of the tiles with indices `(A,)` is a tile at all."""


def tileness_features(among: AmongTiles, indices: Ints) -> Floats:
    """Return the features `(A, S) float64` of the tiles with `indices (A,)`, in the order of `FEATURES`.

    Raises `ValueError` if no tile is certain, because then there is nothing to compare with.
    """
    if not among.sure.any():
        raise ValueError("a sure tile is needed to compare with")
    tiles, differences = among.tiles, among.off.at(indices)
    quads_px, is_joker = tiles.quads_px, tiles.label[indices] == JOINT_JOKER
    confidence = np.clip(tiles.confidence[indices], 1e-9, 1 - 1e-9)
    none_prob = np.clip(np.exp(tiles.joint_number_log_probs[indices, NOT_A_TILE]), 1e-9, 1 - 1e-9)
    score = np.clip(tiles.trusted_score[indices], *TILENESS_SCORE_RANGE)
    is_lone = nearest_distances_widths(quads_px, np.arange(len(quads_px))) > MIN_ISOLATED_DISTANCE_WIDTHS
    weakest_rim, strongest_rim = compare_rims(among.image_bgr, quads_px, among.sure, is_lone, indices).T
    features = (
        np.where(is_joker, 0.0, np.log(confidence / (1 - confidence))),  # clutter is a joker with high confidence, too
        np.minimum(np.log((1 - none_prob) / none_prob), MAX_TILE_LOG_ODDS),
        np.log(score / (1 - score)),
        is_joker,
        is_lone[indices],
        np.minimum(differences.tint / TINT_UNIT_LOG, MAX_DIFFERENCE_UNITS),
        np.minimum(np.abs(differences.size) / MAX_DOUBTFUL_SIZE_LOG, MAX_DIFFERENCE_UNITS),
        weakest_rim,
        strongest_rim,
    )
    return np.column_stack(features)


def rim_steps(image_bgr: Image, quads_px: Floats) -> Floats:
    """Return the step in light `(N, 4) float64`, natural log, across each side of quads `(N, 4, 2)`.

    The sides are top, right, bottom, left. The light is averaged along the side, so that print and patterns cancel out,
    and the largest step of any channel counts; NaN for a side outside the image.
    """
    quads = as_quads(quads_px)
    if not len(quads):
        return np.zeros((0, 4))
    starts, ends, opposite_starts, opposite_ends = (np.roll(quads, shift, axis=1) for shift in (0, -1, 1, -2))
    shares = RIM_POSITION_SHARES[:, None]
    side = starts[:, :, None] + (ends - starts)[:, :, None] * shares
    opposite = opposite_starts[:, :, None] + (opposite_ends - opposite_starts)[:, :, None] * shares
    width = (side - opposite) / np.array([TILE_ASPECT, 1, TILE_ASPECT, 1])[:, None, None]
    across = np.linspace(-RIM_REACH_WIDTHS, RIM_REACH_WIDTHS, RIM_SAMPLE_COUNT)[:, None]
    points = side[:, :, :, None] + width[:, :, :, None] * across  # (N, 4, along, across, 2)
    light = np.log(LOG_LIGHT_OFFSET_LEVELS + remap(image_bgr, points).astype(np.float32)).mean(axis=2)
    sums, count = np.concatenate([np.zeros_like(light[:, :, :1]), light.cumsum(axis=2)], axis=2), RIM_AVERAGE_SAMPLES
    means = (sums[:, :, count:] - sums[:, :, :-count]) / count
    steps = np.abs(means[:, :, count + 1 :] - means[:, :, : -count - 1]).max(axis=(2, 3)).astype(np.float64)
    height_px, width_px = image_bgr.shape[:2]
    is_inside = ((points >= 0) & (points <= (width_px - 1, height_px - 1))).all(axis=4).mean(axis=(2, 3)) > 0.5
    return np.where(is_inside, steps, np.nan)


def compare_rims(image_bgr: Image, quads_px: Floats, is_sure: Bools, is_lone: Bools, indices: Ints) -> Floats:
    """Compare the rims of the tiles `indices (A,)` with those of certain tiles nearby; return `(A, 2)`, natural logs.

    One column is the weakest side that should be visible, the other the strongest side. Each is relative to the usual
    weakest visible side nearby. An isolated tile, mask `is_lone (N,)`, should have three visible sides, a tile in a row
    two. Both are 0 if fewer than two sides are inside the image, or if no other tile is certain.
    """
    quads, rims = as_quads(quads_px), np.zeros((len(indices), 2))
    if not len(indices):
        return rims
    nearest, exists = nearest_neighbours(centres_px(quads), indices, np.flatnonzero(is_sure), RIM_NEIGHBOUR_COUNT)
    measured = np.union1d(indices, nearest[exists])
    steps = np.full((len(quads), 4), np.nan)
    steps[measured] = rim_steps(image_bgr, quads[measured])
    ordered = np.sort(np.nan_to_num(steps, nan=0.0), axis=1)
    expected = np.where(is_lone, ordered[:, 1], ordered[:, 2])
    for k, index in enumerate(indices):
        inside = np.sort(steps[index][~np.isnan(steps[index])])
        if len(inside) < 2 or not exists[k].any():
            continue
        weakest = inside[max(0, (1 if is_lone[index] else 2) - (4 - len(inside)))]
        usual = float(np.median(expected[nearest[k][exists[k]]]))
        rims[k] = np.log((np.array([weakest, inside[-1]]) + RIM_NOISE_LOG) / (usual + RIM_NOISE_LOG))
    return np.clip(rims, -MAX_RIM_FAINTNESS_LOG, (0.0, MAX_RIM_STRENGTH_LOG))
