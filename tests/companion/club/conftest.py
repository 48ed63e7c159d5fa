"""A hub’s database in each test, SQLite and a real PostgreSQL, a hub on it, and its app."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import create_engine, text

from tests.support.club_hall import hall
from tests.support.postgres import Postgres, needs_postgres
from tilekeeper.companion.club.app import create_app
from tilekeeper.companion.club.database import Database
from tilekeeper.companion.club.hub import Hub

BACKENDS = ["sqlite", pytest.param("postgresql", marks=[needs_postgres(), pytest.mark.slow])]


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A server for all tests."""
    server = Postgres().start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def templates() -> dict[tuple[str, str], str]:
    """Databases that are copied for each test, by backend and by what they hold; filled as they are needed."""
    return {}


@pytest.fixture(scope="module")
def holds() -> str:
    """What a test's database holds: a `new` night, or the `hall` of `club_hall`, which takes half a second to make."""
    return "new"


@pytest.fixture(params=BACKENDS)
def backend(request: pytest.FixtureRequest) -> str:
    """Where the database lies."""
    return request.param


@pytest.fixture
def empty_database_url(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A database in which nothing is."""
    if backend == "sqlite":
        return f"sqlite:///{tmp_path}/empty.sqlite3"
    return _created(request.getfixturevalue("postgres"), f"club{abs(hash(tmp_path))}")


@pytest.fixture
def database_url(
    backend: str,
    holds: str,
    templates: dict[tuple[str, str], str],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> str:
    """A database that is ready."""
    template = templates.get((backend, holds))
    if backend == "sqlite":
        if template is None:
            template = templates[backend, holds] = str(tmp_path_factory.mktemp("template") / "club.sqlite3")
            _fill(f"sqlite:///{template}", holds)
        shutil.copy(template, tmp_path / "club.sqlite3")
        return f"sqlite:///{tmp_path}/club.sqlite3"
    server: Postgres = request.getfixturevalue("postgres")
    if template is None:
        template = templates[backend, holds] = f"template_{holds}"
        _fill(_created(server, template), holds)
    return _created(server, f"club{abs(hash(tmp_path))}", template)


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """The same, opened."""
    opened = Database(database_url)
    yield opened
    opened.close()


@pytest.fixture
def hub(database: Database) -> Hub:
    """A hub of that night."""
    return Hub(database)


@pytest.fixture
def app(hub: Hub) -> Flask:
    """Its app."""
    return create_app(hub)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A browser at the machine at which the hub runs."""
    return app.test_client()


def _fill(url: str, holds: str) -> None:
    database = Database(url)
    if holds == "hall":
        hall(database)
    database.close()


def _created(server: Postgres, name: str, template: str = "template1") -> str:
    engine = create_engine(server.url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
    engine.dispose()
    return server.url.replace("/postgres", f"/{name}")
