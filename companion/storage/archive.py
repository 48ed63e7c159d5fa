"""All evenings with their pictures in one ZIP file, for another disk, and back from it."""

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
"""What an archive may hold, unpacked: eight times what pictures may take."""
_PACKING: Final = (zlib.error, lzma.LZMAError, UnicodeDecodeError)
_PICTURE: Final = re.compile(r"pictures/[a-z0-9-]{1,64}/[a-z0-9-]{1,64}\.jpg")


class ArchiveUnusable(Exception):  # noqa: N818, the name says it
    """Why an archive can't be written or read; the message is one line for people."""


def write_archive(folder: Path, target: Path) -> int:
    """Write the database and all pictures of a data folder to a ZIP file; an app may be using the folder meanwhile.

    Args:
        folder: the data folder.
        target: the file; it takes the place of one that is there only once it is whole.

    Returns:
        How many pictures are in it.

    Raises:
        ArchiveUnusable: if there are no evenings there, or they are damaged.
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
            # A machine whose clock begins anew at each start has pictures of before 1980, which ZIP can't say.
            with zipfile.ZipFile(unfinished, "w", strict_timestamps=False) as archive:
                archive.write(copy, FILE_NAME, zipfile.ZIP_DEFLATED)
                for picture in pictures:
                    archive.write(picture, picture.relative_to(folder).as_posix())  # JPEG gets no smaller
            put_in_place(unfinished, target)
        finally:
            unfinished.unlink(missing_ok=True)  # it would fill a disk that was too full for it
    return len(pictures)


def read_archive(source: Path, folder: Path) -> Path | None:
    """Put the evenings of an archive in the place of those of a data folder, which are set aside.

    Pictures are added to those that are there.

    Args:
        source: a file that `write_archive` has written.
        folder: the data folder; it is made where it is missing.

    Returns:
        Where the evenings lie that were there before; None where there were none.

    Raises:
        ArchiveUnusable: if it is no such file, or damaged; nothing has changed then.
        StoreUnusable: if the folder is in use or can't be written to.
        OSError: if something can't be read or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # Beside where it goes, so that what is whole is only renamed.
    with tempfile.TemporaryDirectory(dir=folder, prefix="restore-") as scratch:
        unpacked = Path(scratch)
        _unpack(source, unpacked)
        if damage := find_damage(unpacked / FILE_NAME):
            raise ArchiveUnusable(
                gettext("the game nights in {source} are damaged: {damage}", source=source, damage=damage)
            )
        held = DataFolder(folder)
        try:
            for picture in unpacked.glob("pictures/*/*.jpg"):
                target = folder / picture.relative_to(unpacked)
                target.parent.mkdir(parents=True, exist_ok=True)
                put_in_place(picture, target)
            before = held.set_aside() if held.files() else None
            put_in_place(unpacked / FILE_NAME, held.database)
        finally:
            held.release()
    return before


def _unpack(source: Path, folder: Path) -> None:
    """Unpack the evenings and pictures of an archive, each checked by its sum, into a folder that is empty."""
    try:
        with zipfile.ZipFile(source) as archive:
            for member in (archive.getinfo(FILE_NAME), *_members(archive)):
                archive.extract(member, folder)
    # All that `zipfile` raises for a file that somebody else made: no archive or a wrong sum, none of our names in it,
    # a way of packing that it does not know, a password, a member that ends early or is no packed data, a name that is
    # no text.
    except (zipfile.BadZipFile, KeyError, NotImplementedError, RuntimeError, EOFError, *_PACKING) as error:
        raise ArchiveUnusable(
            gettext("{source} is no copy of game nights, or it is damaged: {error}", source=source, error=error)
        ) from None


def _members(archive: zipfile.ZipFile) -> list[zipfile.ZipInfo]:
    """The pictures in an archive; whatever else is in it is left there."""
    members = [member for member in archive.infolist() if _PICTURE.fullmatch(member.filename)]
    total = archive.getinfo(FILE_NAME).file_size + sum(member.file_size for member in members)
    if total > MOST_BYTES:
        raise ArchiveUnusable(gettext("it holds {size} MB, more than game nights ever need", size=total // 1_000_000))
    return members
