"""Integrity check of a SQLite file, and reading of the readable rows of a damaged file."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import product
from pathlib import Path
from typing import Final

from tilekeeper.companion.storage.ids import EVENING_ID
from tilekeeper.companion.storage.migrate import HEAD
from tilekeeper.companion.storage.schema import MOST_REVISIONS, Base
from tilekeeper.engine.language import lazy_gettext

Row = dict[str, object]
_PAGE: Final = 4096
_VERSION: Final = re.compile(r"\d{4}")
_COLUMNS: Final = {table.name: {column.name for column in table.columns} for table in Base.metadata.sorted_tables}

_READ_ERRORS: Final = (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS)
_DISK_ERRORS: Final = frozenset(
    [
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
    ]
)
_TYPES: Final = {
    "evenings": {"id": "text", "begun_at": "text", "changed_at": "text", "revision": "integer", "over": "integer"},
    "records": {"evening": "text", "place": "integer", "event": "text"},
}
"""The required types of columns; SQLite itself accepts any type in any column."""


def find_damage(path: Path) -> str:
    """Return what is damaged in a database file, in a few words; empty if the file is undamaged.

    A file of a later version of Tilekeeper counts as undamaged.

    Raises:
        sqlite3.Error: if the file can't be checked because of the disk or of other programs; it may be undamaged.
    """
    try:
        if not path.exists():
            return lazy_gettext("the file itself is missing")
        if path.stat().st_size == 0:
            return lazy_gettext("the file is empty")
        with _opened(path, "mode=rw") as connection:
            answer = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if answer != ("ok",):
                return " ".join(str(answer[0]).split()) if answer else lazy_gettext("it can't be checked")
            return _find_missing(connection)
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        if code not in _READ_ERRORS and code & 0xFF in _DISK_ERRORS:
            raise
        return str(error)
    except (OSError, UnicodeDecodeError, OverflowError) as error:
        return str(error)


def _find_missing(connection: sqlite3.Connection) -> str:
    version = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    if version is None or not isinstance(version[0], str) or not _VERSION.fullmatch(version[0]):
        return lazy_gettext("it does not say which version it is")
    # A view or trigger in a prepared file could run other queries, even endless ones.
    unknown = connection.execute(
        "SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index') LIMIT 1"
    ).fetchone()
    if unknown is not None:
        return lazy_gettext("it contains {name}, which Tilekeeper did not make", name=unknown[0])
    if version[0] != HEAD:
        return ""
    for table, columns in _COLUMNS.items():
        found_columns = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        if not columns <= found_columns:
            return lazy_gettext("the table {table} is missing or incomplete", table=table)
    for table, types in _TYPES.items():
        wrong_type = " OR ".join(f"typeof({column}) <> '{kind}'" for column, kind in types.items())
        if connection.execute(f"SELECT 1 FROM {table} WHERE {wrong_type} LIMIT 1").fetchone():
            return lazy_gettext("a row of the table {table} makes no sense", table=table)
    ids = (row[0] for row in connection.execute("SELECT id FROM evenings"))
    revisions = f"SELECT 1 FROM evenings WHERE revision NOT BETWEEN 0 AND {MOST_REVISIONS} LIMIT 1"
    if not all(map(EVENING_ID.fullmatch, ids)) or connection.execute(revisions).fetchone():
        return lazy_gettext("a row of the table {table} makes no sense", table="evenings")
    return ""


def readable_rows(path: Path, table: str) -> list[Row]:
    """Return all readable rows of a table, as values by column name.

    A scan of the table ends at a damaged page, so the table is scanned from both ends. It is also scanned with and
    without the write-ahead log, which may be the damaged file.
    """
    rows: dict[int, Row] = {}
    for order, mode in product(("ASC", "DESC"), ("mode=rw", "mode=ro&immutable=1")):
        with suppress(sqlite3.Error, OSError, OverflowError, UnicodeDecodeError), _opened(path, mode) as connection:
            connection.row_factory = sqlite3.Row
            # By row id, not by an index: an index may be damaged although the table is not.
            scan = connection.execute(f"SELECT rowid AS place_in_file, * FROM {table} ORDER BY rowid {order}")
            for row in scan:
                values = dict(row)
                rows.setdefault(int(values.pop("place_in_file")), values)
    return [rows[place] for place in sorted(rows)]


def write_with_sound_head(damaged: Path, sound: Path, target: Path) -> None:
    """Copy a damaged database file to `target`, with the first page of the undamaged empty file `sound`.

    The first page says where each table begins. It is the same in every file, since all are created by the same steps.
    So if only this page is damaged, or the end of the file is missing, the rest of the file can be read again.
    """
    data, head = damaged.read_bytes(), bytearray(sound.read_bytes()[:_PAGE])
    head[18:20] = b"\x01\x01"  # no write-ahead log
    head[28:32] = (len(data) // _PAGE).to_bytes(4, "big")
    head[32:40] = bytes(8)  # no free pages
    head[92:96] = head[24:28]  # SQLite uses the number of pages only if these fields agree
    target.write_bytes(bytes(head) + data[_PAGE:])


def decode_json(value: object) -> object:
    """Return the value of a JSON text; None for anything that is not JSON."""
    if not isinstance(value, str | bytes):
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


@contextmanager
def _opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{mode}", uri=True)) as connection:
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        yield connection
