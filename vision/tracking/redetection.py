"""Observes what changed in a still picture: every tile found there, and places of tiles that are not found any more."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.detection.tiling import detect_in_pieces
from tilekeeper.vision.geometry.proximity import MAX_SAME_TILE_DISTANCE_WIDTHS, are_free
from tilekeeper.vision.geometry.quads import sizes_wh_px
from tilekeeper.vision.pipeline import Reader, with_missed
from tilekeeper.vision.recognition.refinement.refine import classify_tiles
from tilekeeper.vision.scoring.tile_table import TileTable
from tilekeeper.vision.tracking.motion_detection import Rest
from tilekeeper.vision.tracking.regions import in_outlines
from tilekeeper.vision.types import Detections, Detector


def observe(
    reader: Reader, image: np.ndarray, rest: Rest, again: TileTable, resting_px: np.ndarray
) -> tuple[TileTable, np.ndarray | None]:
    """Return what is seen where a picture `(H, W, 3) uint8` changed, and the places that are too faint for tiles.

    `again` are the tracks that lay in what changed, `resting_px (N, 4, 2)` the tiles that lie elsewhere and stay. What
    is seen where tiles lay and the detector finds none has a score of 0. The second is `(K, 4, 2)`, None where not all
    of the picture was looked at.
    """
    found, faint_px = found_anew(reader.detector, image, rest, resting_px)
    places, scores = found.quads_px, found.scores
    lost = again.quads_px[again.is_tile]
    if len(lost) and len(places):
        lost = lost[~taken(lost, places)]
    if not len(places):
        nothing = TileTable.none()
        return TileTable.from_classification(reader.classifier(image, lost), np.zeros(len(lost))) if len(
            lost
        ) else nothing, faint_px
    # where tiles lay is mostly the bare table: one look is enough, of which the detector says nothing
    every = classify_tiles(reader.classifier, image, places, resting_px, lost)
    seen, bare = every.at(slice(len(places))), every.at(slice(len(places), None))
    if rest.changed_px is None and faint_px is not None:
        there = with_missed(reader.classifier, image, seen, scores, faint_px, reader.calibration.limits.sure_score)
    else:
        there = TileTable.from_classification(seen, scores)
    was_found = np.arange(len(there)) < len(places)
    there = there.at(was_found | _free(there.quads_px, resting_px, rest))
    return TileTable.concatenate([there, TileTable.from_classification(bare, np.zeros(len(bare)))]) if len(
        bare
    ) else there, faint_px


def found_anew(
    detector: Detector, image: np.ndarray, rest: Rest, resting_px: np.ndarray
) -> tuple[Detections, np.ndarray | None]:
    """Return what is found where a picture `(H, W, 3) uint8` changed, but for the tiles that stay and what covers it.

    `resting_px (N, 4, 2)` are those that stay. The second are all of its faint places, None where only parts were read.
    """
    detections, faint_px = _detections(detector, image, rest, resting_px)
    free = _free(detections.quads_px, resting_px, rest)
    return Detections(detections.quads_px[free], detections.scores[free], detections.faint_px), faint_px


def _free(places_px: np.ndarray, resting_px: np.ndarray, rest: Rest) -> np.ndarray:
    """Return which places `(N, 4, 2)` no tile that stays takes and nothing covers, `(N,)` bool."""
    free: np.ndarray = ~(taken(places_px, resting_px) | in_outlines(places_px, rest.hidden_px))
    return free


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
    return detections if boxes is None else detections.select_inside(boxes), detections.faint_px


def moved_with(quads_px: np.ndarray, move: np.ndarray | None) -> np.ndarray:
    """Return quads `(N, 4, 2) float32` after a homography `(3, 3)`; the very same without one."""
    if move is None or not len(quads_px):
        return quads_px
    return np.asarray(cv2.perspectiveTransform(quads_px.astype(np.float64), move), np.float32)


def taken(places_px: np.ndarray, known_px: np.ndarray) -> np.ndarray:
    """Return which places `(N, 4, 2)` hold a tile that is known `(M, 4, 2)` already, `(N,)` bool."""
    if not len(places_px) or not len(known_px):
        return np.zeros(len(places_px), bool)
    within_px = MAX_SAME_TILE_DISTANCE_WIDTHS * sizes_wh_px(known_px)[:, 0]
    return ~are_free(places_px.mean(axis=1), known_px.mean(axis=1), within_px)
