"""What is on the disk: evenings survive a restart, disks that are full or foreign are told of, nothing is half done."""

from pathlib import Path

import pytest
from sqlalchemy import inspect, text
from sqlalchemy.exc import OperationalError

from tests.support.game_night_client import EveningClient
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.game_night.record import Note, Record
from tilekeeper.companion.storage.migrate import HEAD, MIGRATIONS, StoreUnusable
from tilekeeper.companion.storage.pictures import Pictures
from tilekeeper.companion.storage.schema import Base
from tilekeeper.companion.storage.store import FILE_NAME, SavedGameNight, Store
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.engine.game.events import TileDrawn

GROUP = "K10 B10 O10"


def restarted(make_app, app) -> EveningClient:
    """The app that was started anew on the same folder."""
    parts(app).close()
    return EveningClient(make_app(NoSource()))


def test_an_evening_survives_a_restart_with_its_clock_standing(make_app):
    app = make_app(NoSource())
    page = EveningClient(app)
    page.deal("Ada", "Bo & Cleo", settings={"timer": "strict"})
    page.act("resume")
    page.act("done", table=GROUP)
    before = page.evening
    again = restarted(make_app, app)
    after = again.evening
    assert after["clock"]["running"] is False
    assert after | {"clock": 0, "may": 0} == before | {"clock": 0, "may": 0}
    again.act("draw")
    again.act("undo", steps=2)
    assert again.evening["table_text"] == ""


@pytest.mark.parametrize("failing", [False, True])
def test_a_wrong_layout_survives_a_restart_and_its_verdict_with_it(make_app, failing):
    app = make_app(NoSource())
    page = EveningClient(app)
    page.deal()
    page.act("done", table="R1 R2")
    if failing:
        page.act("stand")
    again = restarted(make_app, app)
    state = again.state
    assert state["evening"]["wrong"]
    assert state["verdict"]["kind"] == "illegal"
    assert (state["evening"]["failing"] is not None) is failing
    again.act("restored") if failing else again.act("draw")
    assert again.evening["player"] == 1


def test_an_evening_that_was_left_is_not_taken_up_by_itself(make_app):
    app = make_app(NoSource())
    page = EveningClient(app)
    page.deal()
    page.post("/api/evenings/leave")
    assert restarted(make_app, app).state["evening"] is None


def test_a_disk_that_is_full_changes_nothing_and_is_told(make_app, monkeypatch):
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    full = OperationalError("INSERT", {}, Exception("database or disk is full"))

    def refuse(*_: object) -> None:
        raise full

    with monkeypatch.context() as patch:
        patch.setattr(parts(app).game_nights.database, "save", refuse)
        said = page.act_refused("draw")
    assert (said["status"], said["code"]) == (507, "disk")
    assert said["error"].endswith("database or disk is full")
    assert page.act("draw")["player"] == 1


def test_a_database_of_a_later_version_is_left_alone(tmp_path):
    store = Store(tmp_path)
    with store.engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    store.close()
    with pytest.raises(StoreUnusable, match="written by a later version"):
        Store(tmp_path)


def test_a_file_that_is_no_database_is_told(tmp_path):
    (tmp_path / FILE_NAME).write_bytes(b"no database, and long enough to be looked at" * 40)
    with pytest.raises(StoreUnusable, match=r"evenings\.sqlite3 can't be used: file is not a database"):
        Store(tmp_path)


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreUnusable, match="can't be used to keep evenings in"):
        Store(tmp_path / "file" / "below")


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


def test_records_are_only_added(tmp_path):
    """A second record at the same place is refused by the database itself, and nothing of that action is kept."""
    store = Store(tmp_path)
    kept = SavedGameNight("a", "", "", 1, False, (("Ada",),), {}, {})
    store.add(kept, [Record(TileDrawn(), Note(1, ""))])
    with pytest.raises(Exception, match="UNIQUE constraint"):
        store.save(SavedGameNight("a", "", "", 2, False, (("Ada",),), {}, {}), 0, [Record(TileDrawn(), Note(2, ""))])
    assert store.game_night("a") == kept
    assert len(store.lines("a")) == 1
    store.close()


def test_an_evening_that_cannot_be_read_is_listed_with_its_trouble(make_app):
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    page.post("/api/evenings/leave")
    with parts(app).game_nights.database.engine.begin() as connection:
        connection.execute(text('UPDATE records SET event = \'{"event": "teleported"}\' WHERE place = 2'))
    (kept,) = page.get("/api/evenings")["evenings"]
    assert "teleported" in kept["trouble"]
    assert "another version" in page.refused("/api/evenings/open", id=kept["id"])["error"]


def test_pictures_are_found_by_their_name_and_nothing_else(tmp_path: Path):
    pictures = Pictures(tmp_path)
    pictures.keep("abc", "00001", b"jpeg")
    assert pictures.find("abc", "00001") == b"jpeg"
    (tmp_path / "secret.jpg").write_bytes(b"secret")
    for evening, name in (("abc", "00002"), ("..", "secret"), ("abc", "../../secret"), ("", "secret")):
        assert pictures.find(evening, name) is None
