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
TRIM_EVERY_S = 0.5
"""While it rests pictures still come, about one in this time; each fills a gap of its size anew."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
"""Names of mallopt(3): the free end of a heap past this size is given back; pieces from this size on have pages of
their own, which are given back as they are freed."""
THRIFTY_BYTES = 1024 * 1024
"""Pictures are larger; what a glance at one takes, many times a second, is smaller and stays at hand."""
READY_BYTES = 32 * 1024 * 1024
"""What it comes to by itself once large pictures were freed; the free end may be twice that."""


class HeapTrimmer:
    """Trims the heap again and again while a table is at rest, and lets the C library keep less until it moves.

    A reading would take longer so: the system has to clear every page that it hands out anew.
    """

    def __init__(self) -> None:
        """Begin with a table that moves."""
        self._trim_s = float("inf")
        self._is_thrifty = False

    def note(self, at_rest: bool, now_s: float) -> None:
        """Note whether the table is at rest, by a monotonic clock; called for every picture."""
        if not at_rest:
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
    """Give back what is free, and return whether there was any; up to ten milliseconds, for which nobody should wait.

    Other systems than Linux, and other C libraries, give memory back by themselves, or don't.
    """
    trim = _of_glibc("malloc_trim", ctypes.c_size_t)
    return trim is not None and bool(trim(0))


def keep_freed(below_bytes: int) -> bool:
    """Keep what is freed for the next time where it is smaller than this; return whether this system can be told so."""
    option = _of_glibc("mallopt", ctypes.c_int, ctypes.c_int)
    return option is not None and all(
        option(name, size) for name, size in ((_M_MMAP_THRESHOLD, below_bytes), (_M_TRIM_THRESHOLD, 2 * below_bytes))
    )


@functools.cache
def _of_glibc(name: str, *takes: type) -> Callable[..., int] | None:
    """A function of Linux's C library; None on other systems, and for another library."""
    if sys.platform != "linux":
        return None
    with contextlib.suppress(OSError, AttributeError):
        found = getattr(ctypes.CDLL(None), name)
        found.argtypes, found.restype = takes, ctypes.c_int
        function: Callable[..., int] = found
        return function
    return None
