"""Create the tables for game nights, their records, and preferences."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the tables of the first version."""
    op.create_table(
        "evenings",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("begun_at", sa.String(32), nullable=False),
        sa.Column("changed_at", sa.String(32), nullable=False),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.Column("over", sa.Boolean, nullable=False),
        sa.Column("people", sa.JSON, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("live", sa.JSON, nullable=False),
    )
    op.create_table(
        "records",
        sa.Column("evening", sa.String(32), sa.ForeignKey("evenings.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True),
        sa.Column("event", sa.Text, nullable=False),
        sa.Column("note", sa.JSON, nullable=False),
    )
    op.create_table(
        "preferences",
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("value", sa.JSON, nullable=False),
    )


def downgrade() -> None:
    """Drop all tables."""
    op.drop_table("preferences")
    op.drop_table("records")
    op.drop_table("evenings")
