"""Finds out which parts of a verdict depend on something that covers the table, so that only these wait.

A covered tile that was read before is judged as it was read: a cup on an old meld delays nothing. A changed meld that
goes on under the cover, and a missing tile that may lie there, can't be judged.
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
"""Violations that may be none where tiles lie under a cover."""


class Visibility:
    """The parts of a table that something covers; a photo has none, since nobody can wait for it to change."""

    def __init__(self, reading: TableReading, observed: ObservedTable) -> None:
        """Find the melds that are covered, or that go on under a cover."""
        self._laid = observed
        self._hides_more = may_hide_tiles(reading)
        self._melds = covered_rows(reading, observed.rows)

    def may_explain(self, violation: Violation) -> bool:
        """Return whether a violation may be none because of what is covered."""
        if violation.code in MISSED and self._hides_more:
            return True
        return violation.side is Side.AFTER and not self._melds.isdisjoint(violation.melds)

    def tiles_in_doubt(self, before: Table, verdict: Verdict) -> tuple[int, ...]:
        """Return the indices of the tiles in those covered melds that the verdict needs."""
        faulty = {meld for fault in verdict.violations if fault.side is Side.AFTER for meld in fault.melds}
        melds = self._melds & (faulty or self._changed(before))
        return tuple(sorted(index for meld in melds for index in self._laid.rows[meld]))

    def _changed(self, before: Table) -> set[int]:
        """Return the melds that are not on the table before."""
        unmatched = Counter(before.melds)
        changed = set()
        for index, meld in enumerate(self._laid.table.melds):
            known = meld if unmatched[meld] else meld[::-1]
            if not unmatched[known]:
                changed.add(index)
            unmatched[known] -= 1
        return changed
