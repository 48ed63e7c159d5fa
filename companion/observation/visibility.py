"""Finds out on which parts of a verdict something lies that covers the table, so that only those wait for it to go.

What was seen before something came over it is taken to lie as it lay: a cup on an old meld stops nobody. But a meld
that has changed and goes on underneath, a tile that is missed and may be there, can't be judged.
"""

from __future__ import annotations

from collections import Counter

import cv2
import numpy as np

from tilekeeper.companion.observation.observed_table import Laid
from tilekeeper.engine.judge.verdict import Code, Side, Verdict, Violation
from tilekeeper.engine.table import Table
from tilekeeper.vision.geometry.quads import sizes_wh_px
from tilekeeper.vision.types import IN_THE_WAY, TableReading

ROOM = 2.5
"""What covers so many tiles' areas may hide tiles that were never seen there."""
SHARE = 0.1
"""The place beside the end of a row is out of sight where so much of it is covered."""
MISSED = (Code.TILE_TAKEN, Code.NOTHING_PLACED, Code.OPENING_TOO_LOW, Code.JOKER_NOT_REUSED)
"""What may be otherwise where tiles lie that nobody sees."""


class OutOfSight:
    """What of a reading can't be seen; nothing where it is of a photo, under which nothing will ever come to light."""

    def __init__(self, reading: TableReading, laid: Laid) -> None:
        """Look at which melds of the table are covered, or go on under what covers them."""
        troubles = reading.troubles if reading.time_s is not None else ()
        regions = [trouble.region_px.astype(np.float32) for trouble in troubles if trouble.kind == IN_THE_WAY]
        quads_px = np.array([tile.sighting.quad_px for tile in reading.tiles], np.float32).reshape(-1, 4, 2)
        self._laid = laid
        self._hides_more = False
        self._melds: frozenset[int] = frozenset()
        if not regions:
            return
        if len(quads_px):
            area_px = float(np.median(sizes_wh_px(quads_px).prod(axis=1)))
            self._hides_more = any(cv2.contourArea(region) > ROOM * area_px for region in regions)
        self._melds = frozenset(
            meld
            for meld, row in enumerate(laid.rows)
            if any(reading.tiles[index].sighting.hidden for index in row) or _goes_on(quads_px[list(row)], regions)
        )

    def turns(self, violation: Violation) -> bool:
        """Whether a violation may be none, were all of the table seen."""
        if violation.code in MISSED and self._hides_more:
            return True
        return violation.side is Side.AFTER and not self._melds.isdisjoint(violation.melds)

    def in_doubt(self, before: Table, verdict: Verdict) -> tuple[int, ...]:
        """Return the tiles of the reading in melds that the verdict needs and nobody sees whole, by their indices."""
        faulty = {meld for fault in verdict.violations if fault.side is Side.AFTER for meld in fault.melds}
        melds = self._melds & (faulty or self._changed(before))
        return tuple(sorted(index for meld in melds for index in self._laid.rows[meld]))

    def _changed(self, before: Table) -> set[int]:
        """Return the melds that did not lie there before."""
        lay = Counter(before.melds)
        changed = set()
        for index, meld in enumerate(self._laid.table.melds):
            known = meld if lay[meld] else meld[::-1]
            if not lay[known]:
                changed.add(index)
            lay[known] -= 1
        return changed


def _goes_on(quads_px: np.ndarray, regions_px: list[np.ndarray]) -> bool:
    """Return whether the place beside either end of a row of tiles `(N, 4, 2)` is covered."""
    middles = quads_px.mean(axis=1)
    for end, inner in {(0, min(1, len(quads_px) - 1)), (len(quads_px) - 1, max(len(quads_px) - 2, 0))}:
        quad = quads_px[end]
        across = (quad[1] - quad[0] + quad[2] - quad[3]) / 2
        outward = (middles[end] - middles[inner]) @ across
        for side in (1, -1) if end == inner else (1 if outward > 0 else -1,):
            place = cv2.convexHull((quad + side * across).astype(np.float32))
            area_px = max(float(cv2.contourArea(place)), 1.0)
            if any(
                cv2.intersectConvexConvex(place, cv2.convexHull(region))[0] > SHARE * area_px for region in regions_px
            ):
                return True
    return False
