"""A secret of the night, from which the words in the tables' codes come."""

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add it, and make one for a night that has none."""
    op.add_column("hall", sa.Column("secret", sa.String(64), nullable=False, server_default=""))
    op.execute(sa.text("UPDATE hall SET secret = :made").bindparams(made=secrets.token_hex(32)))
    with op.batch_alter_table("hall") as hall:
        hall.alter_column("secret", server_default=None)
