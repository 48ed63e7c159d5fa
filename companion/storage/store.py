"""The SQLite store of game nights and preferences; a change is on the disk before a page shows it."""

from __future__ import annotations

import logging
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
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
from tilekeeper.companion.storage.salvage import Salvaged, SalvagedEvening, salvage
from tilekeeper.companion.storage.schema import EveningRow, PreferenceRow, RecordRow, moment_of
from tilekeeper.engine.language import lazy_gettext

log = logging.getLogger(__name__)
T = TypeVar("T")
_PRIMARY_CODE: Final = 0xFF
"""The bits of the primary code in SQLite's extended error codes."""
_SEATED: Final = TypeAdapter(tuple[tuple[str, ...], ...])


class WrittenElsewhere(Exception):  # noqa: N818, the name says it
    """Another app has changed the stored game night, so its revision is not the expected one; nothing was stored."""


@dataclass(frozen=True, slots=True)
class SavedGameNight:
    """A stored game night without its records."""

    id: str
    begun_at: str
    changed_at: str
    revision: int
    over: bool
    seated: tuple[tuple[str, ...], ...]
    """For each seat the names of its players; empty if they can't be read."""
    settings: object
    """The form of `GameNightSettings.as_json`; unchecked, so any value is possible after damage."""
    live: object
    """The form of `live_json`; unchecked, so any value is possible after damage."""
    result: object = None
    """The form of `EveningResult.as_json`, or None if not computed yet; unchecked like `settings`."""


