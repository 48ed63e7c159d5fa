"""Finds out on which parts of a verdict something lies that covers the table, so that only those wait for it to go.

What was seen before something came over it is taken to lie as it lay: a cup on an old meld stops nobody. But a meld
that has changed and goes on underneath, a tile that is missed and may be there, can't be judged.
"""

from __future__ import annotations

from collections import Counter

from tilekeeper.companion.observation.observed_table import Laid
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Table
from tilekeeper.vision.quality.covered_rows import covered_rows, may_hide_tiles
from tilekeeper.vision.types import TableReading

MISSED = (Code.TILE_TAKEN, Code.NOTHING_PLACED, Code.OPENING_TOO_LOW, Code.JOKER_NOT_REUSED)
"""What may be otherwise where tiles lie that nobody sees."""


class Visibility:
    """What of a reading can't be seen; nothing where it is of a photo, under which nothing will ever come to light."""

    def __init__(self, reading: TableReading, laid: Laid) -> None:
        """Find the melds of the table that are covered, or go on under what covers them."""
        self._laid = laid
        self._hides_more = may_hide_tiles(reading)
        self._melds = covered_rows(reading, laid.rows)

    def may_explain(self, violation: Violation) -> bool:
        """Whether a violation may be none, were all of the table seen."""
        if violation.code in MISSED and self._hides_more:
            return True
        return violation.side is Side.AFTER and not self._melds.isdisjoint(violation.melds)

    def tiles_in_doubt(self, before: Table, verdict: Verdict) -> tuple[int, ...]:
        """Return the tiles of the reading in melds that the verdict needs and nobody sees whole, by their indices."""
        faulty = {meld for fault in verdict.violations if fault.side is Side.AFTER for meld in fault.melds}
        melds = self._melds & (faulty or self._changed(before))
        return tuple(sorted(index for meld in melds for index in self._laid.rows[meld]))

    def _changed(self, before: Table) -> set[int]:
        """Return the melds that did not lie there before."""
        unmatched = Counter(before.melds)
        changed = set()
        for index, meld in enumerate(self._laid.table.melds):
            known = meld if unmatched[meld] else meld[::-1]
            if not unmatched[known]:
                changed.add(index)
            unmatched[known] -= 1
        return changed
