"""Add `news.night`: the revision of the last change apart from changes of the tables' status."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column, 0 in existing databases."""
    op.add_column("news", sa.Column("night", sa.BigInteger(), nullable=False, server_default="0"))
    with op.batch_alter_table("news") as news:
        news.alter_column("night", server_default=None)
