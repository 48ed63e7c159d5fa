"""The tables of a club night."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables of the first version."""
    op.create_table(
        "commands",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("table_id", sa.String(length=40), nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("made_at", sa.String(length=40), nullable=False),
        sa.Column("sent_at", sa.Float(), nullable=True),
        sa.Column("answered_at", sa.String(length=40), nullable=True),
        sa.Column("done", sa.Boolean(), nullable=False),
        sa.Column("refusal", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("commands_open", "commands", ["answered_at", "sent_at"], unique=False)
    op.create_index("ix_commands_place", "commands", ["place"], unique=False)
    op.create_table(
        "devices",
        sa.Column("token_sha256", sa.String(length=64), nullable=False),
        sa.Column("role", sa.String(length=20), nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("code", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("token_sha256"),
    )
    op.create_table(
        "disputes",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("table_id", sa.String(length=40), nullable=False),
        sa.Column("log", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("raised_by", sa.String(length=300), nullable=False),
        sa.Column("raised_at", sa.String(length=40), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.Column("before_jpeg", sa.LargeBinary(), nullable=True),
        sa.Column("after_jpeg", sa.LargeBinary(), nullable=True),
        sa.Column("decision", sa.String(length=20), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("decided_by", sa.String(length=100), nullable=False),
        sa.Column("why", sa.String(length=300), nullable=False),
        sa.Column("command", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "entries",
        sa.Column("table_id", sa.String(length=40), nullable=False),
        sa.Column("log", sa.String(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.Column("said_by", sa.String(length=300), nullable=False),
        sa.Column("reason", sa.String(length=300), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "log", "seq"),
    )
    op.create_table(
        "hall",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(length=80), nullable=False),
        sa.Column("plan", sa.Integer(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("codes", sa.JSON(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "logs",
        sa.Column("table_id", sa.String(length=40), nullable=False),
        sa.Column("log", sa.String(length=64), nullable=False),
        sa.Column("taken", sa.Integer(), nullable=False),
        sa.Column("known", sa.Integer(), nullable=False),
        sa.Column("due", sa.Integer(), nullable=False),
        sa.Column("folded", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("table_id", "log"),
    )
    op.create_table(
        "news",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "notices",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=20), nullable=False),
        sa.Column("table_id", sa.String(length=100), nullable=False),
        sa.Column("about", sa.String(length=400), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.Column("at", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("kind", "table_id", "about"),
    )
    op.create_table(
        "players",
        sa.Column("id", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("name", sa.String(length=100), nullable=False),
        sa.Column("key", sa.String(length=200), nullable=False),
        sa.Column("gone", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("key"),
    )
    op.create_table(
        "rounds",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("state", sa.String(length=20), nullable=False),
        sa.Column("byes", sa.JSON(), nullable=False),
        sa.Column("made_at", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_table(
        "tables",
        sa.Column("id", sa.String(length=40), nullable=False),
        sa.Column("here", sa.Boolean(), nullable=False),
        sa.Column("join_address", sa.String(length=300), nullable=False),
        sa.Column("state", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("heard_at", sa.String(length=40), nullable=False),
        sa.Column("skew_s", sa.Float(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "seatings",
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("table_id", sa.String(length=40), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("players", sa.JSON(), nullable=False),
        sa.Column("command", sa.String(length=64), nullable=False),
        sa.Column("log", sa.String(length=64), nullable=True),
        sa.Column("points", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("won", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("entered_by", sa.String(length=100), nullable=False),
        sa.ForeignKeyConstraint(["round"], ["rounds.number"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("round", "table_id"),
    )
    op.create_index("ix_seatings_command", "seatings", ["command"], unique=False)
    op.create_index("ix_seatings_log", "seatings", ["log"], unique=False)


def downgrade() -> None:
    """Drop all tables."""
    op.drop_index("ix_seatings_log", table_name="seatings")
    op.drop_index("ix_seatings_command", table_name="seatings")
    op.drop_table("seatings")
    op.drop_table("tables")
    op.drop_table("rounds")
    op.drop_table("players")
    op.drop_table("notices")
    op.drop_table("news")
    op.drop_table("logs")
    op.drop_table("hall")
    op.drop_table("entries")
    op.drop_table("disputes")
    op.drop_table("devices")
    op.drop_index("ix_commands_place", table_name="commands")
    op.drop_index("commands_open", table_name="commands")
    op.drop_table("commands")
