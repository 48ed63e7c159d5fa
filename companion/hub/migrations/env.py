"""The script that Alembic runs; `tilekeeper.companion.hub.database` passes it the connection."""

from alembic import context

from tilekeeper.companion.hub.schema import Base

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Base.metadata, render_as_batch=True
)
with context.begin_transaction():
    context.run_migrations()
