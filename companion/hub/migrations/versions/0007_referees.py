"""Add the edition and the broken rules of raised hands, the count of withdrawn pairings, and players' time."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the columns; raised hands of earlier versions have no rules."""
    op.add_column("players", sa.Column("more_s", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("hall", sa.Column("redraws", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("disputes", sa.Column("edition", sa.String(40), nullable=False, server_default=""))
    op.add_column("disputes", sa.Column("faults", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("disputes", sa.Column("rules", sa.JSON(), nullable=False, server_default="[]"))
