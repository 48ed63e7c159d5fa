"""Notices for the organiser: stored once, counted when repeated, and shown in each reader's language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, cast

from sqlalchemy import Table, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.schema import NoticeRow
from tilekeeper.companion.hub.times import now
from tilekeeper.companion.text.kept import translate_stored
from tilekeeper.engine.language import gettext

SHOWN: Final = 50
MAX_NOTICES_PER_TABLE: Final = 100
"""The maximum number of different notices about one table; more would not help the organiser."""
_NOTICES: Final = cast(Table, NoticeRow.__table__)


class NoticeKind(StrEnum):
    """The kind of a notice, which decides its sentence."""

    REFUSED = "refused"
    """The hub could not accept a message, for example of another version."""
    OTHER_TABLE = "other-table"
    """A message names another table than its topic."""
    COMMAND = "command"
    """A table refused a command."""
    FOLD = "fold"
    """A table's log can't be replayed."""
    PARTED = "parted"
    """A table's log differs from the stored entries."""
    PROCESS = "process"
    """The process of a table on this machine ended and was restarted."""


@dataclass(frozen=True, slots=True, order=True)
class Notice:
    """A notice before it is stored; equal notices share one row."""

    kind: NoticeKind
    table: str
    about: str
    """A sentence in the stored form of `text.kept`; for `OTHER_TABLE` the name in the message."""


def note(session: Session, notice: Notice) -> None:
    """Store a notice, or add 1 to the count of an equal stored one; see `note_all`."""
    note_all(session, Counter((notice,)))


def note_all(session: Session, notices: Counter[Notice]) -> None:
    """Store notices with how often each occurred; the counts of equal stored notices grow.

    New notices about a table that has `MAX_NOTICES_PER_TABLE` are ignored.
    """
    # Rows are locked in a fixed order, so that two hubs with the same notices do not deadlock.
    rows = [
        {
            "kind": notice.kind.value,
            "table_id": notice.table,
            "about": notice.about,
            "times": notices[notice],
            "at": now(),
        }
        for notice in sorted(_select_with_room(session, notices))
    ]
    if not rows:
        return
    connection = session.connection()
    of_backend = postgresql if connection.dialect.name == "postgresql" else sqlite
    addition = of_backend.insert(_NOTICES)
    repeated = {"times": _NOTICES.c.times + addition.excluded.times, "at": addition.excluded.at}
    same = ["kind", "table_id", "about"]
    connection.execute(addition.on_conflict_do_update(index_elements=same, set_=repeated), rows)


def _select_with_room(session: Session, notices: Collection[Notice]) -> list[Notice]:
    """Return the notices that are stored already, or for which their table has room."""
    if not notices:
        return []
    columns = (NoticeRow.kind, NoticeRow.table, NoticeRow.about)
    of_tables = NoticeRow.table.in_({notice.table for notice in notices})
    stored = {(kind, table, about) for kind, table, about in session.execute(select(*columns).where(of_tables))}
    counts, selected = Counter(table for _, table, _ in stored), []
    for notice in notices:
        is_new = (notice.kind.value, notice.table, notice.about) not in stored
        if is_new and counts[notice.table] >= MAX_NOTICES_PER_TABLE:
            continue
        counts[notice.table] += is_new
        selected.append(notice)
    return selected


def newest_notices(session: Session) -> list[NoticeRow]:
    """Return up to `SHOWN` notices, the newest first."""
    return list(session.scalars(select(NoticeRow).order_by(NoticeRow.at.desc(), NoticeRow.id.desc()).limit(SHOWN)))


def notice_words(row: NoticeRow) -> str:
    """Return a notice as a sentence in the current language."""
    why = translate_stored(row.about)
    match NoticeKind(row.kind):
        case NoticeKind.REFUSED:
            return gettext("Table {table} sent something that was not accepted: {why}", table=row.table, why=why)
        case NoticeKind.OTHER_TABLE:
            return gettext(
                "Table {table} says it is table {claimed}. Start it with its own number.",
                table=row.table,
                claimed=row.about,
            )
        case NoticeKind.COMMAND:
            return gettext("Table {table} did not follow an order: {why}", table=row.table, why=why)
        case NoticeKind.FOLD:
            return gettext("The reports of table {table} don't fit together: {why}", table=row.table, why=why)
        case NoticeKind.PARTED:
            return gettext(
                "Table {table} reports another game than before; was it restored from a copy? Its report starts from "
                "the beginning. Choose below which one counts.",
                table=row.table,
            )
        case NoticeKind.PROCESS:
            return gettext("Table {table} was finished and was started again: {why}", table=row.table, why=why)
