"""Tells a tile that something was put on from one that was taken away: where it lay, the table shows or it does not.

A cup that stands on a meld touches no edge of the picture, as an arm does. What lies around what changed is the table
as it looks in this light, and so is what lies right beside a place and is as it was, such as a stain or a stripe on
which the tile lay. A place that no tile lies in now, and that looks otherwise, has something over it.
"""

from __future__ import annotations

import numpy as np

from tilekeeper.vision.geometry.proximity import are_free, are_same_place
from tilekeeper.vision.geometry.quads import as_quads, enlarge, grid_points, points_in_quads, sizes_wh_px
from tilekeeper.vision.imaging import remap
from tilekeeper.vision.tracking.regions import points_in_boxes

# The table's colour is sampled at these three distances around a changed box.
TABLE_SAMPLE_MARGINS_WIDTHS = (0.25, 0.7, 1.2)
# The table right beside a tile is sampled along the tile's outline, scaled by these two factors.
PLACE_RING_SIZE_RATIOS = (1.25, 1.45)
# A tile outline scaled by this holds the tile's sides and shadow, which are not table.
TILE_WITH_SHADOW_RATIO = 1.25
# The table's colour is sampled at this many points along each side of a box around the change.
TABLE_SAMPLE_POINTS_PER_SIDE = 40
# A point is table if its log B/G and log R/G each differ from the table's by at most this.
MAX_TABLE_TINT_LOG = 0.12
# A point is table if its log brightness differs by at most this; a shadow darkens much and tints little.
MAX_TABLE_BRIGHTNESS_LOG = 0.35
# A missing tile was taken away if at least this share of its place shows table; otherwise it is covered.
MIN_BARE_TABLE_SHARE = 0.7
# A tile is covered only if other tiles leave this share of its place free; otherwise the row was pushed along.
MIN_UNOCCUPIED_SHARE = 0.5
# Tiles with centres closer than this are neighbours; a covered tile makes its missing neighbours covered too.
MAX_NEIGHBOUR_DISTANCE_WIDTHS = 1.5
# With fewer table samples there is no comparison, and a missing tile keeps its earlier state, covered or not.
MIN_TABLE_POINTS = 20


STEPS = (7, 9)
"""Samples across and down a place, within its inner four fifths."""


def occluded(
    image_bgr: np.ndarray,
    lost_px: np.ndarray,
    seen_px: np.ndarray,
    changed_px: np.ndarray,
    before: np.ndarray,
    before_bgr: np.ndarray | None = None,
) -> np.ndarray:
    """Return, `(K,)` bool, which of the tiles that lay at `lost_px (K, 4, 2)` something covers now.

    `seen_px (N, 4, 2)` are the tiles that are seen, `changed_px (M, 4)` boxes around what changed, x and y of two
    corners, `before (K,)` bool which were covered before: what covers a tile still does where nothing has changed.
    `before_bgr` is the picture in which they were seen, of the same camera in the same place, if there is one.
    """
    lost, seen = as_quads(lost_px), as_quads(seen_px).astype(np.float32)
    result = before.copy()
    if not len(lost):
        return result
    under = lost[result].mean(axis=1)
    within = points_in_boxes(lost.mean(axis=1), changed_px)
    # right beside a tile its sides and its shadow show
    every = enlarge(np.concatenate([seen, lost]), TILE_WITH_SHADOW_RATIO).astype(np.float32)
    points = [_within(quad) for quad in lost]
    free = [inside[~points_in_quads(inside, seen).any(axis=1)] for inside in points]
    for box in range(len(changed_px)):
        mine = np.flatnonzero(within[:, box] & ~within[:, :box].any(axis=1))
        if not len(mine):
            continue
        width_px = float(np.median(sizes_wh_px(lost[mine])[:, 0]))
        around = _around(changed_px[box], width_px, image_bgr.shape[1::-1])
        bare = ~points_in_quads(around, every).any(axis=1) & ~points_in_boxes(around, changed_px).any(axis=1)
        # beside those it is no table, but what covers them
        bare &= are_free(around, under, MAX_NEIGHBOUR_DISTANCE_WIDTHS * width_px)
        table = _looks(image_bgr, around[bare])
        if len(table) >= MIN_TABLE_POINTS:
            for at in mine:
                looks, known = _looks(image_bgr, free[at]), table
                if before_bgr is not None:
                    ring = _ring(lost[at])
                    ring = ring[~points_in_quads(ring, np.delete(every, len(seen) + at, axis=0)).any(axis=1)]
                    known = np.concatenate([table, _as_before(before_bgr, image_bgr, ring, around[bare])])
                result[at] = not len(looks) or _like_table(looks, known).mean() < MIN_BARE_TABLE_SHARE
    result &= np.array(
        [len(part) >= MIN_UNOCCUPIED_SHARE * len(whole) for part, whole in zip(free, points, strict=True)]
    )
    return np.asarray(result | _spread(result & ~before, lost))


