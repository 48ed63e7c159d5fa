"""Takes what tables say: each entry of a log once and in order, whoever else takes it at the same time.

What comes together is kept in one transaction, and only when that is on the disk is it said to be taken. An entry that
leaves a gap before it is not taken: the table is asked for all from the gap on. So is one whose table knows more.
"""

from __future__ import annotations

import base64
import binascii
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar, cast

from sqlalchemy import Integer, Table, Update, bindparam, func, insert, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DataError, OperationalError
from sqlalchemy.orm import Session

from tilekeeper.companion.broker.messages import (
    Acknowledgement,
    Dispute,
    Event,
    Message,
    MessageRefused,
    Presence,
    TableState,
    read_message,
)
from tilekeeper.companion.broker.topics import Branch, Place, place_of
from tilekeeper.companion.club.database import Database, of_tables_alone
from tilekeeper.companion.club.notices import Notice, NoticeKind, note
from tilekeeper.companion.club.schema import (
    CommandRow,
    DisputeRow,
    EntryRow,
    LogRow,
    SeatingRow,
    TableRow,
)
from tilekeeper.companion.club.times import now, seconds_ahead
from tilekeeper.companion.text.kept import is_kept, kept
from tilekeeper.engine.language import lazy_gettext

log = logging.getLogger(__name__)

Key: TypeAlias = tuple[str, str]
"""A table and one of its logs."""
M = TypeVar("M", bound=Message)

MODELS: Final[dict[Branch, type[Message]]] = {
    Branch.EVENTS: Event,
    Branch.STATE: TableState,
    Branch.PRESENCE: Presence,
    Branch.DISPUTES: Dispute,
    Branch.ANSWERS: Acknowledgement,
}
ENDING: Final = frozenset(
    ("rack-shown", "rack-summed", "rack-counted", "tile-found", "game-ended", "undone", "corrected")
)
"""Entries after which a round may be scored, or scored no more."""
SEATED: Final = "commanded"
"""The entry that says by which command a log was begun."""
FOLDED_AFTER: Final = ENDING | {SEATED}
WRONG_CLOCK_S: Final = 300.0
"""A table whose clock is further from the hub's is told of."""
_ENTRIES: Final = cast(Table, EntryRow.__table__)
_LOGS: Final = cast(Table, LogRow.__table__)
_LONGEST_ABOUT: Final = 400
_DEADLOCK: Final = "40P01"
"""As PostgreSQL says it."""
_TRIES: Final = 5
_NUL: Final = b"\\u0000"


@dataclass(slots=True)
class Taken:
    """What became of some messages."""

    entries: int = 0
    """How many entries are new."""
    again: int = 0
    """How many were there already."""
    early: int = 0
    """How many leave a gap before them, and are not taken."""
    refused: int = 0
    """How many are none that the hub understands, or are said by another table."""
    missing: dict[Key, int] = field(default_factory=dict)
    """From which entry on a table is to send a log again."""


@dataclass(slots=True)
class _Sorted:
    """Messages by what they are."""

    events: dict[Key, list[Event]] = field(default_factory=dict)
    states: dict[str, TableState] = field(default_factory=dict)
    presences: dict[str, Presence] = field(default_factory=dict)
    disputes: dict[str, Dispute] = field(default_factory=dict)
    answers: dict[str, Acknowledgement] = field(default_factory=dict)
    ahead_s: dict[str, float] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)


