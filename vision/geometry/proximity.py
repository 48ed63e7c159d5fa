"""Nearest-neighbour tests between tile centres: same place, free place, duplicates, pairing.

Each caller chooses the distance limit: two detections of one tile are closer than a tile that slid, and both are closer
than the next tile of a row.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints, values_at
from tilekeeper.vision.geometry.quads import distances_px

# Two detections are the same tile if their middles are closer than this.
MAX_SAME_TILE_DISTANCE_WIDTHS = 0.4
# The middles of two tiles are at least this far apart; closer ones are the same tile.
MIN_NEXT_TILE_DISTANCE_WIDTHS = 0.62


def are_same_place(middles_px: Floats, others_px: Floats, within_px: Floats | float) -> Bools:
    """Return which centres `(N, 2)` are closer than `within_px` to which of the others `(M, 2)`: `(N, M)` bool.

    `within_px` is a number, `(N, 1)`, `(M,)` or `(N, M)`.
    """
    same: Bools = distances_px(middles_px, others_px) < within_px
    return same


def are_free(middles_px: Floats, others_px: Floats, within_px: Floats | float) -> Bools:
    """Return which centres `(N, 2)` are the same place as none of the others `(M, 2)`, `(N,)`: see `are_same_place`."""
    return ~np.asarray(are_same_place(middles_px, others_px, within_px).any(axis=1))


def nearest_neighbours(middles_px: Floats, indices: Ints, candidates: Ints, count: int) -> tuple[Ints, Bools]:
    """k-nearest neighbours: return those of each tile among the candidates, and which of these entries exist.

    `middles_px`: centres `(N, 2)`; `indices`: tiles `(A,)` as indices into `middles_px`; `candidates`: possible
    neighbours `(M,)` as indices into `middles_px` (a tile is not its own neighbour); `count`: largest number K of
    neighbours.

    Returns the neighbours as indices into `middles_px`, nearest first, and whether they exist, both `(A, K)`.
    """
    distances = distances_px(middles_px[indices], middles_px[candidates])
    distances[indices[:, None] == candidates] = np.inf
    nearest = np.argsort(distances, axis=1)[:, :count]
    return candidates[nearest], np.isfinite(values_at(distances, nearest))


def suppress_duplicates(
    indices: Ints, middles_px: Floats, within_px: Floats, scores: Floats | None = None, max_count: int | None = None
) -> Ints:
    """Non-maximum suppression by distance: keep the first tile of each place.

    `indices`: tiles in order of preference, as indices into `middles_px`; `middles_px`: centres `(N, 2)`; `within_px`:
    distance `(N,)` within which another tile is a duplicate of this one; `scores`: `(N,)`, by which the tiles are
    sorted if given, highest first; `max_count`: the largest number of tiles to keep.

    Returns the kept indices in order.
    """
    order = indices if scores is None else indices[np.argsort(-scores[indices], kind="stable")]
    middles_px, within_px = middles_px[order], within_px[order]
    is_duplicate, kept = np.zeros(len(order), bool), list[int]()
    for position in range(len(order)):
        if len(kept) == max_count:
            break
        if not is_duplicate[position]:
            kept.append(position)
            is_duplicate |= are_same_place(middles_px[position][None], middles_px, within_px)[0]
    return order[kept]


def match_nearest_first(distances: Floats, within: float) -> dict[int, int]:
    """Greedy matching: pair N rows with M columns by `distances (N, M)` below `within`, each once, nearest first."""
    pairs: dict[int, int] = {}
    used_columns: set[int] = set()
    rows, columns = np.nonzero(distances < within)
    for position in np.argsort(distances[rows, columns], kind="stable"):
        row, column = int(rows[position]), int(columns[position])
        if row not in pairs and column not in used_columns:
            pairs[row] = column
            used_columns.add(column)
    return pairs
