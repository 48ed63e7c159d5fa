"""Migrations make what the program knows, and what a later version has written is left alone."""

import pytest
from sqlalchemy import inspect, text

from tilekeeper.companion.storage.folder import StoreUnusable
from tilekeeper.companion.storage.migrate import HEAD, MIGRATIONS
from tilekeeper.companion.storage.schema import Base
from tilekeeper.companion.storage.store import Store

pytestmark = pytest.mark.slow  # real files, and threads


def test_a_database_of_a_later_version_is_left_alone(tmp_path):
    store = Store(tmp_path)
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    store.close()
    with pytest.raises(StoreUnusable, match="written by a later version"):
        Store(tmp_path)


def test_the_migrations_make_the_tables_that_the_program_knows(tmp_path):
    store = Store(tmp_path)
    there = inspect(store.engine)
    for table in Base.metadata.tables.values():
        columns = {column["name"]: column for column in there.get_columns(table.name)}
        assert {column.name: column.nullable for column in table.columns} == {
            name: column["nullable"] for name, column in columns.items()
        }
    store.close()


def test_the_newest_migration_is_the_one_that_is_asked_for():
    steps = sorted(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    assert steps[-1] == HEAD
