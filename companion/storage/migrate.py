"""Brings a database to this version, step by step; one of a later version is left alone."""

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from tilekeeper.companion.storage.folder import StoreUnusable
from tilekeeper.companion.storage.schema import Base
from tilekeeper.engine.language import lazy_gettext

MIGRATIONS = Path(__file__).with_name("migrations")
HEAD = "0002"
"""The newest step. Of a database that has seen it nothing is to be changed, and a new one is made so at once: Alembic,
which takes 12 MB and a while to load, is for those of earlier versions."""


def migrate(engine: Engine) -> None:
    """Make the tables of a new database, or run the migrations that an older one has not seen yet.

    Should the machine go down meanwhile, then none of it was done.

    Raises:
        StoreUnusable: if it is of a later version than this program.
    """
    with engine.connect() as connection:
        with connection.begin():
            if not inspect(connection).get_table_names():
                _make(connection)
            if _version(connection) == HEAD:
                return
        # Only between transactions: a table that is made anew under its old name takes its rows' children with it else.
        foreign_keys = connection.connection.cursor()
        foreign_keys.execute("PRAGMA foreign_keys=OFF")
        try:
            with connection.begin():
                _upgrade(connection)
        finally:
            foreign_keys.execute("PRAGMA foreign_keys=ON")
            foreign_keys.close()


def _make(connection: Connection) -> None:
    """Make all tables, and note what Alembic notes of a database that has seen every step."""
    Base.metadata.create_all(connection)
    connection.execute(
        text(
            "CREATE TABLE alembic_version "
            "(version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"
        )
    )
    connection.execute(text("INSERT INTO alembic_version VALUES (:head)"), {"head": HEAD})


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    there = _version(connection)
    if there is not None and there not in known:
        raise StoreUnusable(
            lazy_gettext(
                "a newer Tilekeeper wrote {database}; install it, or name another folder with --data",
                database=connection.engine.url.database,
            )
        )
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)


def _version(connection: Connection) -> str | None:
    """The last migration that a database has seen; none for a new one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
