"""Features that tiles of one table share: size, light and tint of the face, and the steps in light at its edges."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tilekeeper.vision.arrays import Bools, Columns, Floats, Image, Ints, median
from tilekeeper.vision.geometry.face_color import LOG_LIGHT_OFFSET_LEVELS
from tilekeeper.vision.geometry.proximity import nearest_neighbours
from tilekeeper.vision.geometry.quads import TILE_ASPECT, as_quads, centres_px, distances_px, lengths, sizes_wh_px
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane
from tilekeeper.vision.imaging import remap
from tilekeeper.vision.scene import Scene

PEER_NEIGHBOUR_COUNT = 6  # a tile is compared with this many of its nearest certain tiles (its peers)
MIN_PEER_TILES = 3  # with fewer certain tiles only a very different size speaks against a doubtful tile
MAX_FEW_PEERS_SIZE_LOG = 1.2  # with few certain tiles a doubtful one differs by at most this (natural log): three times
MAX_CERTAIN_SIZE_LOG = 0.5  # a certain tile that differs by more may be none; measured: photos 0.24, calculators 0.5
MAX_DOUBTFUL_SIZE_LOG = 0.35  # a doubtful tile that differs by more may be none; also the unit of the size feature
MAX_ROW_NEIGHBOUR_WIDTHS = 1.3  # the middle of the next tile in a row is at most this far away
RIM_REACH_WIDTHS = 0.22  # the step in light at a tile's edge is searched this far to either side
RIM_SAMPLE_COUNT = 23  # the light across a tile's edge is sampled at this many positions
RIM_AVERAGE_SAMPLES = 4  # the light on each side of a step is the mean of this many adjacent samples
RIM_POSITION_SHARES = np.linspace(0.16, 0.84, 14)  # where sides are sampled; corners are round, and quads a little off
RIM_NEIGHBOUR_COUNT = 12  # a tile's edges are compared with those of this many nearest certain tiles
RIM_NOISE_LOG = 0.03  # added to steps in light (natural log) before they are compared; smaller ones are noise
MAX_RIM_FAINTNESS_LOG = 3.0  # edges count as at most this much weaker than usual (natural log)
MAX_RIM_STRENGTH_LOG = 0.5  # the strongest edge counts as at most this much stronger than usual (natural log)


@dataclass(frozen=True, slots=True)
class Differences(Columns):
    """How N tiles differ from the certain ones near them, `(N,) float64` each.

    `size`: signed natural log of the ratio of widths or heights on the table, whichever differs more; `light`: signed
    natural log; `tint`: distance of `(log B/G, log R/G)`, 0 for the same tint.
    """

    size: Floats
    light: Floats
    tint: Floats


def differences_of(scene: Scene, quads_px: Floats, is_sure: Bools) -> Differences:
    """Return how quads `(N, 4, 2)` differ from the certain ones, `is_sure (N,)`, near them.

    The size is compared with the plane of the table as well; the smaller difference counts.
    """
    differences = against_peers(scene, quads_px, is_sure)
    return replace(differences, size=_sizes_on_plane(differences.size, quads_px, is_sure))


def against_peers(scene: Scene, quads_px: Floats, is_sure: Bools) -> Differences:
    """Return the median differences of quads `(N, 4, 2)` from their nearest certain ones; 0 if there are none."""
    quads_px = as_quads(quads_px)
    if not is_sure.any():
        return Differences(*np.zeros((3, len(quads_px))))
    nearest, exists = _peers(quads_px, is_sure)
    whites = scene.face_whites(quads_px)
    values = np.stack([whites.mean(axis=1), whites[:, 0] - whites[:, 1], whites[:, 2] - whites[:, 1]])
    light, blue, red = _medians(values[:, nearest], exists)
    has_peer = exists.any(axis=1)
    light, tint = values[0] - light, np.hypot(values[1] - blue, values[2] - red)
    sizes = _sizes(quads_px, nearest, exists)
    return Differences(sizes, np.where(has_peer, light, 0.0), np.where(has_peer, tint, 0.0))


def _peers(quads_px: Floats, is_sure: Bools) -> tuple[Ints, Bools]:
    """Return the certain tiles, at least one, nearest to each quad, and which of these entries exist: `(N, K)`."""
    indices = np.arange(len(quads_px))
    return nearest_neighbours(centres_px(quads_px), indices, np.flatnonzero(is_sure), PEER_NEIGHBOUR_COUNT)


def _medians(values: Floats, exists: Bools) -> Floats:
    """Return the medians of values `(V, N, K)` over the entries that exist, `(V, N)`; over all if none exists."""
    if exists.all():  # ten times as fast
        return median(values)
    return np.asarray(np.nanmedian(np.where(exists | ~exists.any(axis=1, keepdims=True), values, np.nan), axis=2))


def _sizes(quads_px: Floats, nearest: Ints, exists: Bools) -> Floats:
    """Return `Differences.size` from the peers, `(N,)`; each peer measures in its own axes, however turned."""
    axes = axes_of(quads_px, TILE_ASPECT)
    axes[np.abs(np.linalg.det(axes)) < 1e-6] = np.eye(2)
    in_peer_widths = np.linalg.inv(axes)[nearest] @ axes[:, None]  # columns: across and down
    logs = np.log(np.maximum(lengths(in_peer_widths.swapaxes(2, 3)), 1e-6)).transpose(2, 0, 1)
    wide, high = _medians(logs, exists)
    return np.where(exists.any(axis=1), np.where(np.abs(wide) >= np.abs(high), wide, high), 0.0)


def _sizes_on_plane(sizes: Floats, quads_px: Floats, is_sure: Bools) -> Floats:
    """Return `sizes (N,)`, or the difference from the plane of the certain tiles where that is smaller."""
    plane = fit_plane(quads_px[is_sure])
    if plane is None:
        return sizes
    on_plane = plane.side_deviations(quads_px)  # the peers may be askew themselves
    return np.where(np.abs(on_plane) < np.abs(sizes), on_plane, sizes)


def as_large(sizes: Floats, is_sure: Bools) -> Bools:
    """Return which tiles are about as large as the certain ones near them, by `Differences.size`, `(N,)`.

    If these are too few, certain tiles stay.
    """
    has_peers = np.count_nonzero(is_sure) - is_sure >= MIN_PEER_TILES
    limits = np.where(is_sure, MAX_CERTAIN_SIZE_LOG, MAX_DOUBTFUL_SIZE_LOG)
    few_limits = np.where(is_sure, np.inf, MAX_FEW_PEERS_SIZE_LOG)
    return np.asarray(np.abs(sizes) <= np.where(has_peers, limits, few_limits))


def are_as_large(quads_px: Floats, is_sure: Bools) -> Bools:
    """Return `as_large` of the sizes that `differences_of` gives, `(N,)`."""
    if not is_sure.any():
        return as_large(np.zeros(len(quads_px)), is_sure)
    quads = as_quads(quads_px)
    sizes = _sizes(quads, *_peers(quads, is_sure))
    result = as_large(sizes, is_sure)
    # The plane makes no difference larger.
    return result if result.all() else as_large(_sizes_on_plane(sizes, quads_px, is_sure), is_sure)


def are_isolated(quads_px: Floats, is_sure: Bools) -> Bools:
    """Return which tiles have no other certain tile beside them, `(N,)`."""
    if not is_sure.any():
        return np.ones(len(quads_px), bool)
    middles, widths = centres_px(quads_px), sizes_wh_px(quads_px)[:, 0]
    distances = distances_px(middles, middles[is_sure]) / np.maximum(widths[is_sure], 1e-6)
    distances[np.flatnonzero(is_sure), np.arange(np.count_nonzero(is_sure))] = np.inf
    return np.asarray(distances.min(axis=1) > MAX_ROW_NEIGHBOUR_WIDTHS)


def rim_steps(image_bgr: Image, quads_px: Floats) -> Floats:
    """Return the step in light across each side of quads `(N, 4, 2)`: `(N, 4) float64`, natural log.

    The sides are top, right, bottom, left. It is the largest step of any channel that runs along the whole side, so
    that print and patterns average out; NaN for a side outside the image.
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


def shown_rims(image_bgr: Image, quads_px: Floats, is_sure: Bools, is_lone: Bools, indices: Ints) -> Floats:
    """Return how clear the sides of the tiles `indices (A,)` are against those of certain tiles near them, `(A, 2)`.

    The first column is the weakest side that should be visible, the second the strongest one, as natural logs of
    ratios. An isolated tile, `is_lone (N,)`, should have three visible sides, one in a row two; sides outside the image
    are left out. Both are 0 if fewer than two sides are inside the image.
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
