"""Add formats, kinds of byes, several games a round, pairs kept apart, penalties, hand orders and the journal."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add tables and columns, and convert settings, byes and results."""
    op.add_column("players", sa.Column("club", sa.String(60), nullable=False, server_default=""))
    op.add_column("players", sa.Column("category", sa.String(60), nullable=False, server_default=""))
    op.add_column("rounds", sa.Column("basis", sa.JSON(), nullable=True))
    op.add_column("rounds", sa.Column("corrected_by", sa.String(100), nullable=False, server_default=""))
    op.add_column("seatings", sa.Column("games", sa.JSON(none_as_null=True), nullable=True))
    _make_tables()
    _convert_settings()
    _convert_byes()
    _convert_results()
    with op.batch_alter_table("seatings") as seatings:
        seatings.drop_column("points")
        seatings.drop_column("won")


def _make_tables() -> None:
    op.create_table(
        "apart",
        sa.Column("one", sa.Integer(), sa.ForeignKey("players.id", ondelete="CASCADE"), nullable=False),
        sa.Column("other", sa.Integer(), sa.ForeignKey("players.id", ondelete="CASCADE"), nullable=False),
        sa.PrimaryKeyConstraint("one", "other"),
    )
    op.create_table(
        "absences",
        sa.Column("player", sa.Integer(), sa.ForeignKey("players.id", ondelete="CASCADE"), nullable=False),
        sa.Column("round", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.PrimaryKeyConstraint("player", "round"),
    )
    op.create_table(
        "penalties",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("player", sa.Integer(), sa.ForeignKey("players.id", ondelete="CASCADE"), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "hand_orders",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("players", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "journal",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("said_by", sa.String(100), nullable=False),
        sa.Column("words", sa.Text(), nullable=False),
        sa.Column("why", sa.String(300), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )


def _convert_settings() -> None:
    """Move the settings `rounds` and `pairing` into `format`; without criteria the edition still decides."""
    hall = sa.table("hall", sa.column("id", sa.Integer()), sa.column("settings", sa.JSON()))
    connection = op.get_bind()
    for id_, settings in connection.execute(sa.select(hall.c.id, hall.c.settings)).all():
        kept: dict[str, Any] = dict(settings)
        kept["format"] = {name: kept.pop(name) for name in ("rounds", "pairing") if name in kept}
        connection.execute(sa.update(hall).where(hall.c.id == id_).values(settings=kept))


def _convert_byes() -> None:
    """Give each bye the kind `zero`, since a bye of earlier versions counted nothing."""
    rounds = sa.table("rounds", sa.column("number", sa.Integer()), sa.column("byes", sa.JSON()))
    connection = op.get_bind()
    for number, byes in connection.execute(sa.select(rounds.c.number, rounds.c.byes)).all():
        kinds = [{"player": player, "kind": "zero"} for player in byes]
        connection.execute(sa.update(rounds).where(rounds.c.number == number).values(byes=kinds))


def _convert_results() -> None:
    """Make each table's result its only game, without `unopened`, which earlier versions did not store."""
    columns = [sa.column("points", sa.JSON()), sa.column("won", sa.JSON()), sa.column("games", sa.JSON())]
    seatings = sa.table("seatings", sa.column("round", sa.Integer()), sa.column("table_id", sa.String()), *columns)
    connection = op.get_bind()
    query = sa.select(seatings.c.round, seatings.c.table_id, seatings.c.points, seatings.c.won)
    for round_, table, points, won in connection.execute(query).all():
        if points is not None:
            games = [{"points": points, "won": won or []}]
            of_table = seatings.c.round == round_, seatings.c.table_id == table
            connection.execute(sa.update(seatings).where(*of_table).values(games=games))
