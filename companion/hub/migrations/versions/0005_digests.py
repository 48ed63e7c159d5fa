"""Add running digests of logs, and the command that began each log."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the columns; entries of earlier versions keep an empty digest, which is not compared."""
    op.add_column("entries", sa.Column("digest", sa.String(32), nullable=False, server_default=""))
    op.add_column("logs", sa.Column("digest", sa.String(32), nullable=False, server_default=""))
    op.add_column("logs", sa.Column("parted", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("logs", sa.Column("command", sa.String(64), nullable=False, server_default=""))
