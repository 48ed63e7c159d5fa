"""Plane geometry of quads: sizes, areas, overlaps, homographies, rectified crops.

A quad is `(4, 2) float32`, in pixels, clockwise from the tile's own top left; N quads are `(N, 4, 2)`. In a tile's own
frame its top left is (0, 0) and its bottom right `(1, TILE_ASPECT)`; x is right and y down, both in tile widths.
"""

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.imaging import perspective_transform, warp_perspective

TILE_ASPECT = 1.4  # height over width of a tile's face: the median over the annotated photos is 1.41


def as_quads(quads_px: object) -> Floats:
    """Convert quads to `(N, 4, 2) float64`; N is 0 for anything empty. Raises `ValueError` for other shapes."""
    quads = np.asarray(quads_px, np.float64)
    if quads.size == 0:
        return quads.reshape(0, 4, 2)
    if quads.ndim != 3 or quads.shape[1:] != (4, 2):
        raise ValueError(f"quads must be (N, 4, 2), got {quads.shape}")
    return quads


def centres_px(quads_px: Floats) -> Floats:
    """Return the centres `(N, 2)` of tiles under perspective: where the diagonals of each quad cross."""
    quads = as_quads(quads_px)
    start, diagonals = quads[:, 0], quads[:, 2:] - quads[:, :2]
    first_diagonal, x, y = diagonals[:, 0], diagonals[:, 1, 0], diagonals[:, 1, 1]
    cross = first_diagonal[:, 0] * y - first_diagonal[:, 1] * x
    offset = quads[:, 1] - start
    steps = offset[:, 0] * y - offset[:, 1] * x
    is_degenerate = np.abs(cross) < 1e-9
    middles = start + first_diagonal * (steps / np.where(is_degenerate, 1.0, cross))[:, None]
    return np.where(is_degenerate[:, None], quads.mean(axis=1), middles) if is_degenerate.any() else middles


def distances_px(points_px: Floats, others_px: Floats) -> Floats:
    """Return the distances `(N, M)` between points `(N, 2)` and the others `(M, 2)`."""
    x, y = (points_px[:, axis, None] - others_px[None, :, axis] for axis in range(2))
    return np.sqrt(x * x + y * y)


def lengths(vectors: Floats) -> Floats:
    """Return the lengths of vectors `(..., 2)`; eight times as fast as `np.linalg.norm`."""
    x, y = vectors[..., 0], vectors[..., 1]
    return np.sqrt(x * x + y * y)


