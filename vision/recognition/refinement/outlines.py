"""Segmentation of a tile's light face: outlines of tiles without the detector's corners.

For a single tile at a flat angle or very near, the detector may find only the centre, and no other tiles show the
expected shape. Its face differs in brightness or colour from the table.
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
    """Return the outlines at the quads `(N, 4, 2)`, for each quad `(K, 4, 2) float32` clockwise, K often 0.

    The first corner is arbitrary. Duplicates are removed.
    """
    sides = sizes_wh_px(quads_px).max(axis=1)
    places = zip(centres_px(quads_px), sides, strict=True)
    return [_outlines_at(image_bgr, middle_px, float(side_px)) for middle_px, side_px in places]


def _outlines_at(image_bgr: Image, centre_px: Floats, side_px: float) -> Floats:
    empty = np.zeros((0, 4, 2), np.float32)
    if not side_px >= MIN_OUTLINE_SIDE_PX or not np.isfinite(centre_px).all():
        return empty
    reach = round(OUTLINE_REACH_RATIO * side_px)
    top_left = np.maximum(np.round(centre_px).astype(int) - reach, 0)
    bottom_right = np.minimum(np.round(centre_px).astype(int) + reach, image_bgr.shape[1::-1])
    part = image_bgr[top_left[1] : max(bottom_right[1], 0), top_left[0] : max(bottom_right[0], 0)]
    if min(part.shape[:2]) < MIN_OUTLINE_SIDE_PX:
        return empty
    scaled_wh = np.maximum(np.round(np.array(part.shape[1::-1]) * OUTLINE_QUAD_SIDE_PX / side_px).astype(int), 1)
    scale = scaled_wh / part.shape[1::-1]
    interpolation = cv2.INTER_AREA if scale[0] < 1 else cv2.INTER_LINEAR
    scaled = resize(part, (int(scaled_wh[0]), int(scaled_wh[1])), interpolation)
    centre = (centre_px - top_left + 0.5) * scale - 0.5  # pixel centres are at whole numbers
    color_distances = _face_color_distances(scaled, centre)
    quads: list[Floats] = []
    for max_distance in MAX_FACE_DISTANCES_CIELAB:
        mask = morphology((color_distances < max_distance).astype(np.uint8), cv2.MORPH_OPEN, 3)
        contour = _contour_around(mask, centre)
        if contour is not None and _touches_edge(contour, mask.shape):
            break  # the table has the face's colour, and larger distances only grow the region
        quad = None if contour is None else _four_corners(contour)
        if quad is not None and not any(_are_duplicates(quad, known) for known in quads):
            quads.append(quad)
    outlines: Floats = ((np.array(quads).reshape(-1, 4, 2) + 0.5) / scale - 0.5 + top_left).astype(np.float32)
    return outlines


def _face_color_distances(seen_bgr: Image, centre: Floats) -> Floats:
    """Return the CIELAB distance of each pixel from the face's colour.

    That colour is the median of the bright half around the centre, because a face is brighter than its print.
    """
    lab = [plane.astype(np.float32) for plane in cv2.split(convert(seen_bgr, cv2.COLOR_BGR2LAB))]
    lab[0] *= np.float32(100 / 255)
    x, y = np.clip(np.round(centre).astype(int), 0, np.array(seen_bgr.shape[1::-1]) - 1)
    reach = OUTLINE_QUAD_SIDE_PX // 4
    window = np.s_[max(0, y - reach) : y + reach, max(0, x - reach) : x + reach]
    is_bright = lab[0][window] >= median(lab[0][window].ravel())
    light, green_red, blue_yellow = (plane - median(plane[window][is_bright]) for plane in lab)
    distances: Floats = np.sqrt(light**2 + green_red**2 + blue_yellow**2)
    return distances


def _are_duplicates(quad: Floats, other: Floats) -> bool:
    return bool(min(np.abs(np.roll(quad, turn, axis=0) - other).max() for turn in range(4)) < MAX_OUTLINE_DUPLICATE_PX)


def _contour_around(mask: Image, centre: Floats) -> NDArray[np.int32] | None:
    """Return the contour `(N, 1, 2)` of the mask's region that contains the centre, or None."""
    point = float(centre[0]), float(centre[1])
    return next((c for c in contours(mask) if len(c) > 3 and cv2.pointPolygonTest(c, point, False) >= 0), None)


