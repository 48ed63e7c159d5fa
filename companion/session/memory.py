"""Hands memory that was freed back to the system.

Nothing of it leaks, but the C library of Linux keeps what was freed, in gaps between things that stay, for the next
time that as much is asked for; over an evening of pictures that comes to more than a hundred megabytes.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
from collections.abc import Callable

EVERY_READINGS = 8
"""After so many readings of a table at rest, a few minutes of an evening."""


def hand_back() -> bool:
    """Hand back what is free; whether there was any. It takes up to ten milliseconds, for which nobody should wait.

    Other systems than Linux, and other C libraries, hand memory back by themselves, or don't.
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
