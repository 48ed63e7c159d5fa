"""Plane geometry of tiles on a picture: turning, rectifying and measuring quads.

A quad is `(4, 2) float32`, in pixels, clockwise from the tile's own top left; many are `(N, 4, 2)`. A tile's own frame
has its top left at (0, 0), x to its right in tile widths and y down, also in tile widths, so that it ends at
`(1, TILE_ASPECT)`.
"""

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.imaging import perspective_transform, warp_perspective

TILE_ASPECT = 1.4
"""Height over width of a tile's face: the median over the annotated photos is 1.41."""


def as_quads(quads_px: object) -> Floats:
    """Return `(N, 4, 2) float64` of anything of that shape, also of an empty list; raises `ValueError` otherwise."""
    quads = np.asarray(quads_px, np.float64)
    if quads.size == 0:
        return quads.reshape(0, 4, 2)
    if quads.ndim != 3 or quads.shape[1:] != (4, 2):
        raise ValueError(f"quads must be (N, 4, 2), got {quads.shape}")
    return quads


def centres_px(quads_px: Floats) -> Floats:
    """Return `(N, 2)`: where the diagonals of each quad cross, the true middle of the tile under perspective."""
    quads = as_quads(quads_px)
    start, diagonals = quads[:, 0], quads[:, 2:] - quads[:, :2]
    along, x, y = diagonals[:, 0], diagonals[:, 1, 0], diagonals[:, 1, 1]
    cross = along[:, 0] * y - along[:, 1] * x
    offset = quads[:, 1] - start
    steps = offset[:, 0] * y - offset[:, 1] * x
    flat = np.abs(cross) < 1e-9
    if not flat.any():
        return start + along * (steps / cross)[:, None]
    middles = start + along * (steps / np.where(flat, 1.0, cross))[:, None]
    return np.where(flat[:, None], quads.mean(axis=1), middles)


def distances_px(points_px: Floats, others_px: Floats) -> Floats:
    """Return how far each point `(N, 2)` is from each of the others `(M, 2)`: `(N, M)`."""
    x, y = (points_px[:, axis, None] - others_px[None, :, axis] for axis in range(2))
    return np.sqrt(x * x + y * y)


def lengths(vectors: Floats) -> Floats:
    """Return the lengths of vectors `(..., 2)`: a norm along a last axis of two takes eight times as long."""
    x, y = vectors[..., 0], vectors[..., 1]
    return np.sqrt(x * x + y * y)


def points_within(quads_px: Floats, us: Floats, vs: Floats) -> Floats:
    """Return points of each quad's own frame, `(N, V, U, 2) float32`: at `us (U,)` along it, `vs (V,)` down it.

    Both go from 0 to 1 over the quad; what is beyond lies outside it.
    """
    u, v = us[None], vs[:, None]
    shares = np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v], axis=-1)  # of the four corners
    points = shares.reshape(-1, 4) @ as_quads(quads_px)
    return points.astype(np.float32).reshape(len(points), len(vs), len(us), 2)


def sizes_wh_px(quads_px: Floats) -> Floats:
    """Return `(N, 2)`: the mean width (top and bottom side) and the mean height (left and right) of each quad."""
    quads = as_quads(quads_px)
    sides = lengths(quads - quads[:, [1, 2, 3, 0]])
    return (sides[:, :2] + sides[:, 2:]) / 2


def axes_px(quads_px: Floats) -> tuple[Floats, Floats]:
    """Return the mean of the top and the bottom side of each quad, and of its left and right: `(..., 2)` each.

    `quads_px (..., 4, 2)`; the sides run from left to right and from top to bottom of the tile as it stands.
    """
    one, two, three, four = (quads_px[..., corner, :] for corner in range(4))
    return (two - one + three - four) / 2, (four - one + three - two) / 2


def areas_px(quads_px: Floats) -> Floats:
    """Return the area of each quad, `(N,)` in square pixels."""
    one, other = quads_px[:, 2] - quads_px[:, 0], quads_px[:, 3] - quads_px[:, 1]
    return np.abs(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]) / 2


def shares_inside(quads_px: Floats, image_wh: tuple[int, int]) -> Floats:
    """Return `(N,)`: the share of each quad's area that lies within a picture of that size."""
    width, height = image_wh
    picture = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    quads = np.ascontiguousarray(as_quads(quads_px), np.float32)
    shares = np.ones(len(quads))
    whole = ((quads >= 0) & (quads <= (width, height))).all(axis=(1, 2)) & (areas_px(quads) >= 1)
    for at in np.flatnonzero(~whole):
        hull = cv2.convexHull(quads[at])
        shares[at] = cv2.intersectConvexConvex(hull, picture)[0] / max(cv2.contourArea(hull), 1.0)
    return shares


