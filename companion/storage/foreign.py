"""Reads game nights from an untrusted SQLite database, such as the one in an archive.

No code in the file runs (views, triggers, functions), and no row is copied unchecked. Rows of plain tables are read
under limits on time, number and size, and the models of a game night validate them.
"""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from tilekeeper.companion.game_night.live import live_json, revive
from tilekeeper.companion.game_night.profiles import Profiles, profiles_from_json
from tilekeeper.companion.game_night.settings import DEFAULT_SETTINGS, GameNightSettings
from tilekeeper.companion.game_night.state import state_of_records
from tilekeeper.companion.storage.integrity import Row, decode_json
from tilekeeper.companion.storage.migrate import HEAD
from tilekeeper.companion.storage.salvage import SalvagedEvening, read_evening
from tilekeeper.companion.storage.schema import OPEN_EVENING, PLAYERS
from tilekeeper.engine.language import lazy_gettext

MOST_DATABASE_BYTES: Final = 256_000_000
"""The largest file that is read; a game night takes about 100 kB."""
MOST_EVENINGS: Final = 10_000
"""The maximum number of game nights in a file."""
MOST_RECORDS: Final = 5_000
"""The maximum number of records of one game night; a long game night has 500."""
MOST_EVENING_BYTES: Final = 8_000_000
"""The largest total size of one game night's records."""
MOST_RECORD_BYTES: Final = 20_000
"""The largest size of a record, so that no single turn takes long to judge; the largest real ones have half of it."""
MOST_VALUE_BYTES: Final = 200_000
"""The largest size of a row; the largest real rows contain the result of a game night, about 10 kB."""
LEAST_SECONDS: Final = 3.0
BYTES_PER_SECOND: Final = 1_000_000
"""Reading a file may take `LEAST_SECONDS` plus one second per this many bytes; real files take a quarter of it."""
_SCHEMA_LIMITS: Final = (
    (sqlite3.SQLITE_LIMIT_LENGTH, MOST_VALUE_BYTES),
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 10_000),
    (sqlite3.SQLITE_LIMIT_COLUMN, 50),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 20),
    (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 1),
    (sqlite3.SQLITE_LIMIT_VDBE_OP, 10_000),
    (sqlite3.SQLITE_LIMIT_FUNCTION_ARG, 8),
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 0),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)
_INSTRUCTIONS_BETWEEN_CHECKS: Final = 10_000
"""The number of SQLite instructions between two checks of the time, about a millisecond."""
_PLAIN: Final = re.compile(r"CREATE (TABLE|INDEX|UNIQUE INDEX) ")
_VERSION: Final = re.compile(r"\d{4}", re.ASCII)
_COLUMNS: Final = {
    "alembic_version": ("version_num",),
    "evenings": ("id", "begun_at", "changed_at", "revision", "people", "settings", "live"),
    "records": ("evening", "place", "event", "note"),
    "preferences": ("name", "value"),
}
_READABLE: Final = frozenset((*_COLUMNS, "sqlite_master"))
_DEFENSIVE: Final = 1010
"""SQLITE_DBCONFIG_DEFENSIVE, which Python 3.11 neither names nor can set."""


class ForeignUnusable(Exception):  # noqa: N818, the name says it
    """A foreign database is refused; the message is the reason in a few words for the user."""


@dataclass(frozen=True, slots=True)
class ForeignEvenings:
    """The game nights of a foreign database.

    Attributes:
        evenings: an iterator over the game nights in the order of their last records; None for a game night that can't
            be read. It raises `ForeignUnusable` if a limit is exceeded.
        profiles: the profiles of players.
        open_evening: the id of the current game night when the file was written; None if none was played.
    """

    evenings: Iterator[SalvagedEvening | None]
    profiles: Profiles
    open_evening: str | None


