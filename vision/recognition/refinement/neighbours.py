"""Search for missed tiles: beside the tiles of a row, in their shape, and at weak detections.

Tiles of a meld touch, so the place of the next tile is known. A place is classified only if it is as white as a tile.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints
from tilekeeper.vision.geometry.face_color import light_and_tint
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS, are_free, suppress_duplicates
from tilekeeper.vision.geometry.quads import (
    axes_px,
    centres_px,
    covered_share,
    distances_px,
    shares_inside,
    sizes_wh_px,
)
from tilekeeper.vision.recognition.classifier import Classifier, classify_upright
from tilekeeper.vision.recognition.refinement.refine import CORNER_REFINEMENT_ROUNDS, MIN_CORNER_SHIFT_WIDTHS
from tilekeeper.vision.scene import Scene
from tilekeeper.vision.tile_table import MIN_CONFIDENT_LABEL_PROB, MIN_FLAGGED_LABEL_PROB, Appearances

JOKER_PENALTY_PROB = 0.05  # A joker loses this against an overlapping candidate: half a number resembles a joker.
MAX_SAME_DETECTION_WIDTHS = 0.35  # A number this close to a non-tile detection needs only MIN_FLAGGED_LABEL_PROB.
MAX_CANDIDATE_COVERED_SHARE = 0.4  # A candidate for a missed tile is dropped if one known tile covers more than this.
MAX_NEIGHBOUR_DIFF_LOG = (0.3, 0.12)  # Light and tint of a tried place differ by less from the neighbouring tile's.
MIN_ANCHOR_LABEL_PROB = 0.5  # Missed tiles are searched for beside anchor tiles, with a label at least this likely.
ROW_GAP_RANGE_WIDTHS = (1.3, 2.6)  # The place halfway between two tiles of a row is tried if their distance is in range
MAX_ROW_OFFSET_WIDTHS = 0.3  # Two tiles share a row only if one centre is this near the other's horizontal axis.
MIN_ROW_ALIGNMENT_COSINE = 0.9  # Axes of two tiles of a row have a cosine above this; upside down is the same.
MAX_WEAK_KEPT_SIZE_LOG = 0.3  # A weak detection keeps its size if the nearest anchor tile's differs by less.
MAX_WEAK_RESCALE_LOG = 0.75  # Collapsed weak detections get the nearest anchor tile's size if they differ by less.
MAX_SIZE_DEVIATION_LOG = 0.2  # An uncertain quad that differs more in size from a confident tile blocks no place.
MAX_WEAK_DUPLICATE_WIDTHS = 0.3  # Closer weak detections are duplicates; those half a tile apart may be two tiles.
MIN_INSIDE_IMAGE_SHARE = 0.85  # A place is tried only if at least this share of its area is inside the image.
MAX_CANDIDATE_SHIFT_WIDTHS = 0.45  # A missed tile is accepted only if its centre is within this of the tried place.
MAX_TRIED_PLACES_COUNT = 24  # At most this many places in rows, and as many weak detections, are tried per search round
MAX_NEIGHBOUR_SEARCH_ROUNDS = 3


def add_missed_tiles(
    classifier: Classifier, scene: Scene, found: Appearances, weak_px: Floats | None = None, beside: Bools | None = None
) -> Appearances:
    """Return the N tiles `found`, and after them the missed tiles.

    `weak_px`: weak detections `(K, 4, 2)`, best first; `beside`: mask `(N,)` of tiles to search beside, None for all.
    """
    weak_px = np.zeros((0, 4, 2)) if weak_px is None else weak_px
    beside = np.ones(len(found), bool) if beside is None else beside
    for _ in range(MAX_NEIGHBOUR_SEARCH_ROUNDS):
        certainty = found.certainty()
        certain = np.flatnonzero(certainty >= MIN_CONFIDENT_LABEL_PROB)
        # Unreadable and oversized quads may be wrong detections of the missed tile, so they do not block a place.
        is_anchor = certainty >= MIN_ANCHOR_LABEL_PROB
        taken_px = found.quads_px[is_anchor & ~_have_wrong_size(found.quads_px, certainty, certain)]
        places_px = _find_free_places(scene, found.quads_px[beside & is_anchor], taken_px, weak_px)
        if not len(places_px):
            break
        answers = classify_and_refine(classifier, scene.image_bgr, places_px)
        middles, widths = centres_px(answers.quads_px), sizes_wh_px(places_px)[:, 0]
        # A place that the detector found as well needs less certainty, although its own quad showed no tile.
        rejected_px, same_px = centres_px(found.quads_px[certainty == 0]), MAX_SAME_DETECTION_WIDTHS * widths
        is_detected = ~answers.is_joker & ~are_free(middles, rejected_px, same_px[:, None])
        # A certain tile with an uncertain number is flagged rather than missed.
        is_flagged = is_detected | answers.is_surely_numbered
        accepted = answers.certainty() >= np.where(is_flagged, MIN_FLAGGED_LABEL_PROB, MIN_CONFIDENT_LABEL_PROB)
        accepted &= np.linalg.norm(middles - centres_px(places_px), axis=1) < MAX_CANDIDATE_SHIFT_WIDTHS * widths
        apart_px = MIN_NEXT_TILE_DISTANCE_WIDTHS * widths
        new = select_new_tiles(answers, accepted, taken_px, found.quads_px[certain], apart_px)
        if not len(new):
            break
        # The next round searches only beside the new tiles.
        beside, weak_px = np.arange(len(found) + len(new)) >= len(found), weak_px[:0]
        found = Appearances.concatenate([found, new])
    return found


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


def _find_free_places(scene: Scene, sure_px: Floats, taken_px: Floats, faint_px: Floats) -> Floats:
    """Return quads `(M, 4, 2) float32` of free places that are as white as the neighbouring certain tile.

    Places are left and right of each certain tile, halfway between two tiles of a row, and at weak detections of a
    tile's size. Of overlapping places beside or between tiles the whitest is kept, of weak detections the first.
    """
    quads, no_places = sure_px.astype(np.float64), np.zeros((0, 4, 2), np.float32)
    if not len(quads):
        return no_places
    right, _ = axes_px(quads)
    weak_px, lenders = _with_usual_size(faint_px.astype(np.float64), quads)
    between, between_lenders = _halfway_places(quads, right)
    places = np.concatenate([quads + right[:, None], quads - right[:, None], between, weak_px])
    lenders = np.concatenate([np.tile(np.arange(len(quads)), 2), between_lenders, lenders])
    middles, widths = centres_px(places), np.linalg.norm(right, axis=1)[lenders]
    apart_px = MIN_NEXT_TILE_DISTANCE_WIDTHS * widths
    is_free = are_free(middles, centres_px(taken_px), apart_px[:, None])
    at = np.flatnonzero(is_free & (shares_inside(places, scene.wh) >= MIN_INSIDE_IMAGE_SHARE))
    if not len(at):
        return no_places
    light, tint = light_and_tint(scene.face_whites(places[at]), scene.face_whites(quads[lenders[at]]))
    scores = np.full(len(places), -np.inf)
    scores[at] = -(np.abs(light) + tint)
    at = at[(np.abs(light) < MAX_NEIGHBOUR_DIFF_LOG[0]) & (tint < MAX_NEIGHBOUR_DIFF_LOG[1])]
    # Duplicates are suppressed within each kind of place, so that no kind displaces another.
    beside, halfway, weak = np.split(at, np.searchsorted(at, (2 * len(quads), len(places) - len(weak_px))))
    in_rows = np.concatenate([suppress_duplicates(group, middles, apart_px, scores) for group in (halfway, beside)])
    weak_kept = suppress_duplicates(weak, middles, MAX_WEAK_DUPLICATE_WIDTHS * widths)
    chosen = np.concatenate([group[:MAX_TRIED_PLACES_COUNT] for group in (in_rows, weak_kept)])
    return np.asarray(places[chosen], np.float32)


def _halfway_places(quads_px: Floats, right: Floats) -> tuple[Floats, Ints]:
    """Return quads `(B, 4, 2)` halfway between two tiles of a row that leave room, and the tile `(B,)` each copies."""
    middles, widths = centres_px(quads_px), np.linalg.norm(right, axis=1)[:, None]
    offsets = middles[None] - middles[:, None]
    along = np.abs(offsets @ right[:, :, None])[..., 0] / widths**2  # a tile may be upside down
    across = np.abs(offsets[..., 0] * right[:, None, 1] - offsets[..., 1] * right[:, None, 0]) / widths**2
    are_aligned = np.abs(right @ right.T) > MIN_ROW_ALIGNMENT_COSINE * widths * widths.T
    have_room = (along > ROW_GAP_RANGE_WIDTHS[0]) & (along < ROW_GAP_RANGE_WIDTHS[1])
    have_room &= (across < MAX_ROW_OFFSET_WIDTHS) & are_aligned
    firsts, seconds = np.nonzero(np.triu(have_room | have_room.T))
    narrower = np.where(widths[firsts, 0] <= widths[seconds, 0], firsts, seconds)
    half_way = (middles[firsts] + middles[seconds]) / 2
    return quads_px[narrower] + (half_way - middles[narrower])[:, None], narrower


def _with_usual_size(faint_px: Floats, quads_px: Floats) -> tuple[Floats, Ints]:
    """Return the weak detections of about a tile's size, resized to the nearest of `quads_px`, and its index."""
    nearest = distances_px(centres_px(faint_px), centres_px(quads_px)).argmin(axis=1)
    sizes, usual = (np.sqrt(np.prod(sizes_wh_px(quads), axis=1)) for quads in (faint_px, quads_px[nearest]))
    size_logs = np.log(np.maximum(usual, 1e-3) / np.maximum(sizes, 1e-3))
    factor = np.where(np.abs(size_logs) < MAX_WEAK_KEPT_SIZE_LOG, 1.0, np.exp(size_logs))[:, None, None]
    is_usable, middles = np.abs(size_logs) < MAX_WEAK_RESCALE_LOG, faint_px.mean(axis=1, keepdims=True)
    return (middles + factor * (faint_px - middles))[is_usable], nearest[is_usable]
