"""How the camera sees the table: the shape of a tile anywhere on it, learnt from the tiles that are sure.

Tiles of one set lie flat on one table and are of one size. How a camera at an angle shortens them changes evenly over
the picture; a quad that differs from that was found askew.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.geometry import TILE_ASPECT, as_quads, centres_px

FEWEST = 4
"""With fewer tiles than this no plane is fitted."""
ASPECTS = (1.2, 1.3, 1.4, 1.5, 1.6)
"""Heights over widths that sets have."""
UNUSUAL = 0.1
"""What an aspect other than the usual one counts, by its natural logarithm, against how well tiles fit the plane."""
SPREAD = 0.12
"""A shape that differs by this (a natural logarithm) from the plane's has half a say in the next round of fitting."""
ROUNDS = 5
LOOSEST = 0.35
"""Where the middle one of the tiles differs by more than this, they show no plane at all, such as those on a rack."""


ASKEW = 0.25
"""Quads that differ from the plane by more are put straight, where most of the sure tiles near them do not."""
SIZED = 0.35
"""But not what differs in size by more: that is no tile of this set."""
NEAREST = 4


@dataclass(frozen=True, slots=True)
class TablePlane:
    """The fitted plane: `coefficients (3, 3)` from (1, x, y), in units of `scale_px` about `origin_px`, to a metric.

    A metric is what a tile's two axes come to, whichever way it lies: the matrix logarithm of `axes @ axes.T`, with the
    axes across and down, each as long as the tile is wide, in the columns; kept as (xx, xy, yy).
    """

    coefficients: np.ndarray
    origin_px: np.ndarray
    scale_px: float
    aspect: float

    def shapes(self, middles_px: np.ndarray, axes_px: np.ndarray) -> np.ndarray:
        """Quads `(N, 4, 2)` of tiles at the middles `(N, 2)`, turned as `axes_px (N, 2, 2)`: across and down."""
        roots = _exp(self._metrics(middles_px) / 2)
        one, _, other = np.linalg.svd(np.linalg.inv(roots) @ axes_px)
        mirrored = np.linalg.det(one @ other)[:, None, None] < 0  # no tile is seen from behind
        rotations = one @ np.where(mirrored, np.diag([1.0, -1.0]), np.eye(2)) @ other
        return _quads(middles_px, roots @ rotations, self.aspect)

    def turned(self, middles_px: np.ndarray, directions: int) -> np.ndarray:
        """Quads of tiles at the middles `(N, 2)`, turned on the table through half a turn: `(N, directions, 4, 2)`."""
        angles = np.arange(directions) * np.pi / directions
        cos, sin = np.cos(angles), np.sin(angles)
        rotations = np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)
        axes = _exp(self._metrics(middles_px) / 2)[:, None] @ rotations[None]
        where = np.repeat(middles_px, directions, axis=0)
        return _quads(where, axes.reshape(-1, 2, 2), self.aspect).reshape(len(middles_px), directions, 4, 2)

    def misfits(self, quads_px: np.ndarray) -> np.ndarray:
        """How far each quad `(N, 4, 2)` is from the shape that the plane has there, `(N,)`: a natural logarithm."""
        own = _logs(axes_of(quads_px, self.aspect))
        return np.linalg.norm(own - self._metrics(centres_px(quads_px)), axis=1)

    def sizes(self, quads_px: np.ndarray) -> np.ndarray:
        """How much larger each quad `(N, 4, 2)` is than a tile there, `(N,)`: a natural logarithm of lengths."""
        own = _logs(axes_of(quads_px, self.aspect))
        return (own - self._metrics(centres_px(quads_px)))[:, [0, 2]].sum(axis=1) / 4

    def sides(self, quads_px: np.ndarray) -> np.ndarray:
        """How much longer than a tile's there the side is, of width and height, that differs more: `(N,)`, as above."""
        roots = _exp(self._metrics(centres_px(quads_px)) / 2)
        lengths = np.linalg.norm(np.linalg.inv(roots) @ axes_of(quads_px, self.aspect), axis=1)
        logs = np.log(np.maximum(lengths, 1e-6))
        return np.take_along_axis(logs, np.abs(logs).argmax(axis=1)[:, None], axis=1)[:, 0]

    def _metrics(self, middles_px: np.ndarray) -> np.ndarray:
        return _design(middles_px, self.origin_px, self.scale_px) @ self.coefficients


