"""Stores game nights in SQLite: each action's records are on the disk before a page shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_data_path
from sqlalchemy import URL, Engine, Integer, create_engine, event, func, literal_column, select, update
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Session

from tilekeeper.companion.game_night.record import Record
from tilekeeper.companion.storage.migrate import StoreUnusable, migrate
from tilekeeper.companion.storage.schema import EveningRow, PreferenceRow, RecordRow

FILE_NAME = "evenings.sqlite3"


@dataclass(frozen=True, slots=True)
class SavedGameNight:
    """An evening as it lies on the disk."""

    id: str
    begun_at: str
    changed_at: str
    revision: int
    over: bool
    people: tuple[tuple[str, ...], ...]
    settings: dict[str, Any]
    live: dict[str, Any]


def default_folder() -> Path:
    """The folder in which the user's data lies on this system."""
    return user_data_path("tilekeeper", appauthor=False)


class Store:
    """The database of one folder; may be used by several threads."""

    def __init__(self, folder: Path) -> None:
        """Open the database, and make or migrate it where it must be.

        Raises:
            StoreUnusable: if the folder or the database can't be used.
        """
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnusable(f"{folder} can't be used to keep evenings in: {error.strerror}") from None
        self._engine = create_engine(URL.create("sqlite", database=str(folder / FILE_NAME)))
        event.listen(self._engine, "connect", _prepare)
        try:
            migrate(self._engine)
        except StoreUnusable:
            self.close()
            raise
        except DatabaseError as error:
            self.close()
            raise StoreUnusable(f"{folder / FILE_NAME} can't be used: {error.orig}") from None

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

    def save(self, saved: SavedGameNight, first_place: int, records: Sequence[Record]) -> None:
        """Keep what an action has changed: new records from a place on, and what lives between records.

        Raises `sqlalchemy.exc.IntegrityError` where there are records at these places already.
        """
        columns = _columns(saved)
        with Session(self._engine) as session, session.begin():
            session.execute(update(EveningRow).where(EveningRow.id == columns.pop("id")).values(columns))
            session.add_all(_rows(saved.id, first_place, records))

    def game_nights(self) -> list[SavedGameNight]:
        """All evenings, the one that was changed last at the front."""
        with Session(self._engine) as session:
            # By the order of writing, not by the time of day, which somebody may have set back.
            written = func.max(literal_column("records.rowid", Integer))
            last = select(written).select_from(RecordRow).where(RecordRow.evening == EveningRow.id)
            rows = session.scalars(select(EveningRow).order_by(last.scalar_subquery().desc())).all()
            return [_saved(row) for row in rows]

    def game_night(self, id_: str) -> SavedGameNight | None:
        """One evening, or None where it is not kept here."""
        with Session(self._engine) as session:
            row = session.get(EveningRow, id_)
            return None if row is None else _saved(row)

    def lines(self, id_: str) -> list[tuple[str, dict[str, Any]]]:
        """The records of an evening, each the event's line and its note, in their order."""
        with Session(self._engine) as session:
            rows = session.scalars(select(RecordRow).where(RecordRow.evening == id_).order_by(RecordRow.place)).all()
            return [(row.event, dict(row.note)) for row in rows]

    def remember(self, name: str, value: object) -> None:
        """Keep something from evening to evening; it replaces what was kept under the name."""
        with Session(self._engine) as session, session.begin():
            session.merge(PreferenceRow(name=name, value=value))

    def recall(self, name: str) -> Any:
        """What was kept under a name, or None."""
        with Session(self._engine) as session:
            row = session.get(PreferenceRow, name)
            return None if row is None else row.value

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()


def _prepare(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    # Readers do not wait for writers; a commit is on the disk even if the laptop loses its power a moment later.
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _columns(saved: SavedGameNight) -> dict[str, Any]:
    return {
        "id": saved.id,
        "begun_at": saved.begun_at,
        "changed_at": saved.changed_at,
        "revision": saved.revision,
        "over": saved.over,
        "people": [list(people) for people in saved.people],
        "settings": saved.settings,
        "live": saved.live,
    }


def _rows(id_: str, first_place: int, records: Sequence[Record]) -> list[RecordRow]:
    return [
        RecordRow(evening=id_, place=place, event=record.line, note=record.note.as_json())
        for place, record in enumerate(records, start=first_place)
    ]


def _saved(row: EveningRow) -> SavedGameNight:
    return SavedGameNight(
        id=row.id,
        begun_at=row.begun_at,
        changed_at=row.changed_at,
        revision=row.revision,
        over=row.over,
        people=tuple(tuple(people) for people in row.people),
        settings=dict(row.settings),
        live=dict(row.live),
    )
