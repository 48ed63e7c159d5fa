"""Stores messages of tables: each log entry once and in order, even if several hubs share one database.

Messages that arrive together are stored in one transaction and acknowledged after it. An entry after a gap is not
stored; the hub asks the table to send its log again from the gap on. It does the same if a table's status shows that
its log is longer than the stored one.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import select, tuple_, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session, load_only

from tilekeeper.companion.hub.database import Database, insert_ignoring, mark_tables_only, rows_as_table
from tilekeeper.companion.hub.incoming import MOST_ENTRIES, Incoming, sort_messages
from tilekeeper.companion.hub.log_chain import (
    Chain,
    Key,
    LogHead,
    add_entries,
    advance_logs,
    count_entries,
    entry_row,
    lock_logs,
    log_update,
    stored_digests,
)
from tilekeeper.companion.hub.notices import Notice, NoticeKind, note, note_all
from tilekeeper.companion.hub.raised_hands import LONGEST_ABOUT, take_disputes
from tilekeeper.companion.hub.schema import CommandRow, DisputeRow, LogRow, SeatingRow, TableRow
from tilekeeper.companion.hub.times import now
from tilekeeper.companion.messaging.delivery import is_outage
from tilekeeper.companion.messaging.messages import TOO_MANY, Acknowledgement, Event, MessageRefused
from tilekeeper.companion.messaging.topics import parse_topic
from tilekeeper.companion.text.kept import is_translatable, to_stored

log = logging.getLogger(__name__)

WRONG_CLOCK_S: Final = 300.0
"""An arbiter is warned of a table whose clock differs from the hub's by more than this."""
_DEADLOCK: Final = "40P01"
"""PostgreSQL's code for a deadlock."""
_TRIES: Final = 5
_MOST_HAND_REQUESTS: Final = 5
"""A raised hand that has not come after so many requests is one that the hub refuses, of which a notice tells."""
_MOST_REMEMBERED: Final = 10_000


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
    """For each log to be sent again its first missing entry, or the one after the last if a raised hand is missing."""
    parted: set[Key] = field(default_factory=set)
    """Logs whose entries differ from the stored ones; their tables must send them under new names."""


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
        self._hand_requests: Counter[str] = Counter()
        """By id of a raised hand: how often its table was asked for it."""

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
        incoming = sort_messages(self._club, messages)
        taken = Taken(refused=incoming.refused)
        with self._database.writing() as session:
            # Rows are locked in a fixed order (logs, tables, commands, notices, each sorted), so that two hubs can
            # deadlock only if both begin new logs.
            answered = {(answer.table, answer.log) for answer in incoming.answers.values() if answer.log is not None}
            heads = lock_logs(session, _known(incoming).keys() | answered)
            _take_events(session, incoming, heads, taken)
            _take_tables(session, incoming)
            _take_answers(session, incoming)
            take_disputes(session, incoming.disputes.values(), incoming.notices)
            self._ask_for_hands(session, incoming, taken)
            note_all(session, incoming.notices)
            if not (incoming.notices or incoming.answers or incoming.disputes or taken.parted):
                mark_tables_only(session)
        return taken

    def _ask_for_hands(self, session: Session, incoming: Incoming, taken: Taken) -> None:
        """Note in `taken` the logs of tables whose status names a raised hand that the hub lacks.

        A table that is asked for a log also sends its hands again.
        """
        of_hands = {hand: (state.table, state.log) for state in incoming.states.values() for hand in state.disputes}
        if not of_hands:
            return
        stored = set(session.scalars(select(DisputeRow.id).where(DisputeRow.id.in_(of_hands))))
        lacking = [hand for hand in of_hands if hand not in stored and self._hand_requests[hand] < _MOST_HAND_REQUESTS]
        if len(self._hand_requests) > _MOST_REMEMBERED:
            self._hand_requests.clear()
        self._hand_requests.update(lacking)
        keys = tuple_(LogRow.table, LogRow.log).in_({of_hands[hand] for hand in lacking})
        logs = select(LogRow.table, LogRow.log, LogRow.taken).where(keys, LogRow.parted.is_(False))
        for table, log_, last in session.execute(logs) if lacking else ():
            taken.missing.setdefault((table, log_), last + 1)

    def refuse(self, name: str, _: bytes, error: Exception) -> None:
        """Add a notice for the organiser about a message that can't be stored.

        Args:
            name: the message's topic.
            error: the reason; its text may contain anything.
        """
        place = parse_topic(name)
        with self._database.writing() as session:
            note(session, Notice(NoticeKind.REFUSED, "" if place is None else place.table, _words(error)))