@contextmanager
def foreign_evenings(path: Path, now: Callable[[], float] = time.monotonic) -> Iterator[ForeignEvenings]:
    """Open a foreign database to read its game nights.

    Args:
        path: the file; nobody else may write to it meanwhile.
        now: a monotonic clock, in seconds.

    Raises:
        ForeignUnusable: if the file is not a database of this or an earlier version, or exceeds a limit.
    """
    size = path.stat().st_size
    if size > MOST_DATABASE_BYTES:
        raise ForeignUnusable(lazy_gettext("it is larger than {size} MB", size=MOST_DATABASE_BYTES // 1_000_000))
    until_s = now() + LEAST_SECONDS + size / BYTES_PER_SECOND

    def is_late() -> bool:
        return now() > until_s

    try:
        with closing(_connect(path, is_late)) as connection:
            _expect_plain_tables(connection)
            _expect_known_version(connection)
            profiles = profiles_from_json(_preference(connection, PLAYERS))
            open_evening = _preference(connection, OPEN_EVENING)
            evenings = _read_evenings(connection, is_late)
            yield ForeignEvenings(evenings, profiles, open_evening if isinstance(open_evening, str) else None)
    except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
        raise ForeignUnusable(_too_slow() if is_late() else str(error)) from None


def _connect(path: Path, is_late: Callable[[], bool]) -> sqlite3.Connection:
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    for limit, most in _SCHEMA_LIMITS:
        connection.setlimit(limit, most)
    set_config: Callable[[int, bool], None] | None = getattr(connection, "setconfig", None)  # from Python 3.12 on
    if set_config is not None:
        set_config(_DEFENSIVE, True)
    for pragma in ("trusted_schema=OFF", "cell_size_check=ON", "query_only=ON", "mmap_size=0"):
        connection.execute(f"PRAGMA {pragma}")
    connection.set_authorizer(_authorize)
    connection.set_progress_handler(is_late, _INSTRUCTIONS_BETWEEN_CHECKS)
    return connection


def _authorize(action: int, name: str | None, _: str | None, __: str | None, view: str | None) -> int:
    """SQLite authorizer: allow only reading the tables of game nights, no function, view, trigger or write."""
    is_allowed = (
        action == sqlite3.SQLITE_SELECT
        or (action == sqlite3.SQLITE_READ and name in _READABLE and view is None)
        or (action == sqlite3.SQLITE_PRAGMA and name == "table_xinfo")
    )
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _expect_plain_tables(connection: sqlite3.Connection) -> None:
    """Raise `ForeignUnusable` if the schema has anything but tables and indexes, or if a needed column is not plain.

    A view, a virtual table or a generated column could run computations whenever a row is read.
    """
    for name, sql in connection.execute("SELECT name, sql FROM sqlite_master"):
        if sql is not None and not _PLAIN.match(str(sql)):
            raise ForeignUnusable(
                lazy_gettext("it contains {name}, which Tilekeeper did not make", name=str(name)[:40])
            )
    for table, columns in _COLUMNS.items():
        hidden = {str(row[1]): row[6] for row in connection.execute(f"PRAGMA table_xinfo({table})")}
        if any(hidden.get(column) != 0 for column in columns):
            raise ForeignUnusable(lazy_gettext("the table {table} is missing or incomplete", table=table))


def _expect_known_version(connection: sqlite3.Connection) -> None:
    row = connection.execute("SELECT version_num FROM alembic_version LIMIT 1").fetchone()
    version = "" if row is None else str(row[0])
    if not _VERSION.fullmatch(version):
        raise ForeignUnusable(lazy_gettext("it does not say which version it is"))
    if version > HEAD:
        raise ForeignUnusable(lazy_gettext("a newer Tilekeeper wrote it"))


def _preference(connection: sqlite3.Connection, name: str) -> object:
    row = connection.execute("SELECT value FROM preferences WHERE name = ?", (name,)).fetchone()
    return None if row is None else decode_json(row[0])


def _read_evenings(connection: sqlite3.Connection, is_late: Callable[[], bool]) -> Iterator[SalvagedEvening | None]:
    def expect_time() -> None:
        if is_late():
            raise ForeignUnusable(_too_slow())

    for evening_id in _ids_by_last_record(connection):
        expect_time()
        rows = _rows(connection, "evenings", "id", evening_id)
        records = _rows(connection, "records", "evening", evening_id)
        by_place = {place: row for row in records if isinstance(place := row["place"], int)}
        evening = read_evening(evening_id, next(rows, {}), by_place, expect_time)
        yield None if evening is None else _checked(evening)


def _ids_by_last_record(connection: sqlite3.Connection) -> list[str]:
    """Return the ids of all game nights, sorted by their newest record, the newest last."""
    ids: dict[str, None] = {}
    for (evening_id,) in connection.execute("SELECT evening FROM records NOT INDEXED"):
        if not isinstance(evening_id, str):
            continue
        ids.pop(evening_id, None)
        ids[evening_id] = None
        if len(ids) > MOST_EVENINGS:
            raise ForeignUnusable(lazy_gettext("it holds more than {most} game nights", most=MOST_EVENINGS))
    return list(ids)


def _rows(connection: sqlite3.Connection, table: str, key: str, evening_id: str) -> Iterator[Row]:
    columns = _COLUMNS[table]
    size = 0
    selected = f"SELECT {', '.join(columns)} FROM {table} WHERE {key} = ?"
    for number, values in enumerate(connection.execute(selected, (evening_id,))):
        row_size = sum(len(value) for value in values if isinstance(value, str | bytes))
        size += row_size
        is_too_large = table == "records" and row_size > MOST_RECORD_BYTES
        if number >= MOST_RECORDS or size > MOST_EVENING_BYTES or is_too_large:
            raise ForeignUnusable(lazy_gettext("a game night in it is longer than any game"))
        yield dict(zip(columns, values, strict=True))


def _checked(evening: SalvagedEvening) -> SalvagedEvening:
    """Return a game night with validated settings and live state; invalid ones are replaced.

    Invalid settings become the default settings. An invalid live state becomes the one that follows from the records.
    """
    try:
        settings = GameNightSettings.from_json(evening.settings)
    except ValueError:
        settings = DEFAULT_SETTINGS
    try:
        state = revive(evening.recorded, settings, evening.live)
    except ValueError:
        state = state_of_records(evening.recorded, settings)
    return replace(evening, settings=settings.as_json(), live=live_json(state, now_s=0.0))


def _too_slow() -> str:
    return lazy_gettext("it takes too long to read")
