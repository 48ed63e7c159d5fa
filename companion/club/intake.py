"""Stores messages of tables: each entry of a log once and in order, even with several hubs on one database.

Messages that arrive together are stored in one transaction and acknowledged after it. An entry after a gap is not
taken; the table is asked to send its log again from the gap on. The same is asked of a table whose log is longer.
"""

from __future__ import annotations

import base64
import binascii
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias, TypeVar, cast

from sqlalchemy import Integer, Table, Update, bindparam, func, insert, select, tuple_, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from tilekeeper.companion.broker.delivery import is_outage
from tilekeeper.companion.broker.digests import digest_after
from tilekeeper.companion.broker.messages import (
    Acknowledgement,
    Dispute,
    Event,
    Message,
    MessageRefused,
    Presence,
    TableStatus,
    read_message,
)
from tilekeeper.companion.broker.topics import Branch, TopicParts, parse_topic
from tilekeeper.companion.club.database import Database, mark_tables_only
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
from tilekeeper.companion.text.kept import is_translatable, to_stored
from tilekeeper.engine.language import lazy_gettext

log = logging.getLogger(__name__)

Key: TypeAlias = tuple[str, str]
"""A table and one of its logs."""
M = TypeVar("M", bound=Message)

MODELS: Final[dict[Branch, type[Message]]] = {
    Branch.EVENTS: Event,
    Branch.STATE: TableStatus,
    Branch.PRESENCE: Presence,
    Branch.DISPUTES: Dispute,
    Branch.ANSWERS: Acknowledgement,
}
ENDING: Final = frozenset(
    ("rack-shown", "rack-summed", "rack-counted", "tile-found", "game-ended", "undone", "corrected")
)
"""Kinds of entries after which the outcome of a round may change."""
SEATED: Final = "commanded"
"""The kind of the entry that names the command that began a log."""
FOLDED_AFTER: Final = ENDING | {SEATED}
WRONG_CLOCK_S: Final = 300.0
"""A table whose clock differs more from the hub's gets a notice."""
_ENTRIES: Final = cast(Table, EntryRow.__table__)
_LOGS: Final = cast(Table, LogRow.__table__)
_LONGEST_ABOUT: Final = 400
_DEADLOCK: Final = "40P01"
"""PostgreSQL's code for a deadlock."""
_TRIES: Final = 5
_NUL: Final = b"\\u0000"


@dataclass(slots=True)
class Taken:
    """The outcome of taking messages."""

    entries: int = 0
    """New entries."""
    again: int = 0
    """Entries that were stored before."""
    early: int = 0
    """Entries after a gap, which are not taken."""
    refused: int = 0
    """Messages that are invalid, or name another table."""
    missing: dict[Key, int] = field(default_factory=dict)
    """The first missing entry of logs that are to be sent again."""
    parted: set[Key] = field(default_factory=set)
    """Logs that differ from what is stored of them, and are to be sent under new names."""


@dataclass(frozen=True, slots=True)
class _LogHead:
    """How much of a log is stored; see `LogRow`."""

    taken: int
    digest: str
    parted: bool


@dataclass(slots=True)
class _Sorted:
    """Messages by kind."""

    events: dict[Key, list[Event]] = field(default_factory=dict)
    states: dict[str, TableStatus] = field(default_factory=dict)
    presences: dict[str, Presence] = field(default_factory=dict)
    disputes: dict[str, Dispute] = field(default_factory=dict)
    answers: dict[str, Acknowledgement] = field(default_factory=dict)
    ahead_s: dict[str, float] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)


