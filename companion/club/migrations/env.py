"""Alembic runs this to get at the database; the connection is handed in by `tilekeeper.companion.club.database`."""

from alembic import context

from tilekeeper.companion.club.schema import Base

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Base.metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
