"""Temporary folders in memory, so that tests do not wait for a disk."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOM_BYTES: Final = 4_000_000_000
"""The space that all tests and their databases need at most, and some more."""
_SHARED_MEMORY: Final = Path("/dev/shm")
IN_MEMORY: Final = (
    str(_SHARED_MEMORY) if _SHARED_MEMORY.is_dir() and shutil.disk_usage(_SHARED_MEMORY).free > ROOM_BYTES else None
)
"""A file system in memory; None if the system has none with room, so that the usual temporary folder is used."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Yield a folder that is deleted at the end; files of a killed process stay in it until then."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        yield Path(folder)
