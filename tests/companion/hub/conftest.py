"""Fixtures for the hub: its database in SQLite and in a real PostgreSQL, the hub, its app and a client."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import create_engine, text

from tests.support.club_hall import hall
from tests.support.postgres import Postgres, needs_postgres
from tilekeeper.companion.hub.app import create_app
from tilekeeper.companion.hub.database import Database
from tilekeeper.companion.hub.hub import Hub

# Tests of storage run with both; of the pages' tests with PostgreSQL, only `make check-long` runs the others.
STORAGE_TESTS = ("test_database", "test_fold", "test_hub", "test_intake", "test_players")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """One PostgreSQL server for all tests."""
    server = Postgres().start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def templates() -> dict[tuple[str, str], str]:
    """Template databases, by backend and content, created when first needed and copied for each test."""
    return {}


@pytest.fixture(scope="module")
def holds(request: pytest.FixtureRequest) -> str:
    """The content of the test's database: a `new` night, or what the test file names as its `HOLDS`.

    `hall` is the night of `club_hall` in its second round, which takes half a second to make.
    """
    return getattr(request.module, "HOLDS", "new")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that needs a `backend`, and names none, with `sqlite` and with `postgresql`."""
    named = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "backend" in metafunc.fixturenames and "backend" not in named:
        is_of_storage = metafunc.module.__name__.rpartition(".")[2] in STORAGE_TESTS
        marks = [needs_postgres(), pytest.mark.slow, *([] if is_of_storage else [pytest.mark.long])]
        metafunc.parametrize("backend", ["sqlite", pytest.param("postgresql", marks=marks)])


@pytest.fixture
def empty_database_url(backend: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """The address of an empty database."""
    if backend == "sqlite":
        return f"sqlite:///{tmp_path}/empty.sqlite3"
    return _created(request.getfixturevalue("postgres"), f"empty{abs(hash(tmp_path))}")


@pytest.fixture
def database_url(
    backend: str,
    holds: str,
    templates: dict[tuple[str, str], str],
    tmp_path: Path,
    tmp_path_factory: pytest.TempPathFactory,
    request: pytest.FixtureRequest,
) -> str:
    """The address of a migrated database with the content of `holds`."""
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
    """The database, opened."""
    opened = Database(database_url)
    yield opened
    opened.close()


@pytest.fixture
def hub(database: Database) -> Hub:
    """A hub on the database."""
    return Hub(database)


@pytest.fixture
def app(hub: Hub) -> Flask:
    """The hub's app."""
    return create_app(hub)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """A browser on the hub's own machine."""
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
