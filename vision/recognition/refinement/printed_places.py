"""Looks for the figures of tiles that were not found, on a table that is as pale as they are.

Nothing but its rim tells a white tile from a white cloth, but what is printed on it stands alone: dark or coloured, as
large as a figure, with nothing else around it and as white between as the tiles near by.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.geometry.face_color import as_white, face_whites
from tilekeeper.vision.geometry.proximity import suppress_duplicates
from tilekeeper.vision.geometry.quads import TILE_ASPECT, centres_px, distances_px
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane, nearest_tile_shapes, rotated_quads
from tilekeeper.vision.recognition.refinement.pale_ground import Ground, shares_px

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


def printed_places(image_bgr: Image, ground: Ground, sure_px: Floats) -> Floats:
    """Return the middles `(M, 2)`, in the picture, of what may be figures on white that nothing found explains.

    The clearest come first, `printed_most` at most.
    """
    width = ground.unknown.shape[1]
    sides = [ground.square(widths) for widths in PRINT_SQUARE_SIDES_WIDTHS]
    near, both = (shares_px(ground.ink, side) for side in sides)
    share = (sides[0] / sides[1]) ** 2
    clear = near - MIN_PRINT_ISOLATION_RATIO * (both - share * near) / (1 - share)
    free = shares_px(ground.unknown, sides[0]) > MIN_PRINT_UNEXPLAINED_SHARE
    at = np.flatnonzero((near > MIN_PRINT_LIGHT_LOSS_SHARE) & (clear > 0) & free)
    at = at[ground.peaks(at, clear[at])]
    middles = np.column_stack([at % width, at // width]).astype(np.float64)
    within_px = np.full(len(middles), MAX_PLACE_DUPLICATE_WIDTHS * ground.unit_px)
    best = suppress_duplicates(np.arange(len(middles)), middles, within_px, clear[at], MAX_PRINT_PRESELECTED_COUNT)
    figures_px = ground.in_picture(middles[best])
    if not len(figures_px):
        return figures_px
    nearest = distances_px(figures_px, centres_px(sure_px)).argmin(axis=1)
    some, of_some = np.unique(nearest, return_inverse=True)
    whites = face_whites(image_bgr, nearest_tile_shapes(figures_px, sure_px))
    white_as = face_whites(image_bgr, sure_px[some])[of_some]
    return figures_px[as_white(whites, white_as, *MAX_PRINT_GROUND_DIFF_LOG)][:MAX_PRINTED_PLACES_COUNT]


def about_figures(figures_px: Floats, sure_px: Floats) -> Floats:
    """Return quads `(8 M, 4, 2)` in which a tile may lie with a figure at each middle `(M, 2)`, turned all around.

    They are shaped as the nearest of the sure tiles `(N, 4, 2)`, N at least 1; figures lie above a tile's middle.
    """
    plane = fit_plane(sure_px)
    aspect = TILE_ASPECT if plane is None else plane.aspect
    half = rotated_quads(figures_px, axes_of(nearest_tile_shapes(figures_px, sure_px), aspect), aspect, 4)
    quads = np.concatenate([half, np.roll(half, 2, axis=2)], axis=1)
    down = (quads[:, :, 2:].sum(axis=2) - quads[:, :, :2].sum(axis=2)) / 2
    return np.asarray(quads + GLYPH_OFFSET_HEIGHTS * down[:, :, None]).reshape(-1, 4, 2)
