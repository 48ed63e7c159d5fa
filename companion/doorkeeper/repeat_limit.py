"""Rate limit for tracebacks in the log, since a stranger may be able to repeat the same failure at will."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Final, TypeAlias

EVERY_S: Final = 60.0
"""The minimum time between two log records of the same failure; the later one has the number of those left out."""
_Place: TypeAlias = tuple[str, str, int]


@dataclass(slots=True)
class _Repeats:
    written_s: float
    left_out: int = 0


class RepeatLimit(logging.Filter):
    """A logging filter; failures are the same if exception type and line of code are equal."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Start without known failures; `now` is a monotonic clock, in seconds."""
        super().__init__()
        self._now = now
        self._lock = threading.Lock()
        self._failures: dict[_Place, _Repeats] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a record is written; a record without a traceback is always written."""
        if not record.exc_info or record.exc_info[0] is None:
            return True
        place = _place(record.exc_info[0], record.exc_info[2])
        with self._lock:
            failure, now_s = self._failures.get(place), self._now()
            if failure is not None and now_s - failure.written_s < EVERY_S:
                failure.left_out += 1
                return False
            self._failures[place] = _Repeats(now_s)
        if failure is not None and failure.left_out:
            record.msg, record.args = f"{record.getMessage()} ({failure.left_out} more like it before)", ()
        return True


LIMIT: Final = RepeatLimit()
"""The filter that the loggers of both apps and of the server share."""


def _place(kind: type[BaseException], traceback: TracebackType | None) -> _Place:
    while traceback is not None and traceback.tb_next is not None:
        traceback = traceback.tb_next
    if traceback is None:
        return kind.__name__, "", 0
    return kind.__name__, traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
