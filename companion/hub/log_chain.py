"""Hash chains of stored logs: how many entries the hub has, and whether a table's digests agree with its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from sqlalchemy import Integer, Table, Update, bindparam, func, select, tuple_, update
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.database import insert_ignoring
from tilekeeper.companion.hub.schema import EntryRow, LogRow
from tilekeeper.companion.messaging.digests import digest_after
from tilekeeper.companion.messaging.messages import Event, TableStatus

Key: TypeAlias = tuple[str, str]
"""The ids of a table and of one of its logs."""
ENDING: Final = frozenset(
    ("rack-shown", "rack-summed", "rack-counted", "tile-found", "game-ended", "undone", "corrected")
)
"""The kinds of entries after which the result of a round may change."""
SEATED: Final = "commanded"
"""The kind of the first entry of a log, which names the hub's command."""
FOLDED_AFTER: Final = ENDING | {SEATED}
"""The kinds of entries after which a log is replayed."""
MOST_LOGS: Final = 200
"""The maximum number of logs that the hub stores of one table; a club night has fewer than twenty rounds."""
_LOGS: Final = cast(Table, LogRow.__table__)


@dataclass(frozen=True, slots=True)
class LogHead:
    """The fields of a `LogRow` that are needed to add entries."""

    taken: int
    digest: str
    parted: bool


class Chain:
    """A log to which entries are being added; it checks the table's digests against its own."""

    def __init__(self, head: LogHead, stored: Mapping[int, str]) -> None:
        """Continue a stored log.

        Args:
            head: how much of the log is stored.
            stored: the digests of earlier entries by entry number, as from `stored_digests`.
        """
        self.last, self.digest, self.due = head.taken, head.digest, 0
        self.parted = False
        self._digests = {**stored, head.taken: head.digest}

    def compare(self, seq: int, digest: str) -> None:
        """Mark the log as `parted` (table and hub have different entries) if the digests after entry `seq` differ.

        Args:
            seq: the number of the entry.
            digest: the game table's digest. Nothing changes if this or the hub's own digest is unknown.
        """
        own_digest = self._digests.get(seq, "")
        self.parted |= bool(own_digest and digest and own_digest != digest)

    def append(self, entry: Event) -> bool:
        """Add the next entry and return True; add nothing and return False if the log is `parted`.

        The log becomes `parted` if the entry's digest shows that the table has other earlier entries than the hub.
        """
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


def stored_digests(
    session: Session, key: Key, head: LogHead, entries: Sequence[Event], state: TableStatus | None
) -> dict[int, str]:
    """Return the hub's stored digests to compare with those in new messages, by entry number; usually none."""
    repeated = {entry.seq for entry in entries if entry.digest and entry.seq < head.taken}
    if state is not None and state.log == key[1] and state.digest and state.last_seq < head.taken:
        repeated.add(state.last_seq)
    if not repeated:
        return {}
    of_log = EntryRow.table == key[0], EntryRow.log == key[1], EntryRow.seq.in_(sorted(repeated))
    return {row.seq: row.digest for row in session.execute(select(EntryRow.seq, EntryRow.digest).where(*of_log))}


def lock_logs(session: Session, keys: Iterable[Key]) -> dict[Key, LogHead]:
    """Lock logs until the transaction ends, and return how much of each is stored; new logs get a row.

    A new log of a table that has `MOST_LOGS` already is missing in the result.
    """
    ordered = sorted(keys)
    if not ordered:
        return {}
    query = (
        select(LogRow.table, LogRow.log, LogRow.taken, LogRow.digest, LogRow.parted)
        .where(tuple_(LogRow.table, LogRow.log).in_(ordered))
        .order_by(LogRow.table, LogRow.log)
        .with_for_update()
    )
    heads = {(row.table, row.log): LogHead(row.taken, row.digest, row.parted) for row in session.execute(query)}
    new = _with_room(session, [key for key in ordered if key not in heads])
    if not new:
        return heads
    fresh = [{"table": table, "log": log_, "taken": 0, "known": 0, "due": 0, "folded": 0} for table, log_ in new]
    session.execute(insert_ignoring(session, LogRow), fresh)
    return {(row.table, row.log): LogHead(row.taken, row.digest, row.parted) for row in session.execute(query)}


def _with_room(session: Session, new: Sequence[Key]) -> list[Key]:
    """Return the new logs, without those that would exceed `MOST_LOGS` of their table."""
    if not new:
        return []
    of_tables = LogRow.table.in_({table for table, _ in new})
    rows = session.execute(select(LogRow.table, func.count()).where(of_tables).group_by(LogRow.table))
    counts, with_room = Counter({row[0]: row[1] for row in rows}), []
    for key in new:
        counts[key[0]] += 1
        if counts[key[0]] <= MOST_LOGS:
            with_room.append(key)
    return with_room


def count_entries(session: Session, tables: Collection[str]) -> Counter[str]:
    """Return how many entries of each table are stored, in all its logs."""
    if not tables:
        return Counter()
    query = select(LogRow.table, func.sum(LogRow.taken)).where(LogRow.table.in_(tables)).group_by(LogRow.table)
    return Counter({table: int(count) for table, count in session.execute(query)})


def log_update(key: Key, chain: Chain, known: int) -> dict[str, Any]:
    """Return the parameters of `advance_logs` for one log; `known` is the last entry that the table has."""
    return {
        "of_table": key[0],
        "of_log": key[1],
        "last": chain.last,
        "most": chain.last if chain.parted else known,
        "last_due": chain.due,
        "last_digest": chain.digest,
        "is_parted": chain.parted,
    }


def advance_logs(dialect: str) -> Update:
    """Return an UPDATE of `LogRow` whose parameters `log_update` returns; `known` and `due` never decrease."""
    larger = func.greatest if dialect == "postgresql" else func.max
    of_log = LogRow.table == bindparam("of_table"), LogRow.log == bindparam("of_log")
    known = larger(LogRow.known, bindparam("most", type_=Integer))
    due = larger(LogRow.due, bindparam("last_due", type_=Integer))
    digests: dict[str, Any] = {"digest": bindparam("last_digest"), "parted": bindparam("is_parted")}
    return update(_LOGS).where(*of_log).values(taken=bindparam("last"), known=known, due=due, **digests)


def entry_row(entry: Event) -> dict[str, Any]:
    """Return the columns of an `EntryRow`, by column name."""
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
