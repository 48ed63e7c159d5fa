"""Limits the size of the images that processes decode from untrusted files and cameras.

OpenCV itself checks the limit, by the size that its decoder uses, so a file that states several sizes can't evade it.
`tilekeeper.companion.systems` limits the memory.
"""

from __future__ import annotations

import os
from typing import Final

from tilekeeper.vision.photos import MAX_DECODED_AREA_PX

_DECODING: Final = {
    "OPENCV_IO_MAX_IMAGE_PIXELS": str(MAX_DECODED_AREA_PX),
    # Threads that are not needed reserve memory for their stacks.
    "OPENBLAS_NUM_THREADS": "1",
}


def decoding_environment() -> dict[str, str]:
    """Return the environment variables for a process that decodes images; OpenCV reads them when it is loaded."""
    return os.environ | _DECODING


def prepare_decoding_processes() -> None:
    """Set these variables in this process's environment, so that the processes which it starts inherit them."""
    for name, value in _DECODING.items():
        os.environ.setdefault(name, value)
