"""Features that tiles of one table share: size, brightness and tint of the face, and the rims around it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tilekeeper.vision.arrays import Columns, median
from tilekeeper.vision.geometry.face_color import LOG_LIGHT_OFFSET_LEVELS
from tilekeeper.vision.geometry.proximity import nearest_neighbours
from tilekeeper.vision.geometry.quads import (
    TILE_ASPECT,
    as_quads,
    centres_px,
    distances_px,
    lengths,
    sizes_wh_px,
)
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane
from tilekeeper.vision.imaging import remap
from tilekeeper.vision.scene import Scene

# A tile is compared with this many of its nearest certain tiles.
PEER_NEIGHBOUR_COUNT = 6
# With fewer certain tiles only a very different size speaks against a doubtful tile.
MIN_PEER_TILES = 3
# With few certain tiles a doubtful one differs in size by at most this (natural log): about three times.
MAX_FEW_PEERS_SIZE_LOG = 1.2
# A certain tile with a larger size difference may be no tile. Measured: photos at most 0.24, calculators 0.5.
MAX_CERTAIN_SIZE_LOG = 0.5
# A doubtful tile with a larger size difference (natural log) may be no tile; also the unit of the size sign.
MAX_DOUBTFUL_SIZE_LOG = 0.35
# The middle of the next tile in a row is at most this far away.
MAX_ROW_NEIGHBOUR_WIDTHS = 1.3


@dataclass(frozen=True, slots=True)
class Differences(Columns):
    """How N tiles differ from the sure ones near them: `size`, `light` and `tint`, `(N,) float64` each.

    The first two are signed natural logarithms of ratios, the size's of width or height, whichever is further off,
    measured on the table; the third is the distance of `(log B/G, log R/G)` of `face_whites`, 0 for the same tint.
    """

    size: np.ndarray
    light: np.ndarray
    tint: np.ndarray


def differences_of(scene: Scene, quads_px: np.ndarray, sure: np.ndarray) -> Differences:
    """Return how quads `(N, 4, 2)` in a picture differ from the `sure (N,) bool` ones near them.

    Sizes are held against the plane of the table, too, and the smaller difference counts.
    """
    off = against_peers(scene, quads_px, sure)
    return replace(off, size=_on_the_plane(off.size, quads_px, sure))


def against_peers(scene: Scene, quads_px: np.ndarray, sure: np.ndarray) -> Differences:
    """Return how quads `(N, 4, 2)` differ from the `sure (N,) bool` ones nearest to them; 0 where there are no others.

    It is the median of what they differ by from each.
    """
    quads_px = as_quads(quads_px)
    if not sure.any():
        return Differences(*np.zeros((3, len(quads_px))))
    nearest, there = _peers(quads_px, sure)
    whites = scene.face_whites(quads_px)
    seen = np.stack([whites.mean(axis=1), whites[:, 0] - whites[:, 1], whites[:, 2] - whites[:, 1]])
    light, blue, red = _usual(seen[:, nearest], there)
    off = seen[0] - light, np.hypot(seen[1] - blue, seen[2] - red)
    some = there.any(axis=1)
    return Differences(_sizes(quads_px, nearest, there), *(np.where(some, one, 0.0) for one in off))


def _peers(quads_px: np.ndarray, sure: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return which sure ones, at least one, lie nearest to each quad `(N, K)`, and which of these there are."""
    return nearest_neighbours(
        centres_px(quads_px), np.arange(len(quads_px)), np.flatnonzero(sure), PEER_NEIGHBOUR_COUNT
    )


