"""Reclassification of tiles with uncertain labels: test-time augmentation, or a new detection with refined corners.

The mean of several crops is right more often than one crop, and less certain if it is wrong. Corners that were refined
wrongly stay wrong in every frame, until a new detection is refined from several starting quads.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, are_among
from tilekeeper.vision.geometry.proximity import are_taken, match_nearest_first
from tilekeeper.vision.geometry.quads import centres_px, distances_px, sizes_wh_px, turn_upside_down
from tilekeeper.vision.geometry.table_plane import fit_plane, nearest_tile_shapes
from tilekeeper.vision.pipeline import Reader
from tilekeeper.vision.recognition.classifier import AUGMENTED_CROP_COUNT, Classifier, classify_augmented
from tilekeeper.vision.recognition.refinement.refine import MIN_PROPOSAL_GAIN_PROB, refine_corners, required_certainty
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.scoring.decision import MIN_FIRM_DETECTION_SCORE
from tilekeeper.vision.tile_table import NONE, SetMembership, TileTable

MIN_CONFIDENT_PROB = 0.9  # tiles with a less likely label are detected again, with all other tiles as references
REDETECTION_CROP_COUNTS = (1, 3)  # an uncertain tile is detected again one frame after its first crop, and two later
MAX_REDETECTION_DISTANCE_WIDTHS = 0.6  # a new detection belongs to a track if the centres are closer than this
MAX_REDETECTED_TILES = 4  # at most this many uncertain tiles are detected again in one frame
MAX_CROPS_PER_TILE = 6  # settled frames in which a tile without a locked label is classified; more do not help
MAX_RECLASSIFIED_TILES = 8  # tiles classified again in one settled frame, so that no frame takes long


def are_waiting(tracks: TileTable) -> Bools:
    """Return a mask `(N,)` of the tracks to classify again: their label or their membership of the set is uncertain."""
    is_uncertain = (tracks.locked_label == NONE) | (tracks.membership == SetMembership.SUSPECT)
    is_open = ~tracks.covered & (tracks.person_label == NONE) & (tracks.crop_count < MAX_CROPS_PER_TILE)
    return np.asarray(is_uncertain & is_open)


def examine_again(reader: Reader, scene: Scene, tracks: TileTable) -> TileTable:
    """Classify some of the waiting tracks again, or detect them again; return all tracks. At least one must be waiting.

    Tracks with the fewest crops come first. A suspect that is likely a tile now is compared with the set again.
    """
    # Due for a new detection are firm detections of which the classifier is uncertain.
    is_due = (tracks.membership != SetMembership.FOREIGN) & are_among(tracks.crop_count, REDETECTION_CROP_COUNTS)
    is_due &= (tracks.score >= MIN_FIRM_DETECTION_SCORE) & (tracks.certainty() < MIN_CONFIDENT_PROB)
    order = np.lexsort((tracks.track, tracks.crop_count, ~is_due))
    waiting = order[are_waiting(tracks)[order]]
    to_detect = waiting[:MAX_REDETECTED_TILES][is_due[waiting[:MAX_REDETECTED_TILES]]]
    to_classify = waiting[:MAX_RECLASSIFIED_TILES]
    to_classify = to_classify[~are_among(to_classify, to_detect)]
    after = tracks.copy()
    if len(to_detect):
        known = tracks.at(np.setdiff1d(np.arange(len(tracks)), to_detect))
        looks, is_better = redetect(reader, scene, tracks.at(to_detect), known)
        after.put(to_detect[is_better], looks.at(is_better))
        to_classify = np.concatenate([to_classify, to_detect[~is_better]])
    if len(to_classify):
        after.put(to_classify, reclassify(reader.classifier, scene.image_bgr, tracks.at(to_classify)))
    is_examined = are_among(after.track, tracks.track[np.concatenate([to_classify, to_detect])])
    is_doubted = are_among(after.membership, (SetMembership.SUSPECT, SetMembership.FOREIGN)) & after.is_tile
    after.membership[is_doubted & is_examined] = SetMembership.RECONSIDERED
    return after


def reclassify(classifier: Classifier, image_bgr: Image, tracks: TileTable) -> TileTable:
    """Return the tracks with the mean over several jittered crops averaged in; upside-down tiles are turned."""
    looks = classify_augmented(classifier, image_bgr, tracks.quads_px, tracks.crop_count)
    after = tracks.with_crops(looks, np.zeros(len(tracks), bool), AUGMENTED_CROP_COUNT)
    is_upside_down = (after.upside_down_log_odds > 0) & after.is_tile
    after.quads_px = np.where(is_upside_down[:, None, None], turn_upside_down(tracks.quads_px), tracks.quads_px)
    after.upside_down_log_odds = np.where(is_upside_down, -after.upside_down_log_odds, after.upside_down_log_odds)
    return after


def redetect(reader: Reader, scene: Scene, tracks: TileTable, known: TileTable) -> tuple[TileTable, Bools]:
    """Detect the tracks again in this scene; return new quads and labels, and a mask `(N,)` of those that are better.

    `known`: the other tiles, at whose places no track may be detected.
    """
    certain_px = known.quads_px[known.certainty() >= MIN_CONFIDENT_PROB]
    detected_px, scores = _detect_near(reader, scene, tracks.quads_px, certain_px)
    starts = [_starts(quad_px, certain_px) for quad_px in detected_px]
    track_of_start = np.repeat(np.arange(len(tracks)), [len(quads) for quads in starts])
    starts_px, image_bgr = np.concatenate(starts), scene.image_bgr
    looks = refine_corners(reader.classifier, image_bgr, reader.classifier(image_bgr, starts_px), starts_px)
    certainty = np.where(looks.upside_down_log_odds > 0, 0.0, looks.certainty())
    if len(certain_px):
        certainty[are_taken(looks.quads_px, certain_px)] = 0.0
    best = np.where(track_of_start == np.arange(len(tracks))[:, None], certainty, -1.0).argmax(axis=1)
    chosen = looks.at(best)
    is_better = certainty[best] > required_certainty(tracks.certainty(), chosen, MIN_PROPOSAL_GAIN_PROB)
    detected = TileTable.from_classification(chosen, np.maximum(scores, tracks.score))
    after = replace(
        detected,
        track=tracks.track,
        covered=tracks.covered,
        person_label=tracks.person_label,
        membership=tracks.membership,
        membership_doubts=tracks.membership_doubts,
        tile_prob=tracks.tile_prob,
        crop_count=tracks.crop_count + 1,
    )
    return after, is_better


def _detect_near(reader: Reader, scene: Scene, quads_px: Floats, certain_px: Floats) -> tuple[Floats, Floats]:
    """Return new quads `(N, 4, 2)` of tiles at `quads_px`, and scores; an undetected tile keeps its quad, with 0."""
    found_px, scores = quads_px.copy(), np.zeros(len(quads_px))
    if not len(certain_px):
        return found_px, scores
    # The quad of an uncertain tile may have collapsed, so it is at least as wide as usual.
    widths = np.maximum(sizes_wh_px(quads_px)[:, :1], np.median(sizes_wh_px(certain_px)[:, 0]))
    middles = quads_px.mean(axis=1)
    boxes = np.concatenate([middles - widths, middles + widths], axis=1)
    detections = reader.detector.detect_in(scene, boxes.astype(np.float32), certain_px)
    free = ~are_taken(detections.quads_px, certain_px)
    places_px, place_scores = detections.quads_px[free], detections.scores[free]
    distances = distances_px(middles, places_px.mean(axis=1)) / widths
    for track, place in match_nearest_first(distances, MAX_REDETECTION_DISTANCE_WIDTHS).items():
        found_px[track], scores[track] = places_px[place], place_scores[place]
    return found_px, scores


def _starts(quad_px: Floats, certain_px: Floats) -> Floats:
    """Return starting quads `(K, 4, 2)` for the refinement of a detection: itself, and two in the plane's shape.

    One of these has its own direction, the other that of the nearest certain tile. Without a plane K is 1.
    """
    starts = [quad_px]
    if (plane := fit_plane(certain_px)) is not None:
        middle = centres_px(quad_px[None])
        starts += [plane.shapes(middle, quad_px[None])[0], nearest_tile_shapes(middle, certain_px)[0]]
    return np.array(starts, np.float32)
