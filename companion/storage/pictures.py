"""Keeps the pictures of turns as JPEG files, one folder an evening."""

import os
import re
from pathlib import Path

_SAFE = re.compile(r"[a-z0-9-]{1,64}")


class Pictures:
    """The pictures below one folder."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of the store; nothing is made before the first picture is kept."""
        self._folder = folder / "pictures"

    def keep(self, evening: str, name: str, jpeg: bytes) -> None:
        """Write a picture; it is whole or not there, whatever happens to the machine meanwhile."""
        path = self._path(evening, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        unfinished.write_bytes(jpeg)
        os.replace(unfinished, path)

    def find(self, evening: str, name: str) -> bytes | None:
        """A picture, or None where it is not kept."""
        if not (_SAFE.fullmatch(evening) and _SAFE.fullmatch(name)):
            return None
        try:
            return self._path(evening, name).read_bytes()
        except OSError:
            return None

    def _path(self, evening: str, name: str) -> Path:
        return self._folder / evening / f"{name}.jpg"
