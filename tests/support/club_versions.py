"""Databases of a hub in the schema of earlier versions."""

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from tilekeeper.companion.hub.database import MIGRATIONS


def upgrade_to(url: str, version: str) -> None:
    """Migrate a database to an earlier version."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.set_main_option("path_separator", "os")
    engine = create_engine(url)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, version)
    engine.dispose()