class Store:
    """The database in a data folder; several threads of one process may use it."""

    def __init__(self, folder: Path) -> None:
        """Open the database; create, migrate or salvage it if necessary.

        Raises:
            FolderInUse: if another process has the folder open.
            StoreUnusable: if the folder or the database can't be used.
        """
        self._held = DataFolder(folder)
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self.notices: tuple[str, ...] = ()
        """Sentences for the page about damage that was found; empty if there was none."""
        self.backups = Backups(folder)
        try:
            damage = find_damage(self._held.database) if self._held.files() else ""
            aside = self._held.set_aside() if damage else None
            self._engine = create_engine(URL.create("sqlite", database=str(self._held.database)))
            event.listen(self._engine, "connect", _prepare)
            event.listen(self._engine, "begin", _begin)
            event.listen(self._engine, "handle_error", _reconnect_if_read_only)
            migrate(self._engine)
            self._held.make_private()
            if aside is not None:
                self._restore(self._salvage(aside / self._held.database.name, damage))
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
        """Open the database in a folder; if the folder can't be used, open a temporary database and add a notice.

        Raises:
            FolderInUse: if another process has the folder open.
            StoreUnusable: if no temporary database can be made either.
        """
        try:
            return cls(folder)
        except FolderInUse:
            raise
        except StoreUnusable as error:
            log.warning("Nothing will be stored: %s", error)
            temporary = tempfile.TemporaryDirectory(prefix="tilekeeper-", ignore_cleanup_errors=True)
            store = cls(Path(temporary.name))
            store._temporary = temporary
            store.notices = (lazy_gettext("This evening will not be saved: {error}.", error=error),)
            return store

    @property
    def folder(self) -> Path:
        """The path of the data folder."""
        return self._held.path

    @property
    def data_folder(self) -> DataFolder:
        """The data folder, which is locked for this process."""
        return self._held

    @property
    def engine(self) -> Engine:
        """The SQLAlchemy engine of the database."""
        return self._engine

    def add(self, saved: SavedGameNight, records: Sequence[Record]) -> None:
        """Store a new game night with its records."""
        with Session(self._engine) as session, session.begin():
            _add(session, saved, records)

    def add_salvaged(self, evening: SalvagedEvening) -> None:
        """Store a game night that was read from a foreign or damaged database."""
        self.add(_saved_of(evening), evening.recorded.records)

    def save(self, saved: SavedGameNight, stored_revision: int, first_place: int, records: Sequence[Record]) -> None:
        """Store the changes of a game night: new records, and all columns of `saved` (optimistic locking).

        Args:
            saved: the game night after the changes.
            stored_revision: the revision that the caller stored last.
            first_place: the place of the first new record, from 0.
            records: the new records.

        Raises:
            WrittenElsewhere: if another revision is stored.
            sqlalchemy.exc.SQLAlchemyError: if the disk refuses the change; then nothing is stored.
        """
        columns = _columns(saved)
        with Session(self._engine) as session, session.begin():
            expected = EveningRow.id == columns.pop("id"), EveningRow.revision == stored_revision
            written = session.scalar(update(EveningRow).where(*expected).values(columns).returning(EveningRow.id))
            if written is None:
                raise WrittenElsewhere(saved.id)
            session.add_all(_rows(saved.id, first_place, records))

    def cut(self, id_: str, first_place: int) -> Path:
        """Move the unreadable records of a game night, all from `first_place` on, to a text file; return its path."""
        with Session(self._engine) as session, session.begin():
            session.execute(
                update(EveningRow).where(EveningRow.id == id_).values(id=id_)
            )  # begin with a write, as `remember_all` does
            from_place = RecordRow.evening == id_, RecordRow.place >= first_place
            rows = session.scalars(select(RecordRow).where(*from_place).order_by(RecordRow.place)).all()
            path = self._held.write_aside(id_, "".join(f"{row.event}\n" for row in rows))
            for row in rows:
                session.delete(row)
        return path

    def game_nights(self, most: int | None = None) -> list[SavedGameNight]:
        """Return all game nights, or `most` of them, the most recently changed first."""
        with Session(self._engine) as session:
            # Sorted by the order of writing, not by time, since the clock may have been set back.
            written = func.max(literal_column("records.rowid", Integer))
            last = select(written).select_from(RecordRow).where(RecordRow.evening == EveningRow.id)
            rows = session.scalars(select(EveningRow).order_by(last.scalar_subquery().desc()).limit(most)).all()
            return [_saved(row) for row in rows]

    def newest(self) -> SavedGameNight | None:
        """Return the game night that was changed last; None if none is stored."""
        return next(iter(self.game_nights(most=1)), None)

    def game_night(self, id_: str) -> SavedGameNight | None:
        """Return a game night; None if it is not stored here."""
        with Session(self._engine) as session:
            row = session.get(EveningRow, id_)
            return None if row is None else _saved(row)

    def keep_result(self, saved: SavedGameNight, result: object) -> None:
        """Store the computed result of a game night, unless the game night has changed since it was read."""
        with Session(self._engine) as session, session.begin():
            unchanged = EveningRow.id == saved.id, EveningRow.revision == saved.revision
            session.execute(update(EveningRow).where(*unchanged).values(result=result))

    def lines(self, id_: str) -> list[tuple[object, object]]:
        """Return the records of a game night in order, each as the event's line and its note, both unchecked.

        A gap of any number of missing records appears as one `(None, None)`.
        """
        lines: list[tuple[object, object]] = []
        next_place = 0
        with Session(self._engine) as session:
            of_night = RecordRow.evening == id_, RecordRow.place >= 0
            for row in session.scalars(select(RecordRow).where(*of_night).order_by(RecordRow.place)):
                if row.place != next_place:
                    lines.append((None, None))
                lines.append((row.event, row.note))
                next_place = row.place + 1
        return lines

    def records_from(self, id_: str, first_place: int, most: int) -> list[tuple[int, object, object]]:
        """Return up to `most` records of a game night from a place on, each as place, line and note, unchecked."""
        with Session(self._engine) as session:
            from_place = RecordRow.evening == id_, RecordRow.place >= first_place
            rows = session.scalars(select(RecordRow).where(*from_place).order_by(RecordRow.place).limit(most))
            return [(row.place, row.event, row.note) for row in rows]

    def remember(self, name: str, value: object) -> None:
        """Store a preference under a name, in place of an earlier value."""
        self.remember_all({name: value})

    def remember_all(self, values: Mapping[str, object]) -> None:
        """Store preferences by name in one transaction, in place of earlier values."""
        with Session(self._engine) as session, session.begin():
            for name, value in values.items():
                # A transaction that begins with a write waits for other writers; after a read SQLite would refuse it.
                changed = update(PreferenceRow).where(PreferenceRow.name == name).values(value=value)
                if session.scalar(changed.returning(PreferenceRow.name)) is None:
                    session.add(PreferenceRow(name=name, value=value))

    def recall(self, name: str, kind: TypeAdapter[T]) -> T | None:
        """Return a preference by its name; None if it is missing or `kind` does not accept it."""
        with Session(self._engine) as session:
            row = session.get(PreferenceRow, name)
            if row is None or row.value is None:
                return None
            try:
                return kind.validate_python(row.value)
            except ValidationError:
                log.warning("The preference %r can't be read and is dropped", name)
                return None

    def back_up(self, id_: str, begun_at: str) -> Path:
        """Back up the database for a game night; this replaces an older backup for the same game night.

        Raises:
            sqlite3.Error, OSError: if the database can't be copied.
        """
        return self.backups.make(self._held.database, id_, begun_at)

    def close(self) -> None:
        """Close the database and release the folder."""
        if hasattr(self, "_engine"):
            self._engine.dispose()
        self._held.release()
        if self._temporary is not None:
            self._temporary.cleanup()

    def _salvage(self, damaged: Path, damage: str) -> Salvaged:
        sound = damaged.with_name("empty.sqlite3")
        copy_database(self._held.database, sound)
        try:
            return salvage(damaged, damage, sound, self.backups.newest_first())
        finally:
            sound.unlink()

    def _restore(self, salvaged: Salvaged) -> None:
        with Session(self._engine) as session, session.begin():
            for evening in salvaged.evenings:
                _add(session, _saved_of(evening), evening.recorded.records)
            for name, value in salvaged.preferences.items():
                session.merge(PreferenceRow(name=name, value=value))
        log.warning("%s", salvaged.notice)
        self.notices = (salvaged.notice,)


