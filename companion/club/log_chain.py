"""Stored logs of tables: how much of each the hub has, and the running digests that chain its entries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from sqlalchemy import Integer, Table, Update, bindparam, func, select, tuple_, update
from sqlalchemy.orm import Session

from tilekeeper.companion.broker.digests import digest_after
from tilekeeper.companion.broker.messages import Event, TableStatus
from tilekeeper.companion.club.database import insert_ignoring
from tilekeeper.companion.club.schema import EntryRow, LogRow

Key: TypeAlias = tuple[str, str]
"""A table and one of its logs."""
ENDING: Final = frozenset(
    ("rack-shown", "rack-summed", "rack-counted", "tile-found", "game-ended", "undone", "corrected")
)
"""Kinds of entries after which the outcome of a round may change."""
SEATED: Final = "commanded"
"""The kind of the entry that names the command that began a log."""
FOLDED_AFTER: Final = ENDING | {SEATED}
MOST_LOGS: Final = 200
"""The logs that the hub keeps of one table; a night has fewer than twenty rounds."""
_LOGS: Final = cast(Table, LogRow.__table__)


@dataclass(frozen=True, slots=True)
class LogHead:
    """How much of a log is stored; see `LogRow`."""

    taken: int
    digest: str
    parted: bool


class Chain:
    """A log while messages are stored: the digests of its entries, and whether the table's log differs."""

    def __init__(self, head: LogHead, stored: Mapping[int, str]) -> None:
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


def stored_digests(
    session: Session, key: Key, head: LogHead, entries: Sequence[Event], state: TableStatus | None
) -> dict[int, str]:
    """Return the stored digests with which messages are to be compared, by entry; mostly none are."""
    repeated = {entry.seq for entry in entries if entry.digest and entry.seq < head.taken}
    if state is not None and state.log == key[1] and state.digest and state.last_seq < head.taken:
        repeated.add(state.last_seq)
    if not repeated:
        return {}
    of_log = EntryRow.table == key[0], EntryRow.log == key[1], EntryRow.seq.in_(sorted(repeated))
    return {row.seq: row.digest for row in session.execute(select(EntryRow.seq, EntryRow.digest).where(*of_log))}


def lock_logs(session: Session, keys: Iterable[Key]) -> dict[Key, LogHead]:
    """Return how much of each log is stored, with the logs locked until this transaction ends.

    A new log of a table that has `MOST_LOGS` is left out.
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
    """Return the new logs for which the hub has room."""
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


def advanced(key: Key, chain: Chain, most: int) -> dict[str, Any]:
    """Return the parameters of `advance_logs` for a log."""
    return {
        "of_table": key[0],
        "of_log": key[1],
        "last": chain.last,
        "most": chain.last if chain.parted else most,
        "last_due": chain.due,
        "last_digest": chain.digest,
        "is_parted": chain.parted,
    }


def advance_logs(dialect: str) -> Update:
    """Return an UPDATE for many logs that sets the last taken, the last known and the last due entry."""
    larger = func.greatest if dialect == "postgresql" else func.max
    of_log = LogRow.table == bindparam("of_table"), LogRow.log == bindparam("of_log")
    known = larger(LogRow.known, bindparam("most", type_=Integer))
    due = larger(LogRow.due, bindparam("last_due", type_=Integer))
    digests: dict[str, Any] = {"digest": bindparam("last_digest"), "parted": bindparam("is_parted")}
    return update(_LOGS).where(*of_log).values(taken=bindparam("last"), known=known, due=due, **digests)


def entry_row(entry: Event) -> dict[str, Any]:
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