class Intake:
    """Takes messages of one club; may be used by several threads and processes."""

    def __init__(self, database: Database, club: str, asks: Callable[[str, str, int], None] | None = None) -> None:
        """Use a database.

        Args:
            database: the hub's database.
            club: the club's name in the topics.
            asks: called with table, log and first missing entry of a log that is to be sent again, or 0 for a log that
                is to begin anew.
        """
        self._database = database
        self._club = club
        self._asks = asks

    def take(self, messages: Sequence[tuple[str, bytes]]) -> Taken:
        """Take messages with their topics; they are on the disk when this returns.

        Raises:
            sqlalchemy.exc.SQLAlchemyError: if the database is away; nothing is taken then.
        """
        try:
            taken = self._take_with_retries(messages)
        except Exception as error:
            if is_outage(error):
                raise
            if len(messages) > 1:  # one message that can't be stored must not keep the others out
                taken = _sum_up([self.take([message]) for message in messages])
            else:
                log.warning("A message can't be stored", exc_info=True)
                self.refuse(*messages[0], error)
                taken = Taken(refused=1)
        if self._asks is not None:
            for (table, log_), seq in taken.missing.items():
                self._asks(table, log_, seq)
            for table, log_ in taken.parted:
                self._asks(table, log_, 0)
        return taken

    def _take_with_retries(self, messages: Sequence[tuple[str, bytes]]) -> Taken:
        """Take messages, and try again after a deadlock, which two hubs that begin the same logs may get."""
        for _ in range(_TRIES):
            try:
                return self._take(messages)
            except OperationalError as error:
                if getattr(error.orig, "sqlstate", None) != _DEADLOCK:
                    raise
        return self._take(messages)

    def _take(self, messages: Sequence[tuple[str, bytes]]) -> Taken:
        taken = Taken()
        sorted_ = self._sort(messages, taken)
        with self._database.writing() as session:
            for notice in sorted_.notices:
                note(session, notice)
            # First all logs, then all tables, each in order, so that two hubs can only deadlock if both begin new ones.
            answered = {(answer.table, answer.log) for answer in sorted_.answers.values() if answer.log is not None}
            heads = _lock_logs(session, _known(sorted_).keys() | answered)
            _take_events(session, sorted_, heads, taken)
            _take_tables(session, sorted_)
            for answer in sorted_.answers.values():
                _take_answer(session, answer)
            for dispute in sorted_.disputes.values():
                _take_dispute(session, dispute)
            if not (sorted_.notices or sorted_.answers or sorted_.disputes or taken.parted):
                mark_tables_only(session)
        return taken

    def refuse(self, name: str, _: bytes, error: Exception) -> None:
        """Tell the organiser of a message that can't be stored.

        Args:
            name: its topic.
            error: why; any text may be in it.
        """
        place = parse_topic(name)
        why = str(getattr(error, "orig", None) or error).replace("\0", "").encode("utf-8", "replace").decode()
        with self._database.writing() as session:
            note(session, Notice(NoticeKind.REFUSED, "" if place is None else place.table, why[:_LONGEST_ABOUT]))

    def _sort(self, messages: Iterable[tuple[str, bytes]], taken: Taken) -> _Sorted:
        sorted_ = _Sorted()
        for topic, payload in messages:
            place = parse_topic(topic)
            if place is None or place.club != self._club or place.branch not in MODELS:
                taken.refused += 1
                continue
            try:
                message = _read(place, payload)
            except MessageRefused as why:
                taken.refused += 1
                sorted_.notices.append(Notice(NoticeKind.REFUSED, place.table, to_stored(why.reason, _LONGEST_ABOUT)))
                continue
            if message.table != place.table:
                taken.refused += 1
                sorted_.notices.append(Notice(NoticeKind.OTHER_TABLE, place.table, message.table))
                continue
            sorted_.ahead_s[message.table] = seconds_ahead(message.sent_at)
            _add(sorted_, message)
        return sorted_


def _read(place: TopicParts, payload: bytes) -> Message:
    message = read_message(MODELS[place.branch], payload)
    if _NUL in payload:  # PostgreSQL stores no NUL in text
        raise MessageRefused(lazy_gettext("A message may not contain a zero character (NUL)."))
    return message


def _add(sorted_: _Sorted, message: Message) -> None:
    match message:
        case Event():
            sorted_.events.setdefault((message.table, message.log), []).append(message)
        case TableStatus():
            sorted_.states[message.table] = message
        case Presence():
            sorted_.presences[message.table] = message
        case Dispute():
            sorted_.disputes[message.id] = message
        case Acknowledgement():
            sorted_.answers[message.command] = message
        case _:  # pragma: no cover - MODELS has no other
            raise AssertionError(message)


