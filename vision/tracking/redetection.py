"""Looks at what changed in a still picture: at every find there, and at places where tiles lay that were not found."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from tilekeeper.vision.detection.tiling import detect_in_pieces
from tilekeeper.vision.geometry.proximity import free_places
from tilekeeper.vision.geometry.quads import sizes_wh_px
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.appearance import Looked
from tilekeeper.vision.recognition.refinement.refine import look_at
from tilekeeper.vision.tracking.evidence import Evidence
from tilekeeper.vision.tracking.matching import Look
from tilekeeper.vision.tracking.motion_gate import Rest
from tilekeeper.vision.tracking.track import Track, in_outlines
from tilekeeper.vision.types import Detections, Detector

SAME_PLACE = 0.4
"""In tile widths: middles nearer than this are one tile's."""


def looks_at(
    reader: Reader, image: np.ndarray, rest: Rest, again: Sequence[Track], resting_px: np.ndarray
) -> tuple[list[Look], np.ndarray | None]:
    """Return the looks at what changed in a picture `(H, W, 3) uint8`, and what was found too faint for a tile.

    `again` are the tracks that lay in what changed, `resting_px (N, 4, 2)` the tiles that lie elsewhere and stay. The
    second is `(K, 4, 2)`, None where not all of the picture was looked at.
    """
    detections, faint_px = _detections(reader.detector, image, rest, resting_px)
    places = detections.quads_px
    free = np.ones(len(places), bool)
    if rest.hidden_px and len(places):
        free &= ~in_outlines(places, rest.hidden_px)
    if len(resting_px) and len(places):
        free &= ~taken(places, resting_px)
    lost = np.array([track.quad_px for track in again if track.evidence.is_tile], np.float32).reshape(-1, 4, 2)
    if len(lost) and free.any():
        lost = lost[~taken(lost, places[free])]
    scores = detections.scores[free].tolist()
    count = len(scores)
    if not count and not len(lost):
        return [], faint_px
    if count:  # where tiles lay is mostly the bare table: one look is enough, of which the finder says nothing
        seen = look_at(reader.namer, image, places[free], resting_px, lost)
    else:
        seen = Looked.of(reader.namer(image, lost))
    looks = [_look(seen, at, float(score)) for at, score in enumerate(scores)]
    looks += [_look(seen, count + at, 0.0, found=False) for at in range(len(lost))]
    return looks, faint_px


def _look(looked: Looked, at: int, score: float, found: bool = True) -> Look:
    return Look(looked.quads_px[at], Evidence.of(looked, at, score), found)


def _detections(
    detector: Detector, image: np.ndarray, rest: Rest, resting_px: np.ndarray
) -> tuple[Detections, np.ndarray | None]:
    """Return what is found where the picture changed, and all of its faint places, None where only parts were read."""
    boxes = rest.changed_px
    if boxes is not None and not len(boxes):
        return Detections(), None
    if boxes is not None and len(resting_px):
        return detector.detect_in(image, boxes, resting_px), None
    detections = detect_in_pieces(detector, image)
    return detections if boxes is None else detections.inside(boxes), detections.faint_px


def moved_with(quad_px: np.ndarray, move: np.ndarray) -> np.ndarray:
    """Return a quad `(4, 2) float32` after a homography `(3, 3)`."""
    return cv2.perspectiveTransform(quad_px[None].astype(np.float64), move)[0].astype(np.float32)


def taken(places_px: np.ndarray, known_px: np.ndarray) -> np.ndarray:
    """Return which places `(N, 4, 2)` hold a tile that is known `(M, 4, 2)` already, `(N,)` bool."""
    return ~free_places(places_px.mean(axis=1), known_px.mean(axis=1), SAME_PLACE * sizes_wh_px(known_px)[:, 0])
