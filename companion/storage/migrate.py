"""Migrates a database to the schema of this version; a database of a later version is refused."""

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from tilekeeper.companion.storage.folder import StoreUnusable
from tilekeeper.companion.storage.schema import Base
from tilekeeper.engine.language import lazy_gettext

MIGRATIONS = Path(__file__).with_name("migrations")
HEAD = "0002"
"""The newest migration. A new database gets its tables without Alembic, which takes 12 MB and time to load and is used
only for databases of earlier versions."""


def migrate(engine: Engine) -> None:
    """Create the tables of a new database, or run the missing migrations of an older one in one transaction.

    Raises:
        StoreUnusable: if the database is of a later version.
    """
    with engine.connect() as connection:
        with connection.begin():
            if not inspect(connection).get_table_names():
                _make_tables(connection)
            if _version(connection) == HEAD:
                return
        # This works only between transactions. Otherwise replacing a table would delete the rows that refer to it.
        foreign_keys = connection.connection.cursor()
        foreign_keys.execute("PRAGMA foreign_keys=OFF")
        try:
            with connection.begin():
                _upgrade(connection)
        finally:
            foreign_keys.execute("PRAGMA foreign_keys=ON")
            foreign_keys.close()


def _make_tables(connection: Connection) -> None:
    """Create all tables, and store the version as Alembic does."""
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
    known_versions = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    version = _version(connection)
    if version is not None and version not in known_versions:
        raise StoreUnusable(
            lazy_gettext(
                "a newer Tilekeeper wrote {database}; install it, or name another folder with --data",
                database=connection.engine.url.database,
            )
        )
    config.attributes["connection"] = connection
    command.upgrade(config, HEAD)


def _version(connection: Connection) -> str | None:
    """Return the last migration of a database; None for a new database."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
