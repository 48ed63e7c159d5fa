"""Stores the raised hands of tables, within a quota for each table."""

from __future__ import annotations

import base64
import binascii
from typing import Final

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.database import insert_ignoring
from tilekeeper.companion.hub.notices import Notice, NoticeKind, note
from tilekeeper.companion.hub.schema import DisputeRow
from tilekeeper.companion.hub.times import now
from tilekeeper.companion.messaging.messages import Dispute
from tilekeeper.companion.text.kept import to_stored
from tilekeeper.engine.language import lazy_gettext

MOST_HANDS: Final = 20
"""The maximum number of one table's undecided raised hands, the same as in `TableStatus`."""
MOST_HANDS_A_NIGHT: Final = 200
"""The maximum number of one table's raised hands, decided ones included."""
MOST_PICTURE_BYTES: Final = 60_000_000
"""The total size of one table's pictures; the two of a raised hand have 200 to 500 kB. More hands have no pictures."""
LONGEST_ABOUT: Final = 400
"""The maximum length of what a notice is about."""
TOO_MANY: Final = lazy_gettext("It sends more than a table needs.")


def take_dispute(session: Session, dispute: Dispute) -> None:
    """Store a raised hand once, without its pictures if the table has too many; refuse it if there are too many."""
    if session.scalar(select(DisputeRow.id).where(DisputeRow.id == dispute.id)) is not None:
        return
    of_table = select(func.count()).where(DisputeRow.table == dispute.table)
    waiting = session.scalar(of_table.where(DisputeRow.decision == "")) or 0
    if waiting >= MOST_HANDS or (session.scalar(of_table) or 0) >= MOST_HANDS_A_NIGHT:
        note(session, Notice(NoticeKind.REFUSED, dispute.table, to_stored(TOO_MANY, LONGEST_ABOUT)))
        return
    before, after = _picture(dispute.before_jpeg), _picture(dispute.after_jpeg)
    sizes = (func.coalesce(func.sum(func.length(column)), 0) for column in (DisputeRow.before, DisputeRow.after))
    stored_bytes = sum(session.execute(select(*sizes).where(DisputeRow.table == dispute.table)).one())
    if stored_bytes + len(before or b"") + len(after or b"") > MOST_PICTURE_BYTES:
        before = after = None  # the hand itself counts
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
