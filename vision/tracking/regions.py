"""Which quads lie in parts of a picture, such as boxes around what changed or outlines of what covers the table."""

from __future__ import annotations

import cv2
import numpy as np


def in_boxes(quads_px: np.ndarray, boxes_px: np.ndarray) -> np.ndarray:
    """Return which quads `(N, 4, 2)` reach into any of the boxes `(M, 4)`, `(N,)` bool."""
    low, high = quads_px.min(axis=1), quads_px.max(axis=1)
    apart = (high[:, None] < boxes_px[None, :, :2]) | (low[:, None] > boxes_px[None, :, 2:])
    inside: np.ndarray = (~apart.any(axis=2)).any(axis=1)
    return inside


def in_outlines(quads_px: np.ndarray, outlines_px: tuple[np.ndarray, ...]) -> np.ndarray:
    """Return which quads `(N, 4, 2)` have a corner or their middle within an outline `(K, 2) float32`, `(N,)` bool."""
    points = np.concatenate([quads_px, quads_px.mean(axis=1, keepdims=True)], axis=1)
    return np.array(
        [
            any(cv2.pointPolygonTest(one, (float(x), float(y)), False) >= 0 for one in outlines_px for x, y in quad)
            for quad in points
        ],
        bool,
    )
