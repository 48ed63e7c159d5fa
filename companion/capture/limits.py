"""Limits of processes that decode pictures from outside: the memory that they may take, and the pixels of a picture.

OpenCV checks the size that its decoder has found in a camera's picture. A picture that states several sizes is refused
by the one that counts. Only Linux limits the memory of a process; elsewhere the limits of pixels and time remain.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from tilekeeper.vision.photos import MAX_DECODED_AREA_PX

_IN_USE: Final = re.compile(r"^VmData:\s+(\d+) kB$", re.MULTILINE)
_DECODING: Final = {
    "OPENCV_IO_MAX_IMAGE_PIXELS": str(MAX_DECODED_AREA_PX),
    # Threads that are not needed reserve memory for their stacks.
    "OPENBLAS_NUM_THREADS": "1",
}


def decoding_environment() -> dict[str, str]:
    """Return the environment of a process that decodes pictures; OpenCV reads it when it is loaded."""
    return os.environ | _DECODING


def prepare_decoding_processes() -> None:
    """Let processes that this one starts decode no larger pictures."""
    for name, value in _DECODING.items():
        os.environ.setdefault(name, value)


def limit_memory(more_bytes: int) -> None:
    """Let this process take only this much memory more; beyond it allocations fail."""
    with suppress(ImportError, OSError, ValueError, TypeError):
        import resource

        in_use = _IN_USE.search(Path("/proc/self/status").read_text())
        if in_use is not None:
            most = int(in_use[1]) * 1024 + more_bytes
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))
