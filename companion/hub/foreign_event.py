"""A private copy of an event's SQLite file for a check: the file may be anybody's, and a check changes nothing in it.

Migrations and queries run on the copy, and only if its schema has nothing that computes: tables with plain columns, and
indexes of columns.
"""

from __future__ import annotations

import re
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

from tilekeeper.companion.hub.database import DatabaseUnusable
from tilekeeper.companion.storage.backups import copy_database
from tilekeeper.engine.language import gettext

_TABLE: Final = re.compile(r"CREATE TABLE ")
_COMPUTES: Final = re.compile(r"\b(CHECK|GENERATED|AS)\b", re.IGNORECASE)
_NAME: Final = r'"?\w+"?'
_INDEX: Final = re.compile(rf"CREATE (UNIQUE )?INDEX {_NAME} ON {_NAME} \({_NAME}(, {_NAME})*\)")


@contextmanager
def copied_event(path: Path) -> Iterator[Path]:
    """Yield the path of a copy, which is deleted at the end.

    Raises:
        DatabaseUnusable: if the file is not a database, or its schema computes something.
    """
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch, "event.sqlite3")
        try:
            copy_database(path, copy)
            unknown = _find_computed(copy)
        except (sqlite3.Error, OSError) as error:
            raise DatabaseUnusable(gettext("{database} can't be used: {reason}", database=path, reason=error)) from None
        if unknown:
            reason = gettext("it contains {name}, which Tilekeeper did not make", name=unknown[:40])
            raise DatabaseUnusable(gettext("{database} can't be used: {reason}", database=path, reason=reason))
        yield copy


def _find_computed(path: Path) -> str:
    """Return the name of something in a schema that could compute; empty if there is nothing."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        for name, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"):
            words = " ".join(str(sql).split())
            if not (_TABLE.match(words) and not _COMPUTES.search(words)) and not _INDEX.fullmatch(words):
                return str(name)
    return ""
