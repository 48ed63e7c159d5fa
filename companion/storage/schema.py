"""The tables of the database, as SQLAlchemy knows them; `migrations` makes and changes them."""

from sqlalchemy import JSON, Boolean, ForeignKey, Integer, String, Text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column


class Base(DeclarativeBase):
    """All tables."""


class EveningRow(Base):
    """An evening, with what lives between its records."""

    __tablename__ = "evenings"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    begun_at: Mapped[str] = mapped_column(String(32))
    """UTC, as in a note."""
    changed_at: Mapped[str] = mapped_column(String(32))
    revision: Mapped[int] = mapped_column(Integer)
    over: Mapped[bool] = mapped_column(Boolean)
    people: Mapped[list[list[str]]] = mapped_column(JSON)
    """Who sits at each seat."""
    settings: Mapped[dict[str, object]] = mapped_column(JSON)
    live: Mapped[dict[str, object]] = mapped_column(JSON)


class RecordRow(Base):
    """One record of an evening; rows are only ever added."""

    __tablename__ = "records"

    evening: Mapped[str] = mapped_column(ForeignKey("evenings.id", ondelete="CASCADE"), primary_key=True)
    place: Mapped[int] = mapped_column(Integer, primary_key=True)
    """From 0; the order of the evening, whatever the time of day says."""
    event: Mapped[str] = mapped_column(Text)
    """A line of the game's file."""
    note: Mapped[dict[str, object]] = mapped_column(JSON)


class PreferenceRow(Base):
    """Something that is remembered from evening to evening, such as the play area of a camera."""

    __tablename__ = "preferences"

    name: Mapped[str] = mapped_column(String(200), primary_key=True)
    value: Mapped[object] = mapped_column(JSON)
