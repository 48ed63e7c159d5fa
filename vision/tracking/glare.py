"""Tells a tile on which glare has come from one that was laid in its place: what still shows of its print is as it was.

Light that a lamp or the sun throws back hides print as a cup does. What was read before it came still holds, as long
as nobody can have changed the tile under it.
"""

from __future__ import annotations

import cv2
import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Image
from tilekeeper.vision.config import tracking_limits as limits
from tilekeeper.vision.geometry.quads import points_within
from tilekeeper.vision.imaging import remap
from tilekeeper.vision.tracking.illumination import fine

ACROSS, DOWN = np.linspace(0.06, 0.94, 20), np.linspace(0.05, 0.95, 28)
"""Where a face is sampled, as shares of its width and height."""


def under_glare(before_bgr: Image, now_bgr: Image, quads_px: Floats) -> Bools:
    """Return which tiles `(N, 4, 2)` lie there as before, in part under light that was not there, `(N,)` bool.

    Both pictures are `(H, W, 3) uint8` of one camera that has not moved. Where hardly any print shows beside the glare
    nobody can tell, and the answer is no.
    """
    if not len(quads_px):
        return np.zeros(0, bool)
    before, now = (_levels(image, quads_px) for image in (before_bgr, now_bgr))
    return np.array([_same_print(*pair) for pair in zip(before, now, strict=True)], bool)


def _same_print(before: Floats, now: Floats) -> bool:
    """Whether two looks at a face `(28, 20)`, levels of the darkest channel, have one print, the second with glare."""
    came = (now >= limits.glare_level) & (before < limits.glare_level)
    shows = cv2.dilate(came.astype(np.uint8), np.ones((3, 3), np.uint8)) == 0
    if came.mean() < limits.glare_least or shows.mean() < limits.glare_shows:
        return False
    # white where another tile had print is no light: such a tile has print where the one before was white
    if (before - now > limits.glare_darker).mean() > limits.glare_print:
        return False
    one, other = (fine(levels)[shows] for levels in (before, now))  # the soft rim of glare is no print
    if one.std() < limits.pattern_depth or other.std() < limits.pattern_depth:
        return False
    return float(np.corrcoef(one, other)[0, 1]) >= limits.glare_alike


def _levels(image_bgr: Image, quads_px: Floats) -> Floats:
    levels: Floats = remap(image_bgr, points_within(quads_px, ACROSS, DOWN)).min(axis=3).astype(np.float32)
    return levels