def _take_events(session: Session, sorted_: _Sorted, heads: dict[Key, _LogHead], taken: Taken) -> None:
    rows: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    for key, most in _known(sorted_).items():
        head, entries, state = heads[key], sorted_.events.get(key, ()), sorted_.states.get(key[0])
        if state is not None and state.log != key[1]:
            state = None
        if head.parted:
            taken.again += len(entries)
            taken.parted.add(key)
            continue
        chain = _Chain(head, _stored_digests(session, key, head, entries, state))
        rows += _take_log(chain, entries, taken)
        if state is not None:
            chain.compare(state.last_seq, state.digest)
        if chain.parted:
            taken.parted.add(key)
            note(session, Notice(NoticeKind.PARTED, key[0], key[1]))
        elif most > chain.last:
            taken.missing[key] = chain.last + 1
        if most > head.taken or chain.parted:
            changed.append(_advanced(key, chain, most))
    taken.entries += len(rows)
    connection = session.connection()
    if changed:
        connection.execute(_advance(connection.dialect.name), changed)
    if rows:
        connection.execute(insert(_ENTRIES), rows)


def _take_log(chain: _Chain, entries: Iterable[Event], taken: Taken) -> list[dict[str, Any]]:
    """Return the rows of the new entries of a log, and count the others."""
    rows: list[dict[str, Any]] = []
    for entry in entries:
        if entry.seq <= chain.last:
            taken.again += 1
            chain.compare(entry.seq, entry.digest)
        elif entry.seq > chain.last + 1:
            taken.early += 1
        elif chain.append(entry):
            rows.append(_row(entry))
    return rows


def _advanced(key: Key, chain: _Chain, most: int) -> dict[str, Any]:
    """Return the parameters of `_advance` for a log."""
    return {
        "of_table": key[0],
        "of_log": key[1],
        "last": chain.last,
        "most": chain.last if chain.parted else most,
        "last_due": chain.due,
        "last_digest": chain.digest,
        "is_parted": chain.parted,
    }


class _Chain:
    """A log while messages are taken: the digests of its entries, and whether the table has other ones."""

    def __init__(self, head: _LogHead, stored: Mapping[int, str]) -> None:
        """Start from the stored entries; `stored` has the digests that may be compared."""
        self.last, self.digest, self.due = head.taken, head.digest, 0
        self.parted = False
        self._digests = {**stored, head.taken: head.digest}

    def compare(self, seq: int, digest: str) -> None:
        """Compare the table's digest after an entry with ours; an empty one is unknown."""
        own = self._digests.get(seq, "")
        self.parted |= bool(own and digest and own != digest)

    def append(self, entry: Event) -> bool:
        """Add the next entry, and return whether it continues this log."""
        is_known = bool(self.digest) or self.last == 0
        if is_known and entry.digest and entry.digest != digest_after(self.digest, entry):
            self.parted = True
        if self.parted:
            return False
        self.last, self.digest = entry.seq, entry.digest
        self._digests[entry.seq] = entry.digest
        if entry.kind in FOLDED_AFTER:
            self.due = entry.seq
        return True


def _stored_digests(
    session: Session, key: Key, head: _LogHead, entries: Sequence[Event], state: TableStatus | None
) -> dict[int, str]:
    """Return the stored digests with which messages are to be compared, by entry; mostly none are."""
    repeated = {entry.seq for entry in entries if entry.digest and entry.seq < head.taken}
    if state is not None and state.log == key[1] and state.digest and state.last_seq < head.taken:
        repeated.add(state.last_seq)
    if not repeated:
        return {}
    of_log = EntryRow.table == key[0], EntryRow.log == key[1], EntryRow.seq.in_(sorted(repeated))
    return {row.seq: row.digest for row in session.execute(select(EntryRow.seq, EntryRow.digest).where(*of_log))}


def _known(sorted_: _Sorted) -> dict[Key, int]:
    """Return the last entry of each log that is known to be at its table."""
    known = {(state.table, state.log): state.last_seq for state in sorted_.states.values() if state.log is not None}
    for key, entries in sorted_.events.items():
        known[key] = max(known.get(key, 0), *(entry.seq for entry in entries))
    return known


