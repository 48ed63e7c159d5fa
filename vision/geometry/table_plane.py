"""How the camera sees the table: the shape of a tile anywhere on it, learnt from the tiles that are sure.

Tiles of one set lie flat on one table and are of one size. How a camera at an angle shortens them changes evenly over
the picture; a quad that differs from that was found askew.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats
from tilekeeper.vision.geometry.proximity import nearest_others
from tilekeeper.vision.geometry.quads import (
    TILE_ASPECT,
    as_quads,
    axes_px,
    centres_px,
    corners_about,
    distances_px,
    rotations,
)
from tilekeeper.vision.geometry.quantiles import median

# The table's plane is fitted only to at least this many certain tiles.
MIN_PLANE_TILES = 4
# The plane fit tries these aspect ratios of a tile, height over width.
PLANE_ASPECT_RATIOS = (1.2, 1.3, 1.4, 1.5, 1.6)
# An unusual aspect ratio adds this much misfit per unit of its natural log, so that ties take the usual one.
UNUSUAL_ASPECT_PENALTY_RATIO = 0.1
# A tile with this residual (natural log) has half its weight in the next round of the plane fit.
PLANE_CAUCHY_SCALE_LOG = 0.12
# The plane is fitted this many times, each time with new weights.
PLANE_FIT_ROUNDS = 5
# The tiles are on no common plane if their median misfit exceeds this (natural log), as on a rack.
MAX_PLANE_MEDIAN_MISFIT_LOG = 0.35
# A quad with a larger misfit (natural log) is straightened if most certain neighbours fit the plane.
MIN_ASKEW_MISFIT_LOG = 0.25
# A quad whose size differs from the plane's by more (natural log) is no tile of this set; it stays as it is.
MAX_SAME_SET_SIZE_LOG = 0.35
# A quad is straightened if most of this many certain neighbours fit the plane.
PLANE_NEIGHBOUR_COUNT = 4


@dataclass(frozen=True, slots=True)
class TablePlane:
    """The fitted plane: `coefficients (3, 3)` from (1, x, y), in units of `scale_px` about `origin_px`, to a metric.

    A metric is what a tile's two axes come to, whichever way it lies: the matrix logarithm of `axes @ axes.T`, with the
    axes across and down, each as long as the tile is wide, in the columns; kept as (xx, xy, yy).
    """

    coefficients: Floats
    origin_px: Floats
    scale_px: float
    aspect: float

    def shapes(self, middles_px: Floats, like_px: Floats) -> Floats:
        """Quads `(N, 4, 2)` of tiles at the middles `(N, 2)`, turned as the quads `like_px (N, 4, 2)`."""
        roots = _exp(self._metrics(middles_px) / 2)
        one, _, other = np.linalg.svd(np.linalg.inv(roots) @ axes_of(like_px, self.aspect))
        mirrored = np.linalg.det(one @ other)[:, None, None] < 0  # no tile is seen from behind
        turns = one @ np.where(mirrored, np.diag([1.0, -1.0]), np.eye(2)) @ other
        return _quads(middles_px, roots @ turns, self.aspect)

    def turned(self, middles_px: Floats, directions: int) -> Floats:
        """Quads of tiles at the middles `(N, 2)`, turned on the table through half a turn: `(N, directions, 4, 2)`."""
        return turned_about(middles_px, _exp(self._metrics(middles_px) / 2), self.aspect, directions)

    def misfits(self, quads_px: Floats) -> Floats:
        """How far each quad `(N, 4, 2)` is from the shape that the plane has there, `(N,)`: a natural logarithm."""
        own = log_metrics(quads_px, self.aspect)
        misfits: Floats = np.linalg.norm(own - self._metrics(centres_px(quads_px)), axis=1)
        return misfits

    def sizes(self, quads_px: Floats) -> Floats:
        """How much larger each quad `(N, 4, 2)` is than a tile there, `(N,)`: a natural logarithm of lengths."""
        larger = log_metrics(quads_px, self.aspect) - self._metrics(centres_px(quads_px))
        sizes: Floats = larger[:, [0, 2]].sum(axis=1) / 4
        return sizes

    def sides(self, quads_px: Floats) -> Floats:
        """How much longer than a tile's there the side is, of width and height, that differs more: `(N,)`, as above."""
        roots = _exp(self._metrics(centres_px(quads_px)) / 2)
        lengths = np.linalg.norm(np.linalg.inv(roots) @ axes_of(quads_px, self.aspect), axis=1)
        logs = np.log(np.maximum(lengths, 1e-6))
        further: Floats = np.take_along_axis(logs, np.abs(logs).argmax(axis=1)[:, None], axis=1)[:, 0]
        return further

    def _metrics(self, middles_px: Floats) -> Floats:
        return _design(middles_px, self.origin_px, self.scale_px) @ self.coefficients


