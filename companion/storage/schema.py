"""The tables of the database as SQLAlchemy models; `migrations` changes older databases."""

import re
from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import JSON, Boolean, Dialect, ForeignKey, Integer, String, Text, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

MOST_REVISIONS: Final = 10**12
"""The largest revision; JavaScript loses the last digits of larger numbers."""
OPEN_EVENING: Final = "open"
"""The name of the preference with the id of the current game night."""
PLAYERS: Final = "players"
"""The name of the preference with the profiles of players."""
ACCESS: Final = "access"
PRIVATE_PAGES: Final = "private-pages"
ACCESS_DATA: Final = frozenset({ACCESS, PRIVATE_PAGES})
"""The names of the preferences with access data of tablets and phones. They are neither backed up nor restored."""
NO_MOMENT: Final = "1970-01-01T00:00:00Z"
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)


def moment_of(*values: object) -> str:
    """Return the first value that is a UTC time such as `2026-11-21T19:30:05Z`; `NO_MOMENT` if there is none."""
    moments = (value for value in values if isinstance(value, str) and _MOMENT.fullmatch(value))
    return next(moments, NO_MOMENT)


class Base(DeclarativeBase):
    """The declarative base of all tables of the database."""


DAMAGED: Final = object()
"""The value of a JSON column whose text can't be decoded."""


class StoredJson(TypeDecorator[object]):
    """A JSON column type that accepts damaged text, so that one bad row does not prevent reading the others."""

    impl = JSON
    cache_ok = True

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], object]:
        """Return a function that decodes a stored value, or returns `DAMAGED` if the value is not JSON."""
        decode = self.impl_instance.result_processor(dialect, coltype)
        assert decode is not None  # JSON always has one

        def process(value: Any) -> object:
            try:
                return decode(value)
            except (TypeError, ValueError, RecursionError):
                return DAMAGED

        return process


class EveningRow(Base):
    """A game night, with its live state."""

    __tablename__ = "evenings"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    begun_at: Mapped[str] = mapped_column(String(32))
    """When the game night began, in UTC, as `2026-11-21T19:30:05Z`."""
    changed_at: Mapped[str] = mapped_column(String(32))
    revision: Mapped[int] = mapped_column(Integer)
    over: Mapped[bool] = mapped_column(Boolean)
    people: Mapped[object] = mapped_column(StoredJson)
    """For each seat the names of its players."""
    settings: Mapped[object] = mapped_column(StoredJson)
    live: Mapped[object] = mapped_column(StoredJson)
    result: Mapped[object] = mapped_column(StoredJson, nullable=True)
    """The result after the last scored round; NULL if it is not computed yet."""


class RecordRow(Base):
    """One record of a game night; rows are only added."""

    __tablename__ = "records"

    evening: Mapped[str] = mapped_column(ForeignKey("evenings.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(Integer, primary_key=True)
    """The position of the record in the game night, from 0."""
    event: Mapped[str] = mapped_column(Text)
    """The event as a line of a game file."""
    note: Mapped[object] = mapped_column(StoredJson)


class PreferenceRow(Base):
    """A setting that outlives game nights, such as the play area of a camera."""

    __tablename__ = "preferences"

    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    value: Mapped[object] = mapped_column(StoredJson)