def _usual(values: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Return the medians of values `(V, N, K)` over the peers that there are, `(V, N)`; of none, over any."""
    if there.all():  # a full table; leaving gaps out takes ten times as long
        return median(values)
    usual: np.ndarray = np.nanmedian(np.where(there | ~there.any(axis=1, keepdims=True), values, np.nan), axis=2)
    return usual


def _sizes(quads_px: np.ndarray, nearest: np.ndarray, there: np.ndarray) -> np.ndarray:
    """Return by how much quads differ in size from their peers, `(N,)`, see `Differences`."""
    wide, high = _usual(_logs_of_sizes(quads_px, nearest), there)
    return np.where(there.any(axis=1), np.where(np.abs(wide) >= np.abs(high), wide, high), 0.0)


def _on_the_plane(sizes: np.ndarray, quads_px: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """Return `sizes (N,)`, or how quads differ in size from the plane of the sure ones where that is less."""
    plane = fit_plane(quads_px[sure])
    if plane is None:
        return sizes
    on_plane = plane.side_deviations(quads_px)  # those near it may themselves be askew
    return np.where(np.abs(on_plane) < np.abs(sizes), on_plane, sizes)


def _logs_of_sizes(quads_px: np.ndarray, nearest: np.ndarray) -> np.ndarray:
    """Return how much wider and higher each tile is than each of its `nearest (N, K)`: `(2, N, K)` natural logarithms.

    A tile shows how the camera sees the table where it lies, so that one that lies across is measured by the same rule.
    """
    frames = axes_of(quads_px, TILE_ASPECT)
    flat = np.abs(np.linalg.det(frames)) < 1e-6
    frames[flat] = np.eye(2)
    on_table = np.linalg.inv(frames)[nearest] @ frames[:, None]  # columns: what is across and down, in peers' widths
    return np.log(np.maximum(lengths(on_table.swapaxes(2, 3)), 1e-6)).transpose(2, 0, 1)


def as_large(size: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """Return, `(N,)` bool, whether each tile is about as large as the sure ones near it, off by `size (N,)`.

    Where these are too few, what is sure stays.
    """
    others = np.count_nonzero(sure) - sure
    most = np.where(
        others >= MIN_PEER_TILES,
        np.where(sure, MAX_CERTAIN_SIZE_LOG, MAX_DOUBTFUL_SIZE_LOG),
        np.where(sure, np.inf, MAX_FEW_PEERS_SIZE_LOG),
    )
    return np.asarray(np.abs(size) <= most)


def are_as_large(quads_px: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """Return, `(N,)` bool, what `as_large` says by the size of `differences_of`."""
    if not sure.any():
        return as_large(np.zeros(len(quads_px)), sure)
    quads = as_quads(quads_px)
    sizes = _sizes(quads, *_peers(quads, sure))
    alike = as_large(sizes, sure)
    # on the plane none differs by more
    return alike if alike.all() else as_large(_on_the_plane(sizes, quads_px, sure), sure)


def alone(quads_px: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """Which have no sure tile but perhaps themselves beside them, `(N,)` bool."""
    if not sure.any():
        return np.ones(len(quads_px), bool)
    middles, widths = centres_px(quads_px), sizes_wh_px(quads_px)[:, 0]
    apart = distances_px(middles, middles[sure]) / np.maximum(widths[sure], 1e-6)
    apart[np.flatnonzero(sure), np.arange(np.count_nonzero(sure))] = np.inf
    return np.asarray(apart.min(axis=1) > MAX_ROW_NEIGHBOUR_WIDTHS)


# The step in light at a tile's edge is searched this far to either side.
RIM_REACH_WIDTHS = 0.22
# The light across a tile's edge is sampled at this many positions.
RIM_SAMPLE_COUNT = 23
# The light on each side of a step is the mean of this many adjacent samples.
RIM_AVERAGE_SAMPLES = 4
# A tile's edges are compared with those of this many nearest certain tiles.
RIM_NEIGHBOUR_COUNT = 12
# This is added to steps in light (natural log) before they are compared, because smaller ones are noise.
RIM_NOISE_LOG = 0.03
# Edges count as at most this much weaker than usual (natural log).
MAX_RIM_FAINTNESS_LOG = 3.0
# The strongest edge counts as at most this much stronger than usual (natural log).
MAX_RIM_STRENGTH_LOG = 0.5


ALONG = np.linspace(0.16, 0.84, 14)
"""Where along a side is looked, as shares of it: corners are round, and quads a little off."""


def rim_steps(image_bgr: np.ndarray, quads_px: np.ndarray) -> np.ndarray:
    """Return how much the picture changes across each side of N quads, `(N, 4) float64` natural logarithms of light.

    Sides are in the order top, right, bottom, left. It is the largest step, of any channel, that runs along the whole
    side: print and pattern average out. NaN where the side lies outside the picture.
    """
    quads = as_quads(quads_px)
    if not len(quads):
        return np.zeros((0, 4))
    begin, end = quads, np.roll(quads, -1, axis=1)
    before, behind = np.roll(quads, 1, axis=1), np.roll(quads, -2, axis=1)  # ends of the side opposite
    side = begin[:, :, None] + (end - begin)[:, :, None] * ALONG[:, None]
    opposite = before[:, :, None] + (behind - before)[:, :, None] * ALONG[:, None]
    width = (side - opposite) / np.array([TILE_ASPECT, 1, TILE_ASPECT, 1])[:, None, None]
    across = np.linspace(-RIM_REACH_WIDTHS, RIM_REACH_WIDTHS, RIM_SAMPLE_COUNT)[:, None]
    points = side[:, :, :, None] + width[:, :, :, None] * across  # (N, 4, along, across, 2)
    samples = remap(image_bgr, points)
    light = np.log(LOG_LIGHT_OFFSET_LEVELS + samples.astype(np.float32)).mean(axis=2)
    sums = np.concatenate([np.zeros_like(light[:, :, :1]), light.cumsum(axis=2)], axis=2)
    means = (sums[:, :, RIM_AVERAGE_SAMPLES:] - sums[:, :, :-RIM_AVERAGE_SAMPLES]) / RIM_AVERAGE_SAMPLES
    steps = (
        np.abs(means[:, :, RIM_AVERAGE_SAMPLES + 1 :] - means[:, :, : -RIM_AVERAGE_SAMPLES - 1])
        .max(axis=(2, 3))
        .astype(np.float64)
    )
    height, width_px = image_bgr.shape[:2]
    inside = ((points >= 0) & (points <= (width_px - 1, height - 1))).all(axis=4).mean(axis=(2, 3)) > 0.5
    return np.where(inside, steps, np.nan)


def shown_rims(
    image_bgr: np.ndarray, quads_px: np.ndarray, sure: np.ndarray, lone: np.ndarray, at: np.ndarray
) -> np.ndarray:
    """Return how plainly the sides of the quads `at (A,)` show against those of the `sure` tiles near them, `(A, 2)`.

    Natural logarithms of ratios, first of the weakest side that should show, then of the plainest: of a `lone (N,)` one
    three sides should show, of one in a row two, which is what is usual of the sure ones, too; what lies outside the
    picture need not. Both are 0, as usual, where fewer than two sides lie in the picture.
    """
    quads = as_quads(quads_px)
    shown = np.zeros((len(at), 2))
    if not len(at):
        return shown
    nearest, there = nearest_neighbours(centres_px(quads), at, np.flatnonzero(sure), RIM_NEIGHBOUR_COUNT)
    needed = np.union1d(at, nearest[there])
    steps = np.full((len(quads), 4), np.nan)
    steps[needed] = rim_steps(image_bgr, quads[needed])
    order = np.sort(np.nan_to_num(steps, nan=0.0), axis=1)
    free = np.where(lone, order[:, 1], order[:, 2])  # in a row two sides lie against others
    for k, one in enumerate(at):
        seen = np.sort(steps[one][~np.isnan(steps[one])])
        near = nearest[k][there[k]]
        if len(seen) < 2 or not len(near):
            continue
        weakest = seen[max(0, (1 if lone[one] else 2) - (4 - len(seen)))]
        usual = float(np.median(free[near]))
        shown[k] = np.log((np.array([weakest, seen[-1]]) + RIM_NOISE_LOG) / (usual + RIM_NOISE_LOG))
    return np.clip(shown, -MAX_RIM_FAINTNESS_LOG, (0.0, MAX_RIM_STRENGTH_LOG))
