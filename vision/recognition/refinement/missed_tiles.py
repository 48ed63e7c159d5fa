"""Search for missed tiles: where the image shows the face of a tile, but none was found."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints
from tilekeeper.vision.geometry.face_color import face_shares, find_uncovered_faces
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS, are_free, suppress_duplicates
from tilekeeper.vision.geometry.quads import centres_px, covered_share, distances_px, shares_inside, sizes_wh_px
from tilekeeper.vision.geometry.table_plane import nearest_tile_shapes, rotated_tile_shapes
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
MIN_SHIFTED_FACE_SHARE = 0.7  # a quad half a tile aside is tried only if this share of it shows a face
TRIED_DIRECTIONS_COUNT = 12  # A peak is covered by quads in this many directions, which divide half a turn evenly.
MAX_TRIED_DIRECTIONS_COUNT = 4  # of these, the directions that cover most of a face are tried


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
    shapes_px = found.quads_px[is_anchor if certainty.any() else slice(None)].astype(np.float64)
    if not len(shapes_px):
        return found
    tile_px = float(np.sqrt(np.median(sizes_wh_px(shapes_px).prod(axis=1))))
    rejected_px, new = centres_px(found.quads_px[certainty == 0]), Appearances.empty()
    # Where the first places show no tile, more are tried; a tile that was read uncovers the next one on a wide face.
    for is_last in (False, True):
        known_px = np.concatenate([taken_px, new.quads_px])
        peaks_px = find_uncovered_faces(faces, known_px, tile_px)[:MAX_TRIED_PLACES_COUNT]
        places_px = _propose_places(faces, peaks_px, shapes_px, is_last).astype(np.float32)
        apart_px = MIN_NEXT_TILE_DISTANCE_WIDTHS * sizes_wh_px(places_px)[:, :1]
        is_tried = are_free(centres_px(places_px), centres_px(known_px), apart_px)
        is_tried &= shares_inside(places_px, image_bgr.shape[1::-1]) >= MIN_INSIDE_IMAGE_SHARE
        if not is_tried.any():
            break
        places_px = places_px[is_tried]
        answers = classify_and_refine(classifier, image_bgr, places_px)
        middles, widths = centres_px(answers.quads_px), sizes_wh_px(places_px)[:, 0]
        # A place that the detector found as well needs less certainty, although its own quad showed no tile.
        is_detected = ~answers.is_joker & ~are_free(middles, rejected_px, MAX_SAME_DETECTION_WIDTHS * widths[:, None])
        # A certain tile with an uncertain number is flagged rather than missed.
        is_flagged = is_detected | answers.is_surely_numbered
        accepted = answers.certainty() >= np.where(is_flagged, MIN_FLAGGED_LABEL_PROB, MIN_CONFIDENT_LABEL_PROB)
        accepted &= np.linalg.norm(middles - centres_px(places_px), axis=1) < MAX_CANDIDATE_SHIFT_WIDTHS * widths
        sure_px = np.concatenate([found.quads_px[certain], new.quads_px])
        new_here = select_new_tiles(answers, accepted, known_px, sure_px, apart_px[is_tried, 0])
        new = Appearances.concatenate([new, new_here])
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


def _propose_places(faces: FaceMap, peaks_px: Floats, shapes_px: Floats, with_more: bool) -> Floats:
    """Return two quads at each peak `(P, 2)`: in the nearest tile's direction, and as it covers most of the face.

    `with_more`: add other directions, because print disturbs a face's direction, and quads half a tile aside that show
    a face, because a face-down tile beside a missed one moves the peak between both.
    """
    turned = _turned_to_faces(faces, peaks_px, shapes_px)
    quads = np.concatenate([nearest_tile_shapes(peaks_px, shapes_px), turned[0]])
    if not with_more:
        return quads
    halves = (quads[:, 1:3] - quads[:, :2]) / 2
    aside = np.concatenate([quads + sign * halves[:, side, None] for side in (0, 1) for sign in (-1, 1)])
    aside = aside[face_shares(faces, aside) >= MIN_SHIFTED_FACE_SHARE]
    return np.concatenate([quads, *turned[1:MAX_TRIED_DIRECTIONS_COUNT], aside])


def _turned_to_faces(faces: FaceMap, points_px: Floats, shapes_px: Floats) -> Floats:
    """Return quads `(D, P, 4, 2)` at points `(P, 2)` in each direction, for each point in order of the face covered.

    The shape is that of the tiles `shapes_px (N, 4, 2)`, N > 0.
    """
    turned = rotated_tile_shapes(points_px, shapes_px, TRIED_DIRECTIONS_COUNT)
    shares = face_shares(faces, turned.reshape(-1, 4, 2)).reshape(turned.shape[:2])
    order = np.argsort(-shares, axis=1, kind="stable")
    return np.asarray(np.take_along_axis(turned, order[..., None, None], 1).swapaxes(0, 1))
