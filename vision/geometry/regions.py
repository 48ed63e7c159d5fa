"""What lies in parts of a picture, such as boxes around what changed or outlines of what covers the table."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np


def box_of(outline_px: np.ndarray) -> np.ndarray:
    """Return the box `(4,) float32` around an outline `(K, 2)`: x and y of two corners."""
    return np.concatenate([outline_px.min(axis=0), outline_px.max(axis=0)]).astype(np.float32)


def boxes_of(quads_px: np.ndarray) -> np.ndarray:
    """Return the boxes `(N, 4) float32` around quads `(N, 4, 2)`."""
    return np.concatenate([quads_px.min(axis=1), quads_px.max(axis=1)], axis=1).astype(np.float32)


def in_boxes(quads_px: np.ndarray, boxes_px: np.ndarray) -> np.ndarray:
    """Return which quads `(N, 4, 2)` reach into any of the boxes `(M, 4)`, `(N,)` bool."""
    low, high = quads_px.min(axis=1), quads_px.max(axis=1)
    apart = (high[:, None] < boxes_px[None, :, :2]) | (low[:, None] > boxes_px[None, :, 2:])
    inside: np.ndarray = (~apart.any(axis=2)).any(axis=1)
    return inside


def points_in_boxes(points_px: np.ndarray, boxes_px: np.ndarray) -> np.ndarray:
    """Return which points `(P, 2)` lie in which of the boxes `(M, 4)`, `(P, M)` bool."""
    inside = (points_px[:, None] >= boxes_px[None, :, :2]) & (points_px[:, None] <= boxes_px[None, :, 2:])
    return np.asarray(inside.all(axis=2))


def filled_from(before: np.ndarray | None, image: np.ndarray, outlines_px: Sequence[np.ndarray]) -> np.ndarray:
    """Return a picture `(H, W, 3)` with what lies in some outlines `(K, 2)` as in one before, where that is as large.

    Where there is nothing to fill, or nothing to fill it from, it is the very same.
    """
    if before is None or before.shape != image.shape or not outlines_px:
        return image
    within = np.zeros(image.shape[:2], np.uint8)
    for outline in outlines_px:  # all at once, what two of them cover would stay out of it
        cv2.fillPoly(within, [outline.round().astype(np.int32)], 1)
    filled = image.copy()
    cv2.copyTo(before, within, filled)
    return filled


def in_outlines(quads_px: np.ndarray, outlines_px: Sequence[np.ndarray]) -> np.ndarray:
    """Return which quads `(N, 4, 2)` have a corner or their middle within an outline `(K, 2) float32`, `(N,)` bool."""
    if not outlines_px:
        return np.zeros(len(quads_px), bool)
    points = np.concatenate([quads_px, quads_px.mean(axis=1, keepdims=True)], axis=1)
    points = points.reshape(-1, 2).astype(np.float32)
    inside = np.zeros(len(points), bool)
    for one in outlines_px:
        near = (points >= one.min(axis=0)) & (points <= one.max(axis=0))
        for at in np.flatnonzero(near.all(axis=1) & ~inside):
            inside[at] = cv2.pointPolygonTest(one, points[at].tolist(), False) >= 0
    return np.asarray(inside.reshape(-1, 5).any(axis=1))
