"""The database is copied after each round, and old copies are deleted."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from tests.support.game_night_client import EveningClient
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.storage.backups import copy_game_nights
from tilekeeper.companion.storage.folder import FILE_NAME
from tilekeeper.companion.storage.integrity import find_damage
from tilekeeper.companion.storage.store import Store
from tilekeeper.companion.web.api.extensions import parts

pytestmark = pytest.mark.slow  # real files, and threads


def test_database_is_copied_after_each_round_and_seven_copies_are_kept(tmp_path):
    store = Store(tmp_path)
    for day in range(1, 10):
        store.back_up(f"evening{day}", f"2026-11-{day:02}T19:00:00Z")
    store.back_up("evening9", "2026-11-09T19:00:00Z")
    names = [path.name for path in store.backups.newest_first()]
    assert len(names) == 7
    assert names[0] == "2026-11-09-190000-evening9.sqlite3"
    assert find_damage(store.backups.newest_first()[0]) == ""
    store.close()


def test_finished_round_is_in_the_copy(make_app):
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    page.act("rack-count", player=0, tiles=0)
    database = parts(app).game_nights.database
    assert not database.backups.newest_first()
    page.act("rack", player=1, tiles="K1 K2", sure=True)
    (copy,) = database.backups.newest_first()
    assert find_damage(copy) == ""


def test_copies_hold_no_access_data_and_only_the_user_reads_them(make_app):
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    codes = [page.get("/api/access")["code"], page.post("/api/access/renew")["code"]]
    page.act("rack-count", player=0, tiles=0)
    page.act("rack", player=1, tiles="K1 K2", sure=True)
    (copy,) = parts(app).game_nights.database.backups.newest_first()
    assert copy.stat().st_mode & 0o777 == 0o600
    assert not [code for code in codes if code.encode() in copy.read_bytes()]


def test_copy_holds_nothing_that_was_deleted_before(tmp_path):
    """SQLite leaves deleted rows in the file, unless it was built to overwrite them."""
    Store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
        connection.execute("PRAGMA secure_delete=OFF")
        connection.execute("INSERT INTO preferences VALUES ('access', ?)", (100 * "left behind",))
        connection.commit()
        connection.execute("DELETE FROM preferences")
        connection.commit()
    assert b"left behind" in (tmp_path / FILE_NAME).read_bytes()
    copy_game_nights(tmp_path / FILE_NAME, tmp_path / "copy.sqlite3")
    assert b"left behind" not in (tmp_path / "copy.sqlite3").read_bytes()


def test_access_data_of_an_old_copy_lets_nobody_in(make_app, tmp_path):
    """Copies of earlier versions have it; a code that was renewed must stay without effect."""
    page = EveningClient(app := make_app(NoSource(), watch=False))
    page.deal()
    page.post("/api/play-area", corners=[[0, 0], [0.5, 0], [0.5, 0.5], [0, 0.5]])
    code = page.get("/api/access")["code"]
    parts(app).close()
    (tmp_path / "backups").mkdir()
    shutil.copy(tmp_path / FILE_NAME, tmp_path / "backups" / "2026-11-09-190000-evening9.sqlite3")
    (tmp_path / FILE_NAME).write_bytes(b"damaged")
    page = EveningClient(make_app(NoSource(), watch=False))
    assert "was damaged" in page.state["storage"]["notices"][0]
    assert len(page.get("/api/evenings/results")["evenings"]) == 1
    assert page.get("/api/sources")["play_area"] is not None
    assert page.get("/api/access")["code"] != code
