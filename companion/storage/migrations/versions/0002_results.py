"""Add `evenings.result`, so that the results of past game nights are shown without a replay."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column; missing results are computed when somebody opens the past game nights."""
    op.add_column("evenings", sa.Column("result", sa.JSON, nullable=True))


def downgrade() -> None:
    """Drop the column; the results can be computed again."""
    op.drop_column("evenings", "result")
