"""The largest image, in pixels, that processes may decode from an untrusted file or camera.

OpenCV checks the size that its decoder uses, so an image file that states several sizes does not deceive the check. The
limit of memory is set by `tilekeeper.companion.systems`.
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
    """Return the environment variables of a process that decodes images; OpenCV reads them when it is loaded."""
    return os.environ | _DECODING


def prepare_decoding_processes() -> None:
    """Set the limit in this process's environment, which the processes that it starts inherit."""
    for name, value in _DECODING.items():
        os.environ.setdefault(name, value)
