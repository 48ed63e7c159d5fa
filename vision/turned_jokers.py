"""Turns jokers as the row lies in which they lie: a joker's face looks like one from every side."""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.geometry import TILE_ASPECT, as_quads, centres_px, homographies, sizes_wh_px

NEAR = 1.6
"""In a tile's own widths: no row's next tile is further from its middle."""
BESIDE, LEVEL = (0.7, 1.35), 0.45
"""A joker lies in a tile's row where its middle is so far to the side of the tile's, and no further above or below it,
in widths."""
NEXT = 1.03
"""How far the next tile's middle is in most rows."""
SNAPS = 0.3
"""A joker's middle that is no further off than this is put there: quads that are turned are off, too."""


def turned_as_rows(quads_px: np.ndarray, jokers: np.ndarray, others_px: np.ndarray) -> np.ndarray:
    """Return the quads `(N, 4, 2)`, those of `jokers (N,)` bool that lie across their rows turned along them.

    `others_px (M, 4, 2)` are the tiles whose sides are known: that a joker lies level beside one of them and turned by
    a quarter against it is a mistake, and it gets that one's shape.
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
            if apart[other] < NEAR and (quad := _along(turned[joker], middle, others[other])) is not None:
                turned[joker] = quad
                break
    return turned


def _along(joker_px: np.ndarray, middle_px: np.ndarray, other_px: np.ndarray) -> np.ndarray | None:
    """The joker's quad `(4, 2)` as it lies in the other tile's row; None where it lies in none or along it already."""
    view = homographies(other_px[None])[0]
    seen = cv2.perspectiveTransform(np.float32([*joker_px, middle_px])[None], view)[0]
    (x, y), corners = seen[4] - (0.5, TILE_ASPECT / 2), seen[:4]
    across = corners[1] - corners[0] + corners[2] - corners[3]
    if not (BESIDE[0] < abs(x) < BESIDE[1] and abs(y) < LEVEL) or abs(across[0]) >= abs(across[1]):
        return None
    if abs(abs(x) - NEXT) < SNAPS:
        x = np.sign(x) * NEXT
    own = np.float32([[0, 0], [1, 0], [1, TILE_ASPECT], [0, TILE_ASPECT]])
    return cv2.perspectiveTransform(own[None] + np.float32((x, y)), np.linalg.inv(view))[0]
