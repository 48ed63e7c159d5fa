"""The database on disk: restarts, full disks, damaged files and rows, and crash safety."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from tests.support.game_night_client import EveningClient
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.doorkeeper.codes import CODE_ALPHABET
from tilekeeper.companion.game_night.record import Note, Record
from tilekeeper.companion.session.access import CODE_LENGTH
from tilekeeper.companion.storage.folder import FILE_NAME
from tilekeeper.companion.storage.schema import NO_MOMENT
from tilekeeper.companion.storage.store import SavedGameNight, Store
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.engine.game.events import TileDrawn

pytestmark = pytest.mark.slow  # real files, and threads

GROUP = "K10 B10 O10"


def restarted(make_app, app) -> EveningClient:
    """A client of a new app on the same folder."""
    parts(app).close()
    return EveningClient(make_app(NoSource()))


def test_game_night_survives_a_restart_with_its_clock_stopped(make_app):
    app = make_app(NoSource())
    page = EveningClient(app)
    page.deal("Ada", "Bo & Cleo", settings={"timer": "strict"})
    page.act("resume")
    page.act("done", table=GROUP)
    before = page.evening
    reopened = restarted(make_app, app)
    after = reopened.evening
    assert after["clock"]["running"] is False
    beside: dict[str, Any] = {"clock": 0, "may": 0, "judged": 0, "laid": 0}  # the verdict is not stored
    assert after | beside == before | beside
    reopened.act("draw")
    reopened.act("undo", steps=2)
    assert reopened.evening["table_text"] == ""


def test_result_that_is_still_shown_survives_a_restart(make_app):
    """It is shown until somebody continues to the next round."""
    app = make_app(NoSource())
    page = EveningClient(app)
    page.deal()
    page.act("rack-count", player=0, tiles=0)
    assert page.act("rack", player=1, tiles="R5")["result"] is True
    page = restarted(make_app, app)
    assert page.evening["result"] is True
    assert "next-round" in page.evening["may"]
    assert page.act("next-round")["result"] is False
    assert page.act_refused("next-round")["code"] == "not-now"
    assert restarted(make_app, page.http.application).evening["result"] is False


@pytest.mark.parametrize("failing", [False, True])
def test_illegal_layout_and_its_verdict_survive_a_restart(make_app, failing):
    app = make_app(NoSource())
    page = EveningClient(app)
    page.deal()
    page.act("done", table="R1 R2")
    if failing:
        page.act("stand")
    reopened = restarted(make_app, app)
    state = reopened.state
    assert state["evening"]["wrong"]
    assert state["verdict"]["kind"] == "illegal"
    assert (state["evening"]["failing"] is not None) is failing
    reopened.act("restored") if failing else reopened.act("done", table="R10 R11 R12")
    assert reopened.evening["player"] == 1


def test_game_night_that_was_left_is_not_continued_automatically(make_app):
    app = make_app(NoSource())
    page = EveningClient(app)
    page.deal()
    page.post("/api/evenings/leave")
    assert restarted(make_app, app).state["evening"] is None


def test_full_disk_is_reported_and_the_game_night_goes_on(make_app, monkeypatch):
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    full = OperationalError("INSERT", {}, Exception("database or disk is full"))
    database = parts(app).game_nights.database

    def refuse(*_: object) -> None:
        raise full

    with monkeypatch.context() as patch:
        patch.setattr(database, "save", refuse)
        assert page.act("draw")["player"] == 1
        assert "database or disk is full" in page.state["storage"]["trouble"]
        evening = page.get("/api/evenings/results")["evenings"][0]["id"]
        assert len(database.lines(evening)) == 3
    page.act("draw")
    assert page.state["storage"]["trouble"] == ""
    assert len(database.lines(evening)) == 5


def test_database_that_was_opened_read_only_is_opened_again(make_app):
    """SQLite opens read-only if the system once refuses to open the file for writing."""
    page = EveningClient(make_app(NoSource()))
    page.deal()
    with parts(page.http.application).game_nights.database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA query_only=ON")
    page.act("draw")
    assert "readonly" in page.state["storage"]["trouble"]
    page.act("draw")
    assert page.state["storage"]["trouble"] == ""


@pytest.mark.parametrize("junk", [b"", b"no database, and long enough to be looked at" * 40])
def test_file_that_is_no_database_is_set_aside_and_reported(tmp_path, junk):
    (tmp_path / FILE_NAME).write_bytes(junk)
    store = Store(tmp_path)
    (notice,) = store.notices
    assert "damaged" in notice
    (aside,) = (tmp_path / "set-aside").iterdir()
    assert str(aside) in notice
    assert (aside / FILE_NAME).read_bytes() == junk
    store.close()


@pytest.mark.parametrize(
    "damage",
    [
        "DROP TABLE preferences",
        "UPDATE evenings SET revision = 'x'",
        "UPDATE evenings SET revision = 9223372036854775807",
        "UPDATE records SET place = 'x' WHERE place = 3",
        "CREATE VIEW without_end AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "CREATE TRIGGER refuse BEFORE UPDATE ON evenings BEGIN SELECT RAISE(ABORT, 'no'); END",
    ],
)
def test_damaged_database_is_set_aside_and_its_readable_part_restored(make_app, tmp_path, damage):
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    page.act("draw")
    with parts(app).game_nights.database.engine.begin() as connection:
        connection.execute(text(damage))
    page = restarted(make_app, app)
    (notice,) = page.state["storage"]["notices"]
    assert "1 of 1 evenings were rescued" in notice
    assert len(list((tmp_path / "set-aside").iterdir())) == 1
    (kept,) = page.get("/api/evenings/results")["evenings"]
    assert page.post("/api/evenings/open", id=kept["id"])["evening"]["phase"] == "turns"


def test_acknowledged_action_is_synced_to_the_disk(tmp_path):
    store = Store(tmp_path)
    with store.engine.connect() as connection:
        values = [connection.exec_driver_sql(f"PRAGMA {what}").scalar() for what in ("journal_mode", "synchronous")]
    assert values == ["wal", 2]  # FULL: a commit waits for the disk
    store.close()


def test_game_night_changed_by_another_app_is_not_overwritten(make_app):
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    with parts(app).game_nights.database.engine.begin() as connection:
        connection.execute(text("UPDATE evenings SET revision = revision + 13"))
    refused = page.act_refused("draw")
    assert "Another Tilekeeper has changed this evening" in refused["error"]


def test_second_record_at_the_same_place_is_refused(tmp_path):
    """The database itself refuses a second record at the same place, and the whole action is rolled back."""
    store = Store(tmp_path)
    at = "2026-11-21T19:00:00Z"
    kept = SavedGameNight("a", at, at, 1, False, (("Ada",),), {}, {})
    store.add(kept, [Record(TileDrawn(), Note(1, ""))])
    with pytest.raises(Exception, match="UNIQUE constraint"):
        store.save(SavedGameNight("a", at, at, 2, False, (("Ada",),), {}, {}), 1, 0, [Record(TileDrawn(), Note(2, ""))])
    assert store.game_night("a") == kept
    assert len(store.lines("a")) == 1
    store.close()


def test_damaged_game_night_opens_up_to_the_damage(make_app):
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    page.post("/api/evenings/leave")
    with parts(app).game_nights.database.engine.begin() as connection:
        connection.execute(text('UPDATE records SET event = \'{"event": "teleported"}\' WHERE place = 2'))
    (kept,) = page.get("/api/evenings/results")["evenings"]
    state = page.post("/api/evenings/open", id=kept["id"])
    assert state["evening"]["phase"] == "deal"
    (notice,) = state["storage"]["notices"]
    assert "teleported" in notice
    assert page.act("deal")["phase"] == "turns"


@pytest.mark.parametrize("column", ["live", "settings", "people"])
def test_row_with_invalid_json_damages_only_its_own_game_night(make_app, column):
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal("Ada", "Bo")
    page.deal("Cleo", "Dan")
    page.post("/api/evenings/leave")
    spoilt, sound = (one["id"] for one in page.get("/api/evenings/results")["evenings"])
    with parts(app).game_nights.database.engine.begin() as connection:
        connection.execute(text(f"UPDATE evenings SET {column} = '{{' WHERE id = :id"), {"id": spoilt})
    assert len(page.get("/api/evenings/results")["evenings"]) == 2
    for evening, names in ((spoilt, ["Cleo", "Dan"]), (sound, ["Ada", "Bo"])):
        opened = page.post("/api/evenings/open", id=evening)["evening"]
        assert [player["name"] for player in opened["players"]] == names
        page.act("draw")


@pytest.mark.parametrize(
    "junk",
    ["{", "null", "5", '"x"', "[" * 5000, '{"code": 5, "devices": []}', '{"code": "ab?", "devices": []}', "[[1, 2]]"],
)
def test_damaged_preferences_are_ignored(make_app, junk):
    app = make_app(NoSource(), watch=False)
    names = ("access", "private-pages", "open", "play-area No camera", "camera No camera")
    with parts(app).game_nights.database.engine.begin() as connection:
        for name in names:
            statement = text("INSERT OR REPLACE INTO preferences (name, value) VALUES (:name, :junk)")
            connection.execute(statement, {"name": name, "junk": junk})
    page = restarted(make_app, app)
    code = page.get("/api/access")["code"]
    assert (len(code), set(code) <= set(CODE_ALPHABET)) == (CODE_LENGTH, True)
    assert page.state["storage"] == {"trouble": "", "notices": []}
    page.deal()
    assert page.post("/api/private-page/show", player=0)["phones"] == 0


def spoil(app, *statements: str) -> None:
    """Execute statements in the database of an app."""
    with parts(app).game_nights.database.engine.begin() as connection:
        connection.exec_driver_sql("PRAGMA defer_foreign_keys=ON")
        for statement in statements:
            connection.execute(text(statement))


def test_game_night_with_a_path_as_id_is_left_out_and_writes_no_file(make_app, tmp_path):
    """Files are named by ids, so an unreadable entry would be written wherever the id points to."""
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    page.deal("Cleo", "Dan")
    (mine, other) = (one["id"] for one in page.get("/api/evenings/results")["evenings"])
    elsewhere = "../../../led-astray"
    spoil(
        app,
        f"UPDATE records SET evening = '{elsewhere}' WHERE evening = '{mine}'",
        f"UPDATE evenings SET id = '{elsewhere}' WHERE id = '{mine}'",
        f"UPDATE records SET event = 'no event' WHERE evening = '{elsewhere}' AND place = 2",
    )
    (tmp_path / "set-aside").mkdir()
    page = restarted(make_app, app)
    assert [one["id"] for one in page.get("/api/evenings/results")["evenings"]] == [other]
    assert page.refused("/api/evenings/open", id=elsewhere)["code"] == "not-found"
    assert not list(tmp_path.parent.rglob("led-astray*"))


def test_entry_with_a_huge_index_is_treated_as_a_gap(make_app):
    """Otherwise the search for the missing entries would never end, after the port was bound."""
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    page.act("draw")
    far = "UPDATE records SET place = 4611686018427387904 WHERE place = 3"
    spoil(app, far, "INSERT INTO records SELECT evening, -7, event, note FROM records WHERE place = 2")
    page = restarted(make_app, app)
    (kept,) = page.get("/api/evenings/results")["evenings"]
    assert page.evening["phase"] == "turns"
    assert len(parts(page.http.application).game_nights.database.lines(kept["id"])) == 3
    assert "The last 2 entries of this evening can't be read" in page.state["storage"]["notices"][0]


@pytest.mark.parametrize("found", ["2026", "2026-11-21\r\nX", "../../../../x", "", "2026-11-21T19:00:00+14:00"])
def test_invalid_time_is_replaced(make_app, found):
    """Headers and backups are named by the time."""
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    with parts(app).game_nights.database.engine.begin() as connection:
        connection.execute(text("UPDATE evenings SET begun_at = :found"), {"found": found})
    (saved,) = parts(app).game_nights.database.game_nights()
    assert saved.begun_at == saved.changed_at != found
    with parts(app).game_nights.database.engine.begin() as connection:
        connection.execute(text("UPDATE evenings SET changed_at = :found"), {"found": found})
    assert parts(app).game_nights.database.game_nights()[0].begun_at == NO_MOMENT


@pytest.mark.parametrize("seconds", ["1.7e308", "-5", "1e999", "null"])
def test_clock_with_an_impossible_value_restarts(make_app, tmp_path, seconds):
    EveningClient(app := make_app(NoSource(), watch=False)).deal()
    parts(app).close()
    clock = f'{{"player": 0, "limit_s": 1.7e308, "used_s": 0, "extra_s": {seconds}, "banks_s": []}}'
    live = f'{{"clock": {clock}, "failing": null, "start_picture": null}}'
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
        connection.execute("UPDATE evenings SET live = ?", (live,))
    page = EveningClient(make_app(NoSource()))
    assert page.evening["clock"]["limit_s"] == 60
    assert "The clock's time can't be read" in page.state["storage"]["notices"][0]


def test_missing_database_beside_its_wal_is_reported_and_restored_from_a_backup(make_app, tmp_path):
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    page.act("rack-count", player=0, tiles=0)
    page.act("rack", player=1, tiles="K1 K2", sure=True)
    wal_bytes = (tmp_path / f"{FILE_NAME}-wal").read_bytes()
    parts(app).close()
    (tmp_path / FILE_NAME).unlink()
    (tmp_path / f"{FILE_NAME}-wal").write_bytes(wal_bytes)
    page = EveningClient(make_app(NoSource(), watch=False))
    assert "the file itself is missing). 1 of 1 evenings were rescued" in page.state["storage"]["notices"][0]
    (aside,) = (tmp_path / "set-aside").iterdir()
    assert (aside / f"{FILE_NAME}-wal").read_bytes() == wal_bytes


def test_writes_of_several_threads_succeed(tmp_path: Path) -> None:
    """A write waits for that of another thread, and is not refused."""
    store = Store(tmp_path)

    def remember(name: str) -> None:
        for number in range(150):
            store.remember(name, number)

    with ThreadPoolExecutor(4) as threads:
        for done in [threads.submit(remember, name) for name in "abcd"]:
            done.result()
    assert [store.recall(name, TypeAdapter(int)) for name in "abcd"] == [149] * 4
    store.close()
