"""The tables of the hub's database, for SQLite and PostgreSQL; `migrations` creates and changes them."""

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

from tilekeeper.companion.tournament.scoring import parse_points

TIME: Final = String(40)
"""The column type of times: ISO 8601 in UTC, by the hub's clock."""


class Base(DeclarativeBase):
    """The base class of all tables."""

    type_annotation_map = {dict[str, Any]: JSON, list[Any]: JSON}  # noqa: RUF012, SQLAlchemy needs a plain dict


class NewsRow(Base):
    """The number of the last change, in one row; each transaction that a page may show updates it last."""

    __tablename__ = "news"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    revision: Mapped[int] = mapped_column(BigInteger)
    night: Mapped[int] = mapped_column(BigInteger)
    """The revision of the last change apart from the tables' status, which changes many times a second."""


class HallRow(Base):
    """The club night with its settings, codes and secrets, in one row."""

    __tablename__ = "hall"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    name: Mapped[str] = mapped_column(String(80))
    plan: Mapped[int] = mapped_column(Integer)
    """The number of changes to players, rounds and settings; a button on a page with an older number is refused."""
    settings: Mapped[dict[str, Any]]
    """A `HallSettings` as JSON."""
    codes: Mapped[dict[str, Any]]
    """The sign-in code of each role."""
    seen_in_plain: Mapped[bool] = mapped_column(Boolean)
    """Whether the codes may have crossed the network unencrypted."""
    seed: Mapped[int] = mapped_column(BigInteger)
    """The random seed of pairings and lots; it never changes, so that lots stay the same."""
    redraws: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    """How often a pairing was withdrawn; it changes the next pairing."""
    secret: Mapped[str] = mapped_column(String(64))
    """The secret from which the keys in the tables' QR codes are computed."""


class PlayerRow(Base):
    """A player of the event; whoever leaves after the first round stays in the table, for the standings."""

    __tablename__ = "players"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    name: Mapped[str] = mapped_column(String(100))
    key: Mapped[str] = mapped_column(String(200), unique=True)
    """The name in the form for comparison; names that look alike have the same key."""
    gone: Mapped[bool] = mapped_column(Boolean)
    """Whether the player has left and is no longer paired."""
    club: Mapped[str] = mapped_column(String(60), default="", server_default="")
    """The player's club, or another group whose members are kept apart in the first rounds."""
    category: Mapped[str] = mapped_column(String(60), default="", server_default="")
    """A group with standings of its own, such as juniors."""
    more_s: Mapped[int] = mapped_column(Integer, default=0, server_default="0")
    """The seconds that the player's clock has more than the others', such as for children."""


class ApartRow(Base):
    """Two players who must never sit at one table."""

    __tablename__ = "apart"

    one: Mapped[int] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), primary_key=True)
    other: Mapped[int] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), primary_key=True)
    """The player with the larger id."""


class AbsenceRow(Base):
    """A bye that a player has asked for in advance, for one round."""

    __tablename__ = "absences"

    player: Mapped[int] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"), primary_key=True)
    round: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(String(20))
    """The value of a `ByeKind`."""


class PenaltyRow(Base):
    """Points that an arbiter deducts from a player's score, or a warning."""

    __tablename__ = "penalties"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    player: Mapped[int] = mapped_column(ForeignKey("players.id", ondelete="CASCADE"))
    round: Mapped[int] = mapped_column(Integer)
    points: Mapped[int] = mapped_column(Integer)
    """The points; 0 for a warning."""


class HandOrderRow(Base):
    """An arbiter's order of players who share a place, because all earlier tie-breaks are equal."""

    __tablename__ = "hand_orders"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    players: Mapped[list[Any]]
    """The players' ids, best first."""


class JournalRow(Base):
    """A decision of the organiser or an arbiter that everybody may read; rows are only added."""

    __tablename__ = "journal"

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    at: Mapped[str] = mapped_column(TIME)
    by: Mapped[str] = mapped_column("said_by", String(100))
    words: Mapped[str] = mapped_column(Text)
    """The decision as a sentence in the stored form of `text.kept`, which each reader gets in their language."""
    why: Mapped[str] = mapped_column(String(300))


class RoundRow(Base):
    """A round of the hall."""

    __tablename__ = "rounds"

    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    state: Mapped[str] = mapped_column(String(20))
    """`seated`, `running`, `paused` or `over`."""
    byes: Mapped[list[Any]]
    """The byes: for each the id of the `player`, and the `kind`, a value of `ByeKind`."""
    made_at: Mapped[str] = mapped_column(TIME)
    basis: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    """The inputs of the pairing, a `rounds.PairingBasis`, to draw it again; None for rounds of earlier versions."""
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
    """The players' ids, clockwise."""
    command: Mapped[str] = mapped_column(String(64), index=True)
    """The id of the command that seats the players; the table's log of this round begins with this command."""
    log: Mapped[str | None] = mapped_column(String(64), nullable=True, index=True)
    games: Mapped[list[Any] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    """The results of the round's games, each a `fold.GameOutcome` as JSON; None until the last game is over."""
    entered_by: Mapped[str] = mapped_column(String(100))
    """The person who entered the points by hand; empty if they come from the table's log."""

    @property
    def points(self) -> list[str] | None:
        """The sum of each seat's points over all games, as text (`15/2` if winners share); None until all are over."""
        if self.games is None:
            return None
        points = [game["points"] for game in self.games]
        return [str(sum(map(parse_points, seat), Fraction(0))) for seat in zip(*points, strict=True)]

    @property
    def won(self) -> list[int] | None:
        """The winners' seats: of a single game, or those with most points in several games; None until all are over."""
        if self.games is None or len(self.games) == 1:
            return None if self.games is None else list(self.games[0]["won"])
        totals = [parse_points(points) for points in self.points or ()]
        return [seat for seat, total in enumerate(totals) if total == max(totals)]


class TableRow(Base):
    """A table, with its connection and the status that it last sent."""

    __tablename__ = "tables"

    id: Mapped[str] = mapped_column(String(40), primary_key=True)
    here: Mapped[bool] = mapped_column(Boolean)
    join: Mapped[str] = mapped_column("join_address", String(300))
    """The address at which tablets join the table's app; empty if they can't."""
    state: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True), nullable=True)
    heard_at: Mapped[str] = mapped_column(TIME)
    skew_s: Mapped[float] = mapped_column(Float)
    """Seconds by which the table's clock was ahead of the hub's at the table's last message."""


