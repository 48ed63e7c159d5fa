"""Finds the parts of a verdict that depend on covered tiles, so that only these parts wait.

A covered tile that was read before is judged with its earlier label, so a cup on an old meld delays nothing. But the
judge can't decide about a changed meld that continues under an occluder, nor about a missing tile that may lie there.
"""

from __future__ import annotations

from collections import Counter

from tilekeeper.companion.observation.observed_table import ObservedTable
from tilekeeper.engine.judge.verdict import Verdict
from tilekeeper.engine.rules.violations import Code, Side, Violation
from tilekeeper.engine.tiles.table import Table
from tilekeeper.vision.quality.occlusion import covered_rows, may_hide_tiles
from tilekeeper.vision.types import TableReading

MISSED = (Code.TILE_TAKEN, Code.NOTHING_PLACED, Code.OPENING_TOO_LOW, Code.JOKER_NOT_REUSED)
"""Violations that covered tiles may explain."""


class Visibility:
    """The covered melds of a table; a photo has none, since waiting would not uncover anything."""

    def __init__(self, reading: TableReading, observed: ObservedTable) -> None:
        """Find the melds that are covered or continue under an occluder."""
        self._observed = observed
        self._hides_more = may_hide_tiles(reading)
        self._melds = covered_rows(reading, observed.rows)

    def may_explain(self, violation: Violation) -> bool:
        """Return whether covered tiles may explain a violation."""
        if violation.code in MISSED and self._hides_more:
            return True
        return violation.side is Side.AFTER and not self._melds.isdisjoint(violation.melds)

    def tiles_in_doubt(self, before: Table, verdict: Verdict) -> tuple[int, ...]:
        """Return the indices of the tiles in those covered melds on which the verdict depends."""
        faulty = {meld for fault in verdict.violations if fault.side is Side.AFTER for meld in fault.melds}
        melds = self._melds & (faulty or self._changed(before))
        return tuple(sorted(index for meld in melds for index in self._observed.rows[meld]))

    def _changed(self, before: Table) -> set[int]:
        """Return the indices of the melds that were not on the table before the turn."""
        unmatched = Counter(before.melds)
        changed = set()
        for index, meld in enumerate(self._observed.table.melds):
            known = meld if unmatched[meld] else meld[::-1]
            if not unmatched[known]:
                changed.add(index)
            unmatched[known] -= 1
        return changed
