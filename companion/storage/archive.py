"""Export of all game nights with their pictures to one ZIP file, and import from such a file.

Access data, such as the join code, is neither written nor read. Anybody may have made an archive, so its database is
read as an untrusted one (`foreign`) into a new database.
"""

from __future__ import annotations

import os
import re
import tempfile
import zipfile
import zlib
from dataclasses import dataclass
from io import BufferedReader, FileIO
from pathlib import Path
from typing import Final

from tilekeeper.companion.storage.backups import copy_game_nights, make_private_file, put_in_place, sync_everything
from tilekeeper.companion.storage.folder import FILE_NAME, DataFolder
from tilekeeper.companion.storage.foreign import MOST_DATABASE_BYTES, ForeignUnusable, foreign_evenings
from tilekeeper.companion.storage.integrity import find_damage
from tilekeeper.companion.storage.salvage import readable_preferences
from tilekeeper.companion.storage.schema import OPEN_EVENING, PLAYERS
from tilekeeper.companion.storage.store import Store
from tilekeeper.engine.language import gettext, lazy_gettext

MOST_BYTES: Final = 4_000_000_000
"""The largest unpacked size of an archive: eight times the maximum size of all pictures."""
MOST_PICTURES: Final = 100_000
"""The maximum number of pictures in an archive. A folder keeps 500 MB of them; those of a dark table have 6 kB each."""
MOST_GROWTH: Final = 10
"""The pictures of an archive are at most this many times as large as the archive, since JPEG hardly shrinks further."""
_MOST_READ_BYTES: Final = 16_000_000
"""The most that `zipfile` may read at once: the directory of an archive, which is in memory as a whole."""
_PACKING: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_PICTURE: Final = re.compile(r"pictures/[a-z0-9-]{1,64}/[a-z0-9-]{1,64}\.jpg")


class ArchiveUnusable(Exception):  # noqa: N818, the name says it
    """An archive can't be written or read; the message is one line for the command line."""


def write_archive(folder: Path, target: Path) -> int:
    """Write the database and all pictures of a data folder to a ZIP file, even while an app uses the folder.

    Args:
        folder: the data folder.
        target: the ZIP file; an existing file is replaced once the new one is complete.

    Returns:
        The number of pictures in the ZIP file.

    Raises:
        ArchiveUnusable: if there is no database, or it is damaged.
        OSError: if the ZIP file can't be written.
    """
    database = folder / FILE_NAME
    if not database.is_file():
        raise ArchiveUnusable(gettext("there are no game nights in {folder}", folder=folder))
    damage = find_damage(database)
    if damage:
        raise ArchiveUnusable(
            gettext(
                "{database} is damaged ({damage}); start the app once to rescue what can still be read",
                database=database,
                damage=damage,
            )
        )
    unfinished = target.with_name(f"{target.name}.part")
    pictures = sorted((folder / "pictures").glob("*/*.jpg"))
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, FILE_NAME)
        copy_game_nights(database, copy)
        make_private_file(unfinished)
        try:
            # A picture can be dated before 1980 (a machine without a clock battery), which ZIP can't store: not strict.
            with zipfile.ZipFile(unfinished, "w", strict_timestamps=False) as archive:
                archive.write(copy, FILE_NAME, zipfile.ZIP_DEFLATED)
                for picture in pictures:
                    archive.write(picture, picture.relative_to(folder).as_posix())  # JPEG does not shrink further
            put_in_place(unfinished, target)
        finally:
            unfinished.unlink(missing_ok=True)  # after a failure: an unfinished file must not fill the disk
    return len(pictures)


@dataclass(frozen=True, slots=True)
class RestoredArchive:
    """The result of `read_archive`.

    Attributes:
        found: the number of game nights in the archive.
        incomplete: the number of those that could be read only in part or not at all.
        aside: the folder with the replaced database; None if there was none.
    """

    found: int
    incomplete: int
    aside: Path | None


