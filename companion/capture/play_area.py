"""The play area: frames are made black outside it, where racks, pool and box are, before they are read or shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import gettext

FEWEST_CORNERS, MOST_CORNERS = 3, 24
LEAST_SHARE = 0.02
"""An area with a smaller share of the image is refused as a mistake."""


@dataclass(frozen=True, slots=True)
class PlayArea:
    """A polygon in the image; each corner is x and y from 0 to 1, so that the area fits any resolution."""

    corners: tuple[tuple[float, float], ...]

    @classmethod
    def drawn(cls, corners: Sequence[Sequence[float]]) -> PlayArea:
        """Return the area with these corners, each x and y from 0 to 1, as a person drew them.

        Raises:
            Refused: if the number of corners is wrong, or the area is too small.
        """
        if not FEWEST_CORNERS <= len(corners) <= MOST_CORNERS or any(len(corner) != 2 for corner in corners):
            raise Refused(
                gettext(
                    "A play area has {fewest} to {most} corners.",
                    fewest=FEWEST_CORNERS,
                    most=MOST_CORNERS,
                ),
                "bad-input",
            )
        points = tuple((min(1.0, max(0.0, float(x))), min(1.0, max(0.0, float(y)))) for x, y in corners)
        if cv2.contourArea(np.array(points, np.float32)) < LEAST_SHARE:
            raise Refused(
                gettext("That play area is too small. Draw it around the whole middle of the table."), "bad-input"
            )
        return cls(points)

    def masked(self, image_bgr: np.ndarray) -> np.ndarray:
        """Return the image `(H, W, 3) uint8` with everything outside the area black."""
        height_px, width_px = image_bgr.shape[:2]
        mask = np.zeros((height_px, width_px), np.uint8)
        corners_px = np.round(np.array(self.corners) * (width_px, height_px)).astype(np.int32)
        cv2.fillPoly(mask, [corners_px], 255)
        return cv2.bitwise_and(image_bgr, image_bgr, mask=mask)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """The bounding box: left, top, right and bottom, each 0 to 1."""
        xs, ys = zip(*self.corners, strict=True)
        return min(xs), min(ys), max(xs), max(ys)

    def box(self, wh: tuple[int, int]) -> tuple[int, int, int, int]:
        """Return left, top, width and height of the bounding box, in pixels of an image of size `wh`."""
        left, top, width, height = cv2.boundingRect(np.round(np.array(self.corners) * wh).astype(np.int32))
        return left, top, min(width, wh[0] - left), min(height, wh[1] - top)
