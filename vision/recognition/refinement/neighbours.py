"""Looks for tiles that the detector missed: beside those of a row, in their shape, and where it saw one all but
clearly.

Tiles of a meld touch, so that the place of the next one is known to a hair; whether it is as white there as a tile is
tells at once whether a look is worth while.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints
from tilekeeper.vision.geometry.face_color import face_whites, light_and_tint
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
    image_bgr: Image,
    found: Appearances,
    faint_px: Floats | None = None,
    beside: Bools | None = None,
) -> Appearances:
    """Return the best looks at N tiles found, and after them those at tiles that were missed beside them.

    `faint_px (K, 4, 2)` are quads that the detector saw too faintly to call them tiles, the least faint first. Only
    beside those in `beside (N,)` bool something was missed, if it is given.
    """
    faint = np.zeros((0, 4, 2)) if faint_px is None else faint_px
    beside = np.ones(len(found), bool) if beside is None else beside
    for _ in range(MAX_NEIGHBOUR_SEARCH_ROUNDS):
        known = len(found)
        found = _one_further(classifier, image_bgr, found, beside, faint)
        # beside the others, and at what was faint, it has looked
        beside, faint = np.arange(len(found)) >= known, faint[:0]
        if len(found) == known:
            break
    return found


def _one_further(
    classifier: Classifier, image_bgr: Image, found: Appearances, beside: Bools, faint_px: Floats
) -> Appearances:
    """Return the N looks with those at tiles that lie right beside one of those in `beside (N,)` bool."""
    sureness = found.certainty()
    sure = np.flatnonzero(sureness >= MIN_CONFIDENT_LABEL_PROB)
    # what was taken for no tile or can hardly be named may be one seen askew, and so may what is too large: it keeps
    # nobody from its place
    named = sureness >= MIN_ANCHOR_LABEL_PROB
    taken_px = found.quads_px[named & ~_ill_sized(found.quads_px, sureness, sure)]
    lenders = beside & named
    places = _free_places(image_bgr, found.quads_px[lenders], taken_px, faint_px)
    if not len(places):
        return found
    seen = mended(classifier, image_bgr, places)
    widths = sizes_wh_px(places)[:, 0]
    moved = np.linalg.norm(centres_px(seen.quads_px) - centres_px(places), axis=1)
    # what the detector found, too, is asked about, though in its own quad the classifier saw none
    passed_px = centres_px(found.quads_px[sureness == 0])
    twice = ~seen.is_joker & ~are_free(
        centres_px(seen.quads_px), passed_px, MAX_SAME_DETECTION_WIDTHS * widths[:, None]
    )
    least = least_certainty(seen, MIN_CONFIDENT_LABEL_PROB)
    there = seen.certainty() >= np.where(twice, np.minimum(MIN_FLAGGED_LABEL_PROB, least), least)
    there &= moved < MAX_CANDIDATE_SHIFT_WIDTHS * widths
    more = new_tiles(seen, there, taken_px, found.quads_px[sure], MIN_NEXT_TILE_DISTANCE_WIDTHS * widths)
    return Appearances.concatenate([found, more])


def new_tiles(seen: Appearances, there: Bools, known_px: Floats, sure_px: Floats, apart_px: Floats) -> Appearances:
    """Return those of N looks that are `there (N,)` bool and show a tile that is not known, of each the surest.

    No nearer than `apart_px (N,)` lies one of `known_px (K, 4, 2)`, and none of `sure_px (M, 4, 2)` covers much of it.
    """
    middles = centres_px(seen.quads_px)
    # with its corners mended it may turn out to be a tile that is known, seen askew
    there = there & (seen.upside_down_log_odds <= 0) & are_free(middles, centres_px(known_px), apart_px[:, None])
    # a look that holds the halves of two tiles may look like a third
    over = [
        at for at in np.flatnonzero(there) if covered_share(seen.quads_px[at], sure_px) <= MAX_CANDIDATE_COVERED_SHARE
    ]
    worth = seen.certainty() - JOKER_PENALTY_PROB * seen.is_joker
    return seen.at(np.sort(suppress_duplicates(np.array(over, int), middles, apart_px, worth)))


def _ill_sized(quads_px: Floats, sureness: Floats, sure: Ints) -> Bools:
    """Which of N quads are not named surely, nor as large as the nearest of the `sure (S,)` ones, `(N,) bool`."""
    if len(sure) in (0, len(quads_px)):
        return np.zeros(len(quads_px), bool)
    nearest = sure[distances_px(centres_px(quads_px), centres_px(quads_px[sure])).argmin(axis=1)]
    sizes = np.log(np.maximum(sizes_wh_px(quads_px), 1e-3)).mean(axis=1)
    ill: Bools = (sureness < MIN_CONFIDENT_LABEL_PROB) & (np.abs(sizes - sizes[nearest]) > MAX_SIZE_DEVIATION_LOG)
    return ill


def mended(classifier: Classifier, image_bgr: Image, places: Floats) -> Appearances:
    """Name what lies at places `(N, 4, 2)`, again where the corners were mended to unless that makes it less sure.

    A place may be off by a third of a tile, where the quad beside it is: a look at it sees no tile, and yet where the
    corners of one are.
    """
    seen, shown = classify_upright(classifier, image_bgr, places), places
    for _ in range(CORNER_REFINEMENT_ROUNDS):
        widths = sizes_wh_px(places)[:, 0]
        moved = np.linalg.norm(centres_px(seen.quads_px) - centres_px(shown), axis=1)
        again = np.flatnonzero(
            (seen.certainty() < MIN_CONFIDENT_LABEL_PROB) & (moved > MIN_CORNER_SHIFT_WIDTHS * widths)
        )
        if not len(again):
            break
        shown = seen.quads_px.copy()
        anew = classify_upright(classifier, image_bgr, shown[again])
        # what was no tile at first sight and is none looks most like a joker
        better = ~anew.is_joker & (anew.certainty() >= seen.certainty()[again])
        seen.put(again[better], anew.at(better))
    return seen


def least_certainty(seen: Appearances, least: float) -> Floats:
    """How surely each of N looks must be named to be told of, `(N,)`: at `least`, or less where it is surely a tile.

    What is surely a tile, of whatever name, is asked about rather than passed over. What is no tile looks most like a
    joker.
    """
    enough: Floats = np.where(seen.is_surely_numbered, np.minimum(MIN_FLAGGED_LABEL_PROB, least), least)
    return enough


def _free_places(image_bgr: Image, sure_px: Floats, taken_px: Floats, faint_px: Floats) -> Floats:
    """Quads `(M, 4, 2) float32` where none lies and it is as white as the sure tile that lends them their white.

    Those are left and right of each sure tile and half way between two of a row, of either kind the whitest of those
    that overlap, and all that was seen faintly and is as large as the sure one next to it, once each: there a look
    tells more than the white.
    """
    quads = sure_px.astype(np.float64)
    if not len(quads):
        return np.zeros((0, 4, 2), np.float32)
    right, _ = axes_px(quads)
    faint, lenders = _as_large(faint_px.astype(np.float64), quads)
    between, of_between = _between(quads, right)
    places = np.concatenate([quads + right[:, None], quads - right[:, None], between, faint])
    lenders = np.concatenate([np.tile(np.arange(len(quads)), 2), of_between, lenders])
    widths = np.linalg.norm(right, axis=1)[lenders]
    middles, taken = centres_px(places), centres_px(taken_px)
    free = are_free(middles, taken, MIN_NEXT_TILE_DISTANCE_WIDTHS * widths[:, None])
    free &= shares_inside(places, image_bgr.shape[1::-1]) >= MIN_INSIDE_IMAGE_SHARE
    at = np.flatnonzero(free)
    if not len(at):
        return np.zeros((0, 4, 2), np.float32)
    whites, lent = face_whites(image_bgr, places[at]), face_whites(image_bgr, quads[lenders[at]])
    light, tint = light_and_tint(whites, lent)
    white = (np.abs(light) < MAX_NEIGHBOUR_LIGHT_LOG) & (tint < MAX_NEIGHBOUR_TINT_LOG)
    at, worth = at[white], -(np.abs(light) + tint)[white]
    every = np.full(len(places), -np.inf)
    every[at] = worth
    # none crowds out one of another kind, nor do the many finds of one thing another; the least faint comes first
    beside, half_way, seen = np.split(at, np.searchsorted(at, (2 * len(quads), len(places) - len(faint))))
    apart_px = MIN_NEXT_TILE_DISTANCE_WIDTHS * widths
    in_rows = np.concatenate([suppress_duplicates(some, middles, apart_px, every) for some in (half_way, beside)])
    faintly = suppress_duplicates(seen, middles, MAX_WEAK_DUPLICATE_WIDTHS * widths)
    chosen = np.concatenate([some[:MAX_TRIED_PLACES_COUNT] for some in (in_rows, faintly)])
    chosen_px: Floats = places[chosen].astype(np.float32)
    return chosen_px


def _between(quads_px: Floats, right: Floats) -> tuple[Floats, Ints]:
    """The quads half way between two of a row with room for one more, and which of the two each is like, `(B,)`."""
    middles = centres_px(quads_px)
    away = middles[None] - middles[:, None]
    widths = np.linalg.norm(right, axis=1)[:, None]
    along = np.abs(away @ right[:, :, None])[..., 0] / widths**2  # either may stand on its head
    across = np.abs(away[..., 0] * right[:, None, 1] - away[..., 1] * right[:, None, 0]) / widths**2
    alike = np.abs(right @ right.T) > MIN_ROW_ALIGNMENT_COSINE * widths * widths.T
    apart = (
        (along > ROW_GAP_RANGE_WIDTHS[0]) & (along < ROW_GAP_RANGE_WIDTHS[1]) & (across < MAX_ROW_OFFSET_WIDTHS) & alike
    )
    ones, others = np.nonzero(np.triu(apart | apart.T))
    narrower = np.where(widths[ones, 0] <= widths[others, 0], ones, others)
    half_way = (middles[ones] + middles[others]) / 2
    return quads_px[narrower] + (half_way - middles[narrower])[:, None], narrower


def _as_large(faint_px: Floats, quads_px: Floats) -> tuple[Floats, Ints]:
    """The faint quads in the size of the nearest of `quads_px (N, 4, 2)`, and which that is, `(K,)`."""
    if not len(faint_px):
        return faint_px, np.zeros(0, int)
    apart = distances_px(centres_px(faint_px), centres_px(quads_px))
    nearest = apart.argmin(axis=1)
    sizes, usual = (np.sqrt(np.prod(sizes_wh_px(quads), axis=1)) for quads in (faint_px, quads_px[nearest]))
    larger = np.log(np.maximum(usual, 1e-3) / np.maximum(sizes, 1e-3))
    factor = np.where(np.abs(larger) < MAX_WEAK_KEPT_SIZE_LOG, 1.0, np.exp(larger))[:, None, None]
    middles = faint_px.mean(axis=1, keepdims=True)
    bearable = np.abs(larger) < MAX_WEAK_RESCALE_LOG
    return (middles + factor * (faint_px - middles))[bearable], nearest[bearable]
