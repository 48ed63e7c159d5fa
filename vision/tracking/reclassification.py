"""Looks again at tiles whose names are not sure: at other cuts of the same print, and anew from where they are found.

The classifier is misled by one cut of a print and not by the next, a little turned, larger or shifted: the mean of
several is right more often, and above all less sure where it is wrong. Corners that were mended into a wrong place stay
wrong in every frame; only a find of a newer frame, mended from several starts, gets out of there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, are_among
from tilekeeper.vision.geometry.proximity import match_nearest_first
from tilekeeper.vision.geometry.quads import centres_px, distances_px, sizes_wh_px, turn_upside_down
from tilekeeper.vision.geometry.table_plane import fit_plane, nearest_tile_shapes
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.appearance import Classifier
from tilekeeper.vision.recognition.augmentation import AUGMENTED_CROP_COUNT, classify_augmented
from tilekeeper.vision.recognition.refinement.proposals import (
    MIN_PROPOSAL_GAIN_PROB,
    refine_corners,
    required_certainty,
)
from tilekeeper.vision.scoring.decision import MIN_FIRM_DETECTION_SCORE
from tilekeeper.vision.scoring.tile_table import SetMembership, TileTable
from tilekeeper.vision.tracking.redetection import taken

# A tile with a lower class probability is detected and classified again; the others serve as its references.
MIN_CONFIDENT_PROB = 0.9
# An uncertain tile is detected again after each of these crop counts: one frame after its first crop, and two later.
REDETECTION_CROP_COUNTS = (1, 3)
# A new detection belongs to a track if its centre is closer than this to the tile's old place.
MAX_REDETECTION_DISTANCE_WIDTHS = 0.6


def reclassified(classifier: Classifier, image: Image, tracks: TileTable) -> TileTable:
    """Return the tracks with one more look at each, the mean of several cuts; turned where all looks say so."""
    means = classify_augmented(classifier, image, tracks.quads_px, tracks.crop_count)
    after = tracks.with_crops(means, np.zeros(len(tracks), bool), AUGMENTED_CROP_COUNT)
    over = (after.upside_down_log_odds > 0) & after.is_tile
    after.quads_px = np.where(over[:, None, None], turn_upside_down(tracks.quads_px), tracks.quads_px)
    after.upside_down_log_odds = np.where(over, -after.upside_down_log_odds, after.upside_down_log_odds)
    return after


def is_uncertain(tracks: TileTable) -> Bools:
    """Which tiles should be found and mended anew, `(N,)`: the detector is sure of them, and the classifier is not."""
    due = (tracks.membership != SetMembership.FOREIGN) & are_among(tracks.crop_count, REDETECTION_CROP_COUNTS)
    due &= (tracks.score >= MIN_FIRM_DETECTION_SCORE) & (tracks.certainty() < MIN_CONFIDENT_PROB)
    return np.asarray(due)


def redetected(reader: Reader, image: Image, tracks: TileTable, known: TileTable) -> tuple[TileTable, Bools]:
    """Return the tracks as they are seen where the detector sees them in this picture, and which of them so are better.

    `known` are the other tiles, whose places none of these can take.
    """
    sure_px = known.quads_px[known.certainty() >= MIN_CONFIDENT_PROB]
    found, scores = _found(reader, image, tracks.quads_px, sure_px)
    starts = [_starts(quad_px, sure_px) for quad_px in found]
    whose = np.repeat(np.arange(len(tracks)), [len(those) for those in starts])
    places = np.concatenate(starts)
    seen = refine_corners(reader.classifier, image, reader.classifier(image, places), places)
    sureness = np.where(seen.upside_down_log_odds > 0, 0.0, seen.certainty())
    if len(sure_px):
        sureness[taken(seen.quads_px, sure_px)] = 0.0
    best = np.where(whose == np.arange(len(tracks))[:, None], sureness, -1.0).argmax(axis=1)
    chosen = seen.at(best)
    better = sureness[best] > required_certainty(tracks.certainty(), chosen, MIN_PROPOSAL_GAIN_PROB)
    anew = TileTable.from_classification(chosen, np.maximum(scores, tracks.score))
    after = replace(
        anew,
        track=tracks.track,
        covered=tracks.covered,
        person_label=tracks.person_label,
        membership=tracks.membership,
        membership_doubts=tracks.membership_doubts,
        tile_prob=tracks.tile_prob,
        crop_count=tracks.crop_count + 1,
    )
    return after, better


def _found(reader: Reader, image: Image, quads_px: Floats, sure_px: Floats) -> tuple[Floats, Floats]:
    """Return where the detector sees the tiles `(N, 4, 2)` now, in their own places if nowhere, and the scores."""
    own, scores = quads_px.copy(), np.zeros(len(quads_px))
    if not len(sure_px):
        return own, scores
    usual = sizes_wh_px(sure_px)[:, 0]
    middles, widths = own.mean(axis=1), _widths(own, usual)[:, None]
    boxes = np.concatenate([middles - widths, middles + widths], axis=1)
    detections = reader.detector.detect_in(image, boxes.astype(np.float32), sure_px)
    free = ~taken(detections.quads_px, sure_px)
    places, seen = detections.quads_px[free], detections.scores[free]
    apart = distances_px(middles, places.mean(axis=1)) / widths
    for track, find in match_nearest_first(apart, MAX_REDETECTION_DISTANCE_WIDTHS).items():
        own[track], scores[track] = places[find], seen[find]
    return own, scores


def _widths(quads_px: Floats, usual_px: Floats) -> Floats:
    """Widths of quads that may have collapsed: no less than is usual."""
    return np.asarray(np.maximum(sizes_wh_px(quads_px)[:, 0], np.median(usual_px)))


def _starts(found_px: Floats, sure_px: Floats) -> Floats:
    """Return what is mended of a find `(4, 2)`: itself, in a tile's shape there, and turned as the tile next to it."""
    starts = [found_px]
    if (plane := fit_plane(sure_px)) is not None:
        middle = centres_px(found_px[None])
        starts += [plane.shapes(middle, found_px[None])[0], nearest_tile_shapes(middle, sure_px)[0]]
    return np.array(starts, np.float32)
