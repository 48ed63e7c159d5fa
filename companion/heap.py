"""Returns freed memory to the system with glibc's `malloc_trim` and `mallopt`.

glibc keeps freed memory in gaps of the heap for the next allocation. Over a game night with a camera these gaps grow to
more than a hundred megabytes.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
from collections.abc import Callable

TRIM_AFTER_S = 5.0
"""Trim once the table has been settled for this long: the player thinks, and nobody waits for a reading."""
TRIM_EVERY_S = 0.5
"""A settled table gets about one picture in this time, and each fills a gap of its size again."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""Parameters of mallopt(3): above the first size the free end of the heap is returned; blocks above the second size get
their own pages, which are returned when they are freed."""
THRIFTY_BYTES = 1024 * 1024
"""Pictures are larger than this; the small blocks that motion detection needs many times a second stay in the heap."""
READY_BYTES = 32 * 1024 * 1024
"""glibc's own threshold once large pictures were freed; the free end of the heap may be twice that."""


class HeapTrimmer:
    """Trims the heap repeatedly while the table is settled, and lets glibc keep less until it moves.

    It does not do so during a reading, which would slow down: the system clears each page that it hands out again.
    """

    def __init__(self) -> None:
        """Start with a moving table."""
        self._trim_s = float("inf")
        self._is_thrifty = False

    def note(self, is_settled: bool, now_s: float) -> None:
        """Note whether the table is settled, at a time of a monotonic clock; called for every picture."""
        if not is_settled:
            self._trim_s = now_s + TRIM_AFTER_S
            if self._is_thrifty:
                self._is_thrifty = False
                keep_freed(READY_BYTES)
        elif now_s >= self._trim_s:
            self._trim_s = now_s + TRIM_EVERY_S
            if not self._is_thrifty:
                self._is_thrifty = True
                keep_freed(THRIFTY_BYTES)
            trim_heap()


def trim_heap() -> bool:
    """Return free memory to the system, and return whether there was any; takes up to ten milliseconds.

    Does nothing on other systems than Linux and with other C libraries.
    """
    trim = _of_glibc("malloc_trim", ctypes.c_size_t)
    return trim is not None and bool(trim(0))


def keep_freed(below_bytes: int) -> bool:
    """Let glibc keep freed blocks below this size; return whether this system supports it."""
    option = _of_glibc("mallopt", ctypes.c_int, ctypes.c_int)
    return option is not None and all(
        option(name, size) for name, size in ((_M_MMAP_THRESHOLD, below_bytes), (_M_TRIM_THRESHOLD, 2 * below_bytes))
    )


@functools.cache
def _of_glibc(name: str, *takes: type) -> Callable[..., int] | None:
    """Return a function of glibc; None on other systems and with other C libraries."""
    if sys.platform != "linux":
        return None
    with contextlib.suppress(OSError, AttributeError):
        found = getattr(ctypes.CDLL(None), name)
        found.argtypes, found.restype = takes, ctypes.c_int
        function: Callable[..., int] = found
        return function
    return None
