"""Missed tiles: search beside the tiles of a row, in their shape, and at weak detections.

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
from tilekeeper.vision.recognition.appearance import (
    MIN_CONFIDENT_LABEL_PROB,
    MIN_FLAGGED_LABEL_PROB,
    Appearances,
    Classifier,
    classify_upright,
)
from tilekeeper.vision.recognition.refinement.proposals import CORNER_REFINEMENT_ROUNDS, MIN_CORNER_SHIFT_WIDTHS
from tilekeeper.vision.scene import Scene

# A joker loses this much probability against an overlapping candidate: half a number resembles a joker.
JOKER_PENALTY_PROB = 0.05
# A number closer than this to a detection labelled non-tile needs only MIN_FLAGGED_LABEL_PROB to be accepted.
MAX_SAME_DETECTION_WIDTHS = 0.35
# A candidate for a missed tile is dropped if one known tile covers more than this share of it.
MAX_CANDIDATE_COVERED_SHARE = 0.4
# A place is tried if its log brightness differs by less than this from the neighbouring tile's.
MAX_NEIGHBOUR_LIGHT_LOG = 0.3
# A place is tried if its tint, in log channel ratios, differs by less than this from the neighbouring tile's.
MAX_NEIGHBOUR_TINT_LOG = 0.12
# Missed tiles are searched for beside anchor tiles, whose label has at least this probability.
MIN_ANCHOR_LABEL_PROB = 0.5
# The place halfway between two tiles of a row is tried if the distance of their centres is in this range.
ROW_GAP_RANGE_WIDTHS = (1.3, 2.6)
# Two tiles are in one row only if one centre is less than this off the other tile's horizontal axis.
MAX_ROW_OFFSET_WIDTHS = 0.3
# Two tiles are in one row only if the cosine between their axes exceeds this; upside down makes no difference.
MIN_ROW_ALIGNMENT_COSINE = 0.9
# A weak detection keeps its size if that differs by less than this from the nearest anchor tile's.
MAX_WEAK_KEPT_SIZE_LOG = 0.3
# A weak detection with collapsed corners gets the nearest anchor tile's size if they differ by less than this.
MAX_WEAK_RESCALE_LOG = 0.75
# An uncertain quad that differs more in size from a confident tile blocks no place; pale places allow twice this.
MAX_SIZE_DEVIATION_LOG = 0.2
# Weak detections closer than this are duplicates; those half a tile apart may be two tiles.
MAX_WEAK_DUPLICATE_WIDTHS = 0.3
# A place is tried only if at least this share of its area is inside the image.
MIN_INSIDE_IMAGE_SHARE = 0.85
# A missed tile is accepted only if its centre is less than this away from the tried place.
MAX_CANDIDATE_SHIFT_WIDTHS = 0.45
# At most this many places in rows, and as many weak detections, are tried per search round.
MAX_TRIED_PLACES_COUNT = 24
# The search for missed tiles continues beside newly added ones for at most this many rounds.
MAX_NEIGHBOUR_SEARCH_ROUNDS = 3


def add_missed_tiles(
    classifier: Classifier,
    scene: Scene,
    found: Appearances,
    faint_px: Floats | None = None,
    beside: Bools | None = None,
) -> Appearances:
    """Return the tiles found and after them the missed tiles.

    `classifier`: the classifier; `scene`: the image; `found`: tiles `(N,)`, with the best classification of each;
    `faint_px`: weak detections `(K, 4, 2)`, highest score first; `beside`: which tiles to search beside, `(N,)` bool;
    None for all.
    """
    weak_px = np.zeros((0, 4, 2)) if faint_px is None else faint_px
    beside = np.ones(len(found), bool) if beside is None else beside
    for _ in range(MAX_NEIGHBOUR_SEARCH_ROUNDS):
        known = len(found)
        found = _search_round(classifier, scene, found, beside, weak_px)
        # The next round searches only beside the new tiles.
        beside, weak_px = np.arange(len(found)) >= known, weak_px[:0]
        if len(found) == known:
            break
    return found


def _search_round(
    classifier: Classifier, scene: Scene, found: Appearances, beside: Bools, faint_px: Floats
) -> Appearances:
    """Return the N tiles and those found right beside the tiles in `beside (N,)` bool, or at weak detections."""
    certainty = found.certainty()
    certain = np.flatnonzero(certainty >= MIN_CONFIDENT_LABEL_PROB)
    # Unreadable and oversized quads may be wrong detections of the missed tile, so they do not block a place.
    is_anchor = certainty >= MIN_ANCHOR_LABEL_PROB
    taken_px = found.quads_px[is_anchor & ~_have_wrong_size(found.quads_px, certainty, certain)]
    is_searched = beside & is_anchor
    places_px = _find_free_places(scene, found.quads_px[is_searched], taken_px, faint_px)
    if not len(places_px):
        return found
    answers = classify_and_refine(classifier, scene.image_bgr, places_px)
    widths = sizes_wh_px(places_px)[:, 0]
    shifts = np.linalg.norm(centres_px(answers.quads_px) - centres_px(places_px), axis=1)
    # A place that the detector found as well needs less certainty, although its own quad showed no tile.
    rejected_px = centres_px(found.quads_px[certainty == 0])
    is_detected = ~answers.is_joker & ~are_free(
        centres_px(answers.quads_px), rejected_px, MAX_SAME_DETECTION_WIDTHS * widths[:, None]
    )
    needed = min_certainty(answers, MIN_CONFIDENT_LABEL_PROB)
    accepted = answers.certainty() >= np.where(is_detected, np.minimum(MIN_FLAGGED_LABEL_PROB, needed), needed)
    accepted &= shifts < MAX_CANDIDATE_SHIFT_WIDTHS * widths
    new = select_new_tiles(answers, accepted, taken_px, found.quads_px[certain], MIN_NEXT_TILE_DISTANCE_WIDTHS * widths)
    return Appearances.concatenate([found, new])


def select_new_tiles(
    answers: Appearances, is_kept: Bools, known_px: Floats, sure_px: Floats, apart_px: Floats
) -> Appearances:
    """Return the accepted answers that are new tiles, the most certain one at each place.

    `answers`: N classified places; `is_kept`: which of them are certain enough, `(N,)` bool; `known_px`: known tiles
    `(K, 4, 2)`, at least `apart_px` away; `sure_px`: certain tiles `(M, 4, 2)`, none of which covers much of a new
    tile; `apart_px`: least distance to a known tile, `(N,)`.
    """
    middles = centres_px(answers.quads_px)
    # After the correction of its corners it may be a known tile.
    is_kept = is_kept & (answers.upside_down_log_odds <= 0) & are_free(middles, centres_px(known_px), apart_px[:, None])
    # A crop of two half tiles may resemble a third.
    new = [
        i for i in np.flatnonzero(is_kept) if covered_share(answers.quads_px[i], sure_px) <= MAX_CANDIDATE_COVERED_SHARE
    ]
    scores = answers.certainty() - JOKER_PENALTY_PROB * answers.is_joker
    return answers.at(np.sort(suppress_duplicates(np.array(new, int), middles, apart_px, scores)))


def _have_wrong_size(quads_px: Floats, certainty: Floats, certain: Ints) -> Bools:
    """Return which of N quads are uncertain and differ in size from the nearest `certain (S,)` one, `(N,) bool`."""
    if len(certain) in (0, len(quads_px)):
        return np.zeros(len(quads_px), bool)
    nearest = certain[distances_px(centres_px(quads_px), centres_px(quads_px[certain])).argmin(axis=1)]
    sizes = np.log(np.maximum(sizes_wh_px(quads_px), 1e-3)).mean(axis=1)
    result: Bools = (certainty < MIN_CONFIDENT_LABEL_PROB) & (np.abs(sizes - sizes[nearest]) > MAX_SIZE_DEVIATION_LOG)
    return result


def classify_and_refine(classifier: Classifier, image_bgr: Image, places_px: Floats) -> Appearances:
    """Classify the places `(N, 4, 2)`, and again at their corrected corners while that makes them more certain.

    A place may be a third of a tile off; then the crop shows no tile, but the corrected corners are those of one.
    """
    answers, shown_px = classify_upright(classifier, image_bgr, places_px), places_px
    for _ in range(CORNER_REFINEMENT_ROUNDS):
        widths = sizes_wh_px(places_px)[:, 0]
        shifts = np.linalg.norm(centres_px(answers.quads_px) - centres_px(shown_px), axis=1)
        uncertain = np.flatnonzero(
            (answers.certainty() < MIN_CONFIDENT_LABEL_PROB) & (shifts > MIN_CORNER_SHIFT_WIDTHS * widths)
        )
        if not len(uncertain):
            break
        shown_px = answers.quads_px.copy()
        refined = classify_upright(classifier, image_bgr, shown_px[uncertain])
        # Non-tiles most resemble jokers, so a joker at a later crop is no evidence.
        better = ~refined.is_joker & (refined.certainty() >= answers.certainty()[uncertain])
        answers.put(uncertain[better], refined.at(better))
    return answers


def min_certainty(answers: Appearances, least: float) -> Floats:
    """Return the certainty that each of N answers needs, `(N,)`: `least`, or less if it is surely a numbered tile.

    A certain tile with an uncertain number is flagged rather than missed.
    """
    needed: Floats = np.where(answers.is_surely_numbered, np.minimum(MIN_FLAGGED_LABEL_PROB, least), least)
    return needed


def _find_free_places(scene: Scene, sure_px: Floats, taken_px: Floats, faint_px: Floats) -> Floats:
    """Return quads `(M, 4, 2) float32` of free places that are as white as the neighbouring certain tile.

    Places are left and right of each certain tile, halfway between two tiles of a row, and at weak detections of a
    tile's size. Of overlapping places of a kind the whitest is kept.
    """
    quads = sure_px.astype(np.float64)
    if not len(quads):
        return np.zeros((0, 4, 2), np.float32)
    right, _ = axes_px(quads)
    weak_px, lenders = _with_usual_size(faint_px.astype(np.float64), quads)
    between, between_lenders = _halfway_places(quads, right)
    places = np.concatenate([quads + right[:, None], quads - right[:, None], between, weak_px])
    lenders = np.concatenate([np.tile(np.arange(len(quads)), 2), between_lenders, lenders])
    widths = np.linalg.norm(right, axis=1)[lenders]
    middles, taken_middles = centres_px(places), centres_px(taken_px)
    is_free = are_free(middles, taken_middles, MIN_NEXT_TILE_DISTANCE_WIDTHS * widths[:, None])
    is_free &= shares_inside(places, scene.wh) >= MIN_INSIDE_IMAGE_SHARE
    at = np.flatnonzero(is_free)
    if not len(at):
        return np.zeros((0, 4, 2), np.float32)
    whites, lent = scene.face_whites(places[at]), scene.face_whites(quads[lenders[at]])
    light, tint = light_and_tint(whites, lent)
    is_white = (np.abs(light) < MAX_NEIGHBOUR_LIGHT_LOG) & (tint < MAX_NEIGHBOUR_TINT_LOG)
    at, whiteness = at[is_white], -(np.abs(light) + tint)[is_white]
    scores = np.full(len(places), -np.inf)
    scores[at] = whiteness
    # Duplicates are suppressed within each kind of place, so that no kind displaces another.
    beside, halfway, weak = np.split(at, np.searchsorted(at, (2 * len(quads), len(places) - len(weak_px))))
    apart_px = MIN_NEXT_TILE_DISTANCE_WIDTHS * widths
    in_rows = np.concatenate([suppress_duplicates(group, middles, apart_px, scores) for group in (halfway, beside)])
    weak_kept = suppress_duplicates(weak, middles, MAX_WEAK_DUPLICATE_WIDTHS * widths)
    chosen = np.concatenate([group[:MAX_TRIED_PLACES_COUNT] for group in (in_rows, weak_kept)])
    chosen_px: Floats = places[chosen].astype(np.float32)
    return chosen_px


def _halfway_places(quads_px: Floats, right: Floats) -> tuple[Floats, Ints]:
    """Return the quads halfway between two tiles of a row with room for one more, and the tile each is like, `(B,)`."""
    middles = centres_px(quads_px)
    offsets = middles[None] - middles[:, None]
    widths = np.linalg.norm(right, axis=1)[:, None]
    along = np.abs(offsets @ right[:, :, None])[..., 0] / widths**2  # a tile may be upside down
    across = np.abs(offsets[..., 0] * right[:, None, 1] - offsets[..., 1] * right[:, None, 0]) / widths**2
    alike = np.abs(right @ right.T) > MIN_ROW_ALIGNMENT_COSINE * widths * widths.T
    roomy = (
        (along > ROW_GAP_RANGE_WIDTHS[0]) & (along < ROW_GAP_RANGE_WIDTHS[1]) & (across < MAX_ROW_OFFSET_WIDTHS) & alike
    )
    firsts, seconds = np.nonzero(np.triu(roomy | roomy.T))
    narrower = np.where(widths[firsts, 0] <= widths[seconds, 0], firsts, seconds)
    half_way = (middles[firsts] + middles[seconds]) / 2
    return quads_px[narrower] + (half_way - middles[narrower])[:, None], narrower


def _with_usual_size(faint_px: Floats, quads_px: Floats) -> tuple[Floats, Ints]:
    """Return the weak detections in the size of the nearest quad of `quads_px (N, 4, 2)`, and its index, `(K,)`."""
    if not len(faint_px):
        return faint_px, np.zeros(0, int)
    distances = distances_px(centres_px(faint_px), centres_px(quads_px))
    nearest = distances.argmin(axis=1)
    sizes, usual = (np.sqrt(np.prod(sizes_wh_px(quads), axis=1)) for quads in (faint_px, quads_px[nearest]))
    size_logs = np.log(np.maximum(usual, 1e-3) / np.maximum(sizes, 1e-3))
    factor = np.where(np.abs(size_logs) < MAX_WEAK_KEPT_SIZE_LOG, 1.0, np.exp(size_logs))[:, None, None]
    middles = faint_px.mean(axis=1, keepdims=True)
    is_usable = np.abs(size_logs) < MAX_WEAK_RESCALE_LOG
    return (middles + factor * (faint_px - middles))[is_usable], nearest[is_usable]