def grid_points(quads_px: Floats, us: Floats, vs: Floats) -> Floats:
    """Return a grid of points `(N, V, U, 2) float32` in each quad, by bilinear interpolation between its corners.

    `us (U,)` runs from left to right and `vs (V,)` from top to bottom, both 0 to 1 over the quad.
    """
    u, v = us[None], vs[:, None]
    corner_weights = np.stack([(1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v], axis=-1)
    points = corner_weights.reshape(-1, 4) @ as_quads(quads_px)
    return points.astype(np.float32).reshape(len(points), len(vs), len(us), 2)


def sizes_wh_px(quads_px: Floats) -> Floats:
    """Return width and height `(N, 2)` of each quad: the means of top and bottom side, and of left and right side."""
    quads = as_quads(quads_px)
    sides = lengths(quads - quads[:, [1, 2, 3, 0]])
    return (sides[:, :2] + sides[:, 2:]) / 2


def axes_px(quads_px: Floats) -> tuple[Floats, Floats]:
    """Return two vectors `(..., 2)` of each quad `(..., 4, 2)`: the mean side rightward, and the mean side downward."""
    tl, tr, br, bl = (quads_px[..., corner, :] for corner in range(4))
    return (tr - tl + br - bl) / 2, (bl - tl + br - tr) / 2


def areas_px(quads_px: Floats) -> Floats:
    """Return the areas `(N,)` of quads in square pixels."""
    diagonals = quads_px[:, 2:] - quads_px[:, :2]
    return np.abs(diagonals[:, 0, 0] * diagonals[:, 1, 1] - diagonals[:, 0, 1] * diagonals[:, 1, 0]) / 2


def shares_inside(quads_px: Floats, image_wh: tuple[int, int]) -> Floats:
    """Return the share `(N,)`, 0 to 1, of each quad's area that is inside an image of the size `image_wh`."""
    width, height = image_wh
    frame = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    quads = np.ascontiguousarray(as_quads(quads_px), np.float32)
    shares = np.ones(len(quads))
    is_inside = ((quads >= 0) & (quads <= (width, height))).all(axis=(1, 2)) & (areas_px(quads) >= 1)
    for index in np.flatnonzero(~is_inside):
        hull = cv2.convexHull(quads[index])
        shares[index] = cv2.intersectConvexConvex(hull, frame)[0] / max(cv2.contourArea(hull), 1.0)
    return shares


def points_in_quads(points_px: Floats, quads_px: Floats) -> Bools:
    """Return a mask `(P, N)`: whether each of the points `(P, 2)` is inside each convex clockwise quad `(N, 4, 2)`."""
    inside, (x, y) = np.ones((len(points_px), len(quads_px)), bool), points_px.T[..., None]
    edges = np.roll(quads_px, -1, axis=1) - quads_px
    for corner in range(4):  # five times as fast as all four corners at once
        left, top = quads_px[:, corner].T
        inside &= edges[:, corner, 0] * (y - top) - edges[:, corner, 1] * (x - left) > 0
    return inside


def covered_share(quad_px: Floats, others_px: Floats) -> float:
    """Return the largest share, 0 to 1, of the quad `(4, 2)` that one of the quads `others_px (N, 4, 2)` covers."""
    quads = np.asarray(others_px, np.float32).reshape(-1, 4, 2)
    quad = np.asarray(quad_px, np.float32)
    is_beyond = (quads.min(axis=1) > quad.max(axis=0)) | (quads.max(axis=1) < quad.min(axis=0))
    hull = cv2.convexHull(quad)
    area = max(cv2.contourArea(hull), 1e-3)
    near = map(cv2.convexHull, quads[~is_beyond.any(axis=1)])
    return min(1.0, max((cv2.intersectConvexConvex(hull, near_hull)[0] / area for near_hull in near), default=0.0))


def corner_shifts(found_px: Floats, quads_px: Floats) -> Floats:
    """Return the corners' mean shift `(N,)` from `found_px` to `quads_px (N, 4, 2)`, in widths, ignoring half turns."""
    mean_shifts = [lengths(quads_px - corners) @ np.full(4, 0.25) for corners in (found_px, found_px[:, [2, 3, 0, 1]])]
    return np.asarray(np.minimum(*mean_shifts) / np.maximum(sizes_wh_px(quads_px)[:, 0], 1.0))


def rotation_matrices(angles: Floats) -> Floats:
    """Return the matrices `(..., 2, 2)` that rotate column vectors by angles `(...)` in radians, from x towards y."""
    cos, sin = np.cos(angles), np.sin(angles)
    return np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)


def centred_corners(aspect: float) -> Floats:
    """Return the corners `(4, 2)` of a tile whose centre is (0, 0), in tile widths; `aspect` is height over width."""
    return np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]) * (1, aspect)


def enlarge(quads_px: Floats, factor: float) -> Floats:
    """Return quads `(N, 4, 2)` scaled by `factor` around the mean of their corners."""
    middles = quads_px.mean(axis=1, keepdims=True)
    return np.asarray(middles + factor * (quads_px - middles))


def turn_upside_down(quads_px: Floats) -> Floats:
    """Return a quad `(4, 2)`, or quads `(N, 4, 2)`, turned by 180 degrees."""
    return np.roll(quads_px, 2, axis=-2)


def homographies(quads_px: Floats) -> Floats:
    """Return the homographies `(N, 3, 3)` from image pixels to the frame of each tile."""
    quads, count = as_quads(quads_px), len(quads_px)
    # Direct linear transform: two equations per corner in eight entries; the ninth is 1.
    u, v = np.array([[0, 0], [1, 0], [1, TILE_ASPECT], [0, TILE_ASPECT]]).T
    x, y = quads[..., 0], quads[..., 1]
    ones, zeros = np.ones_like(x), np.zeros_like(x)
    to_u = np.stack([x, y, ones, zeros, zeros, zeros, -u * x, -u * y], axis=-1)
    to_v = np.stack([zeros, zeros, zeros, x, y, ones, -v * x, -v * y], axis=-1)
    target = np.broadcast_to(np.concatenate([u, v])[:, None], (count, 8, 1))
    entries = np.linalg.solve(np.concatenate([to_u, to_v], axis=1), target)[..., 0]
    return np.concatenate([entries, np.ones((count, 1))], axis=1).reshape(-1, 3, 3)


def rectify(image_bgr: Image, quad_px: Floats, crop_wh: tuple[int, int] = (48, 72)) -> Image:
    """Return the `(H, W, 3) uint8` crop of one tile, warped so that its quad fills the crop."""
    width, height = crop_wh
    target = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - 0.5
    view = perspective_transform(np.asarray(quad_px, np.float32), target)
    return warp_perspective(image_bgr, view, crop_wh)
