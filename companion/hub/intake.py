"""Stores messages of tables: each log entry once and in order, even if several hubs share one database.

Messages that arrive together are stored in one transaction and acknowledged after it. An entry after a gap is not
stored; the hub asks the table to send its log again from the gap on. It does the same if a table's status shows that
its log is longer than the stored one.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, cast

from sqlalchemy import Table, insert, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.database import Database, insert_ignoring, mark_tables_only
from tilekeeper.companion.hub.log_chain import (
    Chain,
    Key,
    LogHead,
    advance_logs,
    count_entries,
    entry_row,
    lock_logs,
    log_update,
    stored_digests,
)
from tilekeeper.companion.hub.notices import Notice, NoticeKind, note
from tilekeeper.companion.hub.raised_hands import LONGEST_ABOUT, TOO_MANY, take_dispute
from tilekeeper.companion.hub.schema import (
    CommandRow,
    EntryRow,
    LogRow,
    SeatingRow,
    TableRow,
)
from tilekeeper.companion.hub.times import now, seconds_ahead
from tilekeeper.companion.messaging.delivery import is_outage
from tilekeeper.companion.messaging.messages import (
    Acknowledgement,
    Dispute,
    Event,
    Message,
    MessageRefused,
    Presence,
    TableStatus,
    read_message,
)
from tilekeeper.companion.messaging.topics import Branch, TopicParts, parse_topic
from tilekeeper.companion.text.kept import is_translatable, to_stored
from tilekeeper.engine.language import lazy_gettext

log = logging.getLogger(__name__)

M = TypeVar("M", bound=Message)

MODELS: Final[dict[Branch, type[Message]]] = {
    Branch.EVENTS: Event,
    Branch.STATE: TableStatus,
    Branch.PRESENCE: Presence,
    Branch.DISPUTES: Dispute,
    Branch.ANSWERS: Acknowledgement,
}
MOST_ENTRIES: Final = 20_000
"""The maximum number of entries that the hub stores of one table; a long game night has a thousand."""
WRONG_CLOCK_S: Final = 300.0
"""An arbiter is warned of a table whose clock differs from the hub's by more than this."""
_ENTRIES: Final = cast(Table, EntryRow.__table__)
_DEADLOCK: Final = "40P01"
"""PostgreSQL's code for a deadlock."""
_TRIES: Final = 5
_NUL: Final = b"\\u0000"


@dataclass(slots=True)
class Taken:
    """Counts and requests that result from storing messages."""

    entries: int = 0
    """The number of new entries that were stored."""
    repeated: int = 0
    """The number of entries that were stored before."""
    early: int = 0
    """The number of entries after a gap, which were not stored."""
    refused: int = 0
    """The number of messages that are invalid, name another table or exceed a limit."""
    missing: dict[Key, int] = field(default_factory=dict)
    """For each log to be sent again its first missing entry."""
    parted: set[Key] = field(default_factory=set)
    """Logs whose entries differ from the stored ones; their tables must send them under new names."""


@dataclass(slots=True)
class _Sorted:
    """Valid messages by kind; from each table only its last status and its last presence."""

    events: dict[Key, list[Event]] = field(default_factory=dict)
    states: dict[str, TableStatus] = field(default_factory=dict)
    presences: dict[str, Presence] = field(default_factory=dict)
    disputes: dict[Key, Dispute] = field(default_factory=dict)
    answers: dict[Key, Acknowledgement] = field(default_factory=dict)
    """By table and command, so that no table's answer replaces that of another."""
    ahead_s: dict[str, float] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)


class Intake:
    """Stores the messages of one club's tables; several threads and processes may use the same database."""

    def __init__(
        self, database: Database, club: str, request_log: Callable[[str, str, int], None] | None = None
    ) -> None:
        """Prepare to store messages.

        Args:
            database: the hub's database.
            club: the club's name in the topics.
            request_log: called with table, log and the first missing entry, for a log that the table must send again;
                with 0 as the entry for a log that the table must send as a new one.
        """
        self._database = database
        self._club = club
        self._request_log = request_log

    def take(self, messages: Sequence[tuple[str, bytes]]) -> Taken:
        """Store messages, given as topics and payloads, in one transaction, which is committed before this returns.

        An invalid message adds a notice for the organiser and is counted in the result.

        Raises:
            sqlalchemy.exc.SQLAlchemyError: during an outage of the database; then nothing is stored.
        """
        try:
            taken = self._take_with_retries(messages)
        except Exception as error:
            if is_outage(error):
                raise
            if len(messages) > 1:  # store them singly: one bad message must not stop the others
                taken = _sum_up([self.take([message]) for message in messages])
            else:
                log.warning("A message can't be stored", exc_info=True)
                self.refuse(*messages[0], error)
                taken = Taken(refused=1)
        if self._request_log is not None:
            for (table, log_), seq in taken.missing.items():
                self._request_log(table, log_, seq)
            for table, log_ in taken.parted:
                self._request_log(table, log_, 0)
        return taken

    def _take_with_retries(self, messages: Sequence[tuple[str, bytes]]) -> Taken:
        """Store messages, and try again after a deadlock, which is possible if two hubs begin the same new logs."""
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
            # Rows are locked in a fixed order (logs, tables, commands, each sorted), so that two hubs can deadlock only
            # if both begin new logs.
            answered = {(answer.table, answer.log) for answer in sorted_.answers.values() if answer.log is not None}
            heads = lock_logs(session, _known(sorted_).keys() | answered)
            _take_events(session, sorted_, heads, taken)
            _take_tables(session, sorted_)
            for answer in sorted(sorted_.answers.values(), key=lambda answer: answer.command):
                _take_answer(session, answer)
            for dispute in sorted_.disputes.values():
                take_dispute(session, dispute)
            if not (sorted_.notices or sorted_.answers or sorted_.disputes or taken.parted):
                mark_tables_only(session)
        return taken

    def refuse(self, name: str, _: bytes, error: Exception) -> None:
        """Add a notice for the organiser about a message that can't be stored.

        Args:
            name: the message's topic.
            error: the reason; its text may contain anything.
        """
        place = parse_topic(name)
        why = str(getattr(error, "orig", None) or error).replace("\0", "").encode("utf-8", "replace").decode()
        with self._database.writing() as session:
            note(session, Notice(NoticeKind.REFUSED, "" if place is None else place.table, why[:LONGEST_ABOUT]))

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
                sorted_.notices.append(Notice(NoticeKind.REFUSED, place.table, to_stored(why.reason, LONGEST_ABOUT)))
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
    if isinstance(message, Event) and message.seq > MOST_ENTRIES:
        raise MessageRefused(TOO_MANY)
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
            sorted_.disputes[message.table, message.id] = message
        case Acknowledgement():
            sorted_.answers[message.table, message.command] = message
        case _:  # pragma: no cover - MODELS has no other
            raise AssertionError(message)


