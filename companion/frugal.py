"""Keeps a process that runs all evening from hoarding memory that it has freed already.

Nothing of it leaks, but what is freed is not given back at once. The C library of Linux lets each of many threads fill
an arena of its own, and after the first picture that was freed it takes pictures from these arenas as well, where each
leaves a gap of megabytes between things that stay; and Python looks for garbage among old objects only once there are a
quarter more of them, libraries counted in.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import sys

ARENAS = 2
"""One for the thread that watches and one for all others: few threads take memory at the same moment."""
PICTURE_BYTES = 2 << 20
"""What is as large as this is asked of the system and handed back to it by itself; a frame of a camera is larger."""
KEPT_BYTES = 8 << 20
"""So much freed memory stays at the end of an arena, so that not every small picture asks the system."""
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8
"""As in the C library's `malloc.h`."""


def hand_memory_back() -> None:
    """Let all threads of this process share a few arenas, and hand back what pictures took; before the others start."""
    if sys.platform != "linux":
        return
    with contextlib.suppress(OSError, AttributeError):  # another C library, which has no such arenas
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_ARENA_MAX, ARENAS)
        libc.mallopt(_M_MMAP_THRESHOLD, PICTURE_BYTES)
        libc.mallopt(_M_TRIM_THRESHOLD, KEPT_BYTES)


def leave_libraries_alone() -> None:
    """Look for garbage only among objects that are made from now on, and therefore sooner; once all is loaded."""
    gc.freeze()
