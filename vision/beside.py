"""Looks for tiles that the finder missed, where one would lie: beside those of a row, in their shape.

Tiles of a meld touch, so that the place of the next one is known to a hair; whether it is as white there as a tile is
tells at once whether a look is worth while.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.geometry import centres_px, sizes_wh_px, upside_down
from tilekeeper.vision.looks import Looked, Namer
from tilekeeper.vision.peers import face_whites

SURE = 0.9
"""Beside tiles named this surely it looks, and takes what is named as surely."""
FREE = 0.62
"""A place is free where no tile's middle is nearer to its own than this, in widths of the tile beside it."""
AS_LIGHT, AS_TINTED = 0.3, 0.12
"""A place is looked at where it is as light and of the same tint as the tile beside it, within these (logarithms)."""
AT_MOST = 12


def look_beside(namer: Namer, image_bgr: np.ndarray, looked: Looked) -> Looked:
    """Return the best looks at tiles found, and after them those at tiles that were missed beside them."""
    sure = np.flatnonzero(looked.sureness() >= SURE)
    if not len(sure):
        return looked
    places = _free_places(image_bgr, looked.quads_px, sure)
    if not len(places):
        return looked
    seen = Looked.of(namer(image_bgr, places))
    over = np.flatnonzero(seen.upside_down_log_odds > 0)
    if len(over):
        seen.take(over, namer(image_bgr, upside_down(seen.quads_px[over])), np.arange(len(over)))
    middles, widths = centres_px(seen.quads_px), sizes_wh_px(places)[:, 0]
    moved = np.linalg.norm(middles - centres_px(places), axis=1)
    # with its corners mended it may turn out to be a tile that is known, seen askew
    apart = np.linalg.norm(middles[:, None] - centres_px(looked.quads_px)[None], axis=2).min(axis=1)
    there = (seen.sureness() >= SURE) & (seen.upside_down_log_odds <= 0)
    there &= (moved < FREE / 2 * widths) & (apart > FREE * widths)
    return looked.with_more(seen, np.flatnonzero(there))


def _free_places(image_bgr: np.ndarray, quads_px: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """Quads `(M, 4, 2) float32` left and right of the sure tiles where none lies and it is as white as they are."""
    quads = quads_px[sure].astype(np.float64)
    right = (quads[:, 1] - quads[:, 0] + quads[:, 2] - quads[:, 3]) / 2
    places = np.concatenate([quads + right[:, None], quads - right[:, None]])
    widths = np.tile(np.linalg.norm(right, axis=1), 2)
    middles, taken = centres_px(places), centres_px(quads_px)
    free = np.linalg.norm(middles[:, None] - taken[None], axis=2).min(axis=1) > FREE * widths
    height, width = image_bgr.shape[:2]
    free &= ((places > 0) & (places < (width - 1, height - 1))).all(axis=(1, 2))
    at = np.flatnonzero(free)
    if not len(at):
        return np.zeros((0, 4, 2), np.float32)
    off = face_whites(image_bgr, places[at]) - face_whites(image_bgr, quads[at % len(sure)])
    light, tint = np.abs(off.mean(axis=1)), np.linalg.norm(off[:, [0, 2]] - off[:, 1:2], axis=1)
    white = (light < AS_LIGHT) & (tint < AS_TINTED)
    at = at[white][np.argsort(light[white] + tint[white])]
    kept: list[int] = []
    for place in at:  # from either side of a gap the same place is found
        if np.all(np.linalg.norm(middles[kept] - middles[place], axis=1) > FREE * widths[place]):
            kept.append(int(place))
    return places[kept[:AT_MOST]].astype(np.float32)