def _take_events(session: Session, sorted_: _Sorted, heads: dict[Key, LogHead], taken: Taken) -> None:
    rows: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    stored = count_entries(session, {table for table, _ in sorted_.events})
    for key, most in _known_with_room(session, sorted_, heads, taken).items():
        head, entries, state = heads[key], sorted_.events.get(key, ()), sorted_.states.get(key[0])
        if state is not None and state.log != key[1]:
            state = None
        if head.parted:
            taken.repeated += len(entries)
            taken.parted.add(key)
            continue
        chain = Chain(head, stored_digests(session, key, head, entries, state))
        new_rows = _take_log(chain, entries, MOST_ENTRIES - stored[key[0]], taken)
        rows += new_rows
        stored[key[0]] += len(new_rows)
        if state is not None:
            chain.compare(state.last_seq, state.digest)
        if not chain.parted and most > chain.last and stored[key[0]] >= MOST_ENTRIES:
            most = chain.last  # so that the table is not asked for the rest
            note(session, Notice(NoticeKind.REFUSED, key[0], to_stored(TOO_MANY, LONGEST_ABOUT)))
        _note_rest(session, key, chain, most, taken)
        if most > head.taken or chain.parted:
            changed.append(log_update(key, chain, most))
    taken.entries += len(rows)
    connection = session.connection()
    if changed:
        connection.execute(advance_logs(connection.dialect.name), changed)
    if rows:
        connection.execute(insert(_ENTRIES), rows)


def _note_rest(session: Session, key: Key, chain: Chain, most: int, taken: Taken) -> None:
    """Note in `taken` that a log has parted or lacks entries; `most` is the last entry that its table has."""
    if chain.parted:
        taken.parted.add(key)
        note(session, Notice(NoticeKind.PARTED, key[0], key[1]))
    elif most > chain.last:
        taken.missing[key] = chain.last + 1


def _known_with_room(session: Session, sorted_: _Sorted, heads: Mapping[Key, LogHead], taken: Taken) -> dict[Key, int]:
    """Return the last known entry of each log that may be stored; refuse new logs of tables that have too many."""
    known = _known(sorted_)
    for key in known.keys() - heads.keys():
        taken.refused += len(sorted_.events.get(key, ()))
        note(session, Notice(NoticeKind.REFUSED, key[0], to_stored(TOO_MANY, LONGEST_ABOUT)))
    return {key: most for key, most in known.items() if key in heads}


def _take_log(chain: Chain, entries: Iterable[Event], room: int, taken: Taken) -> list[dict[str, Any]]:
    """Return the rows of a log's new entries, at most `room`; count repeated, early and refused entries in `taken`."""
    rows: list[dict[str, Any]] = []
    for entry in entries:
        if entry.seq <= chain.last:
            taken.repeated += 1
            chain.compare(entry.seq, entry.digest)
        elif entry.seq > chain.last + 1:
            taken.early += 1
        elif len(rows) >= room:
            taken.refused += 1
        elif chain.append(entry):
            rows.append(entry_row(entry))
    return rows


def _known(sorted_: _Sorted) -> dict[Key, int]:
    """Return for each log the number of the last entry that its table is known to have."""
    known = {(state.table, state.log): state.last_seq for state in sorted_.states.values() if state.log is not None}
    for key, entries in sorted_.events.items():
        known[key] = max(known.get(key, 0), *(entry.seq for entry in entries))
    return known


def _take_tables(session: Session, sorted_: _Sorted) -> None:
    """Store each table's presence, status and clock difference; most messages change none of these."""
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
    session.execute(insert_ignoring(session, TableRow), fresh)
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
        # The whole game may have arrived before this answer, so the log is replayed again.
        of_log = LogRow.table == answer.table, LogRow.log == answer.log
        session.execute(update(LogRow).where(*of_log).values(folded=0))
    if not answer.done:
        about = refusal if len(refusal) <= LONGEST_ABOUT else answer.refusal[:LONGEST_ABOUT]
        note(session, Notice(NoticeKind.COMMAND, answer.table, about))


def _sum_up(parts: Iterable[Taken]) -> Taken:
    total = Taken()
    for part in parts:
        total.entries += part.entries
        total.repeated += part.repeated
        total.early += part.early
        total.refused += part.refused
        total.missing |= part.missing
        total.parted |= part.parted
    return total
