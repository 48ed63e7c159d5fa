"""Stores game nights in SQLite: each action's records are on the disk before a page shows it."""

from __future__ import annotations

import logging
import sqlite3
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import (
    URL,
    Connection,
    Engine,
    ExceptionContext,
    Integer,
    create_engine,
    event,
    func,
    literal_column,
    select,
    update,
)
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session

from tilekeeper.companion.game_night.record import Record
from tilekeeper.companion.storage.backups import Backups, copy_database
from tilekeeper.companion.storage.folder import DataFolder, FolderInUse, StoreUnusable
from tilekeeper.companion.storage.integrity import find_damage
from tilekeeper.companion.storage.migrate import migrate
from tilekeeper.companion.storage.salvage import Salvaged, salvage
from tilekeeper.companion.storage.schema import EveningRow, PreferenceRow, RecordRow, moment_of
from tilekeeper.engine.language import lazy_gettext

log = logging.getLogger(__name__)
T = TypeVar("T")
_PRIMARY_CODE: Final = 0xFF
"""The bits of SQLite's extended error codes that say which kind of error it is."""
_SEATED: Final = TypeAdapter(tuple[tuple[str, ...], ...])


class WrittenElsewhere(Exception):  # noqa: N818, the name says it
    """Somebody else has written to this evening since it was read; nothing was stored."""


@dataclass(frozen=True, slots=True)
class SavedGameNight:
    """An evening as it lies on the disk."""

    id: str
    begun_at: str
    changed_at: str
    revision: int
    over: bool
    seated: tuple[tuple[str, ...], ...]
    """Who sat down at each seat; empty where that can't be read."""
    settings: object
    """As `GameNightSettings.as_json`, or whatever a damaged disk has made of it."""
    live: object
    """As `live_json`, or whatever a damaged disk has made of it."""
    result: object = None
    """As `EveningResult.as_json`, or whatever a damaged disk has made of it; None where it was not worked out yet."""