def _prepare(connection: Any, _: object) -> None:
    # Otherwise the driver would commit before each CREATE and DROP, and a killed migration would be half done.
    connection.isolation_level = None
    # Text that is not UTF-8 after damage must not prevent reading other records.
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    cursor = connection.cursor()
    # WAL: readers do not wait for writers. FULL: a commit survives a power cut.
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _begin(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _reconnect_if_read_only(failure: ExceptionContext) -> None:
    # If the system refuses to open the file for writing, SQLite keeps it open for reading only. A new connection tries
    # again.
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


def _add(session: Session, saved: SavedGameNight, records: Sequence[Record]) -> None:
    session.add(EveningRow(**_columns(saved)))
    session.flush()
    session.add_all(_rows(saved.id, 0, records))


def _rows(id_: str, first_place: int, records: Sequence[Record]) -> list[RecordRow]:
    return [
        RecordRow(evening=id_, place=place, event=record.line, note=record.note.as_json())
        for place, record in enumerate(records, start=first_place)
    ]


def _saved_of(evening: SalvagedEvening) -> SavedGameNight:
    return SavedGameNight(
        id=evening.id,
        begun_at=evening.begun_at,
        changed_at=evening.changed_at,
        revision=evening.revision,
        over=evening.over,
        seated=evening.recorded.seated,
        settings=evening.settings,
        live=evening.live,
    )


def _seated(people: object) -> tuple[tuple[str, ...], ...]:
    try:
        return _SEATED.validate_python(people)
    except ValidationError:
        return ()


def _saved(row: EveningRow) -> SavedGameNight:
    return SavedGameNight(
        id=str(row.id),
        begun_at=moment_of(row.begun_at, row.changed_at),
        changed_at=moment_of(row.changed_at, row.begun_at),
        revision=row.revision,
        over=bool(row.over),
        seated=_seated(row.people),
        settings=row.settings,
        live=row.live,
        result=row.result,
    )
