"""Brings a database to this version, step by step; one of a later version is left alone."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine

MIGRATIONS = Path(__file__).with_name("migrations")


class StoreUnusable(Exception):  # noqa: N818, the name says it
    """Why evenings can't be kept there; the message is one line for people."""


def migrate(engine: Engine) -> None:
    """Run the migrations that the database has not seen yet.

    Raises:
        StoreUnusable: if it is of a later version than this program.
    """
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    scripts = ScriptDirectory.from_config(config)
    with engine.begin() as connection:
        there = MigrationContext.configure(connection).get_current_revision()
        if there == scripts.get_current_head():
            return
        if there is not None and there not in {script.revision for script in scripts.walk_revisions()}:
            raise StoreUnusable(
                f"{engine.url.database} was written by a later version of Tilekeeper; "
                "install that, or name another folder with --data"
            )
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
