"""Add `hall.secret`, from which the keys in the tables' QR codes are computed."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the column, with a random secret in existing databases."""
    op.add_column("hall", sa.Column("secret", sa.String(64), nullable=False, server_default=""))
    op.execute(sa.text("UPDATE hall SET secret = :made").bindparams(made=secrets.token_hex(32)))
    with op.batch_alter_table("hall") as hall:
        hall.alter_column("secret", server_default=None)
