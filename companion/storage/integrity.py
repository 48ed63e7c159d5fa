"""Tells whether a database file is whole, and reads the rows that are left of one that is not."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from itertools import product
from pathlib import Path
from typing import Final

from tilekeeper.companion.storage.migrate import HEAD
from tilekeeper.companion.storage.schema import EVENING_ID, MOST_REVISIONS, Base
from tilekeeper.engine.language import lazy_gettext

Row = dict[str, object]
_PAGE: Final = 4096
_VERSION: Final = re.compile(r"\d{4}")
_COLUMNS: Final = {table.name: {column.name for column in table.columns} for table in Base.metadata.sorted_tables}

_READING: Final = (sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_CORRUPTFS)
_OF_THE_DISK: Final = frozenset(
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
"""What SQLite must hold in columns that are more than text for this program to decode; it takes anything itself."""


def find_damage(path: Path) -> str:
    """Return in a few words what is wrong with a database file; empty where it is whole.

    A file of a later version of Tilekeeper is whole.

    Raises:
        sqlite3.Error: where the disk refuses to write, so that it can't be told; what lies there may be whole.
    """
    try:
        if not path.exists():
            return lazy_gettext("the file itself is missing")
        if path.stat().st_size == 0:
            return lazy_gettext("the file is empty")
        with _opened(path, "mode=rw") as connection:
            found = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if found != ("ok",):
                return " ".join(str(found[0]).split()) if found else lazy_gettext("it can't be checked")
            return _find_missing(connection)
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
        if code not in _READING and code & 0xFF in _OF_THE_DISK:
            raise
        return str(error)
    except (OSError, UnicodeDecodeError, OverflowError) as error:
        return str(error)


def _find_missing(connection: sqlite3.Connection) -> str:
    version = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    if version is None or not isinstance(version[0], str) or not _VERSION.fullmatch(version[0]):
        return lazy_gettext("it does not say which version it is")
    if version[0] != HEAD:
        return ""
    # What reads a table must not be led elsewhere, to queries without an end for one.
    made = connection.execute("SELECT name FROM sqlite_master WHERE type NOT IN ('table', 'index') LIMIT 1").fetchone()
    if made is not None:
        return lazy_gettext("it holds {name}, which Tilekeeper did not make", name=made[0])
    for table, columns in _COLUMNS.items():
        there = {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
        if not columns <= there:
            return lazy_gettext("the table {table} is missing or incomplete", table=table)
    for table, wanted in _TYPES.items():
        otherwise = " OR ".join(f"typeof({column}) <> '{kind}'" for column, kind in wanted.items())
        if connection.execute(f"SELECT 1 FROM {table} WHERE {otherwise} LIMIT 1").fetchone():
            return lazy_gettext("a row of the table {table} makes no sense", table=table)
    ids = (row[0] for row in connection.execute("SELECT id FROM evenings"))
    revisions = f"SELECT 1 FROM evenings WHERE revision NOT BETWEEN 0 AND {MOST_REVISIONS} LIMIT 1"
    if not all(map(EVENING_ID.fullmatch, ids)) or connection.execute(revisions).fetchone():
        return lazy_gettext("a row of the table {table} makes no sense", table="evenings")
    return ""


def readable_rows(path: Path, table: str) -> list[Row]:
    """Return all rows of a table that can still be read, by name of column; JSON is decoded where it is JSON.

    Pages that are damaged end a scan of the table, so it is read from both ends; and once more without the newest
    writes, which lie in a file of their own that may be what is damaged.
    """
    rows: dict[int, Row] = {}
    for order, how in product(("ASC", "DESC"), ("mode=rw", "mode=ro&immutable=1")):
        with suppress(sqlite3.Error, OSError, OverflowError, UnicodeDecodeError), _opened(path, how) as connection:
            connection.row_factory = sqlite3.Row
            # By row alone: an index may be damaged where the table is whole.
            scan = connection.execute(f"SELECT rowid AS place_in_file, * FROM {table} ORDER BY rowid {order}")
            for row in scan:
                values = dict(row)
                rows.setdefault(int(values.pop("place_in_file")), values)
    return [rows[place] for place in sorted(rows)]


def write_with_sound_head(damaged: Path, sound: Path, target: Path) -> None:
    """Write a damaged file with the first page of a sound, empty one in the place of its own.

    The first page says where each table begins. That is the same in every file, since all are made by the same steps;
    so where nothing but this page is damaged, or the end of the file is missing, everything else can be read again.
    """
    data, head = damaged.read_bytes(), bytearray(sound.read_bytes()[:_PAGE])
    head[18:20] = b"\x01\x01"  # no write-ahead log
    head[28:32] = (len(data) // _PAGE).to_bytes(4, "big")
    head[32:40] = bytes(8)  # no free pages
    head[92:96] = head[24:28]  # the number of pages counts only where these agree
    target.write_bytes(bytes(head) + data[_PAGE:])


def decoded(value: object) -> object:
    """Return what a text of JSON says; None where it is none."""
    if not isinstance(value, str | bytes):
        return None
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


@contextmanager
def _opened(path: Path, how: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True)) as connection:
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        yield connection
