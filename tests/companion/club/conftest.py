"""A hub's database in each test, SQLite and a real PostgreSQL, and tables that say what tables say."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from tests.support.postgres import Postgres, needs_postgres
from tilekeeper.companion.club.database import Database

BACKENDS = ["sqlite", pytest.param("postgresql", marks=[needs_postgres(), pytest.mark.slow])]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server for all tests."""
    server = Postgres().start()
    yield server
    server.stop()


@pytest.fixture(params=BACKENDS)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/club.sqlite3"
    server: Postgres = request.getfixturevalue("postgres")
    name = f"club{abs(hash(tmp_path))}"
    engine = create_engine(server.url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return server.url.replace("/postgres", f"/{name}")


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """A database that is ready."""
    opened = Database(database_url)
    yield opened
    opened.close()
