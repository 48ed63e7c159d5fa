"""The pixels that processes may decode of a picture from outside.

OpenCV checks the size that its decoder has found in a camera's picture. A picture that states several sizes is refused
by the one that counts. The limit of memory is set by `tilekeeper.companion.systems`.
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
    """Return the environment of a process that decodes pictures; OpenCV reads it when it is loaded."""
    return os.environ | _DECODING


def prepare_decoding_processes() -> None:
    """Let processes that this one starts decode no larger pictures."""
    for name, value in _DECODING.items():
        os.environ.setdefault(name, value)
