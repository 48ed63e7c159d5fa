"""The data folder: one process holds it at a time (file lock), and damaged files are set aside in it."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_data_path

from tilekeeper.companion.storage.ids import path_part
from tilekeeper.engine.language import lazy_gettext

FILE_NAME = "evenings.sqlite3"
_LOCK, _HOLDER, _SET_ASIDE = "in-use.lock", "in-use.txt", "set-aside"
_COMPANION_ENDINGS = ("-wal", "-shm", "-journal")
"""SQLite's own files beside a database. They must move with it: else it loses its newest records, and the next database
in the folder would be overwritten from them."""


class StoreUnusable(Exception):  # noqa: N818, the name says it
    """A data folder that can't be used; the message is one line for people."""


class FolderInUse(StoreUnusable):
    """A data folder that another Tilekeeper uses now."""


def default_folder() -> Path:
    """Return the folder for the user's data on this system."""
    return user_data_path("tilekeeper", appauthor=False)


class DataFolder:
    """A folder that this process holds until `release`, or until it ends."""

    def __init__(self, path: Path) -> None:
        """Hold the folder; make it if it is missing.

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
                lazy_gettext("game nights can't be saved in {path}: {reason}", path=path, reason=error.strerror)
            ) from None

    @property
    def database(self) -> Path:
        """The file of the database, which may not exist yet."""
        return self.path / FILE_NAME

    def files(self) -> list[Path]:
        """Return the existing files of the database, with SQLite's own beside it."""
        companions = (self.path / f"{FILE_NAME}{ending}" for ending in _COMPANION_ENDINGS)
        return [file for file in (self.database, *companions) if file.exists()]

    def announce(self, address: str) -> None:
        """Write the address of this process into the folder, for the message of a second one, if that is possible."""
        unfinished = self.path / f"{_HOLDER}.new"
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)
            unfinished.write_text(address, "utf-8")
            os.replace(unfinished, self.path / _HOLDER)  # also in place of a pipe, which nobody reads

    def set_aside(self) -> Path:
        """Move the database to a new folder, and return that folder.

        Raises:
            OSError: if it can't be moved; at most files that SQLite can do without have moved then.
        """
        aside = self._make_folder_aside()
        for file in self.files():
            os.replace(file, aside / file.name)
        return aside

    def write_aside(self, id_: str, text: str) -> Path:
        """Write a text file named by an id to a new folder for damaged files, and return its path.

        The file is on the disk then.

        Raises:
            ValueError: for an id of another form.
            OSError: if it can't be written.
        """
        name = f"{path_part(id_)}.txt"
        path = self._make_folder_aside() / name
        with path.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        return path

    def release(self) -> None:
        """Let other processes use the folder."""
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
            if not (self.path / _HOLDER).is_file():  # to read a pipe would wait for ever
                return ""
            address = (self.path / _HOLDER).read_text("utf-8").strip()
        except (OSError, UnicodeDecodeError):
            return ""
        return address if address.startswith("http") and len(address) < 200 else ""