def _touches_edge(outline: NDArray[np.int32], shape_hw: tuple[int, ...]) -> bool:
    points = outline[:, 0]
    return bool((points <= 1).any() or (points >= np.array(shape_hw[1::-1]) - 2).any())


def _four_corners(outline: NDArray[np.int32]) -> Floats | None:
    """Return the corners of a face, `(4, 2)`, or None if the region is no face."""
    area, usual_area = cv2.contourArea(outline), OUTLINE_QUAD_SIDE_PX * OUTLINE_QUAD_SIDE_PX / TILE_ASPECT
    if not MIN_FACE_AREA_RATIO * usual_area < area < MAX_FACE_AREA_RATIO * usual_area:
        return None
    hull = convex_hull(outline)
    return _fit_quad(hull, area) if area >= MIN_FACE_SOLIDITY_SHARE * cv2.contourArea(hull) else None


def _fit_quad(hull: NDArray[np.int32], area: float) -> Floats | None:
    """Return the intersections of four lines fitted to the sides of the hull, clockwise; None if it is no quad.

    Lines are fitted because a face has rounded corners.
    """
    perimeter = cv2.arcLength(hull, True)
    polygons = (cv2.approxPolyDP(hull, share * perimeter, True) for share in np.arange(*HULL_TOLERANCE_RANGE_SHARE))
    corners = next((side_points for side_points in polygons if len(side_points) == 4), None)
    if corners is None:
        return None
    quad = corners[:, 0].astype(np.float64)
    hull_points = _resample(hull[:, 0].astype(np.float64))
    fits = []
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        side = end - start
        length = np.linalg.norm(side)
        if length < MIN_OUTLINE_SIDE_PX:
            return None
        share = (hull_points - start) @ side / length**2
        distances = np.abs((hull_points - start) @ (np.array([-side[1], side[0]]) / length))
        side_points = hull_points[
            (share > SIDE_FIT_RANGE_SHARE[0])
            & (share < SIDE_FIT_RANGE_SHARE[1])
            & (distances < MAX_SIDE_FIT_DISTANCE_SHARE * length + 1)
        ]
        if len(side_points) < MIN_SIDE_FIT_POINTS:
            return None
        fits.append(cv2.fitLine(side_points.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel())
    dx, dy, x, y = np.array(fits).T
    ones = np.ones(4)
    lines = np.cross(np.column_stack([x, y, ones]), np.column_stack([x + dx, y + dy, ones]))
    intersections = np.cross(lines[[3, 0, 1, 2]], lines)
    if (np.abs(intersections[:, 2]) < 1e-6).any():
        return None
    fitted: Floats = intersections[:, :2] / intersections[:, 2:]
    if cv2.contourArea(fitted.astype(np.float32), True) < 0:
        fitted = fitted[::-1]
    if not cv2.isContourConvex(fitted.astype(np.float32)):
        return None
    overlap, _ = cv2.intersectConvexConvex(fitted.astype(np.float32), hull[:, 0].astype(np.float32))
    union = cv2.contourArea(fitted.astype(np.float32)) + area - overlap
    width, height = sizes_wh_px(fitted[None].astype(np.float32))[0]
    if overlap < MIN_FACE_QUAD_IOU_SHARE * union or max(width, height) > MAX_FACE_ASPECT_RATIO * min(width, height):
        return None
    return fitted


def _resample(points: Floats) -> Floats:
    """Return points on a closed polygon `(N, 2)`, about one per pixel."""
    ends = np.roll(points, -1, axis=0)
    steps = [max(2, int(np.ceil(np.linalg.norm(end - start)))) for start, end in zip(points, ends, strict=True)]
    return np.concatenate(
        [
            start + (end - start) * np.arange(count)[:, None] / count
            for start, end, count in zip(points, ends, steps, strict=True)
        ]
    )
