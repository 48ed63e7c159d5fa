"""Notices for the organiser: stored once, counted when repeated, and shown in each reader's language."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import Session

from tilekeeper.companion.club.schema import NoticeRow
from tilekeeper.companion.club.times import now
from tilekeeper.companion.text.kept import translate_stored
from tilekeeper.engine.language import gettext

SHOWN: Final = 50
MOST_OF_A_TABLE: Final = 100
"""Different notices about one table; the organiser has seen enough by then."""


class NoticeKind(StrEnum):
    """The kinds of notices."""

    REFUSED = "refused"
    """A message that can't be read, such as one of another version."""
    OTHER_TABLE = "other-table"
    """A message under the name of another table."""
    COMMAND = "command"
    """A command that a table refused."""
    FOLD = "fold"
    """Entries of a table that can't follow each other."""
    PARTED = "parted"
    """A table whose log differs from what the hub has of it."""
    PROCESS = "process"
    """A table on this machine that ended and was started again."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice."""

    kind: NoticeKind
    table: str
    about: str
    """A sentence in the form of `text.kept`, or the name that a table claimed."""


def note(session: Session, notice: Notice) -> None:
    """Store a notice, or count it if it is stored already; a table has at most `MOST_OF_A_TABLE`."""
    of_table = NoticeRow.table == notice.table
    if (session.scalar(select(func.count()).where(of_table)) or 0) >= MOST_OF_A_TABLE:
        same = NoticeRow.kind == notice.kind.value, of_table, NoticeRow.about == notice.about
        if session.scalar(select(NoticeRow.id).where(*same)) is None:
            return
    fresh = {"kind": notice.kind.value, "table": notice.table, "about": notice.about, "times": 1, "at": now()}
    of_backend = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    addition = of_backend.insert(NoticeRow).values(**fresh)
    repeated = {"times": NoticeRow.times + 1, "at": fresh["at"]}
    session.execute(addition.on_conflict_do_update(index_elements=["kind", "table_id", "about"], set_=repeated))


def newest(session: Session) -> list[NoticeRow]:
    """Return the notices, the newest first."""
    return list(session.scalars(select(NoticeRow).order_by(NoticeRow.at.desc(), NoticeRow.id.desc()).limit(SHOWN)))


def notice_words(row: NoticeRow) -> str:
    """Return a notice as a sentence."""
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
