"""Table plane: the expected shape of a tile at each place in the image, fitted to the certain tiles.

All tiles have one size and lie flat, so their shape changes evenly over the image; a quad that deviates is wrong.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, median
from tilekeeper.vision.geometry.proximity import nearest_neighbours
from tilekeeper.vision.geometry.quads import (
    TILE_ASPECT,
    as_quads,
    axes_px,
    centred_corners,
    centres_px,
    distances_px,
    rotation_matrices,
)

MIN_PLANE_TILES = 4  # the table's plane is fitted only to at least this many certain tiles
PLANE_ASPECT_RATIOS = (1.2, 1.3, 1.4, 1.5, 1.6)  # the plane fit tries these aspect ratios of a tile, height over width
UNUSUAL_ASPECT_PENALTY_RATIO = 0.1  # misfit that an unusual aspect ratio adds per unit of its natural log; breaks ties
PLANE_CAUCHY_SCALE_LOG = 0.12  # a tile with this residual (natural log) has half its weight in the next round
PLANE_FIT_ROUNDS = 5  # the plane is fitted this many times, each time with new weights
MAX_PLANE_MEDIAN_MISFIT_LOG = 0.35  # with a larger median misfit (natural log) there is no common plane, as on a rack
MIN_ASKEW_MISFIT_LOG = 0.25  # a quad with a larger misfit (natural log) is straightened if its neighbours fit the plane
MAX_SAME_SET_SIZE_LOG = 0.35  # a quad that differs more in size from the plane (natural log) is not a tile of this set
PLANE_NEIGHBOUR_COUNT = 4  # a quad is straightened if most of this many certain neighbours fit the plane


@dataclass(frozen=True, slots=True)
class TablePlane:
    """Linear model of tile shapes: `coefficients (3, 3)` map (1, x, y) to the log metric of a tile at that place.

    x and y are measured from `origin_px` in units of `scale_px`; `aspect` is height over width. The log metric, stored
    as (xx, xy, yy), is the matrix logarithm of `axes @ axes.T` (`axes_of`), which is equal for all directions.
    """

    coefficients: Floats
    origin_px: Floats
    scale_px: float
    aspect: float

    def shapes(self, middles_px: Floats, like_px: Floats) -> Floats:
        """Return quads `(N, 4, 2)` of the shape of tiles at centres `(N, 2)`, turned like the quads `like_px`."""
        roots = self.axes(middles_px)
        left_vectors, _, right_vectors = np.linalg.svd(np.linalg.inv(roots) @ axes_of(like_px, self.aspect))
        is_mirrored = np.linalg.det(left_vectors @ right_vectors)[:, None, None] < 0  # a tile is never seen from behind
        directions = left_vectors @ np.where(is_mirrored, np.diag([1.0, -1.0]), np.eye(2)) @ right_vectors
        return _quads(middles_px, roots @ directions, self.aspect)

    def axes(self, middles_px: Floats) -> Floats:
        """Return the symmetric axes `(N, 2, 2)`, as from `axes_of`, of tiles at centres `(N, 2)`."""
        return _exp(self._metrics(middles_px) / 2)

    def misfits(self, quads_px: Floats) -> Floats:
        """Return how much each quad `(N, 4, 2)` differs from the plane's shape there, `(N,)`, a natural logarithm."""
        metrics = log_metrics(quads_px, self.aspect)
        return np.asarray(np.linalg.norm(metrics - self._metrics(centres_px(quads_px)), axis=1))

    def size_deviations(self, quads_px: Floats) -> Floats:
        """Return the natural log `(N,)` of each quad's size, relative to the size that the plane gives at its place."""
        difference = log_metrics(quads_px, self.aspect) - self._metrics(centres_px(quads_px))
        return np.asarray(difference[:, [0, 2]].sum(axis=1) / 4)

    def side_deviations(self, quads_px: Floats) -> Floats:
        """Return the log `(N,)` of each quad's width or height relative to the plane's, whichever deviates more."""
        roots = self.axes(centres_px(quads_px))
        side_ratios = np.linalg.norm(np.linalg.inv(roots) @ axes_of(quads_px, self.aspect), axis=1)
        logs = np.log(np.maximum(side_ratios, 1e-6))
        return np.asarray(np.take_along_axis(logs, np.abs(logs).argmax(axis=1)[:, None], axis=1)[:, 0])

    def _metrics(self, middles_px: Floats) -> Floats:
        return _design(middles_px, self.origin_px, self.scale_px) @ self.coefficients


