"""Stores pictures of turns as JPEG files, one folder per game night, up to a total size."""

from pathlib import Path
from shutil import rmtree
from typing import Final

from tilekeeper.companion.storage.backups import put_in_place
from tilekeeper.companion.storage.ids import EVENING_ID, path_part

BUDGET_BYTES: Final = 500_000_000
"""The maximum total size of all pictures; the pictures of the oldest game nights are deleted first."""


class Pictures:
    """The pictures in one data folder."""

    def __init__(self, folder: Path) -> None:
        """Use a data folder; nothing is written before the first picture."""
        self._folder = folder / "pictures"

    def keep(self, evening: str, name: str, jpeg: bytes) -> None:
        """Write a picture atomically: after a crash it is complete or missing.

        Raises:
            ValueError: if the id or the name does not match `EVENING_ID`.
            OSError: if the picture can't be written.
        """
        path = self._path(evening, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        unfinished.write_bytes(jpeg)
        put_in_place(unfinished, path)

    def find(self, evening: str, name: str) -> bytes | None:
        """Return a picture as JPEG by its name; None if it does not exist or can't be read."""
        try:
            return self._path(evening, name).read_bytes()
        except (OSError, ValueError):
            return None

    def paths_of(self, evening: str) -> dict[str, Path]:
        """Return the paths of a game night's pictures, by name."""
        if not EVENING_ID.fullmatch(evening):
            return {}
        return {path.stem: path for path in (self._folder / evening).glob("*.jpg")}

    def make_room(self, played: str, budget: int = BUDGET_BYTES) -> None:
        """Delete the pictures of the oldest game nights until the rest fits the budget.

        Args:
            played: the id of the current game night, whose pictures are never deleted.
            budget: the maximum total size of all pictures, in bytes.
        """
        if not self._folder.is_dir():
            return
        sizes = {folder: _size(folder) for folder in self._folder.iterdir() if folder.is_dir()}
        total = sum(size for size, _ in sizes.values())
        for folder, (size, _) in sorted(sizes.items(), key=lambda entry: entry[1][1]):
            if total <= budget:
                return
            if folder.name != played:
                rmtree(folder, ignore_errors=True)
                total -= size

    def _path(self, evening: str, name: str) -> Path:
        return self._folder / path_part(evening) / f"{path_part(name)}.jpg"


def _size(folder: Path) -> tuple[int, float]:
    """Return the total bytes of a folder's files, and the time of the newest file in seconds since 1970."""
    stats = [file.stat() for file in folder.iterdir()]
    return sum(stat.st_size for stat in stats), max((stat.st_mtime for stat in stats), default=0.0)