def _words(error: Exception) -> str:
    """Return the reason of an error in the stored form of `text.kept`."""
    if isinstance(error, MessageRefused):
        return to_stored(error.reason, LONGEST_ABOUT)
    words = str(getattr(error, "orig", None) or error).replace("\0", "").encode("utf-8", "replace").decode()
    return words[:LONGEST_ABOUT]


def _take_events(session: Session, incoming: Incoming, heads: dict[Key, LogHead], taken: Taken) -> None:
    rows: list[dict[str, Any]] = []
    changed: list[dict[str, Any]] = []
    stored = count_entries(session, {table for table, _ in incoming.events})
    for key, most in _known_with_room(incoming, heads, taken).items():
        head, entries, state = heads[key], incoming.events.get(key, ()), incoming.states.get(key[0])
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
            incoming.notices[Notice(NoticeKind.REFUSED, key[0], to_stored(TOO_MANY, LONGEST_ABOUT))] += 1
        _note_rest(incoming.notices, key, chain, most, taken)
        if most > head.taken or chain.parted:
            changed.append(log_update(key, chain, most))
    taken.entries += len(rows)
    advance_logs(session, changed)
    add_entries(session, rows)


def _note_rest(notices: Counter[Notice], key: Key, chain: Chain, most: int, taken: Taken) -> None:
    """Note in `taken` that a log has parted or lacks entries; `most` is the last entry that its table has."""
    if chain.parted:
        taken.parted.add(key)
        notices[Notice(NoticeKind.PARTED, key[0], key[1])] += 1
    elif most > chain.last:
        taken.missing[key] = chain.last + 1


def _known_with_room(incoming: Incoming, heads: Mapping[Key, LogHead], taken: Taken) -> dict[Key, int]:
    """Return the last known entry of each log that may be stored; refuse new logs of tables that have too many."""
    known = _known(incoming)
    for key in known.keys() - heads.keys():
        taken.refused += len(incoming.events.get(key, ()))
        incoming.notices[Notice(NoticeKind.REFUSED, key[0], to_stored(TOO_MANY, LONGEST_ABOUT))] += 1
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


def _known(incoming: Incoming) -> dict[Key, int]:
    """Return for each log the number of the last entry that its table is known to have."""
    known = {
        (presence.table, past.log): past.last_seq
        for presence in incoming.presences.values()
        for past in presence.past_logs
    }
    known |= {(state.table, state.log): state.last_seq for state in incoming.states.values() if state.log is not None}
    for key, entries in incoming.events.items():
        known[key] = max(known.get(key, 0), *(entry.seq for entry in entries))
    return known


def _take_tables(session: Session, incoming: Incoming) -> None:
    """Store each table's presence, status and clock difference; most messages change none of these."""
    rows = _lock_tables(session, sorted(incoming.ahead_s))
    for table, ahead_s in incoming.ahead_s.items():
        row = rows[table]
        if abs(row.skew_s - ahead_s) > 1:
            row.skew_s = round(ahead_s, 1)
        presence = incoming.presences.get(table)
        if presence is not None:
            row.here, row.join, row.heard_at = presence.presence == "here", getattr(presence, "join", ""), now()
        state = incoming.states.get(table)
        if state is not None:
            row.state, row.heard_at = state.model_dump(mode="json"), now()


def _lock_tables(session: Session, tables: Sequence[str]) -> dict[str, TableRow]:
    if not tables:
        return {}
    wanted = rows_as_table(session, TableRow, [{"id": table} for table in tables])
    query = select(TableRow).where(TableRow.id.in_(select(wanted))).order_by(TableRow.id).with_for_update()
    query = query.options(load_only(TableRow.skew_s))  # the stored status is long, and not needed
    rows = {row.id: row for row in session.scalars(query)}
    new = [table for table in tables if table not in rows]
    if not new:
        return rows
    fresh = [{"id": table, "here": True, "join": "", "heard_at": now(), "skew_s": 0.0} for table in new]
    session.execute(insert_ignoring(session, TableRow), fresh)
    return {row.id: row for row in session.scalars(query)}


def _take_answers(session: Session, incoming: Incoming) -> None:
    """Store the answers to unanswered commands; an answer to a command of another table changes nothing."""
    if not incoming.answers:
        return
    keys = tuple_(CommandRow.table, CommandRow.id).in_(sorted(incoming.answers))
    unanswered = select(CommandRow).where(keys, CommandRow.answered_at.is_(None)).order_by(CommandRow.id)
    for command in session.scalars(unanswered.with_for_update()):
        _take_answer(session, command, incoming.answers[command.table, command.id], incoming.notices)


def _take_answer(session: Session, command: CommandRow, answer: Acknowledgement, notices: Counter[Notice]) -> None:
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
        notices[Notice(NoticeKind.COMMAND, answer.table, about)] += 1


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
