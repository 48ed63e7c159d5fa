"""Temporary folders in memory, so that reliability tests do not wait for a disk."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

IN_MEMORY: Final = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
"""A file system in memory; None if the system has none, so that the usual temporary folder is used."""


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder that is deleted at the end. Files of a killed process survive in it until then."""
    with tempfile.TemporaryDirectory(dir=IN_MEMORY) as folder:
        yield Path(folder)
