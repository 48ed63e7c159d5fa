"""Looks for tiles where nothing was found and the table is as pale as their faces: pieces of a tile's size, and print.

A tile that the detector misses leaves no trace in a reading: nobody asks about what nobody saw. But its face is as
white as those of the tiles around it, and what is so white and as large as a tile is one, unless the classifier sees
none there. On a table that is as white itself, its figure is left: a piece of print with little of it around.
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
    least_certainty,
    mended,
    new_tiles,
)
from tilekeeper.vision.recognition.refinement.outlines import outlines_px
from tilekeeper.vision.recognition.refinement.pale_ground import LONG, Ground, shares_px
from tilekeeper.vision.recognition.refinement.printed_places import (
    MAX_PLACE_DUPLICATE_WIDTHS,
    about_figures,
    printed_places,
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
    """Return the looks at tiles found, and after them those at tiles on the pale table that none explains.

    What was found and named no tile explains its place as well as a tile does.
    """
    certainty = found.certainty()
    sure_px = found.quads_px[certainty >= MIN_CONFIDENT_LABEL_PROB].astype(np.float64)
    if not len(sure_px):
        return found
    ground = Ground.of(image_bgr, sure_px, found.quads_px)
    quads, middles_px = _shapes(image_bgr, pale_places(ground), sure_px)
    of_figures = about_figures(printed_places(image_bgr, ground, sure_px), sure_px)
    quads = np.concatenate([quads, of_figures]).astype(np.float32)
    middles_px = np.concatenate([middles_px, centres_px(of_figures)])
    kept = shares_inside(quads, image_bgr.shape[1::-1]) >= MIN_INSIDE_IMAGE_SHARE
    quads, middles_px = quads[kept], middles_px[kept]
    if not len(quads):
        return found
    seen, units = mended(classifier, image_bgr, quads), np.sqrt(areas_px(quads))
    least = np.where(seen.is_joker, MIN_PROPOSED_JOKER_PROB, least_certainty(seen, MIN_PALE_NUMBER_PROB))
    there = seen.certainty() >= least
    there &= np.linalg.norm(centres_px(seen.quads_px) - middles_px, axis=1) < MAX_PALE_SHIFT_SIDES * units
    there &= np.abs(np.log(np.sqrt(areas_px(seen.quads_px)) / units)) < MAX_SIZE_DEVIATION_LOG * 2
    known, next_px = found.quads_px[certainty > 0], MIN_NEXT_TILE_DISTANCE_WIDTHS * units / LONG
    return Appearances.concatenate([found, new_tiles(seen, there, known, known, next_px)])


def pale_places(ground: Ground) -> Floats:
    """Return the middles `(M, 2)`, in the picture, of pieces as pale as sure tiles near them and as large as one.

    The best come first: those that stand out most and in whose middle something is printed. A pattern has many places
    that stand out, but hardly one with print in it.
    """
    printed = np.minimum(shares_px(ground.ink, ground.square(PALE_PRINT_SQUARE_WIDTHS)) / FULL_PRINT_LIGHT_SHARE, 1.0)
    unit, width = ground.unit_px, ground.unknown.shape[1]
    places: list[Floats] = [np.zeros((0, 2))]
    worths: list[Floats] = [np.zeros(0, np.float32)]
    for light, tint in MAX_PALE_LIGHT_TINT_LOG:
        rest = morphology(ground.as_pale(light, tint).view(np.uint8), cv2.MORPH_CLOSE, 3) & ground.unknown
        near = shares_px(rest, ground.square(PALE_SQUARE_SIDES_WIDTHS[0]))
        at = np.flatnonzero(near >= MIN_PALE_INNER_SHARE)  # in two dimensions NumPy takes ten times as long
        if not len(at):
            continue
        around = shares_px(rest, ground.square(PALE_SQUARE_SIDES_WIDTHS[1]))
        at = at[(around[at] <= MAX_PALE_OUTER_SHARE) & (near[at] > around[at])]
        at = at[ground.peaks(at, near[at] - around[at])]
        places.append(_shifted(rest, np.column_stack([at % width, at // width]), PALE_CENTRING_REACH_WIDTHS * unit))
        worths.append(near[at] - around[at])
    middles = np.concatenate(places)
    x, y = np.clip(np.round(middles).astype(int), 0, np.array(ground.unknown.shape[::-1]) - 1).T
    worth = np.concatenate(worths) + printed[y * width + x]
    within_px = np.full(len(middles), MAX_PLACE_DUPLICATE_WIDTHS * unit)
    best = suppress_duplicates(np.arange(len(middles)), middles, within_px, worth, MAX_PALE_PLACES_COUNT)
    return ground.in_picture(middles[best])


def _shifted(rest: Image, places: Floats, reach: float) -> Floats:
    """Move places `(N, 2)` to the middle of what is left pale in a mask within a square about each."""
    moved = places.astype(np.float64)
    for at, (x, y) in enumerate(moved.tolist()):
        before: tuple[slice, slice] | None = None
        for _ in range(MAX_PALE_CENTRING_ROUNDS):
            left, top = max(0, round(x - reach)), max(0, round(y - reach))
            square = np.s_[top : round(y + reach) + 1, left : round(x + reach) + 1]
            if square == before:  # whose middle it is
                break
            before = square
            sums = cv2.moments(rest[square])
            if sums["m00"]:
                x, y = sums["m10"] / sums["m00"] + left, sums["m01"] / sums["m00"] + top
        moved[at] = x, y
    return moved


def _shapes(image_bgr: Image, middles_px: Floats, sure_px: Floats) -> tuple[Floats, Floats]:
    """Return quads `(Q, 4, 2)` in which a tile may lie at middles `(M, 2)`, and which of these each is at, `(Q, 2)`.

    As the nearest sure tile lies, and turned on the table; and where a face can be made out, its outline, both ways.
    """
    turns, plane = PALE_DIRECTION_COUNT, fit_plane(sure_px)
    like, aspect = nearest_tile_shapes(middles_px, sure_px), TILE_ASPECT if plane is None else plane.aspect
    turned = rotated_quads(middles_px, axes_of(like, aspect), aspect, turns)
    outlines = outlines_px(image_bgr, like.astype(np.float32))
    owners = np.repeat(np.arange(len(middles_px)), [len(some) for some in outlines])
    faces = np.concatenate([np.zeros((0, 4, 2)), *outlines])
    quads = np.concatenate([turned.reshape(-1, 4, 2), faces, np.roll(faces, 1, axis=1)])
    return quads, middles_px[np.concatenate([np.repeat(np.arange(len(middles_px)), turns), owners, owners])]
