"""Archives that somebody prepared: nothing in them runs, leads outside, or lets anybody in."""

import random
import shutil
import sqlite3
import time
import zipfile
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.cookies import cookie_name
from tests.support.game_night_client import EveningClient
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.cli import main
from tilekeeper.companion.doorkeeper.cookies import CSRF_COOKIE
from tilekeeper.companion.game_night.settings import GameNightSettings
from tilekeeper.companion.storage import foreign
from tilekeeper.companion.storage.backups import copy_database
from tilekeeper.companion.storage.folder import FILE_NAME
from tilekeeper.companion.storage.foreign import ForeignUnusable, foreign_evenings
from tilekeeper.companion.storage.integrity import find_damage
from tilekeeper.companion.storage.store import Store
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.access import COOKIE
from tilekeeper.engine.game.game import Game

RELEASED = Path(__file__).parent / "released"


@pytest.fixture
def database(tmp_path) -> Path:
    """A database with two game nights, of the first version, which an attacker may change."""
    path = tmp_path / "foreign.sqlite3"
    shutil.copy(RELEASED / "0001.sqlite3", path)
    return path


def change(database: Path, *statements: str) -> None:
    """Execute statements in a database."""
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA writable_schema=ON")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def packed(database: Path) -> Path:
    """Return an archive with a database."""
    path = database.with_name("foreign.zip")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(database, FILE_NAME)
    return path


def ids(folder: Path) -> set[str]:
    """Return the ids of the game nights in a data folder."""
    store = Store(folder)
    try:
        return {saved.id for saved in store.game_nights()}
    finally:
        store.close()


def test_archive_of_an_earlier_version_is_read_with_all_game_nights_in_order(database, tmp_path):
    (tmp_path / "opened").mkdir()
    shutil.copy(database, tmp_path / "opened" / FILE_NAME)
    opened, restored = Store(tmp_path / "opened"), tmp_path / "data"
    assert main(["restore", str(packed(database)), "--data", str(restored)]) == 0
    store = Store(restored)
    assert [saved.id for saved in store.game_nights()] == [saved.id for saved in opened.game_nights()]
    for saved in opened.game_nights():
        assert store.lines(saved.id) == opened.lines(saved.id)
        restored_settings = GameNightSettings.from_json(store.game_night(saved.id).settings)
        assert restored_settings == GameNightSettings.from_json(saved.settings)
    store.close()
    opened.close()


def test_trigger_of_an_archive_is_refused_in_every_version(database, tmp_path, capsys):
    change(database, "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM evenings; END")
    assert main(["restore", str(packed(database)), "--data", str(tmp_path / "data")]) == 1
    assert "it contains t, which Tilekeeper did not make" in capsys.readouterr().err
    assert find_damage(database) == "it contains t, which Tilekeeper did not make"
    assert not (tmp_path / "data" / FILE_NAME).exists()


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("CREATE VIEW records AS SELECT * FROM r", "view"),
        ("CREATE VIRTUAL TABLE records USING fts5(evening, place, event, note)", "virtual table"),
        ("CREATE TABLE records(evening, place, event, note AS (zeroblob(100000000)))", "generated column"),
    ],
)
def test_table_that_computes_its_rows_is_refused(database, sql, name):
    change(database, "ALTER TABLE records RENAME TO r", sql)
    with pytest.raises(ForeignUnusable), foreign_evenings(database) as read:
        list(read.evenings)


def test_game_night_with_a_path_as_id_is_left_out_and_writes_no_file(database, tmp_path, capsys):
    (first, second) = sorted(ids_in(database))
    change(
        database,
        f"UPDATE records SET evening = '../../../x' WHERE evening = '{first}'",
        f"UPDATE evenings SET id = '../../../x' WHERE id = '{first}'",
        "UPDATE records SET event = 'no event' WHERE evening = '../../../x' AND place = 2",
    )
    assert main(["restore", str(packed(database)), "--data", str(tmp_path / "data")]) == 0
    assert "can't be read in full: 1 of 2." in capsys.readouterr().out
    assert ids(tmp_path / "data") == {second}
    assert not list(tmp_path.parent.rglob("x.txt"))


def ids_in(database: Path) -> list[str]:
    with closing(sqlite3.connect(database)) as connection:
        return [row[0] for row in connection.execute("SELECT id FROM evenings")]


def test_costly_check_of_an_archive_never_runs(database, tmp_path):
    """`PRAGMA integrity_check` evaluates the checks of every row."""
    change(
        database,
        "DROP TABLE preferences",
        # It takes about 8 seconds a row.
        "CREATE TABLE preferences (name, value, CHECK(instr(hex(zeroblob(500000)), hex(zeroblob(250000)) || '1') = 0))",
        "PRAGMA ignore_check_constraints=ON",
        "INSERT INTO preferences VALUES ('a', 'b')",
    )
    before = time.monotonic()
    assert main(["restore", str(packed(database)), "--data", str(tmp_path / "data")]) == 0
    assert time.monotonic() - before < 5
    store = Store(tmp_path / "data")
    assert len(store.game_nights()) == 2
    store.close()


