"""Folders of apps that are attacked by the hundred: in memory, where nobody waits for a disk."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

IN_MEMORY: Final = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""A file system in memory; None where this system has none, so that folders lie where they usually do."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder that is gone afterwards. What a process wrote there is still there when that process was killed."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        yield Path(folder)
