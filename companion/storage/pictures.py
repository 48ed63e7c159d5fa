"""Keeps the pictures of turns as JPEG files, one folder an evening, within a budget."""

from pathlib import Path
from shutil import rmtree
from typing import Final

from tilekeeper.companion.storage.backups import put_in_place
from tilekeeper.companion.storage.schema import EVENING_ID

BUDGET_BYTES: Final = 500_000_000
"""What all pictures may take; those of the oldest evenings make room for new ones."""


class Pictures:
    """The pictures below one folder."""

    def __init__(self, folder: Path) -> None:
        """Take the folder of the store; nothing is made before the first picture is kept."""
        self._folder = folder / "pictures"

    def keep(self, evening: str, name: str, jpeg: bytes) -> None:
        """Write a picture; it is whole and on the disk or not there, whatever happens to the machine meanwhile."""
        path = self._path(evening, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        unfinished.write_bytes(jpeg)
        put_in_place(unfinished, path)

    def find(self, evening: str, name: str) -> bytes | None:
        """A picture, or None where it is not kept."""
        if not (EVENING_ID.fullmatch(evening) and EVENING_ID.fullmatch(name)):
            return None
        try:
            return self._path(evening, name).read_bytes()
        except OSError:
            return None

    def kept(self, evening: str) -> dict[str, Path]:
        """The pictures of an evening that are there, by name."""
        if not EVENING_ID.fullmatch(evening):
            return {}
        return {path.stem: path for path in (self._folder / evening).glob("*.jpg")}

    def make_room(self, played: str, budget: int = BUDGET_BYTES) -> None:
        """Delete the pictures of the oldest evenings until all of them take no more than a number of bytes.

        Args:
            played: the id of the evening under way, whose pictures stay.
            budget: how many bytes all pictures may take.
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
        return self._folder / evening / f"{name}.jpg"


def _size(folder: Path) -> tuple[int, float]:
    """How many bytes the files of a folder take, and when the newest of them was written."""
    stats = [file.stat() for file in folder.iterdir()]
    return sum(stat.st_size for stat in stats), max((stat.st_mtime for stat in stats), default=0.0)
