"""A tile that is followed from frame to frame, and the parts of a picture that it lies in."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.vision.tracking.evidence import Evidence


@dataclass(frozen=True, slots=True, eq=False)
class Track:
    """One place where something like a tile lies.

    `id` is never given again; `quad_px (4, 2) float32`; `person` is what a person said that it is, an index into
    `TileNames.log_probs`; `held` the name that is locked, None while there is none; `foreign` marks what looks too
    little like the tiles around it to be one, `suspect` what may be none for that; `hidden` what something covers at
    the moment; `shown` what was told of.
    """

    id: int
    quad_px: np.ndarray
    evidence: Evidence
    person: int | None = None
    held: int | None = None
    foreign: bool = False
    suspect: bool = False
    hidden: bool = False
    shown: bool = False


def in_boxes(quads_px: np.ndarray, boxes_px: np.ndarray) -> np.ndarray:
    """Return which quads `(N, 4, 2)` reach into any of the boxes `(M, 4)`, `(N,)` bool."""
    low, high = quads_px.min(axis=1), quads_px.max(axis=1)
    apart = (high[:, None] < boxes_px[None, :, :2]) | (low[:, None] > boxes_px[None, :, 2:])
    return (~apart.any(axis=2)).any(axis=1)


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