class LogRow(Base):
    """How much of a table's log this hub has stored and replayed."""

    __tablename__ = "logs"

    table: Mapped[str] = mapped_column("table_id", String(40), primary_key=True)
    log: Mapped[str] = mapped_column(String(64), primary_key=True)
    taken: Mapped[int] = mapped_column(Integer)
    """The number of the last stored entry; all entries from 1 to this number are stored."""
    known: Mapped[int] = mapped_column(Integer)
    """The number of the last entry that the table is known to have; the hub requests entries that it lacks."""
    due: Mapped[int] = mapped_column(Integer)
    """The number of the last entry that may end a round or names a command; the log must be replayed up to it."""
    folded: Mapped[int] = mapped_column(Integer)
    """The number of replayed entries; if it is below `due`, the log is replayed."""
    digest: Mapped[str] = mapped_column(String(32), default="", server_default="")
    """The log's running digest after the last stored entry; empty if the table has sent none."""
    parted: Mapped[bool] = mapped_column(Boolean, default=False, server_default=false())
    """Whether the table now has different entries under this name; then no more entries are stored."""
    command: Mapped[str] = mapped_column(String(64), default="", server_default="")
    """The id of the command that began the log. Two logs may have the same id if a table was restored from a copy."""


class EntryRow(Base):
    """One entry of a table's log; rows are only added."""

    __tablename__ = "entries"

    table: Mapped[str] = mapped_column("table_id", String(40), primary_key=True)
    log: Mapped[str] = mapped_column(String(64), primary_key=True)
    seq: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(String(40))
    data: Mapped[dict[str, Any]]
    at: Mapped[str] = mapped_column(TIME)
    """When the entry was made, by the table's clock."""
    by: Mapped[str] = mapped_column("said_by", String(300))
    reason: Mapped[str] = mapped_column(String(300))
    digest: Mapped[str] = mapped_column(String(32), default="", server_default="")
    """The running digest of the log after this entry."""


class DisputeRow(Base):
    """A raised hand, and the arbiter's decision about it."""

    __tablename__ = "disputes"

    id: Mapped[str] = mapped_column(String(64), primary_key=True)
    table: Mapped[str] = mapped_column("table_id", String(40))
    log: Mapped[str] = mapped_column(String(64))
    seq: Mapped[int] = mapped_column(Integer)
    raised_by: Mapped[str] = mapped_column(String(300))
    raised_at: Mapped[str] = mapped_column(TIME)
    verdict: Mapped[str] = mapped_column(Text)
    reasons: Mapped[list[Any]]
    edition: Mapped[str] = mapped_column(String(40), default="", server_default="")
    """The edition in play; empty if no turn was judged."""
    rules: Mapped[list[Any]] = mapped_column(JSON, default=list, server_default="[]")
    """The broken rules with their values in play, each `part.field=value`."""
    faults: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict, server_default="{}")
    """The violations with the tables before and after the turn; empty if no turn was judged."""
    before: Mapped[bytes | None] = mapped_column("before_jpeg", LargeBinary, nullable=True, deferred=True)
    """The table at the start of the turn. Both pictures are loaded only on access: each has some 100 kilobytes."""
    after: Mapped[bytes | None] = mapped_column("after_jpeg", LargeBinary, nullable=True, deferred=True)
    decision: Mapped[str] = mapped_column(String(20))
    """The value of a `table_rulings.Measure`; empty while the dispute is open."""
    seconds: Mapped[float | None] = mapped_column(Float, nullable=True)
    decided_by: Mapped[str] = mapped_column(String(100))
    why: Mapped[str] = mapped_column(String(300))
    command: Mapped[str] = mapped_column(String(64))


class CommandRow(Base):
    """A command to a table; the hub sends it again until the table has answered."""

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
    """When the command was last sent, in seconds since 1970 by the hub's clock."""
    answered_at: Mapped[str | None] = mapped_column(TIME, nullable=True)
    done: Mapped[bool] = mapped_column(Boolean)
    refusal: Mapped[str] = mapped_column(Text)


class NoticeRow(Base):
    """A notice for the organiser; repeated notices are counted in one row."""

    __tablename__ = "notices"
    __table_args__ = (UniqueConstraint("kind", "table_id", "about"),)

    id: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=True)
    kind: Mapped[str] = mapped_column(String(20))
    table: Mapped[str] = mapped_column("table_id", String(100))
    about: Mapped[str] = mapped_column(String(400))
    times: Mapped[int] = mapped_column(Integer)
    at: Mapped[str] = mapped_column(TIME)


class DeviceRow(Base):
    """A browser in which an organiser or arbiter has signed in."""

    __tablename__ = "devices"

    token_sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    role: Mapped[str] = mapped_column(String(20))
    name: Mapped[str] = mapped_column(String(100))
    code: Mapped[str] = mapped_column(String(40))
    """The code that was entered; a renewed code signs the browser out."""
