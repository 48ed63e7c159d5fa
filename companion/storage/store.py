"""The SQLite store of game nights and preferences: an action is on the disk before a page shows it."""

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
    """Another app has written to this game night since it was read; nothing was stored."""


@dataclass(frozen=True, slots=True)
class SavedGameNight:
    """A stored game night."""

    id: str
    begun_at: str
    changed_at: str
    revision: int
    over: bool
    seated: tuple[tuple[str, ...], ...]
    """The people at each seat; empty if they can't be read."""
    settings: object
    """As `GameNightSettings.as_json`; anything after damage."""
    live: object
    """As `live_json`; anything after damage."""
    result: object = None
    """As `EveningResult.as_json`; anything after damage; None if not computed yet."""


class Store:
    """The database of one folder; may be used by several threads of one process."""

    def __init__(self, folder: Path) -> None:
        """Open the database; make, migrate or salvage it if necessary.

        Raises:
            FolderInUse: if another process has it open.
            StoreUnusable: if the folder or the database can't be used.
        """
        self._held = DataFolder(folder)
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self.notices: tuple[str, ...] = ()
        """Sentences for people about damage that was found."""
        self.backups = Backups(folder)
        try:
            damage = find_damage(self._held.database) if self._held.files() else ""
            aside = self._held.set_aside() if damage else None
            self._engine = create_engine(URL.create("sqlite", database=str(self._held.database)))
            event.listen(self._engine, "connect", _prepare)
            event.listen(self._engine, "begin", _begin)
            event.listen(self._engine, "handle_error", _reconnect_if_read_only)
            migrate(self._engine)
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
        """Open the database of a folder, or a temporary one if that can't be used.

        Raises:
            FolderInUse: if another process has it open.
            StoreUnusable: if there is not even room for a temporary one.
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
        """The data folder."""
        return self._held.path

    @property
    def held(self) -> DataFolder:
        """The held data folder."""
        return self._held

    @property
    def engine(self) -> Engine:
        """The SQLAlchemy engine."""
        return self._engine

    def add(self, saved: SavedGameNight, records: Sequence[Record]) -> None:
        """Store a new game night."""
        with Session(self._engine) as session, session.begin():
            _add(session, saved, records)

    def add_salvaged(self, evening: SalvagedEvening) -> None:
        """Store a game night that was read from another file."""
        self.add(_saved_of(evening), evening.recorded.records)

    def save(self, saved: SavedGameNight, stored_revision: int, first_place: int, records: Sequence[Record]) -> None:
        """Store what actions have changed: new records, and the live state.

        Args:
            saved: the game night as it is now.
            stored_revision: the revision that the caller stored last.
            first_place: the place of the first new record, from 0.
            records: the new records.

        Raises:
            WrittenElsewhere: if another revision is stored.
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
        """Move the unreadable records of a game night, from a place on, to a text file, and return its path."""
        with Session(self._engine) as session, session.begin():
            session.execute(update(EveningRow).where(EveningRow.id == id_).values(id=id_))  # as in `remember`
            from_place = RecordRow.evening == id_, RecordRow.place >= first_place
            rows = session.scalars(select(RecordRow).where(*from_place).order_by(RecordRow.place)).all()
            path = self._held.write_aside(id_, "".join(f"{row.event}\n" for row in rows))
            for row in rows:
                session.delete(row)
        return path

    def game_nights(self, most: int | None = None) -> list[SavedGameNight]:
        """Return all game nights, or `most` of them, the one changed last first."""
        with Session(self._engine) as session:
            # By the order of writing, since the time of day may have been set back.
            written = func.max(literal_column("records.rowid", Integer))
            last = select(written).select_from(RecordRow).where(RecordRow.evening == EveningRow.id)
            rows = session.scalars(select(EveningRow).order_by(last.scalar_subquery().desc()).limit(most)).all()
            return [_saved(row) for row in rows]

    def newest(self) -> SavedGameNight | None:
        """Return the game night that was changed last; None without any."""
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
        """Return the records of a game night in order, each as the event's line and its note, unchecked.

        Missing records, however many in a row, appear as one `(None, None)`.
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
        """Return at most `most` records of a game night from a place on: place, line and note, unchecked."""
        with Session(self._engine) as session:
            from_place = RecordRow.evening == id_, RecordRow.place >= first_place
            rows = session.scalars(select(RecordRow).where(*from_place).order_by(RecordRow.place).limit(most))
            return [(row.place, row.event, row.note) for row in rows]

    def remember(self, name: str, value: object) -> None:
        """Store a preference under a name; it replaces the present one."""
        self.remember_all({name: value})

    def remember_all(self, values: Mapping[str, object]) -> None:
        """Store preferences by their names, all or none of them; they replace the present ones."""
        with Session(self._engine) as session, session.begin():
            for name, value in values.items():
                # A transaction that begins with a write waits for other writers; after a read SQLite would refuse it.
                changed = update(PreferenceRow).where(PreferenceRow.name == name).values(value=value)
                if session.scalar(changed.returning(PreferenceRow.name)) is None:
                    session.add(PreferenceRow(name=name, value=value))

    def recall(self, name: str, kind: TypeAdapter[T]) -> T | None:
        """Return a preference by its name; None if it is missing or has another type."""
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
        """Copy the database for a game night; this replaces an older copy for it.

        Raises:
            sqlite3.Error, OSError: if it can't be copied.
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
    # Else the driver would commit before each CREATE and DROP, and a killed migration would be half done.
    connection.isolation_level = None
    # Text that is no UTF-8 after damage must spoil only its own record.
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
