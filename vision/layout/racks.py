"""Reads a rack: the rows in which tiles stand, from the back row to the front, whatever gaps are between them.

On a rack tiles stand in lines and a gap means nothing, so that rows are lines across the picture, not melds: tiles are
put in rows by how far up they stand, seen along the way in which most of them stand upright.
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
    """Return what was read in a picture of a rack, its tiles in rows of the rack instead of melds; see `rack_rows`."""
    return replace(reading, rows=rack_rows(reading.quads_px))


def rack_rows(quads_px: Floats) -> Rows:
    """Return the rows as indices into `quads_px (N, 4, 2)`, the back row first, each from left to right.

    Which way is up most of the tiles say: one that somebody put on its head does not turn the rack.
    """
    quads = as_quads(quads_px)
    if not len(quads):
        return ()
    along = _direction(quads)
    down = np.array([-along[1], along[0]])
    middles = quads.mean(axis=1)
    # tilted towards the camera a line of tiles rises or falls a little: its slope is taken out before rows are told
    height = float(np.median(np.abs(axes_px(quads)[1] @ down)))
    height = max(height, float(np.median(sizes_wh_px(quads).min(axis=1))) / 2, 1.0)
    depth, across = middles @ down, middles @ along
    depth = depth - _slope(across, depth, height) * across
    order = np.argsort(depth, kind="stable")
    rows: list[list[int]] = [[int(order[0])]]
    for before, at in pairwise(order):
        if depth[at] - depth[before] > MIN_RACK_ROW_DISTANCE_HEIGHTS * height:
            rows.append([])
        rows[-1].append(int(at))
    return tuple(tuple(sorted(row, key=lambda at: across[at])) for row in rows)


def _direction(quads: Floats) -> Floats:
    """Return the way from left to right, as most tiles stand, of length 1; a tie is as the camera sees it."""
    ways, _ = axes_px(quads)
    ways = ways / np.maximum(np.linalg.norm(ways, axis=1, keepdims=True), 1e-6)
    angles = np.arctan2(ways[:, 1], ways[:, 0])
    # doubled, a tile on its head points the same way as the others
    twice = np.arctan2(np.median(np.sin(2 * angles)), np.median(np.cos(2 * angles)))
    way = np.array([np.cos(twice / 2), np.sin(twice / 2)])
    agree = np.sign(ways @ way).sum()
    if agree == 0:
        agree = way[0] if abs(way[0]) > 1e-3 else way[1]
    return way if agree > 0 else -way


def _slope(across: Floats, depth: Floats, height: float) -> float:
    """Return by how much a row falls from left to right: the median slope between tiles near enough to be one's."""
    gap = across[:, None] - across[None]
    fall = depth[:, None] - depth[None]
    nearest, farthest = RACK_SLOPE_RANGE_HEIGHTS
    level = np.abs(fall) < MAX_RACK_SLOPE_FALL_RATIO * np.maximum(height, gap * 0.5)
    near = (gap > nearest * height) & level & (gap < farthest * height)
    return float(np.median(fall[near] / gap[near])) if near.any() else 0.0
