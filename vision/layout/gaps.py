"""How wide a gap looks between tiles that touch: quads found a little too wide or too narrow are so all around there.

What a camera's angle, its lens or a set's rounded edges do to the quads of one tile they do to those of its neighbours,
evenly over the picture. Most tiles of a table touch the next one, so that their gaps tell what it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tilekeeper.vision.arrays import Floats
from tilekeeper.vision.config import layout_limits as limits
from tilekeeper.vision.geometry.quantiles import median


@dataclass(frozen=True, slots=True)
class UsualGaps:
    """The fit: `coefficients (5,)` of what `_design` makes of places, in units of `scale_px` about `origin_px (2,)`."""

    coefficients: Floats
    origin_px: Floats
    scale_px: float

    def between(self, middles_px: Floats) -> Floats:
        """How wide a gap would look between tiles that touch, `(K,)` in tile widths: `middles_px (K, 2, 2)` of two."""
        return _design(middles_px, self.origin_px, self.scale_px) @ self.coefficients


def fit_usual_gaps(middles_px: Floats, gaps: Floats) -> UsualGaps | None:
    """Fit what is usual to gaps `(K,)` in tile widths, by least squares in which what is far off has little say.

    `middles_px (K, 2, 2)` are those of the two tiles of each. None where they are too few. A gap on a table is as wide
    here as there, so that the fit is flat where the gaps do not show otherwise.
    """
    if len(gaps) < limits.gap_fewest:
        return None
    places = middles_px.mean(axis=1)
    origin, scale = places.mean(axis=0), max(float(np.ptp(places, axis=0).max()) / 2, 1.0)
    design = _design(middles_px, origin, scale)
    stiff = np.diag([1e-6, *(limits.gap_stiffness,) * (design.shape[1] - 1)])
    off: Floats = gaps - median(gaps)
    for _ in range(limits.gap_rounds):
        weighed = design.T / (1 + (off / limits.gap_spread) ** 2)
        coefficients = np.linalg.solve(weighed @ design + stiff, weighed @ gaps)
        off = gaps - design @ coefficients
    return UsualGaps(coefficients, origin, scale)


def _design(middles_px: Floats, origin_px: Floats, scale_px: float) -> Floats:
    """`(K, 5)`: one, where the gap is in x and y, and how its row runs: a camera at an angle shortens one way only."""
    x, y = ((middles_px.mean(axis=1) - origin_px) / scale_px).T
    along_x, along_y = (middles_px[:, 1] - middles_px[:, 0]).T
    square = np.maximum(along_x**2 + along_y**2, 1e-9)
    runs = (along_x**2 - along_y**2) / square, 2 * along_x * along_y / square  # the same from either end
    return np.stack([np.ones(len(x)), x, y, *runs], axis=1)
