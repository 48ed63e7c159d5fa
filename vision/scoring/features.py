"""What tiles of one picture have in common: a knot in the wood is neither as large nor as white as they are."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Columns
from tilekeeper.vision.config import scoring_limits as limits
from tilekeeper.vision.geometry.face_color import face_whites
from tilekeeper.vision.geometry.quads import (
    TILE_ASPECT,
    as_quads,
    centres_px,
    distances_px,
    lengths,
    sizes_wh_px,
)
from tilekeeper.vision.geometry.quantiles import median
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane


def against_peers(image_bgr: np.ndarray, quads_px: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """Return how each tile differs from the sure ones near it: `(N, 3) float64`, log size, log light, colour.

    `sure (N,)` bool marks the tiles to compare with. The first two are signed natural logarithms of ratios, the size's
    of width or height, whichever is further off, measured on the table; the third is the distance of
    `(log B/G, log R/G)` of `face_whites`, 0 for the same tint. All are 0 where there are no others.
    """
    quads_px = as_quads(quads_px)
    differences = np.zeros((len(quads_px), 3))
    peers = np.flatnonzero(sure)
    if not len(peers):
        return differences
    middles, whites = centres_px(quads_px), face_whites(image_bgr, quads_px)
    seen = np.stack([whites.mean(axis=1), whites[:, 0] - whites[:, 1], whites[:, 2] - whites[:, 1]])
    apart = distances_px(middles, middles[peers])
    apart[np.arange(len(quads_px))[:, None] == peers[None]] = np.inf  # nobody is its own peer
    nearest = np.argsort(apart, axis=1)[:, : limits.neighbours]
    there = np.isfinite(np.take_along_axis(apart, nearest, axis=1))
    some = len(peers) > np.isin(np.arange(len(quads_px)), peers)
    *sizes, light, blue, red = _median([*_logs_of_sizes(quads_px, peers[nearest]), *seen[:, peers][:, nearest]], there)
    differences[some, 0] = np.where(np.abs(sizes[0]) >= np.abs(sizes[1]), *sizes)[some]
    differences[some, 1] = (seen[0] - light)[some]
    differences[some, 2] = np.hypot(seen[1] - blue, seen[2] - red)[some]
    return differences


def _logs_of_sizes(quads_px: np.ndarray, nearest: np.ndarray) -> np.ndarray:
    """Return how much wider and higher each tile is than each of its `nearest (N, K)`: `(2, N, K)` natural logarithms.

    A tile shows how the camera sees the table where it lies, so that one that lies across is measured by the same rule.
    """
    frames = axes_of(quads_px, TILE_ASPECT)
    flat = np.abs(np.linalg.det(frames)) < 1e-6
    frames[flat] = np.eye(2)
    on_table = np.linalg.inv(frames)[nearest] @ frames[:, None]  # columns: what is across and down, in peers' widths
    return np.log(np.maximum(lengths(on_table.swapaxes(2, 3)), 1e-6)).transpose(2, 0, 1)


def _median(values: list[np.ndarray], there: np.ndarray) -> np.ndarray:
    """Return the medians of each row of each of the values `(N, K)` where `there`, no numbers where nothing is."""
    if there.all():  # a full table; leaving gaps out takes ten times as long
        return median(np.array(values))
    with warnings.catch_warnings():  # a tile without peers has no median, and is not asked for one
        warnings.simplefilter("ignore", RuntimeWarning)
        return np.nanmedian(np.where(there, values, np.nan), axis=2)


@dataclass(frozen=True, slots=True)
class Differences(Columns):
    """How N tiles differ from the sure ones near them: `size`, `light` and `tint`, `(N,) float64` each.

    As `against_peers` gives them; sizes are held against the plane of the table, too, and the smaller one counts.
    """

    size: np.ndarray
    light: np.ndarray
    tint: np.ndarray


def differences_of(image_bgr: np.ndarray, quads_px: np.ndarray, sure: np.ndarray) -> Differences:
    """Return how quads `(N, 4, 2)` in a picture differ from the `sure (N,) bool` ones near them."""
    size, light, tint = against_peers(image_bgr, quads_px, sure).T
    plane = fit_plane(quads_px[sure])
    if plane is not None:  # those near it may themselves be askew
        on_plane = plane.sides(quads_px)
        size = np.where(np.abs(on_plane) < np.abs(size), on_plane, size)
    return Differences(size, light, tint)


def as_large(size: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """Return, `(N,)` bool, whether each tile is about as large as the sure ones near it, off by `size (N,)`.

    Where these are too few, what is sure stays.
    """
    others = np.count_nonzero(sure) - sure
    most = np.where(
        others >= limits.compared_fewest,
        np.where(sure, limits.other_size, limits.other_size_doubtful),
        np.where(sure, np.inf, limits.far_size),
    )
    return np.asarray(np.abs(size) <= most)


def alone(quads_px: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """Which have no sure tile but perhaps themselves beside them, `(N,)` bool."""
    if not sure.any():
        return np.ones(len(quads_px), bool)
    middles, widths = centres_px(quads_px), sizes_wh_px(quads_px)[:, 0]
    apart = distances_px(middles, middles[sure]) / np.maximum(widths[sure], 1e-6)
    apart[np.flatnonzero(sure), np.arange(np.count_nonzero(sure))] = np.inf
    return np.asarray(apart.min(axis=1) > limits.beside)
