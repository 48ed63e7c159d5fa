"""Rows of a rack: its tiles are grouped by depth, not by the gaps between them, and all stand the same way up."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import cv2
import numpy as np

from tilekeeper.vision.arrays import Floats
from tilekeeper.vision.geometry.quads import areas_px, as_quads, axes_px, sizes_wh_px, turn_upside_down
from tilekeeper.vision.types import Doubt, DoubtReason, ReadTile, Rows, TableReading

MIN_RACK_ROW_DISTANCE_HEIGHTS = 0.45  # rows of a rack are further apart; the back row shows at least half of itself
MAX_RACK_OVERLAP_SHARE = 0.65  # more overlap is one tile, detected twice; tiles of two rows overlap by at most 0.55
RACK_SLOPE_RANGE_HEIGHTS = (0.3, 4.0)  # tile pairs this far apart along a rack show the slope of its rows
MAX_RACK_SLOPE_FALL_RATIO = 0.35  # pairs with a larger fall (over height or half distance) are not in one row


def read_as_rack(reading: TableReading) -> TableReading:
    """Return the reading with its tiles grouped in the rows of a rack by `rack_rows`, instead of melds.

    Of two detections of one tile only the more confident one is in a row. All tiles of a rack stand the same way up, so
    a 6 or 9 that seems upside down there is relabelled 9 or 6, and is doubtful.
    """
    quads = reading.quads_px
    areas = areas_px(quads)
    kept: list[int] = []
    for index in sorted(range(len(quads)), key=lambda index: -reading.tiles[index].confidence):
        limits = MAX_RACK_OVERLAP_SHARE * np.minimum(areas[kept], areas[index])
        shared = (cv2.intersectConvexConvex(quads[other], quads[index])[0] for other in kept)
        if all(area <= limit for area, limit in zip(shared, limits, strict=True)):
            kept.append(index)
    kept.sort()
    rows = tuple(tuple(kept[place] for place in row) for row in rack_rows(quads[kept]))
    return replace(reading, tiles=tuple(_turn_upright(reading.tiles, quads)), rows=rows)


def _turn_upright(tiles: Sequence[ReadTile], quads: Floats) -> Iterator[ReadTile]:
    """Yield the tiles of a rack; a 6 or 9 that is upside down becomes a doubtful 9 or 6."""
    is_upside_down = axes_px(quads)[0] @ _direction(quads) < 0 if len(quads) else ()
    for tile, is_turned in zip(tiles, is_upside_down, strict=True):
        ink, _, number = tile.label.partition("-")
        if not is_turned or number not in ("6", "9") or tile.sighting.locked_by_person:
            yield tile
        else:
            sighting = replace(tile.sighting, quad_px=turn_upside_down(tile.sighting.quad_px))
            doubts = (Doubt(DoubtReason.UNSURE_END, tile.label),)
            yield replace(
                tile, sighting=sighting, label=f"{ink}-{15 - int(number)}", runner_up=tile.label, doubts=doubts
            )


def rack_rows(quads_px: Floats) -> Rows:
    """Return the rows as indices into `quads_px (N, 4, 2)`, the back row first, each from left to right.

    The majority of the tiles decides which way is up, so that one tile upside down does not turn the rack.
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
    """Return the unit vector from left to right of most tiles; in a tie, the one that points right in the image."""
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
    """Return the slope of the rows, depth over width: the median over pairs of tiles that may be in one row."""
    gap = across[:, None] - across[None]
    fall = depth[:, None] - depth[None]
    nearest, farthest = RACK_SLOPE_RANGE_HEIGHTS
    is_level = np.abs(fall) < MAX_RACK_SLOPE_FALL_RATIO * np.maximum(height, gap * 0.5)
    is_near = (gap > nearest * height) & is_level & (gap < farthest * height)
    return float(np.median(fall[is_near] / gap[is_near])) if is_near.any() else 0.0
