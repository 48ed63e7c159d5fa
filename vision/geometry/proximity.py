"""Proximity tests: distances between tiles, nearest neighbours, duplicates, and tests against boxes and outlines.

Callers choose the limit: detections of one tile are closer than a tile that slid, and both closer than the next tile.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints, values_at
from tilekeeper.vision.geometry.quads import centres_px, distances_px, sizes_wh_px

MAX_SAME_TILE_DISTANCE_WIDTHS = 0.4  # two detections are the same tile if their middles are closer than this
MIN_NEXT_TILE_DISTANCE_WIDTHS = 0.62  # the middles of two tiles are at least this far apart; closer ones are one tile


def are_same_place(middles_px: Floats, others_px: Floats, within_px: Floats | float) -> Bools:
    """Return a mask `(N, M)` of the pairs of centres `(N, 2)` and `(M, 2)` closer than `within_px` (broadcast)."""
    return np.asarray(distances_px(middles_px, others_px) < within_px)


def are_free(middles_px: Floats, others_px: Floats, within_px: Floats | float) -> Bools:
    """Return a mask `(N,)` of the centres `(N, 2)` that have none of `others_px (M, 2)` closer than `within_px`."""
    return ~np.asarray(are_same_place(middles_px, others_px, within_px).any(axis=1))


def are_taken(places_px: Floats, known_px: Floats) -> Bools:
    """Return a mask `(N,)` of the quads `(N, 4, 2)` that are at the place of a known tile `(M, 4, 2)`."""
    if not len(places_px) or not len(known_px):
        return np.zeros(len(places_px), bool)
    within_px = MAX_SAME_TILE_DISTANCE_WIDTHS * sizes_wh_px(known_px)[:, 0]
    return ~are_free(places_px.mean(axis=1), known_px.mean(axis=1), within_px)


def nearest_neighbours(middles_px: Floats, indices: Ints, candidates: Ints, count: int) -> tuple[Ints, Bools]:
    """k-nearest neighbours: return each tile's nearest candidates `(A, K)`, nearest first, and a mask `(A, K)`.

    The mask is false where a tile has fewer than K neighbours. The tiles `indices (A,)`, the `candidates (M,)` and the
    neighbours are indices into the centres `middles_px (N, 2)`. K is at most `count`; no tile is its own neighbour.
    """
    distances = distances_px(middles_px[indices], middles_px[candidates])
    distances[indices[:, None] == candidates] = np.inf
    nearest = np.argsort(distances, axis=1)[:, :count]
    return candidates[nearest], np.isfinite(values_at(distances, nearest))


def nearest_distances_widths(quads_px: Floats, indices: Ints, is_counted: Bools | None = None) -> Floats:
    """Return the distance `(A,)` to the nearest other tile of the mask `is_counted`, in widths of the wider tile."""
    widths, middles = sizes_wh_px(quads_px)[:, 0], centres_px(quads_px)
    distances = distances_px(middles[indices], middles) / np.maximum(np.maximum(widths[indices, None], widths), 1e-6)
    distances[np.arange(len(indices)), indices] = np.inf
    if is_counted is not None:
        distances[:, ~is_counted] = np.inf
    return np.asarray(distances.min(axis=1))


def suppress_duplicates(
    indices: Ints, middles_px: Floats, within_px: Floats, scores: Floats | None = None, max_count: int | None = None
) -> Ints:
    """Non-maximum suppression by distance: keep the first tile of each place.

    `indices`: into the centres `middles_px (N, 2)`, in order of preference, or sorted by `scores (N,)`; `within_px`:
    distance `(N,)` within which another tile is a duplicate of this one. At most `max_count` indices are returned.
    """
    order = indices if scores is None else indices[np.argsort(-scores[indices], kind="stable")]
    middles_px, within_px = middles_px[order], within_px[order]
    is_duplicate, kept = np.zeros(len(order), bool), list[int]()
    for position in range(len(order)):
        if len(kept) == max_count:
            break
        if not is_duplicate[position]:
            kept.append(position)
            is_duplicate |= are_same_place(middles_px[position][None], middles_px, within_px)[0]
    return order[kept]


def match_nearest_first(distances: Floats, within: float) -> dict[int, int]:
    """Greedy matching: return disjoint pairs {row: column} of `distances (N, M)` below `within`, nearest first."""
    pairs: dict[int, int] = {}
    used_columns: set[int] = set()
    rows, columns = np.nonzero(distances < within)
    for position in np.argsort(distances[rows, columns], kind="stable"):
        row, column = int(rows[position]), int(columns[position])
        if row not in pairs and column not in used_columns:
            pairs[row] = column
            used_columns.add(column)
    return pairs


def box_of(outline_px: np.ndarray) -> np.ndarray:
    """Return the box `(4,) float32` around an outline `(K, 2)`: left, top, right, bottom."""
    return np.concatenate([outline_px.min(axis=0), outline_px.max(axis=0)]).astype(np.float32)


def boxes_of(quads_px: np.ndarray) -> np.ndarray:
    """Return the boxes `(N, 4) float32` around quads `(N, 4, 2)`: left, top, right, bottom."""
    return np.concatenate([quads_px.min(axis=1), quads_px.max(axis=1)], axis=1).astype(np.float32)


def in_boxes(quads_px: np.ndarray, boxes_px: np.ndarray) -> np.ndarray:
    """Return a mask `(N,)` of the quads `(N, 4, 2)` whose bounding box overlaps any of the boxes `(M, 4)`."""
    low, high = quads_px.min(axis=1), quads_px.max(axis=1)
    apart = (high[:, None] < boxes_px[None, :, :2]) | (low[:, None] > boxes_px[None, :, 2:])
    return np.asarray((~apart.any(axis=2)).any(axis=1))


def points_in_boxes(points_px: np.ndarray, boxes_px: np.ndarray) -> np.ndarray:
    """Return a mask `(P, M)`: whether each of the points `(P, 2)` is inside each of the boxes `(M, 4)`."""
    inside = (points_px[:, None] >= boxes_px[None, :, :2]) & (points_px[:, None] <= boxes_px[None, :, 2:])
    return np.asarray(inside.all(axis=2))


def filled_from(before: np.ndarray | None, image: np.ndarray, outlines_px: Sequence[np.ndarray]) -> np.ndarray:
    """Return `image (H, W, 3)`, inside the outlines replaced by `before` if this is given and of the same size."""
    if before is None or before.shape != image.shape or not outlines_px:
        return image
    within = np.zeros(image.shape[:2], np.uint8)
    for outline in outlines_px:  # one by one, because in a single call the overlap of two outlines stays empty
        cv2.fillPoly(within, [outline.round().astype(np.int32)], 1)
    filled = image.copy()
    cv2.copyTo(before, within, filled)
    return filled


def in_outlines(quads_px: np.ndarray, outlines_px: Sequence[np.ndarray]) -> np.ndarray:
    """Return a mask `(N,)` of the quads `(N, 4, 2)` with a corner or the centre inside any outline `(K, 2) float32`."""
    if not outlines_px:
        return np.zeros(len(quads_px), bool)
    points = np.hstack([quads_px, quads_px.mean(axis=1, keepdims=True)]).reshape(-1, 2).astype(np.float32)
    inside = np.zeros(len(points), bool)
    for outline in outlines_px:
        is_near = ((points >= outline.min(axis=0)) & (points <= outline.max(axis=0))).all(axis=1)
        for index in np.flatnonzero(is_near & ~inside):
            inside[index] = cv2.pointPolygonTest(outline, points[index].tolist(), False) >= 0
    return np.asarray(inside.reshape(-1, 5).any(axis=1))
