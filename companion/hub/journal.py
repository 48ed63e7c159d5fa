"""The journal: decisions of organisers and arbiters that everybody may read; entries are only added."""

from __future__ import annotations

from typing import Final

from sqlalchemy import select
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.schema import JournalRow
from tilekeeper.companion.hub.times import now, time_words
from tilekeeper.companion.text.kept import to_stored, translate_stored

SHOWN: Final = 100


def add_to_journal(session: Session, words: str, by: str, why: str = "") -> None:
    """Add a decision to the journal.

    Args:
        session: a writing session.
        words: the decision as a sentence from `lazy_gettext`, so that each reader gets the sentence in their language.
        by: the person who decided.
        why: the reason that the person gave.
    """
    session.add(JournalRow(at=now(), by=by, words=to_stored(words), why=why))


def journal_of(session: Session, most: int | None = SHOWN) -> tuple[tuple[str, str, str, str], ...]:
    """Return up to `most` decisions (None for all), the newest first: time of day, person, sentence and reason."""
    rows = session.scalars(select(JournalRow).order_by(JournalRow.id.desc()).limit(most))
    return tuple((time_words(row.at), row.by, translate_stored(row.words), row.why) for row in rows)