class Store:
    """The database of one folder; may be used by several threads, and by no other process meanwhile."""

    def __init__(self, folder: Path) -> None:
        """Open the database, and make, migrate or salvage it where it must be.

        Raises:
            FolderInUse: if another process has it open.
            StoreUnusable: if the folder or the database can't be used.
        """
        self._held = DataFolder(folder)
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self.notices: tuple[str, ...] = ()
        """What people should know of how the evenings were found, in sentences."""
        self.backups = Backups(folder)
        try:
            damage = find_damage(self._held.database) if self._held.files() else ""
            aside = self._held.set_aside() if damage else None
            self._engine = create_engine(URL.create("sqlite", database=str(self._held.database)))
            event.listen(self._engine, "connect", _prepare)
            event.listen(self._engine, "begin", _begin)
            event.listen(self._engine, "handle_error", _open_anew)
            migrate(self._engine)
            if aside is not None:
                self._restore(self._salvaged(aside / self._held.database.name, damage))
        except StoreUnusable:
            self.close()
            raise
        except (DatabaseError, sqlite3.Error, OSError) as error:
            self.close()
            reason = getattr(error, "orig", None) or getattr(error, "strerror", None) or error
            raise StoreUnusable(
                lazy_gettext("{database} can't be used: {reason}", database=self._held.database, reason=reason)
            ) from None

    @classmethod
    def open(cls, folder: Path) -> Store:
        """Open the database of a folder; where it can't be used, one that is gone when this process ends.

        Raises:
            FolderInUse: if another process has it open.
            StoreUnusable: if there is not even room for a temporary one.
        """
        try:
            return cls(folder)
        except FolderInUse:
            raise
        except StoreUnusable as error:
            log.warning("Nothing will be kept: %s", error)
            temporary = tempfile.TemporaryDirectory(prefix="tilekeeper-", ignore_cleanup_errors=True)
            store = cls(Path(temporary.name))
            store._temporary = temporary
            store.notices = (lazy_gettext("This evening will not be saved: {error}.", error=error),)
            return store

    @property
    def folder(self) -> Path:
        """Where the database and all that belongs to it lie."""
        return self._held.path

    @property
    def held(self) -> DataFolder:
        """The folder, as this process holds it."""
        return self._held

    @property
    def engine(self) -> Engine:
        """The engine, for whoever looks into the database."""
        return self._engine

    def add(self, saved: SavedGameNight, records: Sequence[Record]) -> None:
        """Keep a new evening."""
        with Session(self._engine) as session, session.begin():
            session.add(EveningRow(**_columns(saved)))
            session.flush()
            session.add_all(_rows(saved.id, 0, records))

    def save(self, saved: SavedGameNight, stored_revision: int, first_place: int, records: Sequence[Record]) -> None:
        """Keep what actions have changed: new records from a place on, and what lives between records.

        Args:
            saved: the evening as it is now.
            stored_revision: the revision that was stored last, as far as the caller knows.
            first_place: where the new records begin, from 0.
            records: the new records.

        Raises:
            WrittenElsewhere: if another revision lies there.
            sqlalchemy.exc.SQLAlchemyError: if the disk refuses it; nothing is stored then.
        """
        columns = _columns(saved)
        with Session(self._engine) as session, session.begin():
            expected = EveningRow.id == columns.pop("id"), EveningRow.revision == stored_revision
            written = session.scalar(update(EveningRow).where(*expected).values(columns).returning(EveningRow.id))
            if written is None:
                raise WrittenElsewhere(saved.id)
            session.add_all(_rows(saved.id, first_place, records))

    def cut(self, id_: str, first_place: int) -> Path:
        """Set the records of an evening aside from a place on, since they can't be read, and return where they lie."""
        with Session(self._engine) as session, session.begin():
            session.execute(update(EveningRow).where(EveningRow.id == id_).values(id=id_))  # as in `remember`
            there = RecordRow.evening == id_, RecordRow.place >= first_place
            rows = session.scalars(select(RecordRow).where(*there).order_by(RecordRow.place)).all()
            path = self._held.write_aside(f"{id_}.txt", "".join(f"{row.event}\n" for row in rows))
            for row in rows:
                session.delete(row)
        return path

    def game_nights(self) -> list[SavedGameNight]:
        """All evenings, the one that was changed last at the front."""
        with Session(self._engine) as session:
            # By the order of writing, not by the time of day, which somebody may have set back.
            written = func.max(literal_column("records.rowid", Integer))
            last = select(written).select_from(RecordRow).where(RecordRow.evening == EveningRow.id)
            rows = session.scalars(select(EveningRow).order_by(last.scalar_subquery().desc())).all()
            return [_saved(row) for row in rows]

    @property
    def has_game_nights(self) -> bool:
        """Whether there is any evening."""
        with Session(self._engine) as session:
            return session.scalar(select(EveningRow.id).limit(1)) is not None

    def game_night(self, id_: str) -> SavedGameNight | None:
        """One evening, or None where it is not kept here."""
        with Session(self._engine) as session:
            row = session.get(EveningRow, id_)
            return None if row is None else _saved(row)

    def keep_result(self, saved: SavedGameNight, result: object) -> None:
        """Keep the result of an evening that has none, unless the evening was changed since it was read."""
        with Session(self._engine) as session, session.begin():
            unchanged = EveningRow.id == saved.id, EveningRow.revision == saved.revision
            session.execute(update(EveningRow).where(*unchanged).values(result=result))

    def lines(self, id_: str) -> list[tuple[object, object]]:
        """The records of an evening, each the event's line and its note, in their order, as they lie there.

        Where some are missing, however many the places of the others make them, one stands as nothing, with nothing
        as its note.
        """
        found: list[tuple[object, object]] = []
        next_place = 0
        with Session(self._engine) as session:
            there = RecordRow.evening == id_, RecordRow.place >= 0
            for row in session.scalars(select(RecordRow).where(*there).order_by(RecordRow.place)):
                if row.place != next_place:
                    found.append((None, None))
                found.append((row.event, row.note))
                next_place = row.place + 1
        return found

    def records_from(self, id_: str, first_place: int, most: int) -> list[tuple[int, object, object]]:
        """Records of an evening from a place on, at most so many: place, line and note, as they lie there."""
        with Session(self._engine) as session:
            wanted = RecordRow.evening == id_, RecordRow.place >= first_place
            rows = session.scalars(select(RecordRow).where(*wanted).order_by(RecordRow.place).limit(most))
            return [(row.place, row.event, row.note) for row in rows]

    def remember(self, name: str, value: object) -> None:
        """Keep something from evening to evening; it replaces what was kept under the name."""
        with Session(self._engine) as session, session.begin():
            # Writing first waits for whoever else writes; who has read before it is refused at once.
            changed = update(PreferenceRow).where(PreferenceRow.name == name).values(value=value)
            if session.scalar(changed.returning(PreferenceRow.name)) is None:
                session.add(PreferenceRow(name=name, value=value))

    def recall(self, name: str, kind: TypeAdapter[T]) -> T | None:
        """What was kept under a name, or None; also None where it is nothing of this kind."""
        with Session(self._engine) as session:
            row = session.get(PreferenceRow, name)
            if row is None or row.value is None:
                return None
            try:
                return kind.validate_python(row.value)
            except ValidationError:
                log.warning("What was remembered as %r can't be read and is forgotten", name)
                return None

    def back_up(self, id_: str, begun_at: str) -> Path:
        """Copy the database for an evening, in the place of an older copy of it.

        Raises:
            sqlite3.Error, OSError: if it can't be copied.
        """
        return self.backups.make(self._held.database, id_, begun_at)

    def close(self) -> None:
        """Let go of the database and of the folder."""
        if hasattr(self, "_engine"):
            self._engine.dispose()
        self._held.release()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _salvaged(self, damaged: Path, damage: str) -> Salvaged:
        sound = damaged.with_name("empty.sqlite3")
        copy_database(self._held.database, sound)
        try:
            return salvage(damaged, damage, sound, self.backups.newest_first())
        finally:
            sound.unlink()

    def _restore(self, salvaged: Salvaged) -> None:
        with Session(self._engine) as session, session.begin():
            for evening in salvaged.evenings:
                columns = _columns(
                    SavedGameNight(
                        id=evening.id,
                        begun_at=evening.begun_at,
                        changed_at=evening.changed_at,
                        revision=evening.revision,
                        over=evening.over,
                        seated=evening.recorded.seated,
                        settings=evening.settings,
                        live=evening.live,
                    )
                )
                session.add(EveningRow(**columns))
                session.flush()
                session.add_all(_rows(evening.id, 0, evening.recorded.records))
            for name, value in salvaged.preferences.items():
                session.merge(PreferenceRow(name=name, value=value))
        log.warning("%s", salvaged.notice)
        self.notices = (salvaged.notice,)