def axes_of(quads_px: Floats, aspect: float) -> Floats:
    """Across and down of each quad `(N, 4, 2)` in columns, down divided by `aspect`: `(N, 2, 2)`."""
    across, down = axes_px(as_quads(quads_px))
    return np.stack([across, down / aspect], axis=2)


def log_metrics(quads_px: Floats, aspect: float) -> Floats:
    """What the axes of each quad `(N, 4, 2)` come to, whichever way it lies, `(N, 3)`: see `TablePlane`."""
    return _logs(axes_of(quads_px, aspect))


def turned_about(middles_px: Floats, axes: Floats, aspect: float, directions: int) -> Floats:
    """Quads `(N, directions, 4, 2)` at the middles `(N, 2)`, turned on the table through half a turn.

    They begin with the `axes (N, 2, 2)` of a tile there, as `axes_of` gives them.
    """
    turns = rotations(np.arange(directions) * np.pi / directions)
    return _quads(middles_px[:, None], axes[:, None] @ turns, aspect)


def shaped_as_nearest(middles_px: Floats, sure_px: Floats) -> Floats:
    """Quads `(N, 4, 2)` of tiles at the middles `(N, 2)` that lie as the nearest of the sure ones `(M, 4, 2)`.

    M is at least 1. Where these show a plane, they have the shape that it has there.
    """
    known = centres_px(sure_px)
    nearest = distances_px(middles_px, known).argmin(axis=1)
    if (plane := fit_plane(sure_px)) is not None:
        return plane.shapes(middles_px, sure_px[nearest])
    moved: Floats = sure_px[nearest] + (middles_px - known[nearest])[:, None]
    return moved


def fit_plane(quads_px: Floats) -> TablePlane | None:
    """Fit the plane to sure tiles `(N, 4, 2)`; None where they are too few or show none."""
    quads = np.ascontiguousarray(as_quads(quads_px), np.float64)
    return _fitted(quads.tobytes()) if len(quads) >= MIN_PLANE_TILES else None


@functools.lru_cache(maxsize=8)
def _fitted(quads_px: bytes) -> TablePlane | None:
    """Fit the plane to quads, as bytes of their float64: looks at one picture ask for the same one again and again."""
    quads = np.frombuffer(quads_px).reshape(-1, 4, 2)
    middles = centres_px(quads)
    origin, scale = middles.mean(axis=0), max(float(np.ptp(middles, axis=0).max()), 1.0)
    axes = (
        axes_of(quads, 1.0)[None]
        / np.stack([np.ones(len(PLANE_ASPECT_RATIOS)), PLANE_ASPECT_RATIOS], axis=1)[:, None, None]
    )
    coefficients, apart = _fit(_design(middles, origin, scale), _logs(axes))
    # tiles that all lie the same way fit with any aspect: then it is the usual one
    best = int(
        np.argmin(apart + UNUSUAL_ASPECT_PENALTY_RATIO * np.abs(np.log(np.divide(PLANE_ASPECT_RATIOS, TILE_ASPECT))))
    )
    # corners that are no numbers fit nothing
    return (
        TablePlane(coefficients[best], origin, scale, PLANE_ASPECT_RATIOS[best])
        if apart[best] <= MAX_PLANE_MEDIAN_MISFIT_LOG
        else None
    )


