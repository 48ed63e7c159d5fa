"""Migrations create the current schema, and a database of a later version is left unchanged."""

import pytest
from sqlalchemy import create_engine, inspect, text

from tilekeeper.companion.storage.folder import StoreUnusable
from tilekeeper.companion.storage.migrate import HEAD, MIGRATIONS, migrate
from tilekeeper.companion.storage.schema import Base
from tilekeeper.companion.storage.store import Store

pytestmark = pytest.mark.slow  # real files, and threads


def test_database_of_a_later_version_is_unchanged(tmp_path):
    store = Store(tmp_path)
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    store.close()
    with pytest.raises(StoreUnusable, match="a newer Tilekeeper wrote"):
        Store(tmp_path)


def test_new_database_has_the_schema_of_the_migrations(tmp_path):
    made, migrated = (create_engine(f"sqlite:///{tmp_path}/{name}") for name in ("made", "migrated"))
    with migrated.begin() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num VARCHAR(32))"))  # no migration has run yet
    for engine in (made, migrated):
        migrate(engine)
    one, other = inspect(made), inspect(migrated)
    assert set(one.get_table_names()) == set(other.get_table_names()) == {"alembic_version", *Base.metadata.tables}
    for table in Base.metadata.tables:
        assert _columns(one, table) == _columns(other, table)
        assert one.get_pk_constraint(table) == other.get_pk_constraint(table)
        assert one.get_foreign_keys(table) == other.get_foreign_keys(table)
        assert one.get_indexes(table) == other.get_indexes(table)
    for engine in (made, migrated):
        with engine.connect() as connection:
            assert connection.execute(text("SELECT version_num FROM alembic_version")).all() == [(HEAD,)]
        engine.dispose()


def _columns(inspector, table):
    return {column["name"]: column | {"type": str(column["type"])} for column in inspector.get_columns(table)}


def test_newest_migration_is_the_required_one():
    steps = sorted(path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*.py"))
    assert steps[-1] == HEAD
