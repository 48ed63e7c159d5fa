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

TRIM_EVERY_READINGS = 8
"""After so many readings of a table at rest, a few minutes of an evening."""


class HeapTrimmer:
    """Trims the heap after some of the readings of a table, once the pages have them."""

    def __init__(self) -> None:
        """Begin with no reading."""
        self._readings = 0

    def count_reading(self) -> None:
        """Count one reading more."""
        self._readings += 1
        if self._readings % TRIM_EVERY_READINGS == 0:
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
