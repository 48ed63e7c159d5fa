"""Shows a table that a camera sees from low above it as from straight above, so that it is read as any other.

From 35° above the table a tile is half as high as it is, from 20° a third, and near ones are several times as large as
far ones: the networks know no such tiles. The tiles that are read all the same tell how the table lies, since all are
of one size and shape; through the homography that makes them so, the others are read, too.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.geometry.proximity import MAX_SAME_TILE_DISTANCE_WIDTHS
from tilekeeper.vision.geometry.quads import TILE_ASPECT, axes_px, centres_px, corners_about, shares_inside
from tilekeeper.vision.geometry.table_plane import log_metrics
from tilekeeper.vision.imaging import project

# The table is rectified from this length ratio on (camera at 46°). Measured: photos reach at most 1.33.
MIN_FORESHORTENING_RATIO = 1.4
# With fewer tiles a rectification is only a guess, because one tile alone may lean on something.
MIN_RECTIFICATION_TILES = 2
# A rectification is a guess if flat tiles have a lower median length ratio; one tile may lean or be askew.
MIN_FIRM_FORESHORTENING_RATIO = 1.3
# This many tiles show the table's plane reliably. Measured: 98 accepted guesses used at most nine tiles.
MIN_FIRM_RECTIFICATION_TILES = 16
# A guessed low camera stretches the frame's height by this; tiles then appear right from 34° above the table.
LOW_CAMERA_STRETCH_RATIO = 1.8
# A tile with this residual (natural log) has half its weight in the robust fit of the homography.
RECTIFICATION_CAUCHY_SCALE_LOG = 0.15
# The Levenberg-Marquardt fit of the homography ends after this many steps; about ten are usual.
MAX_RECTIFICATION_FIT_ROUNDS = 40
# A rectified view extends at most this far beyond the tiles that were used for the fit.
MAX_RECTIFIED_REACH_WIDTHS = 60.0
# A view leaves out places where a tile would be smaller than this in the frame, too small to be read.
MIN_RECTIFIABLE_TILE_PX = 10.0
# Tiles in a rectified view are at most about this wide; wider ones are read no better.
MAX_RECTIFIED_TILE_PX = 48.0
# A rectified view has at most this many pixels.
MAX_RECTIFIED_AREA_PX = 3_000_000.0


@dataclass(frozen=True, slots=True)
class Rectification:
    """How a picture is shown as from straight above.

    Attributes:
        picture_wh: width and height of the picture in pixels.
        homography: from pixels of the picture to those of the view, `(3, 3)`.
        view_wh: width and height of the view in pixels.
        around: the colour, BGR, where the view shows what is not in the picture.
        firm: whether most tiles tell that a low camera sees them; else it is a guess.
    """

    picture_wh: tuple[int, int]
    homography: Floats
    view_wh: tuple[int, int]
    around: tuple[float, float, float]
    firm: bool = False

    def view(self, image_bgr: Image) -> Image:
        """Return the picture `(H, W, 3) uint8` as from straight above."""
        flags, border = cv2.INTER_LINEAR, cv2.BORDER_CONSTANT
        seen = cv2.warpPerspective(
            image_bgr, self.homography, self.view_wh, flags=flags, borderMode=border, borderValue=self.around
        )
        return np.asarray(seen, np.uint8)

    def shares_shown(self, quads_px: Floats) -> Floats:
        """Return the share of each quad `(N, 4, 2)` of the view that the picture shows, `(N,)`."""
        return shares_inside(self.back(quads_px), self.picture_wh)

    def forth(self, points_px: Floats) -> Floats:
        """Return points of the picture `(..., 2)` in pixels of the view, `float32`."""
        return _led(points_px, self.homography)

    def shows(self, boxes_px: Floats) -> bool:
        """Return whether the view shows all of the boxes `(N, 4)` of the picture, x and y of two corners each."""
        corners = boxes_px[:, [0, 1, 2, 1, 2, 3, 0, 3]].reshape(-1, 2)
        in_front = corners @ self.homography[2, :2] + self.homography[2, 2] > 0
        shown = self.forth(corners)
        return bool(in_front.all() and (shown >= 0).all() and (shown <= self.view_wh).all())

    def outline(self, outline_px: Floats) -> Floats:
        """Return what the view shows of an outline in the picture `(K, 2)`: `(P, 2)`, without what is past the horizon.

        P is 0 where the view shows nothing of it.
        """
        ends = np.roll(outline_px, -1, axis=0)
        steps = np.linspace(0, 1, 16, endpoint=False)[None, :, None]
        points = (outline_px[:, None] + steps * (ends - outline_px)[:, None]).reshape(-1, 2)
        points = points[points @ self.homography[2, :2] + self.homography[2, 2] > 0]
        shown = self.forth(points)
        wide, tall = self.view_wh
        beside = (shown.max(axis=0, initial=-1) < 0).any() or (shown.min(axis=0, initial=1e9) >= (wide, tall)).any()
        return shown[:0] if beside else np.clip(shown, 0, np.array([wide, tall], np.float32) - 1)

    def back(self, points_px: Floats) -> Floats:
        """Return points of the view `(..., 2)` in pixels of the picture, `float32`."""
        return _led(points_px, np.linalg.inv(self.homography))


def is_foreshortened(quads_px: Floats) -> bool:
    """Return whether a tile `(N, 4, 2)` is seen so much from the side that a look from above may be better."""
    return bool(foreshortening(parted(quads_px)).max(initial=1.0) >= MIN_FORESHORTENING_RATIO)


def most_are_foreshortened(quads_px: Floats) -> bool:
    """Return whether more than half of tiles `(N, 4, 2)` are seen so much from the side."""
    from_the_side = foreshortening(parted(quads_px)) >= MIN_FORESHORTENING_RATIO
    return bool(2 * np.count_nonzero(from_the_side) > len(quads_px))


def parted(quads_px: Floats) -> Floats:
    """Return tiles `(N, 4, 2)` no wider than the middles of neighbours in a row lie apart: none lies on another.

    Those that a low camera sees are found too square: each covers a part of the next one.
    """
    middles = centres_px(quads_px)
    across, down = axes_px(quads_px)
    area = _cross(across, down)
    apart = middles - middles[:, None]
    # how far from each tile the others lie, in its widths and heights; none is beside one without an area
    with np.errstate(divide="ignore", invalid="ignore"):
        sideways = np.abs(_cross(apart, down[:, None])) / np.abs(area)[:, None]
        upwards = np.abs(_cross(across[:, None], apart)) / np.abs(area)[:, None]
    beside = (upwards < 0.5) & (sideways > MAX_SAME_TILE_DISTANCE_WIDTHS)
    too_wide = 1 - np.where(beside, sideways, 1.0).min(axis=1, initial=1.0)
    sides = (-0.5, 0.5, 0.5, -0.5) * too_wide[:, None]
    return np.asarray(quads_px - sides[..., None] * across[:, None])


def _cross(ones: Floats, others: Floats) -> Floats:
    return np.asarray(ones[..., 0] * others[..., 1] - ones[..., 1] * others[..., 0])


def foreshortening(quads_px: Floats) -> Floats:
    """Return how much longer each tile `(N, 4, 2)` is one way than the other, `(N,)`: 1 from above, 2 from 30°."""
    xx, xy, yy = log_metrics(quads_px, TILE_ASPECT).T
    return np.asarray(np.exp(np.hypot((xx - yy) / 2, xy)))


def rectification_of(quads_px: Floats, image_bgr: Image) -> Rectification | None:
    """Return how to see the table from above, where a tile `(N, 4, 2)` is foreshortened; None where none is.

    What is shown is all that is large enough to be read and not too far from the tiles.
    """
    quads_px = parted(quads_px)
    if foreshortening(quads_px).max(initial=1.0) < MIN_FORESHORTENING_RATIO:
        return None
    fitted = _fitted(np.asarray(quads_px, np.float64))
    if fitted is None:
        return None
    homography, width = fitted
    middles = project(centres_px(quads_px), homography)
    tiles_px = _led(middles[:, None] + width * corners_about(TILE_ASPECT), np.linalg.inv(homography))
    # one alone may lean on something, or be found askew among those that lie as they are seen
    firm = len(quads_px) >= MIN_RECTIFICATION_TILES and bool(
        np.median(foreshortening(tiles_px)) >= MIN_FIRM_FORESHORTENING_RATIO
    )
    seen = _large_enough(homography, width, (image_bgr.shape[1], image_bgr.shape[0]))
    low, high = middles.min(axis=0), middles.max(axis=0)
    reach = MAX_RECTIFIED_REACH_WIDTHS * width
    low = np.maximum(np.minimum(seen.min(axis=0, initial=np.inf), low - width), low - reach)
    high = np.minimum(np.maximum(seen.max(axis=0, initial=-np.inf), high + width), high + reach)
    xx, _, yy = log_metrics(quads_px, TILE_ASPECT).T
    near_px = min(float(np.exp(np.percentile((xx + yy) / 4, 75))), MAX_RECTIFIED_TILE_PX)
    scale = min(near_px / width, float(np.sqrt(MAX_RECTIFIED_AREA_PX / np.prod(high - low))))
    placed = np.array([[scale, 0, -scale * low[0]], [0, scale, -scale * low[1]], [0, 0, 1]]) @ homography
    wide, tall = (int(side) for side in np.ceil(scale * (high - low)))
    blue, green, red = np.median(image_bgr[::16, ::16].reshape(-1, 3), axis=0).tolist()
    return Rectification((image_bgr.shape[1], image_bgr.shape[0]), placed, (wide, tall), (blue, green, red), firm)


def stretched(image_bgr: Image) -> Rectification:
    """Return how to see a table from above that a level camera sees from about 35°: a guess where no tile tells it."""
    wide, tall = image_bgr.shape[1], image_bgr.shape[0]
    scale = min(1.0, float(np.sqrt(MAX_RECTIFIED_AREA_PX / (LOW_CAMERA_STRETCH_RATIO * wide * tall))))
    sides = scale * np.array([1.0, LOW_CAMERA_STRETCH_RATIO])
    view_wh = int(np.ceil(sides[0] * wide)), int(np.ceil(sides[1] * tall))
    return Rectification((wide, tall), np.diag([*sides, 1.0]), view_wh, (0.0, 0.0, 0.0))


def _led(points_px: Floats, homography: Floats) -> Floats:
    if not points_px.size:
        return points_px
    return project(points_px.reshape(-1, 2), homography).reshape(points_px.shape)


def _large_enough(homography: Floats, width: float, image_wh: tuple[int, int]) -> Floats:
    """Return where the view shows points of a picture, `(N, 2)`, at which a tile, `width` wide there, can be read."""
    points = np.stack(np.meshgrid(*(np.linspace(0, side - 1, 48) for side in image_wh)), axis=-1).reshape(-1, 2)
    depths = points @ homography[2, :2] + homography[2, 2]
    points, depths = points[depths > 0], depths[depths > 0]
    tile_px = width * np.sqrt(depths**3 / abs(np.linalg.det(homography)))
    return np.asarray(_led(points[tile_px > MIN_RECTIFIABLE_TILE_PX], homography), np.float64)


def _fitted(quads_px: Floats) -> tuple[Floats, float] | None:
    """Return the homography `(3, 3)` that makes tiles `(N, 4, 2)` one size and shape, and how wide they are then.

    Levenberg and Marquardt's way, with weights in which what is far off has little say. Five numbers are fitted, in
    units of how far the tiles lie apart: the line of the horizon (2), how the table is stretched (2), and the size.
    """
    middles = quads_px.mean(axis=1)
    origin, scale = middles.mean(axis=0), max(float(np.ptp(middles, axis=0).max()), 1.0)
    quads = (quads_px - origin) / scale
    xx, xy, yy = np.median(log_metrics(quads, TILE_ASPECT), axis=0)
    at = np.array([0.0, 0.0, (yy - xx) / 2, -xy, (xx + yy) / 2])
    damping, off = 0.01, _off(at, quads)
    for _ in range(MAX_RECTIFICATION_FIT_ROUNDS):
        weights = 1 / (1 + (off**2).sum(axis=1) / RECTIFICATION_CAUCHY_SCALE_LOG**2)
        slopes = np.stack([(_off(at + step, quads) - off) / STEP for step in STEP * np.eye(len(at))], axis=-1)
        curvature = np.einsum("n,nij,nik->jk", weights, slopes, slopes)
        pull = np.einsum("n,nij,ni->j", weights, slopes, off)
        tried = at - np.linalg.solve(curvature + damping * np.diag(np.diag(curvature) + 1e-9), pull)
        better = _off(tried, quads) if _in_front(tried, quads) else None
        if better is None or _loss(better) >= _loss(off):
            damping *= 5
            continue
        done = _loss(off) - _loss(better) < 1e-6 * _loss(off)
        at, off, damping = tried, better, damping / 5
        if done:
            break
    to_units = np.array([[1 / scale, 0, -origin[0] / scale], [0, 1 / scale, -origin[1] / scale], [0, 0, 1]])
    homography = _homography(at) @ to_units
    return (homography, float(np.exp(at[4] / 2))) if np.isfinite(homography).all() else None


STEP = 1e-5
"""By so much a number is changed to see what it does."""


def _homography(at: Floats) -> Floats:
    """The homography of the five numbers: first the horizon goes to infinity, then the stretch is taken back."""
    xx_less_yy, xy = at[2], at[3]
    spread = np.hypot(xx_less_yy, xy)
    even, odd = np.cosh(spread / 2), np.sinh(spread / 2) / max(spread, 1e-12)
    stretch = np.array([[even + odd * xx_less_yy, odd * xy, 0], [odd * xy, even - odd * xx_less_yy, 0], [0, 0, 1]])
    homography: Floats = stretch @ np.array([[1, 0, 0], [0, 1, 0], [at[0], at[1], 1]])
    return homography


def _off(at: Floats, quads: Floats) -> Floats:
    """Return how far each tile `(N, 4, 2)` is from being as all are to be, `(N, 3)`: logarithms of lengths squared."""
    seen = quads.reshape(-1, 2) @ _homography(at)[:2, :2].T
    depths = 1 + quads.reshape(-1, 2) @ at[:2]
    metrics = log_metrics((seen / depths[:, None]).reshape(-1, 4, 2), TILE_ASPECT)
    off: Floats = metrics - at[4] * np.array([1.0, 0.0, 1.0])
    return off


def _in_front(at: Floats, quads: Floats) -> bool:
    """Whether all tiles lie on this side of the horizon."""
    return bool((1 + quads.reshape(-1, 2) @ at[:2]).min() > 0.05)


def _loss(off: Floats) -> float:
    return float(np.log1p((off**2).sum(axis=1) / RECTIFICATION_CAUCHY_SCALE_LOG**2).sum())