def axes_of(quads_px: Floats, aspect: float) -> Floats:
    """Return the axes `(N, 2, 2)` of each quad in columns: its width vector, and its height vector / `aspect`."""
    across, down = axes_px(as_quads(quads_px))
    return np.stack([across, down / aspect], axis=2)


def log_metrics(quads_px: Floats, aspect: float) -> Floats:
    """Return the log metrics `(N, 3)` of quads `(N, 4, 2)`, as defined in `TablePlane`."""
    return _logs(axes_of(quads_px, aspect))


def rotated_tile_shapes(middles_px: Floats, sure_px: Floats, directions: int) -> Floats:
    """Return quads `(N, directions, 4, 2)` in the shape of `nearest_tile_shapes`, rotated over half a turn."""
    plane, matrices = fit_plane(sure_px), rotation_matrices(np.arange(directions) * np.pi / directions)
    aspect = TILE_ASPECT if plane is None else plane.aspect
    axes = plane.axes(middles_px) if plane else axes_of(nearest_tile_shapes(middles_px, sure_px), aspect)
    return _quads(middles_px[:, None], axes[:, None] @ matrices, aspect)


def nearest_tile_shapes(middles_px: Floats, sure_px: Floats) -> Floats:
    """Return quads `(N, 4, 2)` at centres `(N, 2)`, each in the direction of the nearest tile of `sure_px (M, 4, 2)`.

    `sure_px`: certain tiles, at least one. The shape is the table plane's, or the nearest tile's if no plane fits.
    """
    sure_middles_px = centres_px(sure_px)
    nearest = distances_px(middles_px, sure_middles_px).argmin(axis=1)
    if (plane := fit_plane(sure_px)) is not None:
        return plane.shapes(middles_px, sure_px[nearest])
    return np.asarray(sure_px[nearest] + (middles_px - sure_middles_px[nearest])[:, None])


def fit_plane(quads_px: Floats) -> TablePlane | None:
    """Fit the table plane to certain tiles `(N, 4, 2)`; return None if they are too few or not in one plane."""
    quads = np.ascontiguousarray(as_quads(quads_px), np.float64)
    return _fit_cached(quads.tobytes()) if len(quads) >= MIN_PLANE_TILES else None


@functools.lru_cache(maxsize=8)
def _fit_cached(quads_px: bytes) -> TablePlane | None:
    """Fit the plane to the bytes of float64 quads; cached because one frame needs the same plane several times."""
    quads = np.frombuffer(quads_px).reshape(-1, 4, 2)
    middles = centres_px(quads)
    origin, scale = middles.mean(axis=0), max(float(np.ptp(middles, axis=0).max()), 1.0)
    divisors = np.stack([np.ones(len(PLANE_ASPECT_RATIOS)), PLANE_ASPECT_RATIOS], axis=1)
    metrics = _logs(axes_of(quads, 1.0)[None] / divisors[:, None, None])
    coefficients, misfits = _fit(_design(middles, origin, scale), metrics)
    # Tiles in one direction fit every aspect ratio, so the usual one is preferred.
    unusual = np.abs(np.log(np.divide(PLANE_ASPECT_RATIOS, TILE_ASPECT)))
    best = int(np.argmin(misfits + UNUSUAL_ASPECT_PENALTY_RATIO * unusual))
    plane = TablePlane(coefficients[best], origin, scale, PLANE_ASPECT_RATIOS[best])
    return plane if misfits[best] <= MAX_PLANE_MEDIAN_MISFIT_LOG else None  # NaN corners give NaN


