"""Search for missed tiles: where the image shows the face of a tile, but none was found."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints, no_quads
from tilekeeper.vision.geometry.face_color import face_shares, find_uncovered_faces
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS, are_free, suppress_duplicates
from tilekeeper.vision.geometry.quads import (
    TILE_ASPECT,
    areas_px,
    centres_px,
    covered_share,
    distances_px,
    shares_inside,
    sizes_wh_px,
)
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane, nearest_tile_shapes, rotated_quads
from tilekeeper.vision.recognition.classifier import Classifier, classify_upright
from tilekeeper.vision.recognition.refinement.refine import CORNER_REFINEMENT_ROUNDS, MIN_CORNER_SHIFT_WIDTHS
from tilekeeper.vision.tile_table import MIN_CONFIDENT_LABEL_PROB, MIN_FLAGGED_LABEL_PROB, Appearances
from tilekeeper.vision.types import FaceMap

JOKER_PENALTY_PROB = 0.05  # A joker loses this against an overlapping candidate: half a number resembles a joker.
MAX_SAME_DETECTION_WIDTHS = 0.35  # A number this close to a non-tile detection needs only MIN_FLAGGED_LABEL_PROB.
MAX_CANDIDATE_COVERED_SHARE = 0.4  # A candidate for a missed tile is dropped if one known tile covers more than this.
MIN_ANCHOR_LABEL_PROB = 0.5  # A tile with a label at least this likely gives its shape to missed tiles near it.
MAX_SIZE_DEVIATION_LOG = 0.2  # An uncertain quad that differs more in size from a confident tile blocks no place.
MIN_INSIDE_IMAGE_SHARE = 0.85  # A place is tried only if at least this share of its area is inside the image.
MAX_CANDIDATE_SHIFT_WIDTHS = 0.45  # A missed tile is accepted only if its centre is within this of the tried place.
MAX_TRIED_PLACES_COUNT = 24  # At most this many peaks of the face map are tried.
TRIED_DIRECTIONS_COUNT = 12  # A peak is covered by quads in this many directions, which divide half a turn evenly.


def add_missed_tiles(
    classifier: Classifier, image_bgr: Image, found: Appearances, faces: FaceMap | None
) -> Appearances:
    """Return the N tiles `found` in an image, and after them the missed tiles.

    `faces`: where the image shows faces of tiles; if None, no tile is searched for.
    """
    if faces is None:
        return found
    certainty = found.certainty()
    certain = np.flatnonzero(certainty >= MIN_CONFIDENT_LABEL_PROB)
    # Unreadable and oversized quads may be wrong detections of the missed tile, so they do not block a place.
    is_anchor = certainty >= MIN_ANCHOR_LABEL_PROB
    taken_px = found.quads_px[is_anchor & ~_have_wrong_size(found.quads_px, certainty, certain)]
    # A quad that shows no tile may still have the shape of the only one.
    places_px = _find_free_places(faces, found.quads_px[is_anchor if certainty.any() else slice(None)], taken_px)
    places_px = places_px[shares_inside(places_px, image_bgr.shape[1::-1]) >= MIN_INSIDE_IMAGE_SHARE]
    if not len(places_px):
        return found
    answers = classify_and_refine(classifier, image_bgr, places_px)
    middles, widths = centres_px(answers.quads_px), sizes_wh_px(places_px)[:, 0]
    # A place that the detector found as well needs less certainty, although its own quad showed no tile.
    rejected_px = centres_px(found.quads_px[certainty == 0])
    is_detected = ~answers.is_joker & ~are_free(middles, rejected_px, MAX_SAME_DETECTION_WIDTHS * widths[:, None])
    # A certain tile with an uncertain number is flagged rather than missed.
    is_flagged = is_detected | answers.is_surely_numbered
    accepted = answers.certainty() >= np.where(is_flagged, MIN_FLAGGED_LABEL_PROB, MIN_CONFIDENT_LABEL_PROB)
    accepted &= np.linalg.norm(middles - centres_px(places_px), axis=1) < MAX_CANDIDATE_SHIFT_WIDTHS * widths
    apart_px = MIN_NEXT_TILE_DISTANCE_WIDTHS * widths
    new = select_new_tiles(answers, accepted, taken_px, found.quads_px[certain], apart_px)
    return Appearances.concatenate([found, new])


def select_new_tiles(
    answers: Appearances, is_kept: Bools, known_px: Floats, sure_px: Floats, apart_px: Floats
) -> Appearances:
    """Return the answers that are new tiles, at each place only the most certain answer.

    `is_kept`: mask `(N,)` of the answers that are certain enough; `known_px`: known tiles `(K, 4, 2)`, from which a new
    tile is at least `apart_px (N,)` away; `sure_px`: certain tiles `(M, 4, 2)` that must not cover much of a new tile.
    """
    middles = centres_px(answers.quads_px)
    # After the correction of its corners an answer may be at the place of a known tile.
    is_kept = is_kept & (answers.upside_down_log_odds <= 0) & are_free(middles, centres_px(known_px), apart_px[:, None])
    # A crop of two half tiles may resemble a third.
    new = [
        i for i in np.flatnonzero(is_kept) if covered_share(answers.quads_px[i], sure_px) <= MAX_CANDIDATE_COVERED_SHARE
    ]
    scores = answers.certainty() - JOKER_PENALTY_PROB * answers.is_joker
    return answers.at(np.sort(suppress_duplicates(np.array(new, int), middles, apart_px, scores)))


def _have_wrong_size(quads_px: Floats, certainty: Floats, certain: Ints) -> Bools:
    """Return a mask `(N,)` of the uncertain quads that differ in size from the nearest tile of `certain (S,)`."""
    if len(certain) in (0, len(quads_px)):
        return np.zeros(len(quads_px), bool)
    nearest = certain[distances_px(centres_px(quads_px), centres_px(quads_px[certain])).argmin(axis=1)]
    sizes = np.log(np.maximum(sizes_wh_px(quads_px), 1e-3)).mean(axis=1)
    is_other_size = np.abs(sizes - sizes[nearest]) > MAX_SIZE_DEVIATION_LOG
    return np.asarray(is_other_size & (certainty < MIN_CONFIDENT_LABEL_PROB))


def classify_and_refine(classifier: Classifier, image_bgr: Image, places_px: Floats) -> Appearances:
    """Classify the quads `(N, 4, 2)`; correct their corners and classify again as long as the certainty does not fall.

    A quad may be off by a third of a tile: then its crop shows no tile, but the corrected quad does.
    """
    answers, shown_px = classify_upright(classifier, image_bgr, places_px), places_px
    min_shifts_px = MIN_CORNER_SHIFT_WIDTHS * sizes_wh_px(places_px)[:, 0]
    for _ in range(CORNER_REFINEMENT_ROUNDS):
        is_moved = np.linalg.norm(centres_px(answers.quads_px) - centres_px(shown_px), axis=1) > min_shifts_px
        uncertain = np.flatnonzero(is_moved & (answers.certainty() < MIN_CONFIDENT_LABEL_PROB))
        if not len(uncertain):
            break
        shown_px = answers.quads_px.copy()
        refined = classify_upright(classifier, image_bgr, shown_px[uncertain])
        # Non-tiles most resemble jokers, so a joker at a later crop is no evidence.
        better = ~refined.is_joker & (refined.certainty() >= answers.certainty()[uncertain])
        answers.put(uncertain[better], refined.at(better))
    return answers


def _find_free_places(faces: FaceMap, sure_px: Floats, taken_px: Floats) -> Floats:
    """Return quads `(M, 4, 2) float32` of free places that show the face of a tile.

    Places are the peaks of the face map outside the tiles `taken_px`, twice in the shape of a tile: once turned like
    the nearest tile of `sure_px`, once as it covers most of the face.
    """
    quads = sure_px.astype(np.float64)
    if not len(quads):
        return no_quads()
    peaks = find_uncovered_faces(faces, taken_px, float(np.sqrt(np.median(areas_px(quads)))))[:MAX_TRIED_PLACES_COUNT]
    places = np.concatenate([nearest_tile_shapes(peaks, quads), _turned_to_faces(faces, peaks, quads)])
    apart_px = MIN_NEXT_TILE_DISTANCE_WIDTHS * sizes_wh_px(places)[:, :1]
    return np.asarray(places[are_free(centres_px(places), centres_px(taken_px), apart_px)], np.float32)


def _turned_to_faces(faces: FaceMap, points_px: Floats, quads_px: Floats) -> Floats:
    """Return a quad `(P, 4, 2)` at each point `(P, 2)`, in the direction in which it covers most of a face.

    The shape is that of the plane of the tiles `quads_px (N, 4, 2)`, N > 0, or of the nearest one if no plane fits.
    """
    if (plane := fit_plane(quads_px)) is not None:
        turned = plane.rotated_quads(points_px, TRIED_DIRECTIONS_COUNT)
    else:
        axes = axes_of(nearest_tile_shapes(points_px, quads_px), TILE_ASPECT)
        turned = rotated_quads(points_px, axes, TILE_ASPECT, TRIED_DIRECTIONS_COUNT)
    shares = face_shares(faces, turned.reshape(-1, 4, 2)).reshape(-1, TRIED_DIRECTIONS_COUNT)
    return np.asarray(turned[np.arange(len(points_px)), shares.argmax(axis=1)])
