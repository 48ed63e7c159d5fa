"""Rack layout: group tiles into the rows of a rack, from back to front.

On a rack the tiles stand in lines and gaps mean nothing, so rows are lines across the image and not melds. Tiles are
grouped by their height in the direction in which most of them stand upright.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from tilekeeper.vision.arrays import Floats
from tilekeeper.vision.geometry.quads import as_quads, axes_px, sizes_wh_px
from tilekeeper.vision.types import Rows, TableReading

# Rows of a rack are further apart than this; the back row shows at least half of itself.
MIN_RACK_ROW_DISTANCE_HEIGHTS = 0.45
# Tile pairs this far apart along a rack are used to estimate the slope of its rows.
RACK_SLOPE_RANGE_HEIGHTS = (0.3, 4.0)
# Two tiles are in different rows if one is lower by this times a tile height, or half their distance if more.
MAX_RACK_SLOPE_FALL_RATIO = 0.35


def read_as_rack(reading: TableReading) -> TableReading:
    """Return the reading with its tiles in the rows of a rack instead of melds, see `rack_rows`."""
    return replace(reading, rows=rack_rows(reading.quads_px))


def rack_rows(quads_px: Floats) -> Rows:
    """Return the rows as indices into `quads_px (N, 4, 2)`, the back row first, each from left to right.

    The majority of the tiles decides which way is up, so that a tile on its head does not turn the rack.
    """
    quads = as_quads(quads_px)
    if not len(quads):
        return ()
    direction = _direction(quads)
    down = np.array([-direction[1], direction[0]])
    middles = quads.mean(axis=1)
    # Perspective tilts a line of tiles, so its slope is subtracted before the rows are split.
    height = float(np.median(np.abs(axes_px(quads)[1] @ down)))
    height = max(height, float(np.median(sizes_wh_px(quads).min(axis=1))) / 2, 1.0)
    depth, across = middles @ down, middles @ direction
    depth = depth - _slope(across, depth, height) * across
    order = np.argsort(depth, kind="stable")
    rows: list[list[int]] = [[int(order[0])]]
    for before, tile in pairwise(order):
        if depth[tile] - depth[before] > MIN_RACK_ROW_DISTANCE_HEIGHTS * height:
            rows.append([])
        rows[-1].append(int(tile))
    return tuple(tuple(sorted(row, key=lambda tile: across[tile])) for row in rows)


def _direction(quads: Floats) -> Floats:
    """Return the unit vector from left to right of most tiles; a tie takes the camera's direction."""
    rightward, _ = axes_px(quads)
    rightward = rightward / np.maximum(np.linalg.norm(rightward, axis=1, keepdims=True), 1e-6)
    angles = np.arctan2(rightward[:, 1], rightward[:, 0])
    # Doubled angles are equal for tiles that are upside down.
    doubled_angle = np.arctan2(np.median(np.sin(2 * angles)), np.median(np.cos(2 * angles)))
    direction = np.array([np.cos(doubled_angle / 2), np.sin(doubled_angle / 2)])
    balance = np.sign(rightward @ direction).sum()
    if balance == 0:
        balance = direction[0] if abs(direction[0]) > 1e-3 else direction[1]
    return direction if balance > 0 else -direction


def _slope(across: Floats, depth: Floats, height: float) -> float:
    """Return the slope of the rows: the median over pairs of tiles that may be in one row."""
    gap = across[:, None] - across[None]
    fall = depth[:, None] - depth[None]
    nearest, farthest = RACK_SLOPE_RANGE_HEIGHTS
    is_level = np.abs(fall) < MAX_RACK_SLOPE_FALL_RATIO * np.maximum(height, gap * 0.5)
    is_near = (gap > nearest * height) & is_level & (gap < farthest * height)
    return float(np.median(fall[is_near] / gap[is_near])) if is_near.any() else 0.0
