"""Backups of the database by SQLite's online backup: one for each of the last game nights.

Only this user can read a backup, and no backup contains access data.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from tilekeeper.companion.storage.ids import path_part
from tilekeeper.companion.storage.schema import ACCESS_DATA

MOST_COPIES: Final = 7
"""The number of backups that are kept, one per game night, the newest."""
_FOLDER: Final = "backups"


class Backups:
    """The backups in a data folder."""

    def __init__(self, folder: Path) -> None:
        """Use a data folder; nothing is written before the first backup."""
        self._folder = folder / _FOLDER

    def make(self, database: Path, evening: str, begun_at: str) -> Path:
        """Back up the database; this replaces an older backup for the same game night, and deletes the oldest backups.

        Args:
            database: the database file, which may be in use.
            evening: the id of the current game night.
            begun_at: when the game night began, as `2026-11-21T19:30:05Z`; backups are ordered by this time.

        Raises:
            sqlite3.Error, OSError: if the database can't be copied; then an older backup remains.
            ValueError: if the id does not match `EVENING_ID`.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{begun_at[:10]}-{begun_at[11:19].replace(':', '')}-{path_part(evening)}.sqlite3"
        copy_game_nights(database, path)
        for old in self.newest_first()[MOST_COPIES:]:
            old.unlink(missing_ok=True)
        return path

    def newest_first(self) -> list[Path]:
        """Return the paths of the backups, the newest game night first."""
        return sorted(self._folder.glob("*.sqlite3"), reverse=True)


def copy_database(database: Path, target: Path) -> None:
    """Copy a database that may be in use; when this returns, the complete copy is on the disk."""
    with _copied(database, target):
        pass


def copy_game_nights(database: Path, target: Path) -> None:
    """Copy a database that may be in use, without the access data of tablets and phones."""
    with _copied(database, target) as copy:
        names = ", ".join("?" * len(ACCESS_DATA))
        copy.execute(f"DELETE FROM preferences WHERE name IN ({names})", tuple(ACCESS_DATA))
        copy.commit()
        copy.execute("VACUUM")  # otherwise free pages would still contain current and earlier codes


@contextmanager
def _copied(database: Path, target: Path) -> Iterator[sqlite3.Connection]:
    """Copy a database, let the caller change the copy, then move the copy to `target`."""
    unfinished = target.with_suffix(".part")
    make_private_file(unfinished)
    with (
        closing(sqlite3.connect(f"{database.absolute().as_uri()}?mode=ro", uri=True)) as source,
        closing(sqlite3.connect(unfinished)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")
        yield copy
    put_in_place(unfinished, target)


def make_private_file(path: Path) -> None:
    """Create an empty file that only this user can read (mode 600); an existing file is replaced."""
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def put_in_place(unfinished: Path, target: Path) -> None:
    """Move a finished file to `target` atomically: after a power cut `target` is the old or the complete new file."""
    with unfinished.open("rb+") as file:
        os.fsync(file.fileno())
    os.replace(unfinished, target)
    sync_folder(target.parent)


def sync_everything() -> None:
    """Write all changes in memory to the disks, so that many renamings survive a power cut; only on POSIX systems."""
    if sys.platform != "win32":
        os.sync()


def sync_folder(folder: Path) -> None:
    """Write a folder's entries to the disk (fsync), so that renamings survive a power cut; only on POSIX systems."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