def _advance(dialect: str) -> Update:
    """Return an UPDATE for many logs that sets the last taken, the last known and the last due entry."""
    larger = func.greatest if dialect == "postgresql" else func.max
    of_log = LogRow.table == bindparam("of_table"), LogRow.log == bindparam("of_log")
    known = larger(LogRow.known, bindparam("most", type_=Integer))
    due = larger(LogRow.due, bindparam("last_due", type_=Integer))
    digests: dict[str, Any] = {"digest": bindparam("last_digest"), "parted": bindparam("is_parted")}
    return update(_LOGS).where(*of_log).values(taken=bindparam("last"), known=known, due=due, **digests)


def _lock_logs(session: Session, keys: Iterable[Key]) -> dict[Key, _LogHead]:
    """Return how much of each log is stored, with the logs locked until this transaction ends."""
    ordered = sorted(keys)
    if not ordered:
        return {}
    query = (
        select(LogRow.table, LogRow.log, LogRow.taken, LogRow.digest, LogRow.parted)
        .where(tuple_(LogRow.table, LogRow.log).in_(ordered))
        .order_by(LogRow.table, LogRow.log)
        .with_for_update()
    )
    heads = {(row.table, row.log): _LogHead(row.taken, row.digest, row.parted) for row in session.execute(query)}
    new = [key for key in ordered if key not in heads]
    if not new:
        return heads
    fresh = [{"table": table, "log": log_, "taken": 0, "known": 0, "due": 0, "folded": 0} for table, log_ in new]
    session.execute(_insert(session, LogRow).on_conflict_do_nothing(), fresh)
    return {(row.table, row.log): _LogHead(row.taken, row.digest, row.parted) for row in session.execute(query)}


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
        "digest": entry.digest,
    }


def _take_tables(session: Session, sorted_: _Sorted) -> None:
    """Store presence, status and clock difference of tables; most messages change nothing of these."""
    rows = _lock_tables(session, sorted(sorted_.ahead_s))
    for table, ahead_s in sorted_.ahead_s.items():
        row = rows[table]
        if abs(row.skew_s - ahead_s) > 1:
            row.skew_s = round(ahead_s, 1)
        presence = sorted_.presences.get(table)
        if presence is not None:
            row.here, row.join, row.heard_at = presence.presence == "here", getattr(presence, "join", ""), now()
        state = sorted_.states.get(table)
        if state is not None:
            row.state, row.heard_at = state.model_dump(mode="json"), now()


def _lock_tables(session: Session, tables: Sequence[str]) -> dict[str, TableRow]:
    query = select(TableRow).where(TableRow.id.in_(tables)).order_by(TableRow.id).with_for_update()
    rows = {row.id: row for row in session.scalars(query)} if tables else {}
    new = [table for table in tables if table not in rows]
    if not new:
        return rows
    fresh = [{"id": table, "here": True, "join": "", "heard_at": now(), "skew_s": 0.0} for table in new]
    session.execute(_insert(session, TableRow).on_conflict_do_nothing(), fresh)
    return {row.id: row for row in session.scalars(query)}


def _take_answer(session: Session, answer: Acknowledgement) -> None:
    command = session.get(CommandRow, answer.command, with_for_update=True)
    if command is None or command.table != answer.table or command.answered_at is not None:
        return
    refusal = answer.said if is_translatable(answer.said) else answer.refusal
    command.answered_at, command.done, command.refusal = now(), answer.done, refusal
    if answer.done and answer.log is not None and command.kind == "seat":
        of_command = SeatingRow.command == command.id
        session.execute(update(SeatingRow).where(of_command).values(log=answer.log))
        # The whole game may have arrived before this answer, so it is folded again.
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
    """Return an INSERT of the database's dialect, which supports ON CONFLICT DO NOTHING."""
    return (postgresql if session.get_bind().dialect.name == "postgresql" else sqlite).insert(row)


def _sum_up(parts: Iterable[Taken]) -> Taken:
    total = Taken()
    for part in parts:
        total.entries += part.entries
        total.again += part.again
        total.early += part.early
        total.refused += part.refused
        total.missing |= part.missing
        total.parted |= part.parted
    return total
