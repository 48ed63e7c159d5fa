"""Printed places: search for glyphs of missed tiles on a table as pale as they are.

Only its rim separates a white tile from a white cloth, but its print is isolated: dark or coloured, of a glyph's size,
and with the white of the tiles near it.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.geometry.face_color import as_white, face_whites
from tilekeeper.vision.geometry.proximity import suppress_duplicates
from tilekeeper.vision.geometry.quads import TILE_ASPECT, centres_px, distances_px
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane, nearest_tile_shapes, rotated_quads
from tilekeeper.vision.recognition.refinement.pale_map import PaleMap, box_means

# Pale or printed places closer than this are duplicates, of which only the best is kept.
MAX_PLACE_DUPLICATE_WIDTHS = 0.7
# Sides of the inner and the outer square in which print is measured around a glyph.
PRINT_SQUARE_SIDES_WIDTHS = (0.7, 1.5)
# A printed place loses more than this share of the light in its inner square to print.
MIN_PRINT_LIGHT_LOSS_SHARE = 0.02
# The inner square of a printed place has more than this times the print density of the ring around it.
MIN_PRINT_ISOLATION_RATIO = 1.5
# Known quads leave more than this share of the inner square free: a glyph ends well inside its tile.
MIN_PRINT_UNEXPLAINED_SHARE = 0.97
# The light and the tint around a glyph differ by less than these from the nearest confident tile's face.
MAX_PRINT_GROUND_DIFF_LOG = (0.3, 0.12)
# The white around at most this many printed places is measured, the clearest first.
MAX_PRINT_PRESELECTED_COUNT = 64
# At most this many printed places are classified, the clearest first.
MAX_PRINTED_PLACES_COUNT = 16
# A tile's centre is this far below the centre of its glyph.
GLYPH_OFFSET_HEIGHTS = 0.2


def find_printed_places(image_bgr: Image, pale_map: PaleMap, sure_px: Floats) -> Floats:
    """Return the centres `(M, 2)`, in the image, of possible glyphs on white that no detection explains.

    The clearest come first, at most `MAX_PRINTED_PLACES_COUNT`.
    """
    width = pale_map.unknown.shape[1]
    sides = [pale_map.side_px(widths) for widths in PRINT_SQUARE_SIDES_WIDTHS]
    inner_means, outer_means = (box_means(pale_map.ink, side) for side in sides)
    area_ratio = (sides[0] / sides[1]) ** 2
    contrast = inner_means - MIN_PRINT_ISOLATION_RATIO * (outer_means - area_ratio * inner_means) / (1 - area_ratio)
    is_free = box_means(pale_map.unknown, sides[0]) > MIN_PRINT_UNEXPLAINED_SHARE
    at = np.flatnonzero((inner_means > MIN_PRINT_LIGHT_LOSS_SHARE) & (contrast > 0) & is_free)
    at = at[pale_map.are_peaks(at, contrast[at])]
    middles = np.column_stack([at % width, at // width]).astype(np.float64)
    within_px = np.full(len(middles), MAX_PLACE_DUPLICATE_WIDTHS * pale_map.unit_px)
    best = suppress_duplicates(np.arange(len(middles)), middles, within_px, contrast[at], MAX_PRINT_PRESELECTED_COUNT)
    figures_px = pale_map.to_image(middles[best])
    if not len(figures_px):
        return figures_px
    nearest = distances_px(figures_px, centres_px(sure_px)).argmin(axis=1)
    tiles, tile_of_place = np.unique(nearest, return_inverse=True)
    whites = face_whites(image_bgr, nearest_tile_shapes(figures_px, sure_px))
    tile_whites = face_whites(image_bgr, sure_px[tiles])[tile_of_place]
    return figures_px[as_white(whites, tile_whites, *MAX_PRINT_GROUND_DIFF_LOG)][:MAX_PRINTED_PLACES_COUNT]


def quads_around_glyphs(glyphs_px: Floats, sure_px: Floats) -> Floats:
    """Return quads `(8 M, 4, 2)`, in all directions, of tiles with a glyph at each centre `(M, 2)`.

    They have the shape of the nearest certain tile of `sure_px (N, 4, 2)`, N at least 1; glyphs are above a tile's
    centre.
    """
    plane = fit_plane(sure_px)
    aspect = TILE_ASPECT if plane is None else plane.aspect
    rotated = rotated_quads(glyphs_px, axes_of(nearest_tile_shapes(glyphs_px, sure_px), aspect), aspect, 4)
    quads = np.concatenate([rotated, np.roll(rotated, 2, axis=2)], axis=1)
    down = (quads[:, :, 2:].sum(axis=2) - quads[:, :, :2].sum(axis=2)) / 2
    return np.asarray(quads + GLYPH_OFFSET_HEIGHTS * down[:, :, None]).reshape(-1, 4, 2)
