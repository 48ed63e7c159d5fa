"""Outlines of tiles by their light faces, where a tile lies by itself: without the detector's word for its corners.

Of a single tile seen from far aside, or from very near, the detector may know little more than its middle, and no other
tiles tell what shape it should have. Its face is brighter than, or of another colour than, what it lies on.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.geometry.quads import TILE_ASPECT, centres_px, sizes_wh_px
from tilekeeper.vision.geometry.quantiles import median
from tilekeeper.vision.imaging import contours, convert, convex_hull, morphology, resize

# Outlines are extracted from an image rescaled until the quad's longer side has this length.
OUTLINE_QUAD_SIDE_PX = 48
# The outline crop extends this times the quad's longer side in each direction from its centre.
OUTLINE_REACH_RATIO = 1.5
# Quads, outline sides and image crops that are smaller than this give no outline.
MIN_OUTLINE_SIDE_PX = 8
# Colour distances tried in turn: a pixel closer than this to the face's colour belongs to the face.
MAX_FACE_DISTANCES_CIELAB = (10.0, 16.0, 24.0, 34.0)
# A face has more than this times the area of an upright tile with the quad's longer side.
MIN_FACE_AREA_RATIO = 0.4
# A face has less than this times the area of an upright tile with the quad's longer side.
MAX_FACE_AREA_RATIO = 3.5
# A face fills at least this share of its convex hull (solidity).
MIN_FACE_SOLIDITY_SHARE = 0.9
# A face and its fitted quad have at least this intersection over union.
MIN_FACE_QUAD_IOU_SHARE = 0.88
# Start, stop and step of the polygon tolerance, in shares of the hull's perimeter; the first with four corners wins.
HULL_TOLERANCE_RANGE_SHARE = (0.02, 0.12, 0.01)
# A fitted quad is dropped if its longer side is more than this times its shorter side.
MAX_FACE_ASPECT_RATIO = 2.6
# A side's line is fitted to hull points between these shares of its length, because corners are rounded.
SIDE_FIT_RANGE_SHARE = (0.2, 0.8)
# A side's line is fitted to hull points closer to it than this share of its length plus one pixel.
MAX_SIDE_FIT_DISTANCE_SHARE = 0.1
# A side's line is fitted only if at least this many hull points are near it.
MIN_SIDE_FIT_POINTS = 5
# Two outlines are duplicates if each corner differs by less than this in x and in y.
MAX_OUTLINE_DUPLICATE_PX = 2.0


def outlines_px(image_bgr: Image, quads_px: Floats) -> list[Floats]:
    """Return the outlines of what lies at the quads `(N, 4, 2)`, clockwise, each `(K, 4, 2) float32`, K often 0.

    Which of a corner is the top left one isn't told. The same outline, found twice at a place, is told once.
    """
    sides = sizes_wh_px(quads_px).max(axis=1)
    places = zip(centres_px(quads_px), sides, strict=True)
    return [_at(image_bgr, middle_px, float(side_px)) for middle_px, side_px in places]


def _at(image_bgr: Image, middle_px: Floats, side_px: float) -> Floats:
    none = np.zeros((0, 4, 2), np.float32)
    if not side_px >= MIN_OUTLINE_SIDE_PX or not np.isfinite(middle_px).all():
        return none
    reach = round(OUTLINE_REACH_RATIO * side_px)
    low = np.maximum(np.round(middle_px).astype(int) - reach, 0)
    high = np.minimum(np.round(middle_px).astype(int) + reach, image_bgr.shape[1::-1])
    part = image_bgr[low[1] : max(high[1], 0), low[0] : max(high[0], 0)]
    if min(part.shape[:2]) < MIN_OUTLINE_SIDE_PX:
        return none
    seen_wh = np.maximum(np.round(np.array(part.shape[1::-1]) * OUTLINE_QUAD_SIDE_PX / side_px).astype(int), 1)
    scale = seen_wh / part.shape[1::-1]
    how = cv2.INTER_AREA if scale[0] < 1 else cv2.INTER_LINEAR
    seen = resize(part, (int(seen_wh[0]), int(seen_wh[1])), how)
    middle = (middle_px - low + 0.5) * scale - 0.5  # pixel centres lie at whole numbers
    apart = _apart(seen, middle)
    quads: list[Floats] = []
    for most in MAX_FACE_DISTANCES_CIELAB:
        mask = morphology((apart < most).astype(np.uint8), cv2.MORPH_OPEN, 3)
        piece = _piece(mask, middle)
        if piece is not None and _at_edge(piece, mask.shape):
            break  # it only grows from here on: the bare table is like the face
        quad = None if piece is None else _four_corners(piece)
        if quad is not None and not any(_alike(quad, other) for other in quads):
            quads.append(quad)
    outlines: Floats = ((np.array(quads).reshape(-1, 4, 2) + 0.5) / scale - 0.5 + low).astype(np.float32)
    return outlines


def _apart(seen_bgr: Image, middle: Floats) -> Floats:
    """How far each pixel is from the face's colour, in units of CIELAB.

    That is the colour of the bright half about the middle: a face is brighter than its print.
    """
    lab = [plane.astype(np.float32) for plane in cv2.split(convert(seen_bgr, cv2.COLOR_BGR2LAB))]
    lab[0] *= np.float32(100 / 255)
    x, y = np.clip(np.round(middle).astype(int), 0, np.array(seen_bgr.shape[1::-1]) - 1)
    reach = OUTLINE_QUAD_SIDE_PX // 4
    about = np.s_[max(0, y - reach) : y + reach, max(0, x - reach) : x + reach]
    bright = lab[0][about] >= median(lab[0][about].ravel())
    light, green_red, blue_yellow = (plane - median(plane[about][bright]) for plane in lab)
    apart: Floats = np.sqrt(light**2 + green_red**2 + blue_yellow**2)
    return apart


def _alike(quad: Floats, other: Floats) -> bool:
    return bool(min(np.abs(np.roll(quad, turn, axis=0) - other).max() for turn in range(4)) < MAX_OUTLINE_DUPLICATE_PX)


def _piece(mask: Image, middle: Floats) -> NDArray[np.int32] | None:
    """The outline `(N, 1, 2)` of the piece of a mask in which the middle lies; None where there is none."""
    at = float(middle[0]), float(middle[1])
    return next((one for one in contours(mask) if len(one) > 3 and cv2.pointPolygonTest(one, at, False) >= 0), None)


def _at_edge(outline: NDArray[np.int32], shape_hw: tuple[int, ...]) -> bool:
    points = outline[:, 0]
    return bool((points <= 1).any() or (points >= np.array(shape_hw[1::-1]) - 2).any())


def _four_corners(outline: NDArray[np.int32]) -> Floats | None:
    """The corners of a face, `(4, 2)`; None where it is no such thing."""
    area, usual = cv2.contourArea(outline), OUTLINE_QUAD_SIDE_PX * OUTLINE_QUAD_SIDE_PX / TILE_ASPECT
    if not MIN_FACE_AREA_RATIO * usual < area < MAX_FACE_AREA_RATIO * usual:
        return None
    hull = convex_hull(outline)
    return _fitted(hull, area) if area >= MIN_FACE_SOLIDITY_SHARE * cv2.contourArea(hull) else None


def _fitted(hull: NDArray[np.int32], area: float) -> Floats | None:
    """Four lines along the sides of the hull of a face, rounded at its corners: where they meet, clockwise."""
    around = cv2.arcLength(hull, True)
    simpler = (cv2.approxPolyDP(hull, share * around, True) for share in np.arange(*HULL_TOLERANCE_RANGE_SHARE))
    corners = next((near for near in simpler if len(near) == 4), None)
    if corners is None:
        return None
    quad = corners[:, 0].astype(np.float64)
    along = _densely(hull[:, 0].astype(np.float64))
    fits = []
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        side = end - start
        length = np.linalg.norm(side)
        if length < MIN_OUTLINE_SIDE_PX:
            return None
        share = (along - start) @ side / length**2
        off = np.abs((along - start) @ (np.array([-side[1], side[0]]) / length))
        near = along[
            (share > SIDE_FIT_RANGE_SHARE[0])
            & (share < SIDE_FIT_RANGE_SHARE[1])
            & (off < MAX_SIDE_FIT_DISTANCE_SHARE * length + 1)
        ]
        if len(near) < MIN_SIDE_FIT_POINTS:
            return None
        fits.append(cv2.fitLine(near.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel())
    dx, dy, x, y = np.array(fits).T
    ones = np.ones(4)
    lines = np.cross(np.column_stack([x, y, ones]), np.column_stack([x + dx, y + dy, ones]))
    meets = np.cross(lines[[3, 0, 1, 2]], lines)
    if (np.abs(meets[:, 2]) < 1e-6).any():
        return None
    fitted: Floats = meets[:, :2] / meets[:, 2:]
    if cv2.contourArea(fitted.astype(np.float32), True) < 0:
        fitted = fitted[::-1]
    if not cv2.isContourConvex(fitted.astype(np.float32)):
        return None
    common, _ = cv2.intersectConvexConvex(fitted.astype(np.float32), hull[:, 0].astype(np.float32))
    whole = cv2.contourArea(fitted.astype(np.float32)) + area - common
    wide, high = sizes_wh_px(fitted[None].astype(np.float32))[0]
    if common < MIN_FACE_QUAD_IOU_SHARE * whole or max(wide, high) > MAX_FACE_ASPECT_RATIO * min(wide, high):
        return None
    return fitted


def _densely(points: Floats) -> Floats:
    """Points on the lines between points `(N, 2)` of a closed outline, one a pixel."""
    ends = np.roll(points, -1, axis=0)
    steps = [max(2, int(np.ceil(np.linalg.norm(end - start)))) for start, end in zip(points, ends, strict=True)]
    return np.concatenate(
        [
            start + (end - start) * np.arange(count)[:, None] / count
            for start, end, count in zip(points, ends, steps, strict=True)
        ]
    )
