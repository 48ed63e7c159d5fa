"""Writes all game nights with their pictures to one ZIP file, and restores them from it."""

from __future__ import annotations

import lzma
import re
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Final

from tilekeeper.companion.storage.backups import copy_database, put_in_place
from tilekeeper.companion.storage.folder import FILE_NAME, DataFolder
from tilekeeper.companion.storage.integrity import find_damage
from tilekeeper.engine.language import gettext

MOST_BYTES: Final = 4_000_000_000
"""The largest unpacked size of an archive: eight times the budget of pictures."""
_PACKING: Final = (zlib.error, lzma.LZMAError, UnicodeDecodeError)
_PICTURE: Final = re.compile(r"pictures/[a-z0-9-]{1,64}/[a-z0-9-]{1,64}\.jpg")


class ArchiveUnusable(Exception):  # noqa: N818, the name says it
    """An archive that can't be written or read; the message is one line for people."""


def write_archive(folder: Path, target: Path) -> int:
    """Write the database and all pictures of a data folder to a ZIP file, even while an app uses the folder.

    Args:
        folder: the data folder.
        target: the file; an existing one is replaced once the new one is complete.

    Returns:
        The number of pictures in it.

    Raises:
        ArchiveUnusable: if there are no game nights, or they are damaged.
        OSError: if the file can't be written.
    """
    database = folder / FILE_NAME
    if not database.is_file():
        raise ArchiveUnusable(gettext("there are no game nights in {folder}", folder=folder))
    damage = find_damage(database)
    if damage:
        raise ArchiveUnusable(
            gettext(
                "{database} is damaged ({damage}); start the app once, it saves what can be read",
                database=database,
                damage=damage,
            )
        )
    unfinished = target.with_name(f"{target.name}.part")
    pictures = sorted((folder / "pictures").glob("*/*.jpg"))
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, FILE_NAME)
        copy_database(database, copy)
        try:
            # ZIP has no dates before 1980, which pictures have on a machine without a clock battery.
            with zipfile.ZipFile(unfinished, "w", strict_timestamps=False) as archive:
                archive.write(copy, FILE_NAME, zipfile.ZIP_DEFLATED)
                for picture in pictures:
                    archive.write(picture, picture.relative_to(folder).as_posix())  # JPEG does not shrink further
            put_in_place(unfinished, target)
        finally:
            unfinished.unlink(missing_ok=True)  # a full disk must not stay full of it
    return len(pictures)


def read_archive(source: Path, folder: Path) -> Path | None:
    """Replace the game nights of a data folder by those of an archive; the old database is set aside.

    Pictures are added to the existing ones.

    Args:
        source: a file that `write_archive` has written.
        folder: the data folder; made if it is missing.

    Returns:
        The folder with the old database; None if there was none.

    Raises:
        ArchiveUnusable: if it is no such file, or is damaged; nothing has changed then.
        StoreUnusable: if the folder is in use or can't be written to.
        OSError: if something can't be read or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # On the same disk as the target, so that files are only renamed.
    with tempfile.TemporaryDirectory(dir=folder, prefix="restore-") as scratch:
        unpacked = Path(scratch)
        _unpack(source, unpacked)
        if damage := find_damage(unpacked / FILE_NAME):
            raise ArchiveUnusable(
                gettext("the game nights in {source} are damaged: {damage}", source=source, damage=damage)
            )
        data_folder = DataFolder(folder)
        try:
            for picture in unpacked.glob("pictures/*/*.jpg"):
                target = folder / picture.relative_to(unpacked)
                target.parent.mkdir(parents=True, exist_ok=True)
                put_in_place(picture, target)
            old = data_folder.set_aside() if data_folder.files() else None
            put_in_place(unpacked / FILE_NAME, data_folder.database)
        finally:
            data_folder.release()
    return old


def _unpack(source: Path, folder: Path) -> None:
    """Unpack database and pictures of an archive into an empty folder; `zipfile` checks each file's checksum."""
    try:
        with zipfile.ZipFile(source) as archive:
            for member in (archive.getinfo(FILE_NAME), *_members(archive)):
                archive.extract(member, folder)
    # All errors of `zipfile` for a foreign file: no archive, a wrong checksum, no database in it, an unknown
    # compression, a password, truncated or invalid data, a file name that can't be decoded.
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError, *_PACKING) as error:
        raise ArchiveUnusable(
            gettext("{source} is no copy of game nights, or it is damaged: {error}", source=source, error=error)
        ) from None


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """Return the pictures in an archive; other files are ignored."""
    members = [member for member in archive.infolist() if _PICTURE.fullmatch(member.filename)]
    total = archive.getinfo(FILE_NAME).file_size + sum(member.file_size for member in members)
    if total > MOST_BYTES:
        raise ArchiveUnusable(gettext("it holds {size} MB, more than game nights ever need", size=total // 1_000_000))
    return members