def _prepare(connection: Any, _: object) -> None:
    # Otherwise the driver would commit before each CREATE and DROP, and a migration that is killed be left halfway.
    connection.isolation_level = None
    # A letter that is none, after the disk has changed it, is to spoil that record and no other.
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    cursor = connection.cursor()
    # Readers do not wait for writers; a commit is on the disk even if the laptop loses its power a moment later.
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _open_anew(failure: ExceptionContext) -> None:
    # Where the system refuses to open the file for writing, SQLite opens it for reading alone, and keeps it so: what is
    # done next is to try again.
    code = getattr(failure.original_exception, "sqlite_errorcode", sqlite3.SQLITE_OK)
    if code & _PRIMARY_CODE == sqlite3.SQLITE_READONLY:
        failure.is_disconnect = True


def _columns(saved: SavedGameNight) -> dict[str, Any]:
    return {
        "id": saved.id,
        "begun_at": saved.begun_at,
        "changed_at": saved.changed_at,
        "revision": saved.revision,
        "over": saved.over,
        "people": [list(people) for people in saved.seated],
        "settings": saved.settings,
        "live": saved.live,
        "result": saved.result,
    }


def _rows(id_: str, first_place: int, records: Sequence[Record]) -> list[RecordRow]:
    return [
        RecordRow(evening=id_, place=place, event=record.line, note=record.note.as_json())
        for place, record in enumerate(records, start=first_place)
    ]


def _saved(row: EveningRow) -> SavedGameNight:
    try:
        seated = _SEATED.validate_python(row.people)
    except ValidationError:
        seated = ()
    return SavedGameNight(
        id=str(row.id),
        begun_at=moment_of(row.begun_at, row.changed_at),
        changed_at=moment_of(row.changed_at, row.begun_at),
        revision=row.revision,
        over=bool(row.over),
        seated=seated,
        settings=row.settings,
        live=row.live,
        result=row.result,
    )
