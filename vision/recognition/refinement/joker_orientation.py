"""Turns jokers as the row lies in which they lie: a joker's face looks like one from every side."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats
from tilekeeper.vision.geometry.proximity import MIN_NEXT_TILE_DISTANCE_WIDTHS, are_free
from tilekeeper.vision.geometry.quads import (
    TILE_ASPECT,
    as_quads,
    axes_px,
    centres_px,
    homographies,
    sizes_wh_px,
)
from tilekeeper.vision.imaging import project

# A joker belongs to the row of a tile at most this far away, centre to centre.
MAX_JOKER_ROW_DISTANCE_WIDTHS = 1.6
# A joker is beside a tile if the sideways distance between their centres is in this range.
JOKER_NEIGHBOUR_RANGE_WIDTHS = (0.7, 1.35)
# A joker is in a tile's row if its centre is less than this above or below the tile's centre.
MAX_JOKER_ROW_OFFSET_WIDTHS = 0.45
# Usual distance between the centres of neighbouring tiles in a row.
ROW_PITCH_WIDTHS = 1.03
# A joker less than this off the row pitch is moved onto it, because turned quads are shifted as well.
MAX_JOKER_SNAP_WIDTHS = 0.3


def turned_as_rows(quads_px: Floats, jokers: Bools, others_px: Floats) -> Floats:
    """Return the quads `(N, 4, 2)`, those of `jokers (N,)` bool that lie across their rows turned along them.

    `others_px (M, 4, 2)` are tiles whose sides are known. A joker lies in the row of the nearest of them that it lies
    level beside; that it is turned by a quarter against that one is a mistake, and it gets its shape, unless another
    tile lies there.
    """
    at, others = np.flatnonzero(jokers), as_quads(others_px)
    if not len(at) or not len(others):
        return quads_px
    turned = np.array(quads_px, np.float32)
    middles, widths = centres_px(others), sizes_wh_px(others)[:, 0]
    for joker in at:
        middle = centres_px(turned[joker][None])[0]
        apart = np.linalg.norm(middles - middle, axis=1) / np.maximum(widths, 1e-6)
        for other in np.argsort(apart)[:2]:
            if apart[other] > MAX_JOKER_ROW_DISTANCE_WIDTHS:
                break
            frame = homographies(others[other][None])[0]
            place = _beside(frame, middle)
            if place is None:
                continue  # above or below that one, or at its corner
            if _is_across(frame, turned[joker]):
                quad = _at(frame, place)
                rest = np.delete(middles, other, axis=0)
                if are_free(quad.mean(axis=0)[None], rest, MIN_NEXT_TILE_DISTANCE_WIDTHS * widths[other])[0]:
                    turned[joker] = quad
            break  # it lies in that one's row
    return turned


def _beside(frame: Floats, middle_px: Floats) -> Floats | None:
    """Where a joker's middle lies in the frame of a tile whose row it lies in; None where it lies in none."""
    x, y = project(middle_px[None], frame)[0] - (0.5, TILE_ASPECT / 2)
    if not (
        JOKER_NEIGHBOUR_RANGE_WIDTHS[0] < abs(x) < JOKER_NEIGHBOUR_RANGE_WIDTHS[1]
        and abs(y) < MAX_JOKER_ROW_OFFSET_WIDTHS
    ):
        return None
    return np.array([np.sign(x) * ROW_PITCH_WIDTHS if abs(abs(x) - ROW_PITCH_WIDTHS) < MAX_JOKER_SNAP_WIDTHS else x, y])


def _is_across(frame: Floats, quad_px: Floats) -> bool:
    """Whether a quad `(4, 2)` is turned by a quarter against the tile whose frame it is, or nearly so."""
    corners = project(quad_px, frame)
    across, _ = axes_px(corners)
    return bool(abs(across[0]) < abs(across[1]))


def _at(frame: Floats, place: Floats) -> Floats:
    """A quad `(4, 2) float32` as a tile's own, at that place in its frame."""
    own = np.array([[0, 0], [1, 0], [1, TILE_ASPECT], [0, TILE_ASPECT]], np.float32) + place.astype(np.float32)
    return project(own, np.linalg.inv(frame))