def straighten(quads_px: Floats, is_sure: Bools) -> Floats:
    """Return the quads `(N, 4, 2)`, in which those that deviate from the table plane get its shape.

    The plane is fitted to the certain tiles, mask `is_sure (N,)`. Tiles on another plane, such as a rack, have
    neighbours that deviate as well, and stay unchanged.
    """
    if (plane := fit_plane(quads_px[is_sure])) is None:
        return quads_px
    misfits, middles = plane.misfits(quads_px), centres_px(quads_px)
    askew = np.flatnonzero(misfits > MIN_ASKEW_MISFIT_LOG)
    askew = askew[np.abs(plane.size_deviations(quads_px[askew])) < MAX_SAME_SET_SIZE_LOG]
    if not len(askew):
        return quads_px
    nearest, _ = nearest_neighbours(middles, askew, np.flatnonzero(is_sure), PLANE_NEIGHBOUR_COUNT)
    askew_on_plane = askew[(misfits[nearest] <= MIN_ASKEW_MISFIT_LOG).mean(axis=1) > 0.5]
    straight = np.array(quads_px, np.float32)
    straight[askew_on_plane] = plane.shapes(middles[askew_on_plane], quads_px[askew_on_plane])
    return straight


def _fit(design: Floats, metrics: Floats) -> tuple[Floats, Floats]:
    """Iteratively reweighted least squares with Cauchy weights, for A sets of log metrics at once.

    `design (N, 3)`, `metrics (A, N, 3)`. Returns coefficients `(A, 3, 3)` and the median residual of each set, `(A,)`.
    """
    weights = np.ones(metrics.shape[:2])
    ridge = np.diag([1e-6, 0.05, 0.05])
    for _ in range(PLANE_FIT_ROUNDS):
        weighted_design = design.T * weights[:, None]
        coefficients = np.linalg.solve(weighted_design @ design + ridge, weighted_design @ metrics)
        residuals = metrics - design @ coefficients
        squares = np.einsum("anm,anm->an", residuals, residuals)
        weights = PLANE_CAUCHY_SCALE_LOG**2 / (PLANE_CAUCHY_SCALE_LOG**2 + squares)
    return coefficients, median(np.sqrt(squares))


def _design(middles_px: Floats, origin_px: Floats, scale_px: float) -> Floats:
    return np.column_stack([np.ones(len(middles_px)), (middles_px - origin_px) / scale_px])


def _logs(axes: Floats) -> Floats:
    """Return the matrix logarithms of `axes @ axes.T` as (xx, xy, yy): `(..., 3)` for `axes (..., 2, 2)`."""
    a, b, c, d = axes[..., 0, 0], axes[..., 0, 1], axes[..., 1, 0], axes[..., 1, 1]
    return _apply_to_eigenvalues(
        a * a + b * b, a * c + b * d, c * c + d * d, lambda values: np.log(np.maximum(values, 1e-6))
    )


def _exp(logs: Floats) -> Floats:
    """Matrix exponential, the inverse of `_logs`: return symmetric matrices `(N, 2, 2)` for `logs (N, 3)`."""
    powers = _apply_to_eigenvalues(logs[:, 0], logs[:, 1], logs[:, 2], lambda values: np.exp(np.clip(values, -20, 20)))
    return powers[:, [0, 1, 1, 2]].reshape(-1, 2, 2)


def _apply_to_eigenvalues(xx: Floats, xy: Floats, yy: Floats, function: Callable[[Floats], Floats]) -> Floats:
    """Apply a function to the eigenvalues of symmetric 2 × 2 matrices; return their entries (xx, xy, yy), `(..., 3)`.

    The closed form takes a third of the time of LAPACK for many small matrices.
    """
    middle, half = (xx + yy) / 2, (xx - yy) / 2
    spread = np.hypot(half, xy)
    high, low = function(middle + spread), function(middle - spread)
    mean = (high + low) / 2
    # With equal eigenvalues the numerator is 0, so the divisor may be 1.
    share = (high - low) / np.where(spread > 0, 2 * spread, 1.0)
    return np.stack([mean + share * half, share * xy, mean - share * half], axis=-1)


def _quads(middles_px: Floats, axes: Floats, aspect: float) -> Floats:
    """Return quads `(..., 4, 2)` at the centres `(..., 2)` with the axes `(..., 2, 2)`, as from `axes_of`."""
    return middles_px[..., None, :] + centred_corners(aspect) @ axes.swapaxes(-1, -2)