@pytest.mark.parametrize("column", ["live", "settings", "people"])
def test_huge_value_is_refused(database, column):
    change(database, f"UPDATE evenings SET {column} = '[' || hex(zeroblob(30000000)) || ']'")
    with pytest.raises(ForeignUnusable, match="too big"), foreign_evenings(database) as read:
        list(read.evenings)


@pytest.mark.parametrize(
    ("limit", "most", "reason"),
    [
        ("MOST_EVENINGS", 1, "more than 1 game nights"),
        ("MOST_RECORDS", 3, "longer than any game"),
        ("MOST_EVENING_BYTES", 500, "longer than any game"),
        ("MOST_RECORD_BYTES", 20, "longer than any game"),
        ("MOST_DATABASE_BYTES", 1000, "larger than"),
    ],
)
def test_each_limit_is_held(database, monkeypatch, limit, most, reason):
    monkeypatch.setattr(foreign, limit, most)
    with pytest.raises(ForeignUnusable, match=reason), foreign_evenings(database) as read:
        list(read.evenings)


def test_query_that_takes_too_long_is_ended(database):
    """Without an index every search for the records of a game night reads the whole table."""
    change(
        database,
        "ALTER TABLE records RENAME TO r",
        "CREATE TABLE records(evening, place, event, note)",
        "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
        "INSERT INTO records SELECT 'e' || (i % 9000), i, 'x', 'x' FROM n",
    )
    seconds = iter(range(100_000))  # a clock that is quick, so that the test is
    with pytest.raises(ForeignUnusable, match="too long"), foreign_evenings(database, lambda: next(seconds)) as read:
        list(read.evenings)


def test_game_night_that_takes_too_long_to_replay_is_refused_in_its_middle(database, monkeypatch):
    """Each of its turns may take a second to judge."""
    seconds, record, replayed = 0, Game.record, []

    def slow_record(game, entry):
        nonlocal seconds
        seconds += 1
        replayed.append(entry)
        return record(game, entry)

    monkeypatch.setattr(Game, "record", slow_record)
    with pytest.raises(ForeignUnusable, match="too long"), foreign_evenings(database, lambda: seconds) as read:
        list(read.evenings)
    assert len(replayed) <= foreign.LEAST_SECONDS + 2


def test_access_data_stays_on_its_machine(make_app, tmp_path):
    """The author of an archive knows the code and the tokens in it."""
    author = EveningClient(author_app := make_app(NoSource(), watch=False, data_folder=tmp_path / "author"))
    author.deal()
    code = author.get("/api/access")["code"]
    tablet = EveningClient(author_app, REMOTE_ADDR="192.168.1.30")
    tablet.post("/api/join", code=code, name="Mine")
    author.post("/api/private-page/show", player=0)
    file, folder = tmp_path / "copy.zip", tmp_path / "victim"
    assert main(["backup", str(file), "--data", str(tmp_path / "author")]) == 0
    assert file.stat().st_mode & 0o777 == 0o600
    with zipfile.ZipFile(file) as archive:
        data = archive.read(FILE_NAME)
    assert code.encode() not in data
    assert b"token_sha256" not in data
    # An archive of an earlier version, or a prepared one, has them.
    copy_database(tmp_path / "author" / FILE_NAME, tmp_path / "foreign.sqlite3")
    assert b"token_sha256" in (tmp_path / "foreign.sqlite3").read_bytes()
    victim = make_app(NoSource(), watch=False, data_folder=folder)
    own_code = EveningClient(victim).get("/api/access")["code"]
    area = EveningClient(victim).post("/api/play-area", corners=[[0, 0], [0.5, 0], [0.5, 0.5], [0, 0.5]])["play_area"]
    parts(victim).close()
    assert main(["restore", str(packed(tmp_path / "foreign.sqlite3")), "--data", str(folder)]) == 0
    restored = EveningClient(app := make_app(NoSource(), data_folder=folder))
    assert restored.evening["phase"] == "turns"
    assert restored.get("/api/access")["code"] == own_code != code
    assert restored.get("/api/access")["devices"] == []
    assert restored.get("/api/sources")["play_area"] == area
    intruder = EveningClient(app, REMOTE_ADDR="192.168.1.30")
    for cookie in (cookie_name(COOKIE), cookie_name(CSRF_COOKIE)):
        intruder.http.set_cookie(cookie, tablet.http.get_cookie(cookie).value)
    assert intruder.http.get("/api/state").status_code == 401


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(60))
def test_changed_bytes_never_crash_the_reader(database, seed):
    rng = random.Random(seed)
    data = bytearray(database.read_bytes())
    for _ in range(rng.choice((1, 5, 50))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    database.write_bytes(data)
    try:
        with foreign_evenings(database) as read:
            list(read.evenings)
    except ForeignUnusable:
        pass