class Intake:
    """Takes messages of one club; may be used by several threads and processes at once."""

    def __init__(self, database: Database, club: str, asks: Callable[[str, str, int], None] | None = None) -> None:
        """Take where messages are kept.

        Args:
            database: the hub's.
            club: whose topics are listened to.
            asks: is called with table, log and number for what a table is to send again.
        """
        self._database = database
        self._club = club
        self._asks = asks

    def take(self, messages: Sequence[tuple[str, bytes]]) -> Taken:
        """Take messages, each with its topic; returns once they are on the disk.

        Raises:
            sqlalchemy.exc.SQLAlchemyError: if the database is away; nothing is taken then, and all may come again.
        """
        try:
            taken = self._take_in_turn(messages)
        except DataError as error:
            if len(messages) > 1:  # one that no database takes is not to keep the others out
                taken = _together([self.take([message]) for message in messages])
            else:
                log.warning("A message can't be kept: %s", error)
                taken = self._refuse(messages[0], str(error.orig))
        if self._asks is not None:
            for (table, log_), seq in taken.missing.items():
                self._asks(table, log_, seq)
        return taken

    def _take_in_turn(self, messages: Sequence[tuple[str, bytes]]) -> Taken:
        """Take messages; where two hubs that begin the same logs wait for each other, one goes first."""
        for _ in range(_TRIES):
            try:
                return self._take(messages)
            except OperationalError as error:
                if getattr(error.orig, "sqlstate", None) != _DEADLOCK:
                    raise
        return self._take(messages)

    def _take(self, messages: Sequence[tuple[str, bytes]]) -> Taken:
        taken = Taken()
        said = self._sort(messages, taken)
        with self._database.writing() as session:
            for notice in said.notices:
                note(session, notice)
            # First all logs, then all tables, each in their order: two hubs wait for each other in a circle only where
            # both begin new ones.
            begun = {(one.table, one.log) for one in said.answers.values() if one.log is not None}
            there = _logs(session, _known(said).keys() | begun)
            _take_events(session, said, there, taken)
            _take_tables(session, said)
            for answer in said.answers.values():
                _take_answer(session, answer)
            for dispute in said.disputes.values():
                _take_dispute(session, dispute)
            if not (said.notices or said.answers or said.disputes):
                of_tables_alone(session)
        return taken

    def _refuse(self, message: tuple[str, bytes], why: str) -> Taken:
        place = place_of(message[0])
        with self._database.writing() as session:
            note(session, Notice(NoticeKind.REFUSED, "" if place is None else place.table, why[:_LONGEST_ABOUT]))
        return Taken(refused=1)

    def _sort(self, messages: Iterable[tuple[str, bytes]], taken: Taken) -> _Sorted:
        said = _Sorted()
        for topic, payload in messages:
            place = place_of(topic)
            if place is None or place.club != self._club or place.branch not in MODELS:
                taken.refused += 1
                continue
            try:
                message = _read(place, payload)
            except MessageRefused as why:
                taken.refused += 1
                said.notices.append(Notice(NoticeKind.REFUSED, place.table, kept(why.reason, _LONGEST_ABOUT)))
                continue
            if message.table != place.table:
                taken.refused += 1
                said.notices.append(Notice(NoticeKind.OTHER_TABLE, place.table, message.table))
                continue
            said.ahead_s[message.table] = seconds_ahead(message.sent_at)
            _put(said, message)
        return said


def _read(place: Place, payload: bytes) -> Message:
    message = read_message(MODELS[place.branch], payload)
    if _NUL in payload:  # no database keeps it in text
        raise MessageRefused(lazy_gettext("A message may not contain a zero character (NUL)."))
    return message


def _put(said: _Sorted, message: Message) -> None:
    match message:
        case Event():
            said.events.setdefault((message.table, message.log), []).append(message)
        case TableState():
            said.states[message.table] = message
        case Presence():
            said.presences[message.table] = message
        case Dispute():
            said.disputes[message.id] = message
        case Acknowledgement():
            said.answers[message.command] = message
        case _:  # pragma: no cover - MODELS has no other
            raise AssertionError(message)


def _take_events(session: Session, said: _Sorted, there: dict[Key, int], taken: Taken) -> None:
    known = _known(said)
    rows: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    for key, most in known.items():
        last, due = there[key], 0
        for entry in said.events.get(key, ()):
            if entry.seq <= last:
                taken.again += 1
            elif entry.seq == last + 1:
                last += 1
                due = last if entry.kind in FOLDED_AFTER else due
                rows.append(_row(entry))
            else:
                taken.early += 1
        if most > last:
            taken.missing[key] = last + 1
        if most > there[key]:
            changed.append({"of_table": key[0], "of_log": key[1], "last": last, "most": most, "last_due": due})
    taken.entries += len(rows)
    connection = session.connection()
    if changed:
        connection.execute(_advance(connection.dialect.name), changed)
    if rows:
        connection.execute(insert(_ENTRIES), rows)


def _known(said: _Sorted) -> dict[Key, int]:
    """The last entry of each log that its table spoke of."""
    known = {(state.table, state.log): state.last_seq for state in said.states.values() if state.log is not None}
    for key, entries in said.events.items():
        known[key] = max(known.get(key, 0), *(entry.seq for entry in entries))
    return known


def _advance(dialect: str) -> Update:
    """Says for many logs at once how far they are taken, and what is known to be at the table."""
    larger = func.greatest if dialect == "postgresql" else func.max
    of_log = LogRow.table == bindparam("of_table"), LogRow.log == bindparam("of_log")
    known = larger(LogRow.known, bindparam("most", type_=Integer))
    due = larger(LogRow.due, bindparam("last_due", type_=Integer))
    return update(_LOGS).where(*of_log).values(taken=bindparam("last"), known=known, due=due)


