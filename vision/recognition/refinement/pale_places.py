"""Pale places: search for missed tiles in tile-sized regions that are as pale as tile faces, and around print.

The reading shows no trace of a tile that the detector misses. But a region as white and as large as a tile probably is
one, unless the classifier disagrees. On a table that is equally white, the isolated glyph is left.
"""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS, suppress_duplicates
from tilekeeper.vision.geometry.quads import TILE_ASPECT, areas_px, centres_px, shares_inside
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane, nearest_tile_shapes, rotated_quads
from tilekeeper.vision.imaging import morphology
from tilekeeper.vision.recognition.appearance import MIN_CONFIDENT_LABEL_PROB, Appearances, Classifier
from tilekeeper.vision.recognition.refinement.neighbours import (
    MAX_SIZE_DEVIATION_LOG,
    MIN_INSIDE_IMAGE_SHARE,
    classify_and_refine,
    min_certainty,
    select_new_tiles,
)
from tilekeeper.vision.recognition.refinement.outlines import outlines_px
from tilekeeper.vision.recognition.refinement.pale_map import UNIT_SIDE_WIDTHS, PaleMap, box_means
from tilekeeper.vision.recognition.refinement.printed_places import (
    MAX_PLACE_DUPLICATE_WIDTHS,
    find_printed_places,
    quads_around_glyphs,
)
from tilekeeper.vision.recognition.refinement.proposals import MIN_PROPOSED_JOKER_PROB

# Pairs (light, tint), tried in turn: pixels that differ less from nearby faces are pale. Pale tables need low ones.
MAX_PALE_LIGHT_TINT_LOG = ((0.4, 0.17), (0.25, 0.17), (0.25, 0.09), (0.4, 0.07), (0.13, 0.055))
# A pale place fills at least this share of the inner square of PALE_SQUARE_SIDES_WIDTHS.
MIN_PALE_INNER_SHARE = 0.55
# A pale place fills at most this share of the outer square; a larger share means that the table is pale.
MAX_PALE_OUTER_SHARE = 0.55
# A pale place is moved to the centroid of the pale pixels around it at most this many times (mean shift).
MAX_PALE_CENTRING_ROUNDS = 3
# This many directions within half a turn are tried at a pale place, the nearest confident tile's first.
PALE_DIRECTION_COUNT = 4
# At most this many pale places are classified. Measured: 24 flags 4 of 16 tiles missed with 12, in 1.07x the time.
MAX_PALE_PLACES_COUNT = 24
# A number at a pale place without a detection is flagged if its label has at least this probability.
MIN_PALE_NUMBER_PROB = 0.75
# A tile at a pale place is accepted within this distance, in sides of a square of the tried quad's area.
MAX_PALE_SHIFT_SIDES = 0.6
# Sides of the inner and the outer square in which pale pixels are counted around a place.
PALE_SQUARE_SIDES_WIDTHS = (0.8, 2.6)
# Side of the square at the centre of a pale place in which print is measured.
PALE_PRINT_SQUARE_WIDTHS = 0.5
# Print that absorbs this share of the light adds the full bonus of 1 to a pale place's score.
FULL_PRINT_LIGHT_SHARE = 0.01
# The centroid of a pale place is computed from pale pixels within this distance along each image axis.
PALE_CENTRING_REACH_WIDTHS = 0.8


def add_pale_places(classifier: Classifier, image_bgr: Image, found: Appearances) -> Appearances:
    """Return the tiles found, and after them those at pale places that no detection explains.

    A detection that was classified as no tile explains its place as well as a tile does.
    """
    certainty = found.certainty()
    certain_px = found.quads_px[certainty >= MIN_CONFIDENT_LABEL_PROB].astype(np.float64)
    if not len(certain_px):
        return found
    pale_map = PaleMap.measure(image_bgr, certain_px, found.quads_px)
    quads, middles_px = _propose_quads(image_bgr, find_pale_places(pale_map), certain_px)
    around_glyphs = quads_around_glyphs(find_printed_places(image_bgr, pale_map, certain_px), certain_px)
    quads = np.concatenate([quads, around_glyphs]).astype(np.float32)
    middles_px = np.concatenate([middles_px, centres_px(around_glyphs)])
    is_inside = shares_inside(quads, image_bgr.shape[1::-1]) >= MIN_INSIDE_IMAGE_SHARE
    quads, middles_px = quads[is_inside], middles_px[is_inside]
    if not len(quads):
        return found
    answers, units = classify_and_refine(classifier, image_bgr, quads), np.sqrt(areas_px(quads))
    needed = np.where(answers.is_joker, MIN_PROPOSED_JOKER_PROB, min_certainty(answers, MIN_PALE_NUMBER_PROB))
    accepted = answers.certainty() >= needed
    accepted &= np.linalg.norm(centres_px(answers.quads_px) - middles_px, axis=1) < MAX_PALE_SHIFT_SIDES * units
    accepted &= np.abs(np.log(np.sqrt(areas_px(answers.quads_px)) / units)) < MAX_SIZE_DEVIATION_LOG * 2
    known, next_px = found.quads_px[certainty > 0], MIN_NEXT_TILE_DISTANCE_WIDTHS * units / UNIT_SIDE_WIDTHS
    return Appearances.concatenate([found, select_new_tiles(answers, accepted, known, known, next_px)])


