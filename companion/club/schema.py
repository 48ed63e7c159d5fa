"""The tables of a hub's database, for SQLite and PostgreSQL; `migrations` makes and changes them."""

from __future__ import annotations

from fractions import Fraction
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
    false,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

TIME: Final = String(40)
"""ISO 8601 in UTC, by the hub's clock."""


class Base(DeclarativeBase):
    """All tables."""

    type_annotation_map = {dict[str, Any]: JSON, list[Any]: JSON}  # noqa: RUF012, SQLAlchemy asks for a plain one


class NewsRow(Base):
    """The number of the last change; a transaction with visible changes updates it last."""

    __tablename__ = "news"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    revision: Mapped[int] = mapped_column(BigInteger)
    night: Mapped[int] = mapped_column(BigInteger)
    """The revision of the last change of anything but the status of tables, which changes many times a second."""


class HallRow(Base):
    """The club night; one row."""

    __tablename__ = "hall"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    name: Mapped[str] = mapped_column(String(80))
    plan: Mapped[int] = mapped_column(Integer)
    """The number of changes by organisers; a button on an older page is refused."""
    settings: Mapped[dict[str, Any]]
    """As `HallSettings`."""
    codes: Mapped[dict[str, Any]]
    """The code for each role, to sign in with."""
    seen_in_plain: Mapped[bool] = mapped_column(Boolean)
    """Whether the codes may have crossed the network unencrypted."""
    seed: Mapped[int] = mapped_column(BigInteger)
    """The random seed of pairings."""
    secret: Mapped[str] = mapped_column(String(64))
    """The secret from which the keys in tables' QR codes are made."""


class PlayerRow(Base):
    """A player."""

    __tablename__ = "players"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    name: Mapped[str] = mapped_column(String(100))
    key: Mapped[str] = mapped_column(String(200), unique=True)
    """The name as it is compared; names that look alike have the same key."""
    gone: Mapped[bool] = mapped_column(Boolean)
    """Whether the player has left and is no longer paired."""
    club: Mapped[str] = mapped_column(String(60), default="", server_default="")
    """The player's club, or another group whose members are kept apart in the first rounds."""
    category: Mapped[str] = mapped_column(String(60), default="", server_default="")
    """A group with standings of its own, such as juniors."""


class ApartRow(Base):
    """Two players who must never sit at one table."""

    __tablename__ = "apart"

    one: Mapped[int] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), primary_key=True)
    other: Mapped[int] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), primary_key=True)
    """The one with the larger id."""


class AbsenceRow(Base):
    """A round for which a player has asked for a bye."""

    __tablename__ = "absences"

    player: Mapped[int] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), primary_key=True)
    round: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(String(20))
    """As `ByeKind`."""


class PenaltyRow(Base):
    """Points that an arbiter deducts from a player's score."""

    __tablename__ = "penalties"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    player: Mapped[int] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"))
    round: Mapped[int] = mapped_column(Integer)
    points: Mapped[int] = mapped_column(Integer)


class HandOrderRow(Base):
    """An arbiter's order of players who are equal in all tie-breaks before it."""

    __tablename__ = "hand_orders"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    players: Mapped[list[Any]]
    """Their ids, best first."""


class JournalRow(Base):
    """A decision that everybody may read; rows are only added."""

    __tablename__ = "journal"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    at: Mapped[str] = mapped_column(TIME)
    by: Mapped[str] = mapped_column("said_by", String(100))
    words: Mapped[str] = mapped_column(Text)
    """A sentence in the form of `text.kept`."""
    why: Mapped[str] = mapped_column(String(300))


class RoundRow(Base):
    """A round of the hall."""

    __tablename__ = "rounds"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    state: Mapped[str] = mapped_column(String(20))
    """`seated`, `running`, `paused` or `over`."""
    byes: Mapped[list[Any]]
    """Each with the id of a `player` and a `kind` as `ByeKind`."""
    made_at: Mapped[str] = mapped_column(TIME)
    basis: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    """As `rounds.PairingBasis`, from which the same pairing can be drawn again; None for rounds of earlier versions."""
    corrected_by: Mapped[str] = mapped_column(String(100), default="", server_default="")
    """The person who changed the pairing by hand; empty if nobody did."""


