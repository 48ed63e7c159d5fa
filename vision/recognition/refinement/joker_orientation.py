"""Turns jokers as the row lies in which they lie: a joker's face looks like one from every side."""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats
from tilekeeper.vision.geometry.proximity import free_places
from tilekeeper.vision.geometry.quads import (
    APART,
    TILE_ASPECT,
    as_quads,
    axes_px,
    centres_px,
    homographies,
    sizes_wh_px,
)
from tilekeeper.vision.imaging import project

NEAR = 1.6
"""In a tile's own widths: no row's next tile is further from its middle."""
BESIDE, LEVEL = (0.7, 1.35), 0.45
"""A joker lies in a tile's row where its middle is so far to the side of the tile's, and no further above or below it,
in widths."""
NEXT = 1.03
"""How far the next tile's middle is in most rows."""
SNAPS = 0.3
"""A joker's middle that is no further off than this is put there: quads that are turned are off, too."""


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
            if apart[other] > NEAR:
                break
            frame = homographies(others[other][None])[0]
            place = _beside(frame, middle)
            if place is None:
                continue  # above or below that one, or at its corner
            if _is_across(frame, turned[joker]):
                quad = _at(frame, place)
                rest = np.delete(middles, other, axis=0)
                if free_places(quad.mean(axis=0)[None], rest, APART * widths[other])[0]:
                    turned[joker] = quad
            break  # it lies in that one's row
    return turned


def _beside(frame: Floats, middle_px: Floats) -> Floats | None:
    """Where a joker's middle lies in the frame of a tile whose row it lies in; None where it lies in none."""
    x, y = project(middle_px[None], frame)[0] - (0.5, TILE_ASPECT / 2)
    if not (BESIDE[0] < abs(x) < BESIDE[1] and abs(y) < LEVEL):
        return None
    return np.array([np.sign(x) * NEXT if abs(abs(x) - NEXT) < SNAPS else x, y])


def _is_across(frame: Floats, quad_px: Floats) -> bool:
    """Whether a quad `(4, 2)` is turned by a quarter against the tile whose frame it is, or nearly so."""
    corners = project(quad_px, frame)
    across, _ = axes_px(corners)
    return bool(abs(across[0]) < abs(across[1]))


def _at(frame: Floats, place: Floats) -> Floats:
    """A quad `(4, 2) float32` as a tile's own, at that place in its frame."""
    own = np.array([[0, 0], [1, 0], [1, TILE_ASPECT], [0, TILE_ASPECT]], np.float32) + place.astype(np.float32)
    return project(own, np.linalg.inv(frame))
