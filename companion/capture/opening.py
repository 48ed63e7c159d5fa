"""Opens what a person named: cameras and streams in a process of their own, files and folders here."""

import re

from tilekeeper.companion.capture.camera_settings import CameraWishes
from tilekeeper.companion.capture.camera_source import ProcessSource
from tilekeeper.vision.sources.camera import Source
from tilekeeper.vision.sources.camera import open_source as open_here


def open_source(named: str, wishes: CameraWishes = CameraWishes()) -> Source:  # noqa: B008, it is frozen
    """Open a source, and ask a camera for what is wished; raises `SourceUnavailable` where that can't be done."""
    named = named.strip()
    if re.fullmatch(r"\d{1,4}", named) or "://" in named or named.startswith("/dev/video"):
        return ProcessSource(named, wishes)
    return open_here(named)