def straightened(quads_px: Floats, sure: Bools) -> Floats:
    """Quads `(N, 4, 2)` with those put straight that differ from the plane which the sure ones, `(N,)` bool, lie in.

    Tiles on another plane, such as a rack's, have neighbours that differ as they do, and stay.
    """
    plane = fit_plane(quads_px[sure])
    if plane is None:
        return quads_px
    misfits, middles = plane.misfits(quads_px), centres_px(quads_px)
    askew = np.flatnonzero(misfits > MIN_ASKEW_MISFIT_LOG)
    if not len(askew):
        return quads_px
    askew = askew[np.abs(plane.sizes(quads_px[askew])) < MAX_SAME_SET_SIZE_LOG]
    firm = np.flatnonzero(sure)
    if not len(askew):
        return quads_px
    nearest, _ = nearest_others(middles, askew, firm, PLANE_NEIGHBOUR_COUNT)
    among = askew[(misfits[nearest] <= MIN_ASKEW_MISFIT_LOG).mean(axis=1) > 0.5]
    straight = np.array(quads_px, np.float32)
    straight[among] = plane.shapes(middles[among], quads_px[among])
    return straight


def _fit(design: Floats, metrics: Floats) -> tuple[Floats, Floats]:
    """Coefficients `(A, 3, 3)` by least squares in which what is far off has little say, for A sets of metrics.

    `design (N, 3)`, `metrics (A, N, 3)`; and how far the middle one of each set is off, `(A,)`.
    """
    weights = np.ones(metrics.shape[:2])
    ridge = np.diag([1e-6, 0.05, 0.05])
    for _ in range(PLANE_FIT_ROUNDS):
        weighed = design.T * weights[:, None]
        coefficients = np.linalg.solve(weighed @ design + ridge, weighed @ metrics)
        off = metrics - design @ coefficients
        squares = np.einsum("anm,anm->an", off, off)
        weights = PLANE_CAUCHY_SCALE_LOG**2 / (PLANE_CAUCHY_SCALE_LOG**2 + squares)
    return coefficients, median(np.sqrt(squares))


def _design(middles_px: Floats, origin_px: Floats, scale_px: float) -> Floats:
    return np.column_stack([np.ones(len(middles_px)), (middles_px - origin_px) / scale_px])


def _logs(axes: Floats) -> Floats:
    """Matrix logarithms of `axes @ axes.T`, as (xx, xy, yy), `(N, 3)`."""
    a, b, c, d = axes[..., 0, 0], axes[..., 0, 1], axes[..., 1, 0], axes[..., 1, 1]
    return _of_values(a * a + b * b, a * c + b * d, c * c + d * d, _log)


def _exp(logs: Floats) -> Floats:
    """The symmetric matrices `(N, 2, 2)` of logarithms as `_logs` has them."""
    powers = _of_values(logs[:, 0], logs[:, 1], logs[:, 2], lambda values: np.exp(np.clip(values, -20, 20)))
    return powers[:, [0, 1, 1, 2]].reshape(-1, 2, 2)


def _log(values: Floats) -> Floats:
    return np.log(np.maximum(values, 1e-6))


def _of_values(xx: Floats, xy: Floats, yy: Floats, of: Callable[[Floats], Floats]) -> Floats:
    """Symmetric matrices, `(N,)` each of their entries, with a function of their eigenvalues: (xx, xy, yy), `(N, 3)`.

    In closed form: a library's eigenvectors of many small matrices take three times as long.
    """
    middle, half = (xx + yy) / 2, (xx - yy) / 2
    spread = np.hypot(half, xy)
    high, low = of(middle + spread), of(middle - spread)
    mean = (high + low) / 2
    # where both values are one, so are all directions
    share = (high - low) / np.where(spread > 0, 2 * spread, 1.0)
    return np.stack([mean + share * half, share * xy, mean - share * half], axis=-1)


def _quads(middles_px: Floats, axes: Floats, aspect: float) -> Floats:
    """Quads `(..., 4, 2)` of tiles at the middles `(..., 2)` with the axes `(..., 2, 2)`, as `axes_of` gives them."""
    return middles_px[..., None, :] + corners_about(aspect) @ axes.swapaxes(-1, -2)
