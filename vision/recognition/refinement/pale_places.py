"""Pale places: search for missed tiles in regions as pale and as large as tile faces."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image, Ints, median
from tilekeeper.vision.geometry.face_color import LOG_LIGHT_OFFSET_LEVELS, light_and_tint
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS, suppress_duplicates
from tilekeeper.vision.geometry.quads import TILE_ASPECT, areas_px, centres_px, distances_px, shares_inside
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane, nearest_tile_shapes, rotated_quads
from tilekeeper.vision.imaging import darkest_channel, morphology, resize
from tilekeeper.vision.recognition.appearance import (
    MIN_CONFIDENT_LABEL_PROB,
    MIN_FLAGGED_LABEL_PROB,
    Appearances,
    Classifier,
)
from tilekeeper.vision.recognition.refinement.generators import outlines_px
from tilekeeper.vision.recognition.refinement.neighbours import (
    MAX_SIZE_DEVIATION_LOG,
    MIN_INSIDE_IMAGE_SHARE,
    classify_and_refine,
    select_new_tiles,
)
from tilekeeper.vision.recognition.refinement.proposals import MIN_PROPOSED_JOKER_PROB
from tilekeeper.vision.scene import Scene

MAX_PLACE_DUPLICATE_WIDTHS = 0.7  # Pale places closer than this are duplicates; only the best is kept.


def _rotate(shapes_px: Floats, middles_px: Floats, sure_px: Floats) -> Floats:
    """Return tiles of the shapes `(N, 4, 2)` at the centres `(N, 2)`, rotated on the table: `(N, directions, 4, 2)`."""
    plane = fit_plane(sure_px)
    aspect = TILE_ASPECT if plane is None else plane.aspect
    return rotated_quads(middles_px, axes_of(shapes_px, aspect), aspect, PALE_DIRECTION_COUNT)


PALE_MAP_TILE_WIDTH_PX = 9.0  # Pale regions are searched for in an image downscaled until a tile is this wide.
MAX_WHITE_REFERENCE_TILES = 24
KNOWN_QUAD_SCALE_RATIO = 1.12  # Known quads are enlarged before masking, as a tile's sides and bevel are pale too.
MIN_PRINT_CONTRAST_SHARE = 0.12  # A pixel is print if its darkest channel is darker than its surroundings by more.
MAX_STROKE_WIDTHS = 0.5  # Side of the closing that removes print to estimate the white around it; no stroke is wider.

UNIT_SIDE_WIDTHS = TILE_ASPECT**0.5
"""Side of a square with a tile's area, in tile widths."""


