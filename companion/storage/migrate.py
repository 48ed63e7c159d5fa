"""Brings a database to this version, step by step; one of a later version is left alone."""

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from tilekeeper.companion.storage.folder import StoreUnusable

MIGRATIONS = Path(__file__).with_name("migrations")
HEAD = "0001"
"""The newest step; a database that has seen it needs nothing, and Alembic is not even loaded then."""


def migrate(engine: Engine) -> None:
    """Run the migrations that the database has not seen yet.

    Raises:
        StoreUnusable: if it is of a later version than this program.
    """
    with engine.begin() as connection:
        there = _version(connection)
        if there == HEAD:
            return
        from alembic import command
        from alembic.config import Config
        from alembic.script import ScriptDirectory

        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.set_main_option("path_separator", "os")
        known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
        if there is not None and there not in known:
            raise StoreUnusable(
                f"{engine.url.database} was written by a later version of Tilekeeper; "
                "install that, or name another folder with --data"
            )
        config.attributes["connection"] = connection
        command.upgrade(config, HEAD)


def _version(connection: Connection) -> str | None:
    """The last migration that a database has seen; none for a new one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
