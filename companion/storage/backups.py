"""Copies of the database, made by SQLite's online backup: one per game night, of the last game nights.

Only the user can read a copy, and no copy holds access data.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from tilekeeper.companion.storage.ids import path_part
from tilekeeper.companion.storage.schema import ACCESS_DATA

MOST_COPIES: Final = 7
"""The newest copies are kept, one per game night."""
_FOLDER: Final = "backups"


class Backups:
    """The copies in a data folder."""

    def __init__(self, folder: Path) -> None:
        """Use a data folder; nothing is written before the first copy."""
        self._folder = folder / _FOLDER

    def make(self, database: Path, evening: str, begun_at: str) -> Path:
        """Copy the database as it is now; this replaces an older copy for the same game night.

        Args:
            database: the file, which may be in use.
            evening: the id of the game night that is played.
            begun_at: when it began, as `2026-11-21T19:30:05Z`; copies are ordered by this.

        Raises:
            sqlite3.Error, OSError: if it can't be copied; an older copy stays then.
            ValueError: for an id of another form.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        path = self._folder / f"{begun_at[:10]}-{begun_at[11:19].replace(':', '')}-{path_part(evening)}.sqlite3"
        copy_game_nights(database, path)
        for old in self.newest_first()[MOST_COPIES:]:
            old.unlink(missing_ok=True)
        return path

    def newest_first(self) -> list[Path]:
        """Return the copies, newest game night first."""
        return sorted(self._folder.glob("*.sqlite3"), reverse=True)


def copy_database(database: Path, target: Path) -> None:
    """Copy a database that may be in use; the copy is complete and on the disk when this returns."""
    with _copied(database, target):
        pass


def copy_game_nights(database: Path, target: Path) -> None:
    """Copy a database that may be in use without the data that lets tablets and phones in."""
    with _copied(database, target) as copy:
        names = ", ".join("?" * len(ACCESS_DATA))
        copy.execute(f"DELETE FROM preferences WHERE name IN ({names})", tuple(ACCESS_DATA))
        copy.commit()
        copy.execute("VACUUM")  # else free pages would still hold the codes, also those of earlier days


@contextmanager
def _copied(database: Path, target: Path) -> Iterator[sqlite3.Connection]:
    """Copy a database, let the caller change the copy, and put it in place."""
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
    """Make an empty file that only this user can read (mode 600); an existing one is replaced."""
    path.unlink(missing_ok=True)
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def put_in_place(unfinished: Path, target: Path) -> None:
    """Rename a written file to its target, so that after a power cut it is complete or missing."""
    with unfinished.open("rb+") as file:
        os.fsync(file.fileno())
    os.replace(unfinished, target)
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk (fsync), on systems that support it."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
