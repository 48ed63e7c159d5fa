"""The folder in which evenings lie: one process holds it at a time, and whatever is damaged is set aside in it."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_data_path

from tilekeeper.engine.language import lazy_gettext

FILE_NAME = "evenings.sqlite3"
_LOCK, _HOLDER, _SET_ASIDE = "in-use.lock", "in-use.txt", "set-aside"
# SQLite's own files beside a database: a file that is moved without them loses its newest records, and another one
# that comes to lie beside them is written over with them.
_BESIDE = ("-wal", "-shm", "-journal")


class StoreUnusable(Exception):  # noqa: N818, the name says it
    """Why evenings can't be kept there; the message is one line for people."""


class FolderInUse(StoreUnusable):
    """Another Tilekeeper keeps its evenings there now."""


def default_folder() -> Path:
    """The folder in which the user's data lies on this system."""
    return user_data_path("tilekeeper", appauthor=False)


class DataFolder:
    """A folder that this process holds until `release`; the system lets go of it when the process dies."""

    def __init__(self, path: Path) -> None:
        """Make the folder where it is missing, and hold it.

        Raises:
            FolderInUse: if another process holds it.
            StoreUnusable: if it can't be made or written to.
        """
        self.path = path
        self._lock = FileLock(path / _LOCK, timeout=0)
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock.acquire()
        except Timeout:
            raise FolderInUse(
                lazy_gettext("{path} is in use by another Tilekeeper at {address}", path=path, address=address)
                if (address := self._holder())
                else lazy_gettext("{path} is in use by another Tilekeeper", path=path)
            ) from None
        except OSError as error:
            raise StoreUnusable(
                lazy_gettext("{path} can't hold game nights: {reason}", path=path, reason=error.strerror)
            ) from None

    @property
    def database(self) -> Path:
        """The file of the database; it may not be there yet."""
        return self.path / FILE_NAME

    def files(self) -> list[Path]:
        """The files of the database that are there: itself, and SQLite's own beside it."""
        beside = (self.path / f"{FILE_NAME}{ending}" for ending in _BESIDE)
        return [file for file in (self.database, *beside) if file.exists()]

    def announce(self, address: str) -> None:
        """Write down at which address this process is reached, for whoever finds the folder in use."""
        (self.path / _HOLDER).write_text(address, "utf-8")

    def set_aside(self) -> Path:
        """Move the database out of the way, and return the folder in which it lies now.

        Raises:
            OSError: if that can't be done; nothing was moved then, or only what SQLite can do without.
        """
        aside = self._new_place_aside()
        for file in self.files():
            os.replace(file, aside / file.name)
        return aside

    def write_aside(self, name: str, text: str) -> Path:
        """Write a text among what was set aside; it is on the disk when this returns."""
        path = self._new_place_aside() / name
        with path.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        return path

    def release(self) -> None:
        """Let others use the folder."""
        if self._lock.is_locked:
            (self.path / _HOLDER).unlink(missing_ok=True)
            self._lock.release()

    def _new_place_aside(self) -> Path:
        stamp = datetime.now(UTC).strftime("%Y-%m-%d-%H%M%S")
        for count in range(1, 1000):
            place = self.path / _SET_ASIDE / (stamp if count == 1 else f"{stamp}-{count}")
            try:
                place.mkdir(parents=True)
            except FileExistsError:
                continue
            return place
        raise FileExistsError(f"{self.path / _SET_ASIDE} is full")

    def _holder(self) -> str:
        try:
            address = (self.path / _HOLDER).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return ""
        return address if address.startswith("http") and len(address) < 200 else ""
