"""Outlines of tile faces: segment the light face at a quad's centre by colour, and fit a quad to its contour."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from tilekeeper.vision.arrays import Floats, Image, median
from tilekeeper.vision.geometry.quads import TILE_ASPECT, centres_px, lengths, sizes_wh_px
from tilekeeper.vision.imaging import contours, convert, convex_hull, morphology, resize

OUTLINE_QUAD_SIDE_PX = 48  # Outlines are extracted from an image rescaled until the quad's longer side has this length.
OUTLINE_REACH_RATIO = 1.5  # The outline crop extends this times the quad's longer side to each side of the centre.
MIN_OUTLINE_SIDE_PX = 8  # Quads, outline sides and image crops that are smaller than this give no outline.
MAX_FACE_DISTANCES_CIELAB = (10.0, 16.0, 24.0, 34.0)  # Tried in turn; pixels this close to the face's colour are face
FACE_AREA_RANGE_RATIO = (0.4, 3.5)  # Area of a face relative to an upright tile with the quad's longer side.
MIN_FACE_SOLIDITY_SHARE = 0.9  # A face fills at least this share of its convex hull (solidity).
MIN_FACE_QUAD_IOU_SHARE = 0.88  # A face and its fitted quad have at least this intersection over union.
HULL_TOLERANCE_RANGE_SHARE = (0.02, 0.12, 0.01)  # Start, stop, step in hull perimeters; the first with 4 corners wins.
MAX_FACE_ASPECT_RATIO = 2.6  # A fitted quad is dropped if its longer side is more than this times its shorter side.
SIDE_FIT_RANGE_SHARE = (0.2, 0.8)  # A side's line is fitted to hull points in this part of it, as corners are rounded.
MAX_SIDE_FIT_DISTANCE_SHARE = 0.1  # Hull points closer to a side than this share of its length plus 1 px fit its line.
MIN_SIDE_FIT_POINTS = 5
MAX_OUTLINE_DUPLICATE_PX = 2.0  # Two outlines are duplicates if each corner differs by less than this in x and in y.


def outlines_px(image_bgr: Image, quads_px: Floats) -> list[Floats]:
    """Return for each quad up to four outlines `(K, 4, 2)` of the tile face at its centre; K is often 0."""
    places = zip(centres_px(quads_px), sizes_wh_px(quads_px).max(axis=1).tolist(), strict=True)
    return [_outlines_at(image_bgr, middle_px, side_px) for middle_px, side_px in places]


def _outlines_at(image_bgr: Image, centre_px: Floats, side_px: float) -> Floats:
    empty = np.zeros((0, 4, 2), np.float32)
    if not side_px >= MIN_OUTLINE_SIDE_PX or not np.isfinite(centre_px).all():
        return empty
    reach, nearest = round(OUTLINE_REACH_RATIO * side_px), np.round(centre_px).astype(int)
    top_left, bottom_right = np.maximum(nearest - reach, 0), np.minimum(nearest + reach, image_bgr.shape[1::-1])
    part = image_bgr[top_left[1] : max(bottom_right[1], 0), top_left[0] : max(bottom_right[0], 0)]
    if min(part.shape[:2]) < MIN_OUTLINE_SIDE_PX:
        return empty
    width, height = (max(round(side * OUTLINE_QUAD_SIDE_PX / side_px), 1) for side in part.shape[1::-1])
    scale = np.divide((width, height), part.shape[1::-1])
    scaled = resize(part, (width, height), cv2.INTER_AREA if scale[0] < 1 else cv2.INTER_LINEAR)
    centre = (centre_px - top_left + 0.5) * scale - 0.5  # pixel centres are at whole numbers
    color_distances = _face_color_distances(scaled, centre)
    quads: list[Floats] = []
    for max_distance in MAX_FACE_DISTANCES_CIELAB:
        mask = morphology((color_distances < max_distance).astype(np.uint8), cv2.MORPH_OPEN, 3)
        candidates = (candidate for candidate in contours(mask) if len(candidate) > 3)
        contour = next((c for c in candidates if cv2.pointPolygonTest(c, centre.tolist(), False) >= 0), None)
        if contour is None:
            continue
        if contour.min() <= 1 or (contour.max(axis=(0, 1)) >= (width - 2, height - 2)).any():
            break  # the table has the face's colour, and larger distances only grow the region
        quad = _fit_quad(contour)
        if quad is not None and not any(_are_duplicates(quad, known) for known in quads):
            quads.append(quad)
    return np.asarray((np.array(quads).reshape(-1, 4, 2) + 0.5) / scale - 0.5 + top_left, np.float32)


def _face_color_distances(seen_bgr: Image, centre: Floats) -> Floats:
    """Return the CIELAB distance `(H, W)` of each pixel from the face's colour.

    That colour is the median of the brighter half of the pixels around `centre`: a face is brighter than its print.
    """
    lab = [plane.astype(np.float32) for plane in cv2.split(convert(seen_bgr, cv2.COLOR_BGR2LAB))]
    lab[0] *= np.float32(100 / 255)
    x, y = np.clip(np.round(centre).astype(int), 0, np.array(seen_bgr.shape[1::-1]) - 1)
    reach = OUTLINE_QUAD_SIDE_PX // 4
    window = np.s_[max(0, y - reach) : y + reach, max(0, x - reach) : x + reach]
    is_bright = lab[0][window] >= median(lab[0][window].ravel())
    light, green_red, blue_yellow = (plane - median(plane[window][is_bright]) for plane in lab)
    return np.asarray(np.sqrt(light**2 + green_red**2 + blue_yellow**2))


def _are_duplicates(quad: Floats, other: Floats) -> bool:
    return bool(min(np.abs(np.roll(quad, turn, axis=0) - other).max() for turn in range(4)) < MAX_OUTLINE_DUPLICATE_PX)


def _fit_quad(outline: NDArray[np.int32]) -> Floats | None:
    """Return the corners `(4, 2)`, clockwise, of the face with this outline; None if the region is not a face.

    They are the intersections of four lines fitted to the sides of its hull, because a face has rounded corners.
    """
    area, usual_area, hull = cv2.contourArea(outline), OUTLINE_QUAD_SIDE_PX**2 / TILE_ASPECT, convex_hull(outline)
    if not FACE_AREA_RANGE_RATIO[0] * usual_area < area < FACE_AREA_RANGE_RATIO[1] * usual_area:
        return None
    tolerances = cv2.arcLength(hull, True) * np.arange(*HULL_TOLERANCE_RANGE_SHARE)
    polygons = (cv2.approxPolyDP(hull, tolerance, True) for tolerance in tolerances)
    corners = next((polygon for polygon in polygons if len(polygon) == 4), None)
    if corners is None or area < MIN_FACE_SOLIDITY_SHARE * cv2.contourArea(hull):
        return None
    quad = corners[:, 0].astype(np.float64)
    hull_points = _resample(hull[:, 0].astype(np.float64))
    fits = []
    for start, side in zip(quad, np.roll(quad, -1, axis=0) - quad, strict=True):
        length = np.linalg.norm(side)
        share = (hull_points - start) @ side / length**2
        distances = np.abs((hull_points - start) @ (np.array([-side[1], side[0]]) / length))
        is_between = (share > SIDE_FIT_RANGE_SHARE[0]) & (share < SIDE_FIT_RANGE_SHARE[1])
        side_points = hull_points[is_between & (distances < MAX_SIDE_FIT_DISTANCE_SHARE * length + 1)]
        if length < MIN_OUTLINE_SIDE_PX or len(side_points) < MIN_SIDE_FIT_POINTS:
            return None
        fits.append(cv2.fitLine(side_points.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel())
    dx, dy, x, y = np.array(fits).T
    ones = np.ones(4)
    lines = np.cross(np.column_stack([x, y, ones]), np.column_stack([x + dx, y + dy, ones]))
    intersections = np.cross(lines[[3, 0, 1, 2]], lines)
    if (np.abs(intersections[:, 2]) < 1e-6).any():
        return None
    fitted = intersections[:, :2] / intersections[:, 2:]
    if cv2.contourArea(fitted.astype(np.float32), True) < 0:
        fitted = fitted[::-1]
    rounded = fitted.astype(np.float32)
    if not cv2.isContourConvex(rounded):
        return None
    overlap, _ = cv2.intersectConvexConvex(rounded, hull[:, 0].astype(np.float32))
    shorter, longer = np.sort(sizes_wh_px(rounded[None])[0])
    is_poor = overlap < MIN_FACE_QUAD_IOU_SHARE * (cv2.contourArea(rounded) + area - overlap)
    return None if is_poor or longer > MAX_FACE_ASPECT_RATIO * shorter else np.asarray(fitted)


def _resample(points: Floats) -> Floats:
    """Return points `(P, 2)` along a closed polygon with corners `(N, 2)`, about one per pixel."""
    sides = np.roll(points, -1, axis=0) - points
    counts = np.maximum(np.ceil(lengths(sides)), 2).astype(int).tolist()
    places = zip(points, sides, counts, strict=True)
    return np.concatenate([start + side * np.arange(count)[:, None] / count for start, side, count in places])
