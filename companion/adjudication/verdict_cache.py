"""A cache of verdicts: equal turns are judged once, and a second caller waits for the verdict of the first."""

from __future__ import annotations

import threading
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field

from tilekeeper.companion.adjudication.uncertainty import Weighed, weigh
from tilekeeper.companion.observation.observed_table import ObservedTable
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.vision.types import TableReading

MOST_VERDICTS = 4
"""The number of cached verdicts. A turn needs at most two at once: for hands-free Done, and for a pressed Done."""


@dataclass(frozen=True, slots=True)
class _Entry:
    before: ObservedTable
    reading: TableReading
    context: TurnContext
    insisted: bool
    verdict: Future[Weighed] = field(default_factory=Future)

    def is_for(self, before: ObservedTable, reading: TableReading, context: TurnContext, insisted: bool) -> bool:
        # A reading contains arrays, so readings are compared by identity: each new reading is another object.
        same_table = self.reading is reading and self.before == before
        return same_table and self.insisted == insisted and self.context == context


class VerdictCache:
    """A cache of the newest verdicts by the arguments of `weigh`; several threads may use it."""

    def __init__(self) -> None:
        """Start empty."""
        self._lock = threading.Lock()
        self._entries: deque[_Entry] = deque(maxlen=MOST_VERDICTS)

    def weigh(
        self, before: ObservedTable, reading: TableReading, context: TurnContext, insisted: bool = False
    ) -> Weighed:
        """Return `uncertainty.weigh(…)`; for arguments in the cache return or wait for the earlier result."""
        with self._lock:
            found = next((entry for entry in self._entries if entry.is_for(before, reading, context, insisted)), None)
            entry = found or _Entry(before, reading, context, insisted)
            if found is None:
                self._entries.append(entry)
        if found is None:
            try:
                entry.verdict.set_result(weigh(before, reading, context, insisted))
            except BaseException as error:
                entry.verdict.set_exception(error)
                raise
        return entry.verdict.result()


weigh_once = VerdictCache().weigh
"""`uncertainty.weigh` with a cache that all callers in this process share."""