class SeatingRow(Base):
    """The players of a table in a round, and their result."""

    __tablename__ = "seatings"

    round: Mapped[int] = mapped_column(ForeignKey("rounds.number", ondelete="CASCADE"), primary_key=True)
    table: Mapped[str] = mapped_column("table_id", String(40), primary_key=True)
    place: Mapped[int] = mapped_column(Integer)
    """The order of the tables in the pairing, from 1."""
    players: Mapped[list[Any]]
    """Their ids, clockwise."""
    command: Mapped[str] = mapped_column(String(64), index=True)
    """The command that seats them; the table's log of this round begins with it."""
    log: Mapped[str | None] = mapped_column(String(64), nullable=True, index=True)
    games: Mapped[list[Any] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    """The games of the round, each as `fold.GameOutcome`; None before all are over."""
    entered_by: Mapped[str] = mapped_column(String(100))
    """The person who entered the points by hand; empty if they come from the table's log."""

    @property
    def points(self) -> list[str] | None:
        """The points of each seat in all games, as text (`15/2` if winners share); None before the games are over."""
        if self.games is None:
            return None
        points = [game["points"] for game in self.games]
        return [str(sum(map(Fraction, seat), Fraction(0))) for seat in zip(*points, strict=True)]

    @property
    def won(self) -> list[int] | None:
        """The seats that have won: the game, or the most points in several games; None before the games are over."""
        if self.games is None or len(self.games) == 1:
            return None if self.games is None else list(self.games[0]["won"])
        totals = [Fraction(points) for points in self.points or ()]
        return [seat for seat, total in enumerate(totals) if total == max(totals)]


class TableRow(Base):
    """A table with its own status."""

    __tablename__ = "tables"

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    here: Mapped[bool] = mapped_column(Boolean)
    join: Mapped[str] = mapped_column("join_address", String(300))
    """The address at which tablets join its app; empty if they can't."""
    state: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    heard_at: Mapped[str] = mapped_column(TIME)
    skew_s: Mapped[float] = mapped_column(Float)
    """Seconds by which its clock was ahead of the hub's at its last message."""


class LogRow(Base):
    """The state of a table's log at this hub."""

    __tablename__ = "logs"

    table: Mapped[str] = mapped_column("table_id", String(40), primary_key=True)
    log: Mapped[str] = mapped_column(String(64), primary_key=True)
    taken: Mapped[int] = mapped_column(Integer)
    """Entries 1 to this are stored."""
    known: Mapped[int] = mapped_column(Integer)
    """The last entry that is known to be at the table; missing ones are requested."""
    due: Mapped[int] = mapped_column(Integer)
    """The last entry after which the log must be folded."""
    folded: Mapped[int] = mapped_column(Integer)
    """The number of folded entries; a log with fewer than `due` is to be folded."""
    digest: Mapped[str] = mapped_column(String(32), default="", server_default="")
    """The running digest after the last stored entry; empty if the table has sent none."""
    parted: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """Whether the table has other entries under this name now; no more are taken."""
    command: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """The command that began it; two logs may have the same one after a table was restored from a copy."""


class EntryRow(Base):
    """One entry of a log; rows are only added."""

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
    digest: Mapped[str] = mapped_column(String(32), default="", server_default="")
    """The running digest of the log after this entry."""


class DisputeRow(Base):
    """A raised hand and its decision."""

    __tablename__ = "disputes"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    table: Mapped[str] = mapped_column("table_id", String(40))
    log: Mapped[str] = mapped_column(String(64))
    seq: Mapped[int] = mapped_column(Integer)
    raised_by: Mapped[str] = mapped_column(String(300))
    raised_at: Mapped[str] = mapped_column(TIME)
    verdict: Mapped[str] = mapped_column(Text)
    reasons: Mapped[list[Any]]
    before: Mapped[bytes | None] = mapped_column("before_jpeg", LargeBinary, nullable=True, deferred=True)
    """Read only where it is shown, since each picture has some hundred kilobytes; so is `after`."""
    after: Mapped[bytes | None] = mapped_column("after_jpeg", LargeBinary, nullable=True, deferred=True)
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
    """The order in which commands were given."""
    table: Mapped[str] = mapped_column("table_id", String(40))
    kind: Mapped[str] = mapped_column(String(20))
    payload: Mapped[dict[str, Any]]
    made_at: Mapped[str] = mapped_column(TIME)
    sent_at: Mapped[float | None] = mapped_column(Float, nullable=True)
    """When it was last sent, in seconds of the hub's clock."""
    answered_at: Mapped[str | None] = mapped_column(TIME, nullable=True)
    done: Mapped[bool] = mapped_column(Boolean)
    refusal: Mapped[str] = mapped_column(Text)


class NoticeRow(Base):
    """A notice for the organiser; repeated ones are counted."""

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
    """The code it signed in with; a new code signs it out."""
