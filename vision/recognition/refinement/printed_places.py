"""Looks for the figures of tiles that were not found, on a table that is as pale as they are.

Nothing but its rim tells a white tile from a white cloth, but what is printed on it stands alone: dark or coloured, as
large as a figure, with nothing else around it and as white between as the tiles near by.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Floats, Image
from tilekeeper.vision.config import refinement_limits as limits
from tilekeeper.vision.geometry.face_color import as_white, face_whites
from tilekeeper.vision.geometry.proximity import one_each
from tilekeeper.vision.geometry.quads import TILE_ASPECT, centres_px, distances_px
from tilekeeper.vision.geometry.table_plane import axes_of, fit_plane, shaped_as_nearest, turned_about
from tilekeeper.vision.recognition.refinement.pale_ground import Ground, shares_px


def printed_places(image_bgr: Image, ground: Ground, sure_px: Floats) -> Floats:
    """Return the middles `(M, 2)`, in the picture, of what may be figures on white that nothing found explains.

    The clearest come first, `printed_most` at most.
    """
    width = ground.unknown.shape[1]
    sides = [ground.square(widths) for widths in limits.printed_squares]
    near, both = (shares_px(ground.ink, side) for side in sides)
    share = (sides[0] / sides[1]) ** 2
    clear = near - limits.printed_alone * (both - share * near) / (1 - share)
    free = shares_px(ground.unknown, sides[0]) > limits.printed_free
    at = np.flatnonzero((near > limits.printed_least) & (clear > 0) & free)
    at = at[ground.peaks(at, clear[at])]
    middles = np.column_stack([at % width, at // width]).astype(np.float64)
    within_px = np.full(len(middles), limits.pale_apart * ground.unit_px)
    best = one_each(np.arange(len(middles)), middles, within_px, clear[at], limits.printed_tried)
    figures_px = ground.in_picture(middles[best])
    if not len(figures_px):
        return figures_px
    nearest = distances_px(figures_px, centres_px(sure_px)).argmin(axis=1)
    some, of_some = np.unique(nearest, return_inverse=True)
    whites = face_whites(image_bgr, shaped_as_nearest(figures_px, sure_px))
    white_as = face_whites(image_bgr, sure_px[some])[of_some]
    return figures_px[as_white(whites, white_as, *limits.printed_ground)][: limits.printed_most]


def about_figures(figures_px: Floats, sure_px: Floats) -> Floats:
    """Return quads `(8 M, 4, 2)` in which a tile may lie with a figure at each middle `(M, 2)`, turned all around.

    They are shaped as the nearest of the sure tiles `(N, 4, 2)`, N at least 1; figures lie above a tile's middle.
    """
    plane = fit_plane(sure_px)
    aspect = TILE_ASPECT if plane is None else plane.aspect
    half = turned_about(figures_px, axes_of(shaped_as_nearest(figures_px, sure_px), aspect), aspect, 4)
    quads = np.concatenate([half, np.roll(half, 2, axis=2)], axis=1)
    down = (quads[:, :, 2:].sum(axis=2) - quads[:, :, :2].sum(axis=2)) / 2
    return np.asarray(quads + limits.printed_above * down[:, :, None]).reshape(-1, 4, 2)
