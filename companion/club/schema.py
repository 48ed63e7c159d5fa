"""The tables of a hub's database, the same in SQLite and PostgreSQL; `migrations` makes and changes them."""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    String,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

TIME: Final = String(40)
"""UTC by the hub's clock, ISO 8601."""


class Base(DeclarativeBase):
    """All tables."""

    type_annotation_map = {dict[str, Any]: JSON, list[Any]: JSON}  # noqa: RUF012, SQLAlchemy asks for a plain one


class NewsRow(Base):
    """The number of the last change; every transaction that people could see changes it last."""

    __tablename__ = "news"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    revision: Mapped[int] = mapped_column(BigInteger)
    night: Mapped[int] = mapped_column(BigInteger)
    """The revision of the last change to anything but what tables say of themselves many times a second."""


class HallRow(Base):
    """The club night; one row."""

    __tablename__ = "hall"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    name: Mapped[str] = mapped_column(String(80))
    plan: Mapped[int] = mapped_column(Integer)
    """How often organisers have changed something: who presses a button on an older page is told so."""
    settings: Mapped[dict[str, Any]]
    """As `HallSettings`."""
    codes: Mapped[dict[str, Any]]
    """The word for each role by which somebody signs in as it."""
    seed: Mapped[int] = mapped_column(BigInteger)
    """Where all chance of pairings comes from."""
    secret: Mapped[str] = mapped_column(String(64))
    """From which the words in the tables' codes come: whoever stands at a table has its own."""


class PlayerRow(Base):
    """Somebody who takes part."""

    __tablename__ = "players"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    name: Mapped[str] = mapped_column(String(100))
    key: Mapped[str] = mapped_column(String(200), unique=True)
    """The name as it is compared: two that look alike are one."""
    gone: Mapped[bool] = mapped_column(Boolean)
    """Whether they have left, and are paired no more."""


class RoundRow(Base):
    """A round of the hall."""

    __tablename__ = "rounds"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    state: Mapped[str] = mapped_column(String(20))
    """`seated`, `running`, `paused` or `over`."""
    byes: Mapped[list[Any]]
    """Ids of players."""
    made_at: Mapped[str] = mapped_column(TIME)