def find_pale_places(pale_map: PaleMap) -> Floats:
    """Return the centres `(M, 2)`, in the image, of regions as pale as certain tiles near them and of a tile's size.

    They are sorted by contrast to their surroundings and print at their centre: a pattern has many contrasts, but
    little print.
    """
    ink = np.minimum(box_means(pale_map.ink, pale_map.side_px(PALE_PRINT_SQUARE_WIDTHS)) / FULL_PRINT_LIGHT_SHARE, 1.0)
    unit, width = pale_map.unit_px, pale_map.unknown.shape[1]
    places: list[Floats] = [np.zeros((0, 2))]
    all_scores: list[Floats] = [np.zeros(0, np.float32)]
    for light, tint in MAX_PALE_LIGHT_TINT_LOG:
        mask = morphology(pale_map.is_pale(light, tint).view(np.uint8), cv2.MORPH_CLOSE, 3) & pale_map.unknown
        inner = box_means(mask, pale_map.side_px(PALE_SQUARE_SIDES_WIDTHS[0]))
        at = np.flatnonzero(inner >= MIN_PALE_INNER_SHARE)  # ten times as fast as in two dimensions
        if not len(at):
            continue
        outer = box_means(mask, pale_map.side_px(PALE_SQUARE_SIDES_WIDTHS[1]))
        at = at[(outer[at] <= MAX_PALE_OUTER_SHARE) & (inner[at] > outer[at])]
        at = at[pale_map.are_peaks(at, inner[at] - outer[at])]
        places.append(_mean_shift(mask, np.column_stack([at % width, at // width]), PALE_CENTRING_REACH_WIDTHS * unit))
        all_scores.append(inner[at] - outer[at])
    middles = np.concatenate(places)
    x, y = np.clip(np.round(middles).astype(int), 0, np.array(pale_map.unknown.shape[::-1]) - 1).T
    scores = np.concatenate(all_scores) + ink[y * width + x]
    within_px = np.full(len(middles), MAX_PLACE_DUPLICATE_WIDTHS * unit)
    best = suppress_duplicates(np.arange(len(middles)), middles, within_px, scores, MAX_PALE_PLACES_COUNT)
    return pale_map.to_image(middles[best])


def _mean_shift(mask: Image, points: Floats, reach: float) -> Floats:
    """Mean shift: move points `(N, 2)` to the centroid of the pale pixels in a square around each."""
    shifted = points.astype(np.float64)
    for index, (x, y) in enumerate(shifted.tolist()):
        previous_square: tuple[slice, slice] | None = None
        for _ in range(MAX_PALE_CENTRING_ROUNDS):
            left, top = max(0, round(x - reach)), max(0, round(y - reach))
            square = np.s_[top : round(y + reach) + 1, left : round(x + reach) + 1]
            if square == previous_square:  # converged
                break
            previous_square = square
            sums = cv2.moments(mask[square])
            if sums["m00"]:
                x, y = sums["m10"] / sums["m00"] + left, sums["m01"] / sums["m00"] + top
        shifted[index] = x, y
    return shifted


def _propose_quads(image_bgr: Image, middles_px: Floats, sure_px: Floats) -> tuple[Floats, Floats]:
    """Return possible quads `(Q, 4, 2)` at the centres `(M, 2)`, and the centre of each, `(Q, 2)`.

    They have the shape of the nearest certain tile in several directions, or the outline of a face, both ways.
    """
    direction_count, plane = PALE_DIRECTION_COUNT, fit_plane(sure_px)
    shapes, aspect = nearest_tile_shapes(middles_px, sure_px), TILE_ASPECT if plane is None else plane.aspect
    rotated = rotated_quads(middles_px, axes_of(shapes, aspect), aspect, direction_count)
    outlines = outlines_px(image_bgr, shapes.astype(np.float32))
    owners = np.repeat(np.arange(len(middles_px)), [len(quads_of_place) for quads_of_place in outlines])
    faces = np.concatenate([np.zeros((0, 4, 2)), *outlines])
    quads = np.concatenate([rotated.reshape(-1, 4, 2), faces, np.roll(faces, 1, axis=1)])
    return quads, middles_px[np.concatenate([np.repeat(np.arange(len(middles_px)), direction_count), owners, owners])]
