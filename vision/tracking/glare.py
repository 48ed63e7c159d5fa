"""Tells a tile on which glare has come from one that was laid in its place: what still shows of its print is as it was.

Light that a lamp or the sun throws back hides print as a cup does. What was read before it came still holds, as long
as nobody can have changed the tile under it.
"""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.tracking.faces import faces_of
from tilekeeper.vision.tracking.illumination import MIN_PATTERN_STD_LOG, fine

# A pixel with every channel at this level or above is saturated and shows no print.
MIN_GLARE_LEVELS = 245
# Glare has come if at least this share of a tile's face is newly saturated.
MIN_GLARE_SHARE = 0.04
# Glare darkens nothing, so a channel that drops by more than this shows another tile's print.
MAX_GLARE_DARKENING_LEVELS = 60.0
# Only a channel that was at least this far below 255 shows which share of that gap the glare filled.
MIN_GLARE_HEADROOM_LEVELS = 90.0
# Glare fills the same share of each channel's gap to 255; a larger spread between channels is another ink.
MAX_GLARE_IMBALANCE_SHARE = 0.35
# If more than this share of the face changed in a way that light cannot cause, it is another tile.
MAX_GLARE_MISMATCH_SHARE = 0.01
# If less than this share of the face is free of glare, its print is not compared.
MIN_GLARE_FREE_SHARE = 0.3
# It is the same tile under glare if its visible print correlates with the earlier one by at least this.
MIN_GLARE_PRINT_CORRELATION = 0.75


def under_glare(before_bgr: Image, now_bgr: Image, quads_px: Floats) -> Bools:
    """Return which tiles `(N, 4, 2)` lie there as before, in part under light that was not there, `(N,)` bool.

    Both pictures are `(H, W, 3) uint8` of one camera that has not moved. Where hardly any print shows beside the glare
    nobody can tell, and the answer is no.
    """
    if not len(quads_px):
        return np.zeros(0, bool)
    before, now = (faces_of(image, quads_px) for image in (before_bgr, now_bgr))
    return np.array([_same_print(*pair) for pair in zip(before, now, strict=True)], bool)


def _same_print(before_bgr: Floats, now_bgr: Floats) -> bool:
    """Whether two looks at a face `(28, 20, 3)`, in levels, have one print, the second with glare."""
    before, now = before_bgr.min(axis=2), now_bgr.min(axis=2)
    came = (now >= MIN_GLARE_LEVELS) & (before < MIN_GLARE_LEVELS)
    shows = cv2.dilate(came.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0
    if came.mean() < MIN_GLARE_SHARE or shows.mean() < MIN_GLARE_FREE_SHARE:
        return False
    if _made_by_no_light(before_bgr, now_bgr).mean() > MAX_GLARE_MISMATCH_SHARE:
        return False
    one, other = (fine(levels)[shows] for levels in (before, now))  # the soft rim of glare is no print
    if one.std() < MIN_PATTERN_STD_LOG or other.std() < MIN_PATTERN_STD_LOG:
        return False
    return float(np.corrcoef(one, other)[0, 1]) >= MIN_GLARE_PRINT_CORRELATION


def _made_by_no_light(before_bgr: Floats, now_bgr: Floats) -> Bools:
    """Where a face `(28, 20, 3)` shows other print, `(28, 20)` bool.

    Light thrown back makes nothing darker, and takes of what each channel lacks to white the same share.
    """
    darker = (before_bgr - now_bgr > MAX_GLARE_DARKENING_LEVELS).any(axis=2)
    lacks = 255 - before_bgr
    tells = lacks >= MIN_GLARE_HEADROOM_LEVELS
    shares = (now_bgr - before_bgr) / np.maximum(lacks, 1)
    most, least = np.where(tells, shares, -np.inf).max(axis=2), np.where(tells, shares, np.inf).min(axis=2)
    otherwise: Bools = darker | (most - least > MAX_GLARE_IMBALANCE_SHARE)
    return otherwise
