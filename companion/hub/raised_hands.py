"""Stores the raised hands of tables, within a quota for each table."""

from __future__ import annotations

import base64
import binascii
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from sqlalchemy import case, func, select
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.database import insert_ignoring
from tilekeeper.companion.hub.notices import Notice, NoticeKind
from tilekeeper.companion.hub.schema import DisputeRow
from tilekeeper.companion.hub.times import now
from tilekeeper.companion.messaging.messages import TOO_MANY, Dispute
from tilekeeper.companion.text.kept import to_stored

MOST_HANDS: Final = 20
"""The maximum number of one table's undecided raised hands, the same as in `TableStatus`."""
MOST_HANDS_A_NIGHT: Final = 200
"""The maximum number of one table's raised hands, decided ones included."""
MOST_PICTURE_BYTES: Final = 60_000_000
"""The total size of one table's pictures; the two of a raised hand have 200 to 500 kB. More hands have no pictures."""
LONGEST_ABOUT: Final = 400
"""The maximum length of what a notice is about."""


@dataclass(slots=True)
class _Stored:
    """What the database has of one table's raised hands."""

    all_hands: int = 0
    waiting: int = 0
    """The number of undecided hands."""
    picture_bytes: int = 0


def take_disputes(session: Session, disputes: Collection[Dispute], notices: Counter[Notice]) -> None:
    """Store each raised hand once.

    A hand is stored without its pictures if its table has too many of them, and refused if there are too many hands.

    Args:
        session: a session in a transaction.
        disputes: the raised hands of all tables.
        notices: gets a notice for each hand that is refused.
    """
    if not disputes:
        return
    ids = {dispute.id for dispute in disputes}
    known = set(session.scalars(select(DisputeRow.id).where(DisputeRow.id.in_(ids))))
    new = [dispute for dispute in disputes if dispute.id not in known]
    stored = _count_stored(session, {dispute.table for dispute in new})
    for dispute in new:
        of_table = stored[dispute.table]
        if of_table.waiting >= MOST_HANDS or of_table.all_hands >= MOST_HANDS_A_NIGHT:
            notices[Notice(NoticeKind.REFUSED, dispute.table, to_stored(TOO_MANY, LONGEST_ABOUT))] += 1
        else:
            _store(session, dispute, of_table)


def _count_stored(session: Session, tables: Collection[str]) -> dict[str, _Stored]:
    stored = {table: _Stored() for table in tables}
    if tables:
        waiting = func.sum(case((DisputeRow.decision == "", 1), else_=0))
        sizes = (func.coalesce(func.sum(func.length(column)), 0) for column in (DisputeRow.before, DisputeRow.after))
        query = select(DisputeRow.table, func.count(), waiting, *sizes).where(DisputeRow.table.in_(tables))
        for table, all_hands, undecided, before_bytes, after_bytes in session.execute(query.group_by(DisputeRow.table)):
            stored[table] = _Stored(all_hands, int(undecided), int(before_bytes + after_bytes))
    return stored


def _store(session: Session, dispute: Dispute, of_table: _Stored) -> None:
    """Store a raised hand, and count it in `of_table`."""
    before, after = _picture(dispute.before_jpeg), _picture(dispute.after_jpeg)
    picture_bytes = len(before or b"") + len(after or b"")
    if of_table.picture_bytes + picture_bytes > MOST_PICTURE_BYTES:
        before, after, picture_bytes = None, None, 0  # the hand itself counts
    of_table.all_hands += 1
    of_table.waiting += 1
    of_table.picture_bytes += picture_bytes
    row = {
        "id": dispute.id,
        "table": dispute.table,
        "log": dispute.log,
        "seq": dispute.seq,
        "raised_by": dispute.raised_by,
        "raised_at": now(),
        "verdict": dispute.verdict,
        "reasons": list(dispute.reasons),
        "edition": dispute.edition,
        "rules": list(dispute.rules),
        "faults": dispute.model_dump(mode="json", include={"faults", "before", "after"}),
        "before": before,
        "after": after,
        "decision": "",
        "decided_by": "",
        "why": "",
        "command": "",
    }
    session.execute(insert_ignoring(session, DisputeRow).values(**row))


def _picture(text: str | None) -> bytes | None:
    try:
        return None if text is None else base64.b64decode(text, validate=True)
    except binascii.Error:
        return None