class SeatingRow(Base):
    """Who sits at a table in a round, and what it came to."""

    __tablename__ = "seatings"

    round: Mapped[int] = mapped_column(ForeignKey("rounds.number", ondelete="CASCADE"), primary_key=True)
    table: Mapped[str] = mapped_column("table_id", String(40), primary_key=True)
    place: Mapped[int] = mapped_column(Integer)
    """From 1: the order of the tables in the pairing."""
    players: Mapped[list[Any]]
    """Their ids, clockwise."""
    command: Mapped[str] = mapped_column(String(64), index=True)
    """The command that seats them; the table's log of this round begins with it."""
    log: Mapped[str | None] = mapped_column(String(64), nullable=True, index=True)
    points: Mapped[list[Any] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    """What each notes, as text (`15/2` where winners share); none before the game is over."""
    won: Mapped[list[Any] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    """The seats that have won."""
    entered_by: Mapped[str] = mapped_column(String(100))
    """Who entered the points by hand; empty where the table's own events say them."""


class TableRow(Base):
    """A table as it says itself that it stands."""

    __tablename__ = "tables"

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    here: Mapped[bool] = mapped_column(Boolean)
    join: Mapped[str] = mapped_column("join_address", String(300))
    """Where a tablet gets into its app; empty where none is let in."""
    state: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    heard_at: Mapped[str] = mapped_column(TIME)
    skew_s: Mapped[float] = mapped_column(Float)
    """By how much its clock was ahead of the hub's when it last said something."""


class LogRow(Base):
    """The log of a game at a table, as far as it was taken."""

    __tablename__ = "logs"

    table: Mapped[str] = mapped_column("table_id", String(40), primary_key=True)
    log: Mapped[str] = mapped_column(String(64), primary_key=True)
    taken: Mapped[int] = mapped_column(Integer)
    """Entries 1 to this are here."""
    known: Mapped[int] = mapped_column(Integer)
    """The last entry that is known to be at the table; what is between is asked for."""
    due: Mapped[int] = mapped_column(Integer)
    """The last entry after which a round may be over, or one that says by which command the log was begun."""
    folded: Mapped[int] = mapped_column(Integer)
    """How many entries the result of its seating is worked out from; less than what is due is to be folded."""


class EntryRow(Base):
    """One entry of a log; rows are only ever added."""

    __tablename__ = "entries"

    table: Mapped[str] = mapped_column("table_id", String(40), primary_key=True)
    log: Mapped[str] = mapped_column(String(64), primary_key=True)
    seq: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(String(40))
    data: Mapped[dict[str, Any]]
    at: Mapped[str] = mapped_column(TIME)
    """By the table's clock."""
    by: Mapped[str] = mapped_column("said_by", String(300))
    reason: Mapped[str] = mapped_column(String(300))


class DisputeRow(Base):
    """A raised hand, and what became of it."""

    __tablename__ = "disputes"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    table: Mapped[str] = mapped_column("table_id", String(40))
    log: Mapped[str] = mapped_column(String(64))
    seq: Mapped[int] = mapped_column(Integer)
    raised_by: Mapped[str] = mapped_column(String(300))
    raised_at: Mapped[str] = mapped_column(TIME)
    verdict: Mapped[str] = mapped_column(Text)
    reasons: Mapped[list[Any]]
    before: Mapped[bytes | None] = mapped_column("before_jpeg", LargeBinary, nullable=True)
    after: Mapped[bytes | None] = mapped_column("after_jpeg", LargeBinary, nullable=True)
    decision: Mapped[str] = mapped_column(String(20))
    """Empty while it is open."""
    seconds: Mapped[float | None] = mapped_column(Float, nullable=True)
    decided_by: Mapped[str] = mapped_column(String(100))
    why: Mapped[str] = mapped_column(String(300))
    command: Mapped[str] = mapped_column(String(64))


class CommandRow(Base):
    """A command to a table, sent again until the table has answered."""

    __tablename__ = "commands"
    __table_args__ = (Index("commands_open", "answered_at", "sent_at"),)

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    place: Mapped[int] = mapped_column(BigInteger, index=True)
    """The order in which they were given: the revision of then, and a number within it."""
    table: Mapped[str] = mapped_column("table_id", String(40))
    kind: Mapped[str] = mapped_column(String(20))
    payload: Mapped[dict[str, Any]]
    made_at: Mapped[str] = mapped_column(TIME)
    sent_at: Mapped[float | None] = mapped_column(Float, nullable=True)
    """When it was sent last, in seconds of the hub's clock."""
    answered_at: Mapped[str | None] = mapped_column(TIME, nullable=True)
    done: Mapped[bool] = mapped_column(Boolean)
    refusal: Mapped[str] = mapped_column(Text)


class NoticeRow(Base):
    """Something that the organiser should look at; the same again is counted."""

    __tablename__ = "notices"
    __table_args__ = (UniqueConstraint("kind", "table_id", "about"),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    kind: Mapped[str] = mapped_column(String(20))
    table: Mapped[str] = mapped_column("table_id", String(100))
    about: Mapped[str] = mapped_column(String(400))
    times: Mapped[int] = mapped_column(Integer)
    at: Mapped[str] = mapped_column(TIME)


class DeviceRow(Base):
    """A browser that has signed in."""

    __tablename__ = "devices"

    token_sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    role: Mapped[str] = mapped_column(String(20))
    name: Mapped[str] = mapped_column(String(100))
    code: Mapped[str] = mapped_column(String(40))
    """The word it came in with; once that is made anew, it is out."""