def _logs(session: Session, keys: Iterable[Key]) -> dict[Key, int]:
    """How many entries of each log were taken; nobody else adds to them before this transaction ends."""
    wanted = sorted(keys)
    if not wanted:
        return {}
    query = (
        select(LogRow.table, LogRow.log, LogRow.taken)
        .where(tuple_(LogRow.table, LogRow.log).in_(wanted))
        .order_by(LogRow.table, LogRow.log)
        .with_for_update()
    )
    found = {(table, log_): taken for table, log_, taken in session.execute(query)}
    new = [key for key in wanted if key not in found]
    if not new:
        return found
    fresh = [{"table": table, "log": log_, "taken": 0, "known": 0, "due": 0, "folded": 0} for table, log_ in new]
    session.execute(_insert(session, LogRow).on_conflict_do_nothing(), fresh)
    return {(table, log_): taken for table, log_, taken in session.execute(query)}


def _row(entry: Event) -> dict[str, Any]:
    return {
        "table_id": entry.table,
        "log": entry.log,
        "seq": entry.seq,
        "kind": entry.kind,
        "data": entry.data,
        "at": entry.at,
        "said_by": entry.by,
        "reason": entry.reason,
    }


def _take_tables(session: Session, said: _Sorted) -> None:
    """Keep what is new of the tables themselves; most messages change nothing about them."""
    rows = _tables(session, sorted(said.ahead_s))
    for table, ahead_s in said.ahead_s.items():
        row = rows[table]
        if abs(row.skew_s - ahead_s) > 1:
            row.skew_s = round(ahead_s, 1)
        presence = said.presences.get(table)
        if presence is not None:
            row.here, row.join, row.heard_at = presence.presence == "here", getattr(presence, "join", ""), now()
        state = said.states.get(table)
        if state is not None:
            row.state, row.heard_at = state.model_dump(mode="json"), now()


def _tables(session: Session, tables: Sequence[str]) -> dict[str, TableRow]:
    query = select(TableRow).where(TableRow.id.in_(tables)).order_by(TableRow.id).with_for_update()
    found = {row.id: row for row in session.scalars(query)} if tables else {}
    new = [table for table in tables if table not in found]
    if not new:
        return found
    fresh = [{"id": table, "here": True, "join": "", "heard_at": now(), "skew_s": 0.0} for table in new]
    session.execute(_insert(session, TableRow).on_conflict_do_nothing(), fresh)
    return {row.id: row for row in session.scalars(query)}


def _take_answer(session: Session, answer: Acknowledgement) -> None:
    command = session.get(CommandRow, answer.command, with_for_update=True)
    if command is None or command.table != answer.table or command.answered_at is not None:
        return
    refusal = answer.said if is_kept(answer.said) else answer.refusal
    command.answered_at, command.done, command.refusal = now(), answer.done, refusal
    if answer.done and answer.log is not None and command.kind == "seat":
        of_command = SeatingRow.command == command.id
        session.execute(update(SeatingRow).where(of_command).values(log=answer.log))
        # Should the whole game have come before this answer, what it came to is worked out now.
        of_log = LogRow.table == answer.table, LogRow.log == answer.log
        session.execute(update(LogRow).where(*of_log).values(folded=0))
    if not answer.done:
        about = refusal if len(refusal) <= _LONGEST_ABOUT else answer.refusal[:_LONGEST_ABOUT]
        note(session, Notice(NoticeKind.COMMAND, answer.table, about))


def _take_dispute(session: Session, dispute: Dispute) -> None:
    row = {
        "id": dispute.id,
        "table": dispute.table,
        "log": dispute.log,
        "seq": dispute.seq,
        "raised_by": dispute.raised_by,
        "raised_at": now(),
        "verdict": dispute.verdict,
        "reasons": list(dispute.reasons),
        "before": _picture(dispute.before_jpeg),
        "after": _picture(dispute.after_jpeg),
        "decision": "",
        "decided_by": "",
        "why": "",
        "command": "",
    }
    session.execute(_insert(session, DisputeRow).values(**row).on_conflict_do_nothing())


def _picture(text: str | None) -> bytes | None:
    try:
        return None if text is None else base64.b64decode(text, validate=True)
    except binascii.Error:
        return None


def _insert(session: Session, row: type[Any]) -> Any:
    """An insert that can leave out what is there already."""
    return (postgresql if session.get_bind().dialect.name == "postgresql" else sqlite).insert(row)


def _together(parts: Iterable[Taken]) -> Taken:
    whole = Taken()
    for part in parts:
        whole.entries += part.entries
        whole.again += part.again
        whole.early += part.early
        whole.refused += part.refused
        whole.missing |= part.missing
    return whole
