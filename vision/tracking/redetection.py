"""Observes what changed in a still picture: every tile found there, and places of tiles that are not found any more."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from tilekeeper.vision.config import config
from tilekeeper.vision.detection.tiling import detect_in_pieces
from tilekeeper.vision.geometry.proximity import free_places
from tilekeeper.vision.geometry.quads import sizes_wh_px
from tilekeeper.vision.pipeline import Reader, evidence_of
from tilekeeper.vision.recognition.appearance import Appearances
from tilekeeper.vision.recognition.refinement.neighbours import add_missed_tiles
from tilekeeper.vision.recognition.refinement.refine import name_tiles
from tilekeeper.vision.scoring.candidates import Candidate
from tilekeeper.vision.scoring.evidence import Evidence
from tilekeeper.vision.tracking.association import Observation
from tilekeeper.vision.tracking.motion_detection import Rest
from tilekeeper.vision.tracking.regions import in_outlines
from tilekeeper.vision.types import Detections, Detector


def observe(
    reader: Reader, image: np.ndarray, rest: Rest, again: Sequence[Candidate], resting_px: np.ndarray
) -> tuple[list[Observation], np.ndarray | None]:
    """Return what is observed where a picture `(H, W, 3) uint8` changed, and the places that are too faint for tiles.

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
    places, scores = places[free], detections.scores[free]
    if not len(places) and not len(lost):
        return [], faint_px
    if not len(places):
        bare = reader.namer(image, lost)
        return _at_lost_places(bare), faint_px
    # where tiles lay is mostly the bare table: one look is enough, of which the detector says nothing
    seen, bare = name_tiles(reader.namer, image, places, resting_px, lost).parts(len(places))
    if rest.changed_px is None and faint_px is not None:
        seen = add_missed_tiles(reader.namer, image, seen, faint_px)
    evidence = evidence_of(seen, scores, reader.calibration.limits.sure_score)
    observations = [Observation(quad_px, one, True) for quad_px, one in zip(seen.quads_px, evidence, strict=True)]
    missed = seen.quads_px[len(places) :]
    barred = np.zeros(len(missed), bool)
    if len(missed) and len(resting_px):
        barred |= taken(missed, resting_px)
    if len(missed) and rest.hidden_px:
        barred |= in_outlines(missed, rest.hidden_px)
    observations[len(places) :] = [
        look for look, is_barred in zip(observations[len(places) :], barred, strict=True) if not is_barred
    ]
    return observations + _at_lost_places(bare), faint_px


def _at_lost_places(bare: Appearances) -> list[Observation]:
    return [Observation(bare.quads_px[at], Evidence.of(bare, at, 0.0), False) for at in range(len(bare.quads_px))]


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
    return np.asarray(cv2.perspectiveTransform(quad_px[None].astype(np.float64), move)[0], np.float32)


def taken(places_px: np.ndarray, known_px: np.ndarray) -> np.ndarray:
    """Return which places `(N, 4, 2)` hold a tile that is known `(M, 4, 2)` already, `(N,)` bool."""
    limits = config().tracking
    return ~free_places(places_px.mean(axis=1), known_px.mean(axis=1), limits.taken_place * sizes_wh_px(known_px)[:, 0])
