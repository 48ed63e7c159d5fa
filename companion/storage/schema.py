"""The tables of the database, as SQLAlchemy knows them; `migrations` makes and changes them."""

import re
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import JSON, Boolean, Dialect, ForeignKey, Integer, String, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

EVENING_ID: Final = re.compile(r"[a-z0-9-]{1,64}")
"""Ids of evenings; files and folders are named by them, so that whatever else is found in their place is none."""
MOST_REVISIONS: Final = 10**12
"""Pages know larger numbers by their first digits alone."""
NO_MOMENT: Final = "1970-01-01T00:00:00Z"
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)


def moment_of(*found: object) -> str:
    """The first of some texts that is a moment in UTC as in a note; `NO_MOMENT` where none is."""
    moments = (one for one in found if isinstance(one, str) and _MOMENT.fullmatch(one))
    return next(moments, NO_MOMENT)


class Base(DeclarativeBase):
    """All tables."""


DAMAGED: Final = object()
"""What a column of JSON holds that can't be read."""


class StoredJson(TypeDecorator[object]):
    """JSON that may have been damaged on the disk: one bad row is not to hide the others."""

    impl = JSON
    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], object]:
        """Return a function that decodes what a row holds, `DAMAGED` where that is no JSON."""
        decode = self.impl_instance.result_processor(dialect, coltype)
        assert decode is not None  # JSON always has one

        def process(value: Any) -> object:
            try:
                return decode(value)
            except (TypeError, ValueError, RecursionError):
                return DAMAGED

        return process


class EveningRow(Base):
    """An evening, with what lives between its records."""

    __tablename__ = "evenings"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    begun_at: Mapped[str] = mapped_column(String(32))
    """UTC, as in a note."""
    changed_at: Mapped[str] = mapped_column(String(32))
    revision: Mapped[int] = mapped_column(Integer)
    over: Mapped[bool] = mapped_column(Boolean)
    people: Mapped[object] = mapped_column(StoredJson)
    """Who sat down at each seat."""
    settings: Mapped[object] = mapped_column(StoredJson)
    live: Mapped[object] = mapped_column(StoredJson)
    result: Mapped[object] = mapped_column(StoredJson, nullable=True)
    """What remains of it, from the last scored round on; none where it was not worked out yet."""


class RecordRow(Base):
    """One record of an evening; rows are only ever added."""

    __tablename__ = "records"

    evening: Mapped[str] = mapped_column(ForeignKey("evenings.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(Integer, primary_key=True)
    """From 0; the order of the evening, whatever the time of day says."""
    event: Mapped[str] = mapped_column(Text)
    """A line of the game's file."""
    note: Mapped[object] = mapped_column(StoredJson)


class PreferenceRow(Base):
    """Something that is remembered from evening to evening, such as the play area of a camera."""

    __tablename__ = "preferences"

    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    value: Mapped[object] = mapped_column(StoredJson)
