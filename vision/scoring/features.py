"""What tiles of one picture have in common: a knot in the wood is neither as large nor as white as they are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tilekeeper.vision.arrays import Columns
from tilekeeper.vision.config import scoring_limits as limits
from tilekeeper.vision.geometry.face_color import face_whites
from tilekeeper.vision.geometry.proximity import nearest_others
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


@dataclass(frozen=True, slots=True)
class Differences(Columns):
    """How N tiles differ from the sure ones near them: `size`, `light` and `tint`, `(N,) float64` each.

    The first two are signed natural logarithms of ratios, the size's of width or height, whichever is further off,
    measured on the table; the third is the distance of `(log B/G, log R/G)` of `face_whites`, 0 for the same tint.
    """

    size: np.ndarray
    light: np.ndarray
    tint: np.ndarray


def differences_of(image_bgr: np.ndarray, quads_px: np.ndarray, sure: np.ndarray) -> Differences:
    """Return how quads `(N, 4, 2)` in a picture differ from the `sure (N,) bool` ones near them.

    Sizes are held against the plane of the table, too, and the smaller difference counts.
    """
    off, plane = against_peers(image_bgr, quads_px, sure), fit_plane(quads_px[sure])
    if plane is None:
        return off
    on_plane = plane.sides(quads_px)  # those near it may themselves be askew
    return replace(off, size=np.where(np.abs(on_plane) < np.abs(off.size), on_plane, off.size))


def against_peers(image_bgr: np.ndarray, quads_px: np.ndarray, sure: np.ndarray) -> Differences:
    """Return how quads `(N, 4, 2)` differ from the `sure (N,) bool` ones nearest to them; 0 where there are no others.

    It is the median of what they differ by from each.
    """
    quads_px, peers = as_quads(quads_px), np.flatnonzero(sure)
    if not len(peers):
        return Differences(*np.zeros((3, len(quads_px))))
    whites = face_whites(image_bgr, quads_px)
    seen = np.stack([whites.mean(axis=1), whites[:, 0] - whites[:, 1], whites[:, 2] - whites[:, 1]])
    nearest, there = nearest_others(centres_px(quads_px), np.arange(len(quads_px)), peers, limits.neighbours)
    some = np.asarray(there.any(axis=1))
    values = np.array([*_logs_of_sizes(quads_px, nearest), *seen[:, nearest]])
    # a full table; leaving gaps out takes ten times as long
    wide, high, light, blue, red = (
        median(values) if there.all() else np.nanmedian(np.where(there | ~some[:, None], values, np.nan), axis=2)
    )
    size, tint = np.where(np.abs(wide) >= np.abs(high), wide, high), np.hypot(seen[1] - blue, seen[2] - red)
    return Differences(*(np.where(some, off, 0.0) for off in (size, seen[0] - light, tint)))


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
