"""The database is copied after each round, and old copies are deleted."""

import pytest

from tests.support.game_night_client import EveningClient
from tilekeeper.companion.capture.no_source import NoSource
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
