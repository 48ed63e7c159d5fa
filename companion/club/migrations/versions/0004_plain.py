"""A column: whether the codes of a night may have crossed the network unencrypted."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column; nobody knows it of codes of earlier versions, so they count as seen."""
    op.add_column("hall", sa.Column("seen_in_plain", sa.Boolean(), nullable=False, server_default=sa.true()))
    with op.batch_alter_table("hall") as hall:
        hall.alter_column("seen_in_plain", server_default=None)
