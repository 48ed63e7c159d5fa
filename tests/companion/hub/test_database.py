"""The hub's database: migrations, simultaneous opening, notifications between processes, and refused addresses."""

import threading
import time
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, text

from tests.support.club_versions import upgrade_to
from tilekeeper.companion.hub.database import Database, DatabaseUnusable
from tilekeeper.companion.hub.rounds import read_tournament
from tilekeeper.companion.hub.schema import Base, HallRow

pytestmark = pytest.mark.slow  # a hub with its database for each


def test_migrations_create_the_schema_of_the_models(database: Database) -> None:
    """The migrated schema has the columns, keys and indexes of the models."""
    with database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


@pytest.mark.parametrize("backend", ["sqlite"])
def test_codes_in_the_file_are_for_its_owner_only(database: Database, database_url: str) -> None:
    """Whoever reads the organiser's code is the organiser."""
    path = Path(database_url.removeprefix("sqlite:///"))
    assert database.revision() > 0
    assert {file.stat().st_mode & 0o077 for file in path.parent.glob(f"{path.name}*")} == {0}


def test_night_of_an_earlier_version_keeps_its_settings_results_and_byes(empty_database_url: str) -> None:
    """Rounds and pairing become the format, a result becomes the only game, and a bye still counts nothing."""
    upgrade_to(empty_database_url, "0005")
    engine = create_engine(empty_database_url)
    settings = '{"name": "Cup", "edition": "finnish", "rounds": 7, "pairing": "swiss"}'
    quoted = '"table_id"' if engine.dialect.name == "postgresql" else "table_id"
    with engine.begin() as connection:
        for statement in (
            "INSERT INTO news (id, revision, night) VALUES (1, 1, 1)",
            "INSERT INTO hall (id, name, plan, settings, codes, seed, secret, seen_in_plain)"
            f" VALUES (1, 'Cup', 3, '{settings}', '{{}}', 5, 'x', false)",
            *(
                f"INSERT INTO players (id, name, key, gone) VALUES ({at}, '{name}', '{name}', false)"
                for at, name in enumerate("ABC", start=1)
            ),
            "INSERT INTO rounds (number, state, byes, made_at) VALUES (1, 'over', '[3]', 'now')",
            f"INSERT INTO seatings (round, {quoted}, place, players, command, points, won, entered_by)"
            """ VALUES (1, '1', 1, '[1, 2]', 'c', '["15/2", "-5"]', '[0]', 'Olga')""",
        ):
            connection.exec_driver_sql(statement)
    engine.dispose()
    database = Database(empty_database_url)
    with database.reading() as session:
        tournament = read_tournament(session)
    database.close()
    assert (tournament.settings.format.rounds, tournament.settings.format.pairing) == (7, "swiss")
    assert tournament.rounds[0].byes == [{"player": 3, "kind": "zero"}]
    assert (tournament.seatings[0].points, tournament.seatings[0].won) == (["15/2", "-5"], [0])
    assert [(line.player, str(line.score)) for line in tournament.standings] == [("1", "15/2"), ("3", "0"), ("2", "-5")]


def test_hubs_that_open_a_new_database_at_once_share_one_night(empty_database_url: str) -> None:
    """One hub creates the schema; all of them see the same night."""
    codes: list[object] = []
    troubles: list[Exception] = []

    def open_it() -> None:
        try:
            hub = Database(empty_database_url)
            with hub.reading() as session:
                codes.append(session.get_one(HallRow, 1).codes)
            hub.close()
        except Exception as error:  # noqa: BLE001, the assertion shows it
            troubles.append(error)

    threads = [threading.Thread(target=open_it) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert troubles == []
    assert codes == [codes[0]] * 5


def test_write_of_one_hub_wakes_another(database: Database, database_url: str) -> None:
    """A write of one hub wakes another that waits."""
    other = Database(database_url)
    revision = other.revision()
    heard: list[float] = []
    waiting = threading.Thread(target=lambda: heard.append(other.wait(revision, 10)))
    waiting.start()
    time.sleep(0.3)
    begun_s = time.monotonic()
    with database.writing():
        pass
    waiting.join()
    other.close()
    assert heard == [revision + 1]
    assert time.monotonic() - begun_s < 5


def test_failed_transaction_changes_nothing(database: Database) -> None:
    """A transaction that fails changes nothing and notifies nobody."""
    before = database.revision()

    def break_off() -> None:
        with database.writing() as session:
            session.get_one(HallRow, 1).name = "Other"
            raise ValueError("broken off")

    with pytest.raises(ValueError, match="broken"):
        break_off()
    assert database.revision() == before
    with database.reading() as session:
        assert session.get_one(HallRow, 1).name == ""


def test_database_of_a_later_version_is_refused_and_unchanged(database: Database, database_url: str) -> None:
    """Opening it is refused, and its tables stay as they are."""
    with database.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseUnusable, match="newer Tilekeeper"):
        Database(database_url)


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nothing", "is not a database"),
        ("oracle9://x", "is not a database"),
        ("sqlite:////nowhere/at/all/club.sqlite3", "can't be used"),
        ("postgresql+psycopg://club:secret@127.0.0.1:1/x", "can't be used"),
    ],
)
def test_database_that_can_not_be_opened_is_reported_without_its_password(url: str, words: str) -> None:
    """The message is one line without a password."""
    with pytest.raises(DatabaseUnusable, match=words) as refused:
        Database(url)
    assert "secret" not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_night_survives_a_restart_of_the_hub(tmp_path: Path) -> None:
    """A second process reads what the first one wrote."""
    url = f"sqlite:///{tmp_path}/club.sqlite3"
    for name in ("", "Cup"):
        hub = Database(url)
        with hub.writing() as session:
            hall = session.get_one(HallRow, 1)
            assert hall.name == name
            hall.name = "Cup"
        hub.close()


@pytest.mark.parametrize(
    "url",
    [
        *("postgres//club:secret@db/club", "mariadb+x://club:sec@secret@db/club", "club:secret@db"),
        *("postgres//db/club?password=secret", "host=db password=secret"),
        "postgresql+psycopg://club@127.0.0.1:1/x?password=secret",
    ],
)
def test_mistyped_address_is_reported_without_its_password(url: str) -> None:
    with pytest.raises(DatabaseUnusable) as error:
        Database(url)
    assert "secret" not in str(error.value)
