"""The result of a game night as a column, so that past game nights are shown without a replay."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column; empty results are computed when somebody opens the past game nights."""
    op.add_column("evenings", sa.Column("result", sa.JSON, nullable=True))


def downgrade() -> None:
    """Drop the results; they can be worked out again."""
    op.drop_column("evenings", "result")