def axes_of(quads_px: np.ndarray, aspect: float) -> np.ndarray:
    """Across and down of each quad `(N, 4, 2)` in columns, down divided by `aspect`: `(N, 2, 2)`."""
    quads = as_quads(quads_px)
    across = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    down = (quads[:, 3] - quads[:, 0] + quads[:, 2] - quads[:, 1]) / 2 / aspect
    return np.stack([across, down], axis=2)


def fit_plane(quads_px: np.ndarray) -> TablePlane | None:
    """Fit the plane to sure tiles `(N, 4, 2)`; None where they are too few or show none."""
    quads = as_quads(quads_px)
    if len(quads) < FEWEST:
        return None
    middles = centres_px(quads)
    origin, scale = middles.mean(axis=0), max(float(np.ptp(middles, axis=0).max()), 1.0)
    design = _design(middles, origin, scale)
    fits = [(_fit(design, _logs(axes_of(quads, aspect))), aspect) for aspect in ASPECTS]
    # tiles that all lie the same way fit with any aspect: then it is the usual one
    (coefficients, apart), aspect = min(fits, key=lambda fit: fit[0][1] + UNUSUAL * abs(np.log(fit[1] / TILE_ASPECT)))
    return None if apart > LOOSEST else TablePlane(coefficients, origin, scale, float(aspect))


def straightened(quads_px: np.ndarray, sure: np.ndarray, plane: TablePlane | None = None) -> np.ndarray:
    """Quads `(N, 4, 2)` with those put straight that differ from the plane which the sure ones, `(N,)` bool, lie in.

    Tiles on another plane, such as a rack's, have neighbours that differ as they do, and stay.
    """
    plane = plane or fit_plane(quads_px[sure])
    if plane is None:
        return quads_px
    misfits, middles = plane.misfits(quads_px), centres_px(quads_px)
    askew = np.flatnonzero((misfits > ASKEW) & (np.abs(plane.sizes(quads_px)) < SIZED))
    firm = np.flatnonzero(sure)
    if not len(askew):
        return quads_px
    apart = np.linalg.norm(middles[askew][:, None] - middles[firm][None], axis=2)
    apart[askew[:, None] == firm[None]] = np.inf  # nobody is its own neighbour
    nearest = firm[np.argsort(apart, axis=1)[:, :NEAREST]]
    among = askew[(misfits[nearest] <= ASKEW).mean(axis=1) > 0.5]
    straight = np.array(quads_px, np.float32)
    straight[among] = plane.shapes(middles[among], axes_of(quads_px[among], plane.aspect))
    return straight


def _fit(design: np.ndarray, metrics: np.ndarray) -> tuple[np.ndarray, float]:
    """Coefficients by least squares in which what is far off has little say, and how far the middle one is off."""
    weights = np.ones(len(design))
    ridge = np.diag([1e-6, 0.05, 0.05])
    for _ in range(ROUNDS):
        weighed = design.T * weights
        coefficients = np.linalg.solve(weighed @ design + ridge, weighed @ metrics)
        off = np.linalg.norm(metrics - design @ coefficients, axis=1)
        weights = 1 / (1 + (off / SPREAD) ** 2)
    return coefficients, float(np.median(off))


def _design(middles_px: np.ndarray, origin_px: np.ndarray, scale_px: float) -> np.ndarray:
    return np.column_stack([np.ones(len(middles_px)), (middles_px - origin_px) / scale_px])


def _logs(axes: np.ndarray) -> np.ndarray:
    """Matrix logarithms of `axes @ axes.T`, as (xx, xy, yy), `(N, 3)`."""
    values, vectors = np.linalg.eigh(axes @ axes.transpose(0, 2, 1))
    logs = (vectors * np.log(np.maximum(values, 1e-6))[:, None]) @ vectors.transpose(0, 2, 1)
    return np.stack([logs[:, 0, 0], logs[:, 0, 1], logs[:, 1, 1]], axis=1)


def _exp(logs: np.ndarray) -> np.ndarray:
    """The symmetric matrices `(N, 2, 2)` of logarithms as `_logs` has them."""
    matrices = np.stack([logs[:, [0, 1]], logs[:, [1, 2]]], axis=1)
    values, vectors = np.linalg.eigh(matrices)
    return (vectors * np.exp(np.clip(values, -20, 20))[:, None]) @ vectors.transpose(0, 2, 1)


def _quads(middles_px: np.ndarray, axes: np.ndarray, aspect: float) -> np.ndarray:
    corners = np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * (1, aspect)
    return middles_px[:, None] + corners @ axes.transpose(0, 2, 1)
