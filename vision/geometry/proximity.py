"""Whether two tiles lie in the same place: the distance of their middles against a share of a tile's size.

How large the share is depends on what is asked and comes from the caller's limits: a tile that was found twice lies
nearer to itself than a tile that slid, and both lie nearer than the next tile of a row.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.arrays import Bools, Floats, Ints, values_at
from tilekeeper.vision.geometry.quads import distances_px

# Two detections are the same tile if their middles are closer than this.
MAX_SAME_TILE_DISTANCE_WIDTHS = 0.4
# The middles of two tiles are at least this far apart; closer ones are the same tile.
MIN_NEXT_TILE_DISTANCE_WIDTHS = 0.62


def same_place(middles_px: Floats, others_px: Floats, within_px: Floats | float) -> Bools:
    """Return which of the middles `(N, 2)` lie where which of the others `(M, 2)` do, `(N, M)` bool.

    `within_px` is how far apart they may be, less than that, in pixels: a number, `(N, 1)`, `(M,)` or `(N, M)`.
    """
    same: Bools = distances_px(middles_px, others_px) < within_px
    return same


def free_places(middles_px: Floats, others_px: Floats, within_px: Floats | float) -> Bools:
    """Return which of the middles `(N, 2)` are the same place as none of the others `(M, 2)`, `(N,)` bool.

    `within_px` is as in `same_place`. All are free where M is 0.
    """
    return ~np.asarray(same_place(middles_px, others_px, within_px).any(axis=1))


def nearest_others(middles_px: Floats, at: Ints, others: Ints, count: int) -> tuple[Ints, Bools]:
    """Return which of the `others (M,)` lie nearest to each of those `at (A,)`, and which of these there are.

    Both are `(A, K)`, K at most `count`, and indices into `middles_px (N, 2)`; nobody is its own neighbour.
    """
    apart = distances_px(middles_px[at], middles_px[others])
    apart[at[:, None] == others] = np.inf
    nearest = np.argsort(apart, axis=1)[:, :count]
    return others[nearest], np.isfinite(values_at(apart, nearest))


def one_each(
    at: Ints, middles_px: Floats, within_px: Floats, worth: Floats | None = None, most: int | None = None
) -> Ints:
    """Return the first of `at`, and each further one that no earlier kept one is the same place as, in that order.

    `middles_px (N, 2)`; `within_px (N,)` is how far from that tile's middle its place goes. Where their `worth (N,)` is
    given, what is worth most comes first. So many are kept as `most` says, at most.
    """
    order = at if worth is None else at[np.argsort(-worth[at], kind="stable")]
    middles_px, within_px = middles_px[order], within_px[order]
    taken, kept = np.zeros(len(order), bool), list[int]()
    for one in range(len(order)):
        if len(kept) == most:
            break
        if not taken[one]:
            kept.append(one)
            taken |= same_place(middles_px[one][None], middles_px, within_px)[0]
    return order[kept]


def nearest_first(apart: Floats, within: float) -> dict[int, int]:
    """Pair N with M by how far they are `apart (N, M)`, less than `within`: each once, the nearest first."""
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    ones, others = np.nonzero(apart < within)
    for at in np.argsort(apart[ones, others], kind="stable"):
        one, other = int(ones[at]), int(others[at])
        if one not in pairs and other not in taken:
            pairs[one] = other
            taken.add(other)
    return pairs
