"""Tells a tile on which glare has come from one that was laid in its place: what still shows of its print is as it was.

Light that a lamp or the sun throws back hides print as a cup does. What was read before it came still holds, as long
as nobody can have changed the tile under it.
"""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.config import tracking_limits as limits
from tilekeeper.vision.tracking.faces import faces_of
from tilekeeper.vision.tracking.illumination import fine


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
    came = (now >= limits.glare_level) & (before < limits.glare_level)
    shows = cv2.dilate(came.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0
    if came.mean() < limits.glare_least or shows.mean() < limits.glare_shows:
        return False
    if _made_by_no_light(before_bgr, now_bgr).mean() > limits.glare_print:
        return False
    one, other = (fine(levels)[shows] for levels in (before, now))  # the soft rim of glare is no print
    if one.std() < limits.pattern_depth or other.std() < limits.pattern_depth:
        return False
    return float(np.corrcoef(one, other)[0, 1]) >= limits.glare_alike


def _made_by_no_light(before_bgr: Floats, now_bgr: Floats) -> Bools:
    """Where a face `(28, 20, 3)` shows other print, `(28, 20)` bool.

    Light thrown back makes nothing darker, and takes of what each channel lacks to white the same share.
    """
    darker = (before_bgr - now_bgr > limits.glare_darker).any(axis=2)
    lacks = 255 - before_bgr
    tells = lacks >= limits.glare_lacks
    shares = (now_bgr - before_bgr) / np.maximum(lacks, 1)
    most, least = np.where(tells, shares, -np.inf).max(axis=2), np.where(tells, shares, np.inf).min(axis=2)
    otherwise: Bools = darker | (most - least > limits.glare_uneven)
    return otherwise
