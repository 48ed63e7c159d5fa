"""Names what lies over the table as a trouble of the reading: hands at its edge, and what covers single tiles."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from tilekeeper.vision.quality.diagnostics import WORDS
from tilekeeper.vision.types import IN_THE_WAY, Trouble


def in_the_way(hidden_px: Sequence[np.ndarray], quads_px: np.ndarray) -> tuple[Trouble, ...]:
    """Return a trouble for each outline `(K, 2)` of what covers the table, and for what else lies over tiles.

    `quads_px (N, 4, 2)` are the tiles that something covers.
    """
    outlines = [outline.astype(np.float32) for outline in hidden_px if len(outline) >= 3]
    alone = [quad_px for quad_px in quads_px if not any(_reaches(quad_px, outline) for outline in outlines)]
    regions = [*(cv2.boxPoints(cv2.minAreaRect(outline)) for outline in outlines), *alone]
    return tuple(Trouble(IN_THE_WAY, WORDS[IN_THE_WAY], region.astype(np.float32).reshape(4, 2)) for region in regions)


def _reaches(quad_px: np.ndarray, outline_px: np.ndarray) -> bool:
    x, y = (float(value) for value in quad_px.mean(axis=0))
    return cv2.pointPolygonTest(outline_px, (x, y), True) >= -float(np.linalg.norm(quad_px[1] - quad_px[0]))