def _spread(is_covered: np.ndarray, lost: np.ndarray) -> np.ndarray:
    """Return which are covered, those with them that went at once from right beside one: on a rug all looks alike."""
    widths_px, middles = sizes_wh_px(lost)[:, 0], lost.mean(axis=1)
    beside = are_same_place(middles, middles, MAX_NEIGHBOUR_DISTANCE_WIDTHS * widths_px[:, None])
    while True:
        more = is_covered | beside[:, is_covered].any(axis=1)
        if (more == is_covered).all():
            return is_covered
        is_covered = more


def _like_table(looks: np.ndarray, table: np.ndarray) -> np.ndarray:
    """Return which looks `(P, 3)` are like any of the table's `(Q, 3)`, `(P,)` bool."""
    like = np.ones((len(looks), len(table)), bool)
    for at, most in enumerate((MAX_TABLE_TINT_LOG, MAX_TABLE_TINT_LOG, MAX_TABLE_BRIGHTNESS_LOG)):
        like &= np.abs(looks[:, at, None] - table[:, at]) / most <= 1
    return np.asarray(like.any(axis=1))


def _as_before(before_bgr: np.ndarray, now_bgr: np.ndarray, points_px: np.ndarray, table_px: np.ndarray) -> np.ndarray:
    """Return the looks `(Q, 3)` of those of the points `(P, 2)` that look as they did in the picture before.

    The table's points `(T, 2)` say what the light did.
    """
    was, now = (_looks(image, points_px) for image in (before_bgr, now_bgr))
    light = np.median(_looks(now_bgr, table_px) - _looks(before_bgr, table_px), axis=0)
    most = np.array([MAX_TABLE_TINT_LOG, MAX_TABLE_TINT_LOG, MAX_TABLE_BRIGHTNESS_LOG])
    as_before: np.ndarray = now[(np.abs(now - was - light) <= most).all(axis=1)]
    return as_before


def _looks(image_bgr: np.ndarray, points_px: np.ndarray) -> np.ndarray:
    """Return tint and light at points `(P, 2)`: logarithms of B/G, R/G and their mean, `(P, 3)`."""
    if not len(points_px):
        return np.zeros((0, 3))
    # over 3 × 3 pixels: noise is no look of a table
    steps = np.stack(np.meshgrid((-1, 0, 1), (-1, 0, 1)), axis=-1).reshape(-1, 1, 2)
    points = (points_px[None] + steps).astype(np.float32)
    bgr = remap(image_bgr, points).astype(np.float64)
    logs = np.log(bgr.mean(axis=0) + 4)  # what is nearly black has no tint
    return np.column_stack([logs[:, 0] - logs[:, 1], logs[:, 2] - logs[:, 1], logs.mean(axis=1)])


def _within(quad_px: np.ndarray) -> np.ndarray:
    """Return points of a place `(P, 2)`."""
    us, vs = ((np.arange(count) + 0.5) / count * 0.8 + 0.1 for count in STEPS)
    return grid_points(quad_px[None], us, vs).reshape(-1, 2)


def _ring(quad_px: np.ndarray) -> np.ndarray:
    """Return points around a place `(P, 2)`."""
    middle, along = quad_px.mean(axis=0), np.linspace(0, 1, 12, endpoint=False)[:, None]
    rings = [middle + (quad_px - middle) * larger for larger in PLACE_RING_SIZE_RATIOS]
    return np.concatenate([ring[at] + along * (ring[(at + 1) % 4] - ring[at]) for ring in rings for at in range(4)])


def _around(box_px: np.ndarray, width_px: float, image_wh: tuple[int, int]) -> np.ndarray:
    """Return points around a box `(P, 2)` that lie in the picture."""
    rounds = []
    for far in TABLE_SAMPLE_MARGINS_WIDTHS:
        low, high = box_px[:2] - far * width_px, box_px[2:] + far * width_px
        xs, ys = (np.linspace(low[at], high[at], TABLE_SAMPLE_POINTS_PER_SIDE) for at in range(2))
        rounds += [np.column_stack([xs, np.full_like(xs, y)]) for y in (low[1], high[1])]
        rounds += [np.column_stack([np.full_like(ys, x), ys]) for x in (low[0], high[0])]
    points = np.concatenate(rounds)
    return points[((points > 1) & (points < np.array(image_wh) - 2)).all(axis=1)]
