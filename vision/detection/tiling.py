"""Finds tiles in pictures that are too long or too large to be looked at in one go, such as a panorama: piece by piece.

The finder shrinks what it is given to a size that its network was made for. In a picture six times as wide as high, or
one taken from far off, tiles would be specks then.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from tilekeeper.vision.geometry.quads import sizes_wh_px

ONE_GO_PX = 2048
"""Pictures whose longer side is within this are always looked at in one go."""
PIECE_PX = 1024
OVERLAP_PX = 192
"""By this much pieces overlap: the longest that a tile may be to lie whole in one of two neighbours."""
NARROW_PX = 24.0
"""Tiles narrower than this, in a picture shrunk to `ONE_GO_PX`, are worth a nearer look."""
LONG_SHAPE = 2.0
"""A picture this many times as long as it is short gets a nearer look even where nothing was found."""


class FoundTile(Protocol):
    """What a finder returns for each tile: `quad_px` `(4, 2) float32` and `score`, 0 to 1."""

    @property
    def quad_px(self) -> np.ndarray: ...
    @property
    def score(self) -> float: ...


@dataclass(frozen=True, slots=True, eq=False)
class _Moved:
    """A tile found in a piece, with its corners in pixels of the whole picture."""

    quad_px: np.ndarray
    score: float


def find_in_pieces(finder: Callable[[np.ndarray], Sequence[FoundTile]], image_bgr: np.ndarray) -> Sequence[FoundTile]:
    """Return what the finder finds in `(H, W, 3) uint8`, in one go or, where its tiles are specks, piece by piece.

    A tile in the overlap of two pieces comes twice; whoever names them drops doubles.
    """
    found = finder(image_bgr)
    height, width = image_bgr.shape[:2]
    longer, shorter = max(height, width), min(height, width)
    if longer <= ONE_GO_PX:
        return found
    if found:
        widths = sizes_wh_px(np.array([tile.quad_px for tile in found]))[:, 0]
        nearer = np.median(widths) * ONE_GO_PX / longer < NARROW_PX
    else:
        nearer = longer > LONG_SHAPE * shorter
    if not nearer:
        return found
    in_pieces = [
        tile for top in _starts(height) for left in _starts(width) for tile in _in_piece(finder, image_bgr, left, top)
    ]
    return in_pieces if len(in_pieces) >= len(found) else found


def _starts(length_px: int) -> list[int]:
    """Return where pieces start so that they cover a length evenly, each two sharing at least `OVERLAP_PX`."""
    if length_px <= PIECE_PX:
        return [0]
    count = -(-(length_px - OVERLAP_PX) // (PIECE_PX - OVERLAP_PX))
    return [round(at * (length_px - PIECE_PX) / (count - 1)) for at in range(count)]


def _in_piece(
    finder: Callable[[np.ndarray], Sequence[FoundTile]], image_bgr: np.ndarray, left: int, top: int
) -> list[_Moved]:
    """Return the tiles that lie whole in one piece; its neighbours have those that its inner edges cut."""
    piece = image_bgr[top : top + PIECE_PX, left : left + PIECE_PX]
    height, width = piece.shape[:2]
    low = np.array([2 if left else -np.inf, 2 if top else -np.inf])
    high = np.array(
        [
            width - 3 if left + width < image_bgr.shape[1] else np.inf,
            height - 3 if top + height < image_bgr.shape[0] else np.inf,
        ]
    )
    return [
        _Moved((tile.quad_px + np.array([left, top])).astype(np.float32), tile.score)
        for tile in finder(np.ascontiguousarray(piece))
        if np.all(tile.quad_px >= low) and np.all(tile.quad_px <= high)
    ]
