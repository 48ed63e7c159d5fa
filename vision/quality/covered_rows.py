"""Finds the rows of a reading that something covers, wholly or at an end, and says whether it may hide more tiles."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from tilekeeper.vision.geometry.quads import axes_px, sizes_wh_px
from tilekeeper.vision.types import IN_THE_WAY, TableReading

# A covered region larger than this, in areas of a tile, may hide tiles that were never read.
MIN_HIDING_COVER_TILE_AREAS = 2.5
# A row continues under the cover if more than this share of the place beside its end is covered.
MAX_COVERED_ROW_END_SHARE = 0.1


def covered_rows(reading: TableReading, rows: Sequence[Sequence[int]]) -> frozenset[int]:
    """Return which of some rows of a reading's tiles, by their indices, are covered or go on under what covers them.

    `rows` hold indices into the reading's tiles, each row in reading order.
    """
    regions = _covered_regions(reading)
    if not regions:
        return frozenset()
    quads_px = reading.quads_px
    return frozenset(
        at
        for at, row in enumerate(rows)
        if any(reading.tiles[index].sighting.hidden for index in row) or _goes_on(quads_px[list(row)], regions)
    )


def may_hide_tiles(reading: TableReading) -> bool:
    """Return whether what covers a part of the table is so large that tiles nobody saw may lie under it."""
    regions = _covered_regions(reading)
    if not regions or not reading.tiles:
        return False
    area_px = float(np.median(sizes_wh_px(reading.quads_px).prod(axis=1)))
    return any(cv2.contourArea(region) > MIN_HIDING_COVER_TILE_AREAS * area_px for region in regions)


def _covered_regions(reading: TableReading) -> list[np.ndarray]:
    """Return the outlines `(K, 2) float32` of what covers the table.

    There are none on a photo: nothing under it will ever come to light, so that it is read as it is.
    """
    if reading.time_s is None:
        return []
    return [trouble.region_px.astype(np.float32) for trouble in reading.troubles if trouble.kind == IN_THE_WAY]


def _goes_on(quads_px: np.ndarray, regions_px: Sequence[np.ndarray]) -> bool:
    """Return whether the place beside either end of a row of tiles `(N, 4, 2)` is covered."""
    middles = quads_px.mean(axis=1)
    for end, inner in {(0, min(1, len(quads_px) - 1)), (len(quads_px) - 1, max(len(quads_px) - 2, 0))}:
        quad = quads_px[end]
        across, _ = axes_px(quad)
        outward = (middles[end] - middles[inner]) @ across
        for side in (1, -1) if end == inner else (1 if outward > 0 else -1,):
            place = cv2.convexHull((quad + side * across).astype(np.float32))
            area_px = max(float(cv2.contourArea(place)), 1.0)
            if any(_overlap_px(place, region) > MAX_COVERED_ROW_END_SHARE * area_px for region in regions_px):
                return True
    return False


def _overlap_px(place: np.ndarray, region: np.ndarray) -> float:
    """Return the area, in square pixels, that two outlines share."""
    return float(cv2.intersectConvexConvex(place, cv2.convexHull(region))[0])
