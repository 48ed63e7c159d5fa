"""Outlines of tiles by their light faces, where a tile lies by itself: without the finder's word for its corners.

Of a single tile seen from far aside, or from very near, the finder may know little more than its middle, and no other
tiles tell what shape it should have. Its face is brighter than, or of another colour than, what it lies on.
"""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.geometry import centres_px, sizes_wh_px

SIDE_PX, AROUND = 48, 1.5
"""A place is looked at in a picture in which the quad's longer side is so many pixels; and so many of these sides are
seen on each side of its middle."""
APART = (10.0, 16.0, 24.0, 34.0)
"""Differences from the face's colour, in units of CIELAB, below which a pixel is taken for the face's, in turn."""
LEAST_GROWN, MOST_GROWN = 0.4, 3.5
"""A face's area over that of the quad at its place."""
SOLID, SHAPED = 0.9, 0.88
"""Shares of its hull that a face fills at least, and that the face and its four corners have in common."""
COARSER = np.arange(0.02, 0.12, 0.01)
"""How far, in lengths of the hull, it may be from a simpler outline; the first with four corners is taken."""
LONGEST = 2.6
"""No tile looks longer than so many times its width."""


def outlines_px(image_bgr: np.ndarray, quads_px: np.ndarray) -> list[np.ndarray]:
    """Return the outlines of what lies at the quads `(N, 4, 2)`, clockwise, each `(K, 4, 2) float32`, K often 0.

    Which of a corner is the top left one isn't told. The same outline, found twice, is told once.
    """
    return [_at(image_bgr, middle, float(size.max())) for middle, size in zip(*_places(quads_px), strict=True)]


def _places(quads_px: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return centres_px(quads_px), sizes_wh_px(quads_px)


def _at(image_bgr: np.ndarray, middle: np.ndarray, side: float) -> np.ndarray:
    if side < 8:
        return np.zeros((0, 4, 2), np.float32)
    scale, half = SIDE_PX / side, round(AROUND * SIDE_PX)
    # as whole pixels of the picture, shrunk or grown
    view = np.array([[scale, 0, half - scale * middle[0]], [0, scale, half - scale * middle[1]]])
    reach = int(np.ceil(half / scale)) + 2
    low = np.maximum(np.round(middle).astype(int) - reach, 0)
    high = np.minimum(np.round(middle).astype(int) + reach, image_bgr.shape[1::-1])
    part = image_bgr[low[1] : high[1], low[0] : high[0]]
    if min(part.shape[:2]) < 8:
        return np.zeros((0, 4, 2), np.float32)
    if scale < 1:
        part = cv2.blur(part, (int(1 / scale) | 1,) * 2)  # nothing aliases
    view[:, 2] += view[:, :2] @ low
    seen = cv2.warpAffine(part, view, (2 * half, 2 * half), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    lab = cv2.cvtColor(seen.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    apart = np.linalg.norm(lab - _face_colour(lab), axis=2)
    quads: list[np.ndarray] = []
    for most in APART:
        quad = _four_corners((apart < most).astype(np.uint8))
        if quad is not None and not any(np.abs(quad - other).max() < 2.0 for other in quads):
            quads.append(quad)
    back = (np.array(quads).reshape(-1, 4, 2) - view[:, 2] + scale * low) / scale
    return back.astype(np.float32)


def _face_colour(lab: np.ndarray) -> np.ndarray:
    """The colour of the bright half about the middle: a face is brighter than its print."""
    half, near = lab.shape[0] // 2, SIDE_PX // 4
    about = lab[half - near : half + near, half - near : half + near].reshape(-1, 3)
    return np.median(about[about[:, 0] >= np.median(about[:, 0])], axis=0)


def _four_corners(mask: np.ndarray) -> np.ndarray | None:
    """The corners of the piece of the mask that lies about its middle, `(4, 2)`; None where it has not just four."""
    mask = cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    size, half = mask.shape[0], mask.shape[0] // 2
    outlines, _ = cv2.findContours(mask, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    usual = SIDE_PX * SIDE_PX / 1.5
    for outline in outlines:
        area = cv2.contourArea(outline)
        if not LEAST_GROWN * usual < area < MOST_GROWN * usual:
            continue
        if cv2.pointPolygonTest(outline, (half, half), False) < 0:
            continue
        points = outline[:, 0]
        if (points <= 1).any() or (points >= size - 2).any():
            return None
        hull = cv2.convexHull(outline)
        if area < SOLID * cv2.contourArea(hull):
            return None
        return _fitted(hull, area)
    return None


def _fitted(hull: np.ndarray, area: float) -> np.ndarray | None:
    """Four lines along the sides of the hull of a face, rounded at its corners: where they meet, clockwise."""
    around = cv2.arcLength(hull, True)
    simpler = (cv2.approxPolyDP(hull, share * around, True) for share in COARSER)
    corners = next((near for near in simpler if len(near) == 4), None)
    if corners is None:
        return None
    quad = corners[:, 0].astype(np.float64)
    along = _densely(hull[:, 0].astype(np.float64))
    lines = []
    for start, end in zip(quad, np.roll(quad, -1, axis=0), strict=True):
        side = end - start
        length = np.linalg.norm(side)
        if length < 8:
            return None
        share = (along - start) @ side / length**2
        off = np.abs((along - start) @ (np.array([-side[1], side[0]]) / length))
        near = along[(share > 0.2) & (share < 0.8) & (off < 0.1 * length + 1)]
        if len(near) < 5:
            return None
        dx, dy, x, y = cv2.fitLine(near.astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01).ravel()
        lines.append(np.cross([x, y, 1.0], [x + dx, y + dy, 1.0]))
    meets = [np.cross(lines[i - 1], lines[i]) for i in range(4)]
    if any(abs(meet[2]) < 1e-6 for meet in meets):
        return None
    fitted = np.array([meet[:2] / meet[2] for meet in meets])
    if cv2.contourArea(fitted.astype(np.float32), True) < 0:
        fitted = fitted[::-1]
    if not cv2.isContourConvex(fitted.astype(np.float32)):
        return None
    common, _ = cv2.intersectConvexConvex(fitted.astype(np.float32), hull[:, 0].astype(np.float32))
    whole = cv2.contourArea(fitted.astype(np.float32)) + area - common
    wide, high = sizes_wh_px(fitted[None].astype(np.float32))[0]
    if common < SHAPED * whole or max(wide, high) > LONGEST * min(wide, high):
        return None
    return fitted


def _densely(points: np.ndarray) -> np.ndarray:
    """Points on the lines between points `(N, 2)` of a closed outline, one a pixel."""
    ends = np.roll(points, -1, axis=0)
    steps = [max(2, int(np.ceil(np.linalg.norm(end - start)))) for start, end in zip(points, ends, strict=True)]
    return np.concatenate(
        [
            start + (end - start) * np.arange(count)[:, None] / count
            for start, end, count in zip(points, ends, steps, strict=True)
        ]
    )
