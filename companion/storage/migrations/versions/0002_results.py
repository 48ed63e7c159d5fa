"""The result of an evening beside it, so that past evenings are told without being replayed."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column; what is empty is filled once somebody looks at past evenings."""
    op.add_column("evenings", sa.Column("result", sa.JSON, nullable=True))


def downgrade() -> None:
    """Drop the results; they can be worked out again."""
    op.drop_column("evenings", "result")