def points_in_quads(points_px: Floats, quads_px: Floats) -> Bools:
    """Return which points `(P, 2)` lie in which of the convex clockwise quads `(N, 4, 2)`, `(P, N)` bool."""
    inside, (x, y) = np.ones((len(points_px), len(quads_px)), bool), points_px.T[..., None]
    along = np.roll(quads_px, -1, axis=1) - quads_px
    for corner in range(4):  # all four at once take NumPy five times as long
        left, top = quads_px[:, corner].T
        inside &= along[:, corner, 0] * (y - top) - along[:, corner, 1] * (x - left) > 0
    return inside


def share_covered(quad_px: Floats, others_px: Floats) -> float:
    """The largest share of a quad `(4, 2)` that one of the others `(N, 4, 2)` covers, 0 to 1; N may be 0."""
    others = np.asarray(others_px, np.float32).reshape(-1, 4, 2)
    quad = np.asarray(quad_px, np.float32)
    apart = (others.min(axis=1) > quad.max(axis=0)) | (others.max(axis=1) < quad.min(axis=0))
    hull = cv2.convexHull(quad)
    area = max(cv2.contourArea(hull), 1e-3)
    near = map(cv2.convexHull, others[~apart.any(axis=1)])
    return min(1.0, max((cv2.intersectConvexConvex(hull, other)[0] / area for other in near), default=0.0))


def moved_by(found_px: Floats, quads_px: Floats) -> Floats:
    """How far corners were moved from `found_px (N, 4, 2)` to `quads_px` in the mean, `(N,)` in widths of the latter.

    A tile that was turned round was not moved.
    """
    off = [lengths(quads_px - there) @ np.full(4, 0.25) for there in (found_px, found_px[:, [2, 3, 0, 1]])]
    moved: Floats = np.minimum(*off) / np.maximum(sizes_wh_px(quads_px)[:, 0], 1.0)
    return moved


def rotations(angles: Floats) -> Floats:
    """Return the matrices `(..., 2, 2)` that turn columns by angles `(...)` in radians, from x to y."""
    cos, sin = np.cos(angles), np.sin(angles)
    return np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)


def corners_about(aspect: float) -> Floats:
    """Return the corners `(4, 2)` of a tile about its middle, in tile widths."""
    return np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * (1, aspect)


def enlarged(quads_px: Floats, factor: float) -> Floats:
    """Return quads `(N, 4, 2)` so many times as large, about the mean of their corners."""
    middles = quads_px.mean(axis=1, keepdims=True)
    return np.asarray(middles + factor * (quads_px - middles))


def upside_down(quads_px: Floats) -> Floats:
    """Return the same quads read from the other end: turned by 180 degrees, one `(4, 2)` or many `(N, 4, 2)`."""
    return np.roll(quads_px, 2, axis=-2)


def homographies(quads_px: Floats) -> Floats:
    """Return `(N, 3, 3)`, each mapping pixels of the picture to that tile's own frame (see the top of this file)."""
    quads, count = as_quads(quads_px), len(quads_px)
    # of each corner two equations in the eight entries beside the last, which is 1: all quads at once
    u, v = np.array([[0, 0], [1, 0], [1, TILE_ASPECT], [0, TILE_ASPECT]]).T
    x, y = quads[..., 0], quads[..., 1]
    one, none = np.ones_like(x), np.zeros_like(x)
    to_u = np.stack([x, y, one, none, none, none, -u * x, -u * y], axis=-1)
    to_v = np.stack([none, none, none, x, y, one, -v * x, -v * y], axis=-1)
    target = np.broadcast_to(np.concatenate([u, v])[:, None], (count, 8, 1))
    entries = np.linalg.solve(np.concatenate([to_u, to_v], axis=1), target)[..., 0]
    return np.concatenate([entries, np.ones((count, 1))], axis=1).reshape(-1, 3, 3)


def rectify(image_bgr: Image, quad_px: Floats, crop_wh: tuple[int, int] = (48, 72)) -> Image:
    """Return the `(H, W, 3) uint8` picture of one tile as seen straight from above, its quad filling the crop."""
    width, height = crop_wh
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    view = perspective_transform(np.asarray(quad_px, np.float32), target)
    return warp_perspective(image_bgr, view, crop_wh)
