"""Copies of the database, made by SQLite itself while it is in use: one an evening, of the last evenings."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Final

KEPT: Final = 7
"""Of so many evenings the newest copy is kept."""
_FOLDER: Final = "backups"


class Backups:
    """The copies in a data folder."""

    def __init__(self, folder: Path) -> None:
        """Take the data folder; nothing is made before the first copy."""
        self._folder = folder / _FOLDER

    def make(self, database: Path, evening: str, begun_at: str) -> Path:
        """Copy the database as it is now, in the place of an older copy of the same evening.

        Args:
            database: its file; it may be in use.
            evening: the id of the evening that is played.
            begun_at: when that began, as `2026-11-21T19:30:05Z`; copies are in the order of these.

        Raises:
            sqlite3.Error, OSError: if it can't be copied; the older copy is still there then.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{begun_at[:10]}-{begun_at[11:19].replace(':', '')}-{evening}.sqlite3"
        copy_database(database, path)
        for old in self.newest_first()[KEPT:]:
            old.unlink(missing_ok=True)
        return path

    def newest_first(self) -> list[Path]:
        """The copies, that of the newest evening at the front."""
        return sorted(self._folder.glob("*.sqlite3"), reverse=True)


def copy_database(database: Path, target: Path) -> None:
    """Copy a database that may be in use; the copy is whole and on the disk when this returns, or not there."""
    unfinished = target.with_suffix(".part")
    unfinished.unlink(missing_ok=True)
    with (
        closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(unfinished)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
    put_in_place(unfinished, target)


def put_in_place(unfinished: Path, target: Path) -> None:
    """Give a file that was written its name, so that after a power cut it is there whole or not at all."""
    with unfinished.open("rb+") as file:
        os.fsync(file.fileno())
    os.replace(unfinished, target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Bring the names in a folder to the disk, on systems that can be asked to."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
