"""Rectification of the table for a low camera: a homography to a view from straight above.

From 35° above the table a tile appears half as high as it is, from 20° a third, and near tiles are several times as
large as far ones; the networks were not trained on such tiles. All tiles have one size and shape, so a homography that
makes the tiles already read equal undoes the perspective, and makes other tiles readable too.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.geometry.proximity import MAX_SAME_TILE_DISTANCE_WIDTHS
from tilekeeper.vision.geometry.quads import TILE_ASPECT, axes_px, centred_corners, centres_px, shares_inside
from tilekeeper.vision.geometry.table_plane import log_metrics
from tilekeeper.vision.imaging import project

MIN_FORESHORTENING_RATIO = 1.4  # the table is rectified from this length ratio on (camera at 46°); photos reach 1.33
MIN_FIRM_FORESHORTENING_RATIO = 1.3  # a rectification with a lower median length ratio is a guess; a tile may lean
MIN_FIRM_RECTIFICATION_TILES = 16  # this many tiles show the plane reliably; 98 accepted guesses used at most nine
LOW_CAMERA_STRETCH_RATIO = 1.8  # a guessed low camera stretches the frame's height by this, which is right from 34°
RECTIFICATION_CAUCHY_SCALE_LOG = 0.15  # a tile with this residual (natural log) has half its weight in the robust fit
MAX_RECTIFICATION_FIT_ROUNDS = 40  # the Levenberg-Marquardt fit ends after this many steps; about ten are usual
MAX_RECTIFIED_REACH_WIDTHS = 60.0  # a rectified view extends at most this far beyond the tiles of the fit
MIN_RECTIFIABLE_TILE_PX = 10.0  # a view leaves out places where a tile would be too small in the frame to be read
MAX_RECTIFIED_TILE_PX = 48.0  # tiles in a rectified view are at most about this wide; wider ones are read no better
MAX_RECTIFIED_AREA_PX = 3_000_000.0  # a rectified view has at most this many pixels
STEP = 1e-5  # the step of the fit's numerical derivatives


@dataclass(frozen=True, slots=True)
class Rectification:
    """A homography `(3, 3)` from an image of the size `image_wh` to a view from straight above of the size `view_wh`.

    `around`: BGR colour of the view outside the image; `firm`: whether the tiles show clearly that the camera is low.
    """

    image_wh: tuple[int, int]
    homography: Floats
    view_wh: tuple[int, int]
    around: tuple[float, float, float]
    firm: bool = False

    def warp(self, image_bgr: Image) -> Image:
        """Return the image `(H, W, 3) uint8` warped to the view."""
        flags, border = cv2.INTER_LINEAR, cv2.BORDER_CONSTANT
        view = cv2.warpPerspective(
            image_bgr, self.homography, self.view_wh, flags=flags, borderMode=border, borderValue=self.around
        )
        return np.asarray(view, np.uint8)

    def shares_shown(self, quads_px: Floats) -> Floats:
        """Return the share `(N,)`, 0 to 1, of each quad `(N, 4, 2)` of the view that is inside the image."""
        return shares_inside(self.to_image(quads_px), self.image_wh)

    def to_view(self, points_px: Floats) -> Floats:
        """Map points `(..., 2)` of the image to pixels of the view, `float32`."""
        return _project(points_px, self.homography)

    def shows(self, boxes_px: Floats) -> bool:
        """Return whether the view contains all boxes `(N, 4)` of the image: left, top, right, bottom."""
        corners = boxes_px[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 2)
        view_px = self.to_view(corners)
        is_inside = (view_px >= 0).all() and (view_px <= self.view_wh).all()
        return bool(is_inside and (_depths(corners, self.homography) > 0).all())

    def outline_in_view(self, outline_px: Floats) -> Floats:
        """Map an outline `(K, 2)` of the image to the view, `(P, 2)`, cut at the horizon; P is 0 if none is shown."""
        ends = np.roll(outline_px, -1, axis=0)
        steps = np.linspace(0, 1, 16, endpoint=False)[None, :, None]
        points = (outline_px[:, None] + steps * (ends - outline_px)[:, None]).reshape(-1, 2)
        mapped = self.to_view(points[_depths(points, self.homography) > 0])
        is_beyond = (mapped.max(axis=0, initial=-1) < 0) | (mapped.min(axis=0, initial=1e9) >= self.view_wh)
        return mapped[:0] if is_beyond.any() else np.clip(mapped, 0, np.array(self.view_wh, np.float32) - 1)

    def to_image(self, points_px: Floats) -> Floats:
        """Map points `(..., 2)` of the view to pixels of the image, `float32`."""
        return _project(points_px, np.linalg.inv(self.homography))


def is_foreshortened(quads_px: Floats) -> bool:
    """Return whether any of the tiles `(N, 4, 2)` is foreshortened enough for a rectified view."""
    return bool(foreshortening_ratios(trim_overlaps(quads_px)).max(initial=1.0) >= MIN_FORESHORTENING_RATIO)


def most_are_foreshortened(quads_px: Floats) -> bool:
    """Return whether more than half of the tiles `(N, 4, 2)` are foreshortened enough for a rectified view."""
    is_steep = foreshortening_ratios(trim_overlaps(quads_px)) >= MIN_FORESHORTENING_RATIO
    return bool(2 * np.count_nonzero(is_steep) > len(quads_px))


def trim_overlaps(quads_px: Floats) -> Floats:
    """Return the quads `(N, 4, 2)` narrowed until none is wider than the distance to the next tile of its row.

    With a low camera the detected quads are too square, so that each covers a part of the next tile.
    """
    middles = centres_px(quads_px)
    across, down = axes_px(quads_px)
    area = _cross(across, down)
    offsets = middles - middles[:, None]
    # Distances in the tile's own widths and heights; a tile without area gives NaN and is beside nothing.
    with np.errstate(divide="ignore", invalid="ignore"):
        sideways = np.abs(_cross(offsets, down[:, None])) / np.abs(area)[:, None]
        upwards = np.abs(_cross(across[:, None], offsets)) / np.abs(area)[:, None]
    is_beside = (upwards < 0.5) & (sideways > MAX_SAME_TILE_DISTANCE_WIDTHS)
    excess = 1 - np.where(is_beside, sideways, 1.0).min(axis=1, initial=1.0)
    sides = (-0.5, 0.5, 0.5, -0.5) * excess[:, None]
    return np.asarray(quads_px - sides[..., None] * across[:, None])


def _cross(first: Floats, second: Floats) -> Floats:
    return np.asarray(first[..., 0] * second[..., 1] - first[..., 1] * second[..., 0])


def foreshortening_ratios(quads_px: Floats) -> Floats:
    """Return the foreshortening ratio `(N,)` of each tile `(N, 4, 2)`: 1 from straight above, 2 from 30°."""
    xx, xy, yy = log_metrics(quads_px, TILE_ASPECT).T
    return np.asarray(np.exp(np.hypot((xx - yy) / 2, xy)))


def fit_rectification(quads_px: Floats, image_bgr: Image) -> Rectification | None:
    """Return the rectification fitted to tiles `(N, 4, 2)`; None if no tile is foreshortened or the fit fails.

    The view contains all places near the tiles where a tile would be large enough to be read.
    """
    quads_px = trim_overlaps(quads_px)
    if foreshortening_ratios(quads_px).max(initial=1.0) < MIN_FORESHORTENING_RATIO:
        return None
    if (fitted := _fit_homography(np.asarray(quads_px, np.float64))) is None:
        return None
    homography, width = fitted
    middles = project(centres_px(quads_px), homography)
    tiles_px = _project(middles[:, None] + width * centred_corners(TILE_ASPECT), np.linalg.inv(homography))
    # A single tile may lean on something, or its quad may be wrong.
    firm = len(quads_px) > 1 and bool(np.median(foreshortening_ratios(tiles_px)) >= MIN_FIRM_FORESHORTENING_RATIO)
    image_wh = image_bgr.shape[1], image_bgr.shape[0]
    readable_px = _readable_points(homography, width, image_wh)
    low, high = middles.min(axis=0), middles.max(axis=0)
    reach = MAX_RECTIFIED_REACH_WIDTHS * width
    low = np.maximum(np.minimum(readable_px.min(axis=0, initial=np.inf), low - width), low - reach)
    high = np.minimum(np.maximum(readable_px.max(axis=0, initial=-np.inf), high + width), high + reach)
    xx, _, yy = log_metrics(quads_px, TILE_ASPECT).T
    near_px = min(float(np.exp(np.percentile((xx + yy) / 4, 75))), MAX_RECTIFIED_TILE_PX)
    scale = min(near_px / width, float(np.sqrt(MAX_RECTIFIED_AREA_PX / np.prod(high - low))))
    placed = np.array([[scale, 0, -scale * low[0]], [0, scale, -scale * low[1]], [0, 0, 1]]) @ homography
    wide, tall = (int(side) for side in np.ceil(scale * (high - low)))
    blue, green, red = np.median(image_bgr[::16, ::16].reshape(-1, 3), axis=0).tolist()
    return Rectification(image_wh, placed, (wide, tall), (blue, green, red), firm)


def guess_rectification(image_bgr: Image) -> Rectification:
    """Return a guessed rectification, for a level camera about 35° above the table."""
    tall, wide = image_bgr.shape[:2]
    scale = min(1.0, float(np.sqrt(MAX_RECTIFIED_AREA_PX / (LOW_CAMERA_STRETCH_RATIO * wide * tall))))
    sides = scale * np.array([1.0, LOW_CAMERA_STRETCH_RATIO])
    view_wh = int(np.ceil(sides[0] * wide)), int(np.ceil(sides[1] * tall))
    return Rectification((wide, tall), np.diag([*sides, 1.0]), view_wh, (0.0, 0.0, 0.0))


def _project(points_px: Floats, homography: Floats) -> Floats:
    return project(points_px.reshape(-1, 2), homography).reshape(points_px.shape) if points_px.size else points_px


def _depths(points_px: Floats, homography: Floats) -> Floats:
    """Return the depth `(N,)` of points `(N, 2)`: above 0 in front of the horizon, below 0 beyond it."""
    return np.asarray(points_px @ homography[2, :2] + homography[2, 2])


def _readable_points(homography: Floats, width: float, image_wh: tuple[int, int]) -> Floats:
    """Return points `(N, 2)` of the view where a tile that is `width` wide there is large enough in the image."""
    points = np.stack(np.meshgrid(*(np.linspace(0, side - 1, 48) for side in image_wh)), axis=-1).reshape(-1, 2)
    depths = _depths(points, homography)
    points, depths = points[depths > 0], depths[depths > 0]
    tile_px = width * np.sqrt(depths**3 / abs(np.linalg.det(homography)))
    return np.asarray(_project(points[tile_px > MIN_RECTIFIABLE_TILE_PX], homography), np.float64)


def _fit_homography(quads_px: Floats) -> tuple[Floats, float] | None:
    """Return the homography `(3, 3)` that gives all tiles `(N, 4, 2)` one size and shape, and their width in the view.

    Levenberg-Marquardt with Cauchy weights. The five parameters, in units of the tiles' extent, are the line of the
    horizon (2), the stretch of the table (2) and the size. Returns None if the homography is not finite.
    """
    middles = quads_px.mean(axis=1)
    origin, scale = middles.mean(axis=0), max(float(np.ptp(middles, axis=0).max()), 1.0)
    quads = (quads_px - origin) / scale
    xx, xy, yy = np.median(log_metrics(quads, TILE_ASPECT), axis=0)
    params = np.array([0.0, 0.0, (yy - xx) / 2, -xy, (xx + yy) / 2])
    damping, errors = 0.01, _errors(params, quads)
    for _ in range(MAX_RECTIFICATION_FIT_ROUNDS):
        weights = 1 / (1 + (errors**2).sum(axis=1) / RECTIFICATION_CAUCHY_SCALE_LOG**2)
        slopes = np.stack([(_errors(params + h, quads) - errors) / STEP for h in STEP * np.eye(len(params))], axis=-1)
        curvature = np.einsum("n,nij,nik->jk", weights, slopes, slopes)
        gradient = np.einsum("n,nij,ni->j", weights, slopes, errors)
        new_params = params - np.linalg.solve(curvature + damping * np.diag(np.diag(curvature) + 1e-9), gradient)
        is_in_front = (1 + quads.reshape(-1, 2) @ new_params[:2]).min() > 0.05
        new_errors = _errors(new_params, quads) if is_in_front else errors
        gain = _loss(errors) - _loss(new_errors)
        if gain <= 0:
            damping *= 5
            continue
        has_converged = gain < 1e-6 * _loss(errors)
        params, errors, damping = new_params, new_errors, damping / 5
        if has_converged:
            break
    to_units = np.array([[1 / scale, 0, -origin[0] / scale], [0, 1 / scale, -origin[1] / scale], [0, 0, 1]])
    homography = _homography(params) @ to_units
    return (homography, float(np.exp(params[4] / 2))) if np.isfinite(homography).all() else None


def _homography(params: Floats) -> Floats:
    """Return the homography of the five parameters: it moves the horizon to infinity and undoes the stretch."""
    xx_less_yy, xy = params[2], params[3]
    spread = np.hypot(xx_less_yy, xy)
    even, odd = np.cosh(spread / 2), np.sinh(spread / 2) / max(spread, 1e-12)
    stretch = np.array([[even + odd * xx_less_yy, odd * xy, 0], [odd * xy, even - odd * xx_less_yy, 0], [0, 0, 1]])
    return np.asarray(stretch @ np.array([[1, 0, 0], [0, 1, 0], [params[0], params[1], 1]]))


def _errors(params: Floats, quads: Floats) -> Floats:
    """Return the residuals `(N, 3)` of tiles `(N, 4, 2)`: differences of their log metrics from the common one."""
    projected = quads.reshape(-1, 2) @ _homography(params)[:2, :2].T
    depths = 1 + quads.reshape(-1, 2) @ params[:2]
    metrics = log_metrics((projected / depths[:, None]).reshape(-1, 4, 2), TILE_ASPECT)
    return np.asarray(metrics - params[4] * np.array([1.0, 0.0, 1.0]))


def _loss(errors: Floats) -> float:
    return float(np.log1p((errors**2).sum(axis=1) / RECTIFICATION_CAUCHY_SCALE_LOG**2).sum())
