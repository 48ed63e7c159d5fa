"""Gives memory that was freed back to the system.

Nothing of it leaks, but the C library of Linux keeps what was freed, in gaps between things that stay, for the next
time that as much is asked for; over an evening of pictures that comes to more than a hundred megabytes.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
from collections.abc import Callable

TRIM_AFTER_S = 5.0
"""A table has been at rest for so long: whoever plays thinks, and nobody waits for the next reading."""


class HeapTrimmer:
    """Trims the heap once in each rest of a table."""

    def __init__(self) -> None:
        """Begin with a table that moves."""
        self._trim_s: float | None = None

    def note(self, at_rest: bool, now_s: float) -> None:
        """Note whether the table is at rest, by a monotonic clock; called for every picture."""
        if not at_rest:
            self._trim_s = now_s + TRIM_AFTER_S
        elif self._trim_s is not None and now_s >= self._trim_s:
            self._trim_s = None
            trim_heap()


def trim_heap() -> bool:
    """Give back what is free, and return whether there was any; up to ten milliseconds, for which nobody should wait.

    Other systems than Linux, and other C libraries, give memory back by themselves, or don't.
    """
    trim = _trim()
    return trim is not None and bool(trim(0))


@functools.cache
def _trim() -> Callable[[int], int] | None:
    if sys.platform != "linux":
        return None
    with contextlib.suppress(OSError, AttributeError):
        trim = ctypes.CDLL(None).malloc_trim
        trim.argtypes, trim.restype = [ctypes.c_size_t], ctypes.c_int
        return trim
    return None