@dataclass(frozen=True, slots=True, eq=False)
class PaleMap:
    """Small image of the table, in which a tile is `unit_px` wide.

    `lighter`, `tint`: log brightness and tint relative to the certain tiles near each pixel, `(h, w)`
    (`light_and_tint`); `unknown`: `(h, w) uint8`, 1 outside all known quads; `ink`: share of the light lost to possible
    print, `(h, w)`, in the darkest channel; `scale_xy`: scale from the image to the map, `(2,)`.
    """

    lighter: Floats
    tint: Floats
    unknown: Image
    ink: Floats
    unit_px: float
    scale_xy: Floats

    @classmethod
    def measure(cls, scene: Scene, sure_px: Floats, explained_px: Floats) -> PaleMap:
        """Return the map of an image with certain tiles `(N, 4, 2)`, N at least 1, and known quads `(K, 4, 2)`."""
        unit_px = float(median(np.sqrt(areas_px(sure_px)))) / UNIT_SIDE_WIDTHS
        scale = min(1.0, PALE_MAP_TILE_WIDTH_PX / unit_px)
        height, width = (max(8, round(side * scale)) for side in scene.wh[::-1])
        small = scene.shrink((width, height), cv2.INTER_AREA).image_bgr
        scale_xy = np.array((width / scene.wh[0], height / scene.wh[1]))
        ref_px = sure_px[:: -(-len(sure_px) // MAX_WHITE_REFERENCE_TILES)]
        lighter, tint = _relative(small, scene.face_whites(ref_px), (centres_px(ref_px) + 0.5) * scale_xy - 0.5)
        middles = centres_px(explained_px)[:, None]
        enlarged = middles + KNOWN_QUAD_SCALE_RATIO * (explained_px - middles)
        unknown: Image = np.ones((height, width), np.uint8)
        for quad in np.round(((enlarged + 0.5) * scale_xy - 0.5) * 16).astype(np.int32):
            cv2.fillConvexPoly(unknown, quad, 0, shift=4)
        darkest = darkest_channel(small)
        stroke_px = _side_px(MAX_STROKE_WIDTHS, unit_px * scale)
        white = morphology(darkest, cv2.MORPH_CLOSE, stroke_px).astype(np.float32)
        loss = (white - darkest) / (white + np.float32(LOG_LIGHT_OFFSET_LEVELS)) - np.float32(MIN_PRINT_CONTRAST_SHARE)
        ink = np.maximum(loss, np.float32(0)) * unknown.astype(np.float32)
        return cls(lighter, tint, unknown, ink, unit_px * scale, scale_xy)

    def best_places_px(self, middles: Floats, scores: Floats, max_count: int) -> Floats:
        """Return the places `(N, 2)` without duplicates, highest score first, at most `max_count`, in the image."""
        within_px = np.full(len(middles), MAX_PLACE_DUPLICATE_WIDTHS * self.unit_px)
        best = suppress_duplicates(np.arange(len(middles)), middles, within_px, scores, max_count)
        return np.asarray((middles[best] + 0.5) / self.scale_xy - 0.5)

    def are_peaks(self, indices: Ints, scores: Floats) -> Bools:
        """Return which pixels `indices (N,)`, counted row by row, have the highest score within two pixels."""
        score_map = np.zeros(self.unknown.shape, np.float32)
        score_map.flat[indices] = scores
        return np.asarray(scores >= np.asarray(cv2.dilate(score_map, np.ones((5, 5), np.uint8))).ravel()[indices])


def box_means(mask: Image | Floats, side_px: int) -> Floats:
    """Return the box-filtered map `(h, w)`, flattened to `(h * w,) float32`; outside its edges the map is 0."""
    shares = cv2.boxFilter(mask, cv2.CV_32F, (side_px, side_px), borderType=cv2.BORDER_CONSTANT)
    return np.asarray(shares, np.float32).ravel()


def _side_px(widths: float, unit_px: float) -> int:
    """Return the side of a square of that many tile widths, an odd number of pixels, at least 3."""
    return max(3, round(widths * unit_px) | 1)


def _relative(small_bgr: Image, whites: Floats, middles_px: Floats) -> tuple[Floats, Floats]:
    """Return log brightness and tint of pixels relative to certain tiles nearby, `(H, W)` each: see `light_and_tint`.

    `whites (N, 3)` are the whites of these tiles at the centres `(N, 2)`, weighted by inverse square distance.
    """
    height, width = small_bgr.shape[:2]
    x, y = np.meshgrid(*(np.arange(max(1, side // 16)) * 16 + 8.0 for side in (width, height)))
    cells = np.stack([x, y], axis=-1).reshape(-1, 2)
    weights = 1 / (distances_px(cells, middles_px) ** 2 + PALE_MAP_TILE_WIDTH_PX**2)
    local = (weights @ whites) / weights.sum(axis=1, keepdims=True)
    local = resize(local.reshape(*x.shape, 3).astype(np.float32), (width, height), cv2.INTER_LINEAR)
    levels = np.log(np.arange(256, dtype=np.float32) + np.float32(LOG_LIGHT_OFFSET_LEVELS))
    return light_and_tint(_planar(np.asarray(cv2.LUT(small_bgr, levels))), _planar(local))


def _planar(image: Floats) -> Floats:
    """Return an image `(H, W, 3)` in planar memory layout, which is faster in NumPy."""
    return np.moveaxis(np.stack(cv2.split(image)), 0, -1)


# Pairs (light, tint), tried in turn: pixels that differ less from nearby faces are pale. Pale tables need low ones.
MAX_PALE_LIGHT_TINT_LOG = ((0.4, 0.17), (0.25, 0.17), (0.25, 0.09), (0.4, 0.07), (0.13, 0.055))
MIN_PALE_INNER_SHARE = 0.55  # A pale place fills at least this share of the inner square of PALE_SQUARE_SIDES_WIDTHS.
MAX_PALE_OUTER_SHARE = 0.55  # A pale place fills at most this share of the outer square; beyond it the table is pale.
MAX_PALE_CENTRING_ROUNDS = 3
PALE_DIRECTION_COUNT = 4  # Directions within half a turn tried at a pale place, the nearest confident tile's first.
MAX_PALE_PLACES_COUNT = 24  # Classified at most. Measured: 24 flags 4 of 16 tiles missed with 12, in 1.07x the time.
MIN_PALE_NUMBER_PROB = 0.75  # A number at a pale place without a detection is flagged if at least this likely.
MAX_PALE_SHIFT_SIDES = 0.6  # A tile is accepted this near its pale place, in sides of a square of the quad's area.
PALE_SQUARE_SIDES_WIDTHS = (0.8, 2.6)  # Sides of the inner and outer square in which pale pixels are counted.
PALE_PRINT_SQUARE_WIDTHS = 0.5  # Side of the square at the centre of a pale place in which print is measured.
FULL_PRINT_LIGHT_SHARE = 0.01  # Print that absorbs this share of light adds the full bonus of 1 to a place's score.
PALE_CENTRING_REACH_WIDTHS = 0.8  # A pale place's centroid is of the pale pixels this near along each image axis.


def add_pale_places(classifier: Classifier, scene: Scene, found: Appearances) -> Appearances:
    """Return the tiles found, and after them those at pale places that no detection, tile or not, explains."""
    certainty = found.certainty()
    certain_px = found.quads_px[certainty >= MIN_CONFIDENT_LABEL_PROB].astype(np.float64)
    if not len(certain_px):
        return found
    pale_map = PaleMap.measure(scene, certain_px, found.quads_px)
    quads, middles_px = _propose_quads(scene.image_bgr, find_pale_places(pale_map), certain_px)
    is_inside = shares_inside(quads, scene.wh) >= MIN_INSIDE_IMAGE_SHARE
    quads, middles_px = quads[is_inside], middles_px[is_inside]
    if not len(quads):
        return found
    answers, units = classify_and_refine(classifier, scene.image_bgr, quads), np.sqrt(areas_px(quads))
    # A certain tile with an uncertain number is flagged rather than missed.
    needed = np.where(answers.is_surely_numbered, MIN_FLAGGED_LABEL_PROB, MIN_PALE_NUMBER_PROB)
    accepted = answers.certainty() >= np.where(answers.is_joker, MIN_PROPOSED_JOKER_PROB, needed)
    accepted &= np.linalg.norm(centres_px(answers.quads_px) - middles_px, axis=1) < MAX_PALE_SHIFT_SIDES * units
    accepted &= np.abs(np.log(np.sqrt(areas_px(answers.quads_px)) / units)) < MAX_SIZE_DEVIATION_LOG * 2
    known, next_px = found.quads_px[certainty > 0], MIN_NEXT_TILE_DISTANCE_WIDTHS * units / UNIT_SIDE_WIDTHS
    return Appearances.concatenate([found, select_new_tiles(answers, accepted, known, known, next_px)])


def find_pale_places(pale_map: PaleMap) -> Floats:
    """Return the centres `(M, 2)`, in the image, of regions as pale as certain tiles near them and of a tile's size.

    They are sorted by contrast to their surroundings and print at their centre: a pattern has many contrasts, but
    little print.
    """
    sides = [_side_px(widths, pale_map.unit_px) for widths in PALE_SQUARE_SIDES_WIDTHS]
    ink_means = box_means(pale_map.ink, _side_px(PALE_PRINT_SQUARE_WIDTHS, pale_map.unit_px))
    ink = np.minimum(ink_means / FULL_PRINT_LIGHT_SHARE, 1.0)
    reach, width = PALE_CENTRING_REACH_WIDTHS * pale_map.unit_px, pale_map.unknown.shape[1]
    places: list[Floats] = [np.zeros((0, 2))]
    all_scores: list[Floats] = [np.zeros(0, np.float32)]
    for light, tint in MAX_PALE_LIGHT_TINT_LOG:
        is_pale: Bools = (np.abs(pale_map.lighter) < light) & (pale_map.tint < tint)
        mask = morphology(is_pale.view(np.uint8), cv2.MORPH_CLOSE, 3) & pale_map.unknown
        inner = box_means(mask, sides[0])
        at = np.flatnonzero(inner >= MIN_PALE_INNER_SHARE)  # ten times as fast as in two dimensions
        if not len(at):
            continue
        outer = box_means(mask, sides[1])
        at = at[(outer[at] <= MAX_PALE_OUTER_SHARE) & (inner[at] > outer[at])]
        at = at[pale_map.are_peaks(at, inner[at] - outer[at])]
        places.append(_mean_shift(mask, np.column_stack([at % width, at // width]), reach))
        all_scores.append(inner[at] - outer[at])
    middles = np.concatenate(places)
    x, y = np.clip(np.round(middles).astype(int), 0, np.array(pale_map.unknown.shape[::-1]) - 1).T
    scores = np.concatenate(all_scores) + ink[y * width + x]
    return pale_map.best_places_px(middles, scores, MAX_PALE_PLACES_COUNT)


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
    shapes = nearest_tile_shapes(middles_px, sure_px)
    outlines = outlines_px(image_bgr, shapes.astype(np.float32))
    faces = np.concatenate([np.zeros((0, 4, 2)), *outlines])
    rotated = _rotate(shapes, middles_px, sure_px).reshape(-1, 4, 2)
    face_middles = np.repeat(middles_px, list(map(len, outlines)), axis=0)
    middles = np.concatenate([np.repeat(middles_px, PALE_DIRECTION_COUNT, axis=0), face_middles, face_middles])
    return np.concatenate([rotated, faces, np.roll(faces, 1, axis=1)]).astype(np.float32), middles
