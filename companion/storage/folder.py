"""The data folder: a file lock gives it to one process at a time, and damaged files are moved aside within it."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_data_path

from tilekeeper.companion.storage.ids import path_part
from tilekeeper.companion.storage.private_files import make_private
from tilekeeper.engine.language import lazy_gettext

FILE_NAME = "evenings.sqlite3"
_LOCK, _HOLDER, _SET_ASIDE = "in-use.lock", "in-use.txt", "set-aside"
_PRIVATE_FOLDERS = ("pictures", "backups", "examples", _SET_ASIDE)
_COMPANION_ENDINGS = ("-wal", "-shm", "-journal")
"""The endings of SQLite's own files beside a database. They must be moved with the database: otherwise it loses its
newest records, and SQLite would write them into the next database in the folder."""


class StoreUnusable(Exception):  # noqa: N818, the name says it
    """The data folder can't be used; the message is one line for the user."""


class FolderInUse(StoreUnusable):
    """Another Tilekeeper process uses the data folder now."""


def default_folder() -> Path:
    """Return the default data folder of this user on this operating system."""
    return user_data_path("tilekeeper", appauthor=False)


class DataFolder:
    """A data folder that is locked for this process until `release` or until the process ends."""

    def __init__(self, path: Path) -> None:
        """Lock the folder; create it if it is missing.

        Raises:
            FolderInUse: if another process has locked the folder.
            StoreUnusable: if the folder can't be created or written to.
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
                lazy_gettext("game nights can't be saved in {path}: {reason}", path=path, reason=error.strerror)
            ) from None

    @property
    def database(self) -> Path:
        """The path of the database file, which may not exist yet."""
        return self.path / FILE_NAME

    def files(self) -> list[Path]:
        """Return the existing files of the database, SQLite's own files included."""
        companions = (self.path / f"{FILE_NAME}{ending}" for ending in _COMPANION_ENDINGS)
        return [file for file in (self.database, *companions) if file.exists()]

    def make_private(self) -> None:
        """Keep other users from the files in this folder: they contain the join code, names and pictures."""
        make_private((*self.files(), *(self.path / name for name in _PRIVATE_FOLDERS)))

    def announce(self, address: str) -> None:
        """Write the address of this app into the folder, if possible; a second app shows it in its error message."""
        unfinished = self.path / f"{_HOLDER}.new"
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
            unfinished.write_text(address, "utf-8")
            os.replace(unfinished, self.path / _HOLDER)  # this also replaces a named pipe, to which writing would block

    def set_aside(self) -> Path:
        """Move the files of the database to a new folder below `set-aside`, and return that folder.

        Raises:
            OSError: if a file can't be moved; earlier files may have been moved.
        """
        aside = self._make_folder_aside()
        for file in self.files():
            os.replace(file, aside / file.name)
        return aside

    def write_aside(self, id_: str, text: str) -> Path:
        """Write a text file named by an id to a new folder below `set-aside`, and return its path.

        When this returns, the file is on the disk.

        Raises:
            ValueError: if the id does not match `EVENING_ID`.
            OSError: if the file can't be written.
        """
        name = f"{path_part(id_)}.txt"
        path = self._make_folder_aside() / name
        with path.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        return path

    def release(self) -> None:
        """Unlock the folder for other processes."""
        if self._lock.is_locked:
            with suppress(OSError):
                (self.path / _HOLDER).unlink(missing_ok=True)
            self._lock.release()

    def _make_folder_aside(self) -> Path:
        stamp = datetime.now(UTC).strftime("%Y-%m-%d-%H%M%S")
        for count in range(1, 1000):
            folder = self.path / _SET_ASIDE / (stamp if count == 1 else f"{stamp}-{count}")
            try:
                folder.mkdir(parents=True)
            except FileExistsError:
                continue
            return folder
        raise FileExistsError(f"{self.path / _SET_ASIDE} is full")

    def _holder(self) -> str:
        try:
            if not (self.path / _HOLDER).is_file():  # reading a named pipe would block for ever
                return ""
            address = (self.path / _HOLDER).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return ""
        return address if address.startswith("http") and len(address) < 200 else ""