def read_archive(source: Path, folder: Path) -> RestoredArchive:
    """Replace the game nights of a data folder by those of an archive; the old database is moved aside.

    Pictures are added to the existing ones. The folder keeps its preferences, such as join code and cameras. It gets
    the archive's profiles of players unless it has some.

    Args:
        source: a file written by `write_archive`.
        folder: the data folder; it is created if it is missing.

    Raises:
        ArchiveUnusable: if `source` is not such a file, or is damaged; then nothing has changed.
        StoreUnusable: if the folder is in use or can't be written to.
        OSError: if something can't be read or written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    # The scratch folder is on the same disk as the target, so that files only need to be renamed.
    with tempfile.TemporaryDirectory(dir=folder, prefix="restore-") as scratch:
        unpacked, new = Path(scratch, "unpacked"), Path(scratch, "new")
        _unpack(source, unpacked)
        found, incomplete = _rebuild(source, unpacked / FILE_NAME, new)
        data_folder = DataFolder(folder)
        try:
            _copy_preferences(data_folder.database, new)
            for picture in unpacked.glob("pictures/*/*.jpg"):
                target = folder / picture.relative_to(unpacked)
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(picture, target)
            sync_everything()  # once, since it takes as long for each file
            old = data_folder.set_aside() if data_folder.files() else None
            put_in_place(new / FILE_NAME, data_folder.database)
        finally:
            data_folder.release()
    return RestoredArchive(found, incomplete, old)


def _rebuild(source: Path, foreign: Path, new: Path) -> tuple[int, int]:
    """Write the game nights of a foreign database into a new one.

    Args:
        source: the path of the archive, for messages.
        foreign: the unpacked database of the archive.
        new: the folder for the new database.

    Returns:
        The number of game nights in the archive, and the number of incomplete ones among them.
    """
    found = incomplete = 0
    store = Store(new)
    try:
        with foreign_evenings(foreign) as read:
            for evening in read.evenings:
                found += 1
                incomplete += evening is None or len(evening.recorded.records) <= evening.last_place
                if evening is not None:
                    store.add_salvaged(evening)
            store.remember(PLAYERS, read.profiles.as_json())
            is_here = read.open_evening is not None and store.game_night(read.open_evening) is not None
            store.remember(OPEN_EVENING, read.open_evening if is_here else None)
    except ForeignUnusable as error:
        raise ArchiveUnusable(
            lazy_gettext("the game nights in {source} can't be read: {damage}", source=source, damage=error)
        ) from None
    finally:
        store.close()
    return found, incomplete


def _copy_preferences(database: Path, new: Path) -> None:
    """Copy the readable preferences of the old database, if there is one, into the new one."""
    store = Store(new)
    try:
        for name, value in readable_preferences(database).items():
            if name != OPEN_EVENING:
                store.remember(name, value)
    finally:
        store.close()


def _unpack(source: Path, folder: Path) -> None:
    """Unpack database and pictures of an archive into a new folder; `zipfile` verifies each file's checksum."""
    try:
        with _BoundedFile(FileIO(source)) as file, zipfile.ZipFile(file) as archive:
            for member in _members(archive, source.stat().st_size):
                archive.extract(member, folder)
    # All errors of `zipfile` for an untrusted file: not a ZIP file, a wrong checksum, no database in it, another
    # compression, a newer version of ZIP (NotImplementedError), a password, truncated or invalid data, a bad name.
    except (
        zipfile.BadZipFile,
        KeyError,
        NotImplementedError,
        RuntimeError,
        EOFError,
        zlib.error,
        UnicodeDecodeError,
    ) as error:
        raise ArchiveUnusable(
            gettext("{source} is no copy of game nights, or it is damaged: {error}", source=source, error=error)
        ) from None


class _BoundedFile(BufferedReader):
    """A file that `zipfile` can't read into memory as a whole, whatever it says about its directory."""

    def read(self, size: int | None = -1) -> bytes:
        """Read like any file; raise `BadZipFile` if the size is beyond `_MOST_READ_BYTES`."""
        if size is not None and size > _MOST_READ_BYTES:
            raise zipfile.BadZipFile("too many files")
        return super().read(size)


def _members(archive: zipfile.ZipFile, size: int) -> list[zipfile.ZipInfo]:
    """Return the database and the pictures in an archive of `size` bytes, without other files.

    Raises:
        ArchiveUnusable: if they are too large or too many.
        KeyError: if there is no database.
        BadZipFile: if a file is compressed by a method that `write_archive` does not use.
    """
    database = archive.getinfo(FILE_NAME)
    pictures = [member for member in archive.infolist() if _PICTURE.fullmatch(member.filename)]
    of_pictures = sum(member.file_size for member in pictures)
    total = database.file_size + of_pictures
    if total > MOST_BYTES or database.file_size > MOST_DATABASE_BYTES or of_pictures > MOST_GROWTH * size:
        raise ArchiveUnusable(gettext("it holds {size} MB, more than game nights ever need", size=total // 1_000_000))
    if len(pictures) > MOST_PICTURES:
        raise ArchiveUnusable(
            gettext("it holds {count} pictures, more than game nights ever need", count=len(pictures))
        )
    if any(member.compress_type not in _PACKING for member in (database, *pictures)):
        # Other compressions let a small archive use much memory.
        raise zipfile.BadZipFile("unknown compression")
    return [database, *pictures]
