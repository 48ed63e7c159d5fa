"""Add `hall.seen_in_plain`: whether the sign-in codes may have crossed the network unencrypted."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column, true in existing databases, since earlier versions did not record it."""
    op.add_column("hall", sa.Column("seen_in_plain", sa.Boolean(), nullable=False, server_default=sa.true()))
    with op.batch_alter_table("hall") as hall:
        hall.alter_column("seen_in_plain", server_default=None)
