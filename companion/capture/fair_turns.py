"""Fair scheduling: one thread works at a time; the sender that has used the least time lately comes next."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import translate

FORGOTTEN_AFTER_S: Final = 60.0
"""A sender's used time is forgotten this many seconds after its last turn."""


@dataclass(slots=True)
class _Use:
    used_s: float
    until_s: float


class FairTurns:
    """Gives turns to one thread at a time. A sender has at most one thread that works, and few that wait."""

    def __init__(
        self,
        waits_s: float,
        own_waits: str,
        others_work: str,
        now: Callable[[], float] = time.monotonic,
        most_waiting: int = 1,
    ) -> None:
        """Start without waiting threads.

        Args:
            waits_s: the longest wait of a thread for its turn, in seconds.
            own_waits: the sentence for a sender who has `most_waiting` waiting threads already.
            others_work: the sentence for a sender whose turn does not come in time.
            now: a monotonic clock, in seconds.
            most_waiting: the most threads of a sender that wait.
        """
        self._most_waiting = most_waiting
        self.waits_s = waits_s
        self._own_waits, self._others_work = own_waits, others_work
        self._now = now
        self._changed = threading.Condition()
        self._uses: dict[str, _Use] = {}
        self._waiting: list[str] = []
        self._working: str | None = None

    @contextmanager
    def turn(self, sender: str) -> Iterator[None]:
        """Wait until a thread of the sender may work; the turn ends with the block.

        Raises:
            Refused: if enough threads of the sender wait already, or the turn does not come within `waits_s` seconds.
        """
        with self._changed:
            if self._waiting.count(sender) >= self._most_waiting:
                raise Refused(translate(self._own_waits), "not-now")
            self._waiting.append(sender)
            has_turn = self._changed.wait_for(lambda: self._is_next(sender), self.waits_s)
            self._waiting.remove(sender)
            if not has_turn:
                self._changed.notify_all()
                raise Refused(translate(self._others_work), "not-now")
            self._working = sender
        began_s = self._now()
        try:
            yield
        finally:
            with self._changed:
                self._note(sender, self._now() - began_s)
                self._working = None
                self._changed.notify_all()

    def _is_next(self, sender: str) -> bool:
        return self._working is None and sender == min(self._waiting, key=self._used_s)

    def _used_s(self, sender: str) -> float:
        use = self._uses.get(sender)
        return 0.0 if use is None or use.until_s < self._now() else use.used_s

    def _note(self, sender: str, used_s: float) -> None:
        now_s = self._now()
        total_s = self._used_s(sender) + used_s
        self._uses = {other: use for other, use in self._uses.items() if use.until_s >= now_s}
        self._uses[sender] = _Use(total_s, now_s + FORGOTTEN_AFTER_S)
