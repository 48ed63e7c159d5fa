"""Databases of every released schema can be opened with all their data."""

import shutil
from pathlib import Path

import pytest

from tests.support.game_night_client import EveningClient
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.storage.folder import FILE_NAME
from tilekeeper.companion.storage.migrate import HEAD
from tilekeeper.companion.web.api.extensions import parts

RELEASED = Path(__file__).parent / "released"
ENTRIES = {"0001": (11, 8), "0002": (7, 9)}
"""How many entries the game nights of each file have, the newest first."""


def test_each_released_schema_has_a_sample_file():
    assert {path.stem for path in RELEASED.iterdir()} == set(ENTRIES)
    assert HEAD in ENTRIES


@pytest.mark.parametrize("version", sorted(ENTRIES))
def test_database_of_a_released_schema_opens_with_all_data(make_app, tmp_path, version):
    shutil.copy(RELEASED / f"{version}.sqlite3", tmp_path / FILE_NAME)
    page = EveningClient(app := make_app(NoSource(), watch=False))
    evenings = page.get("/api/evenings/results")["evenings"]
    assert [evening["trouble"] for evening in evenings] == ["", ""]
    for evening, entries in zip(evenings, ENTRIES[version], strict=True):
        opened = page.post("/api/evenings/open", id=evening["id"])["evening"]
        assert [player["name"] for player in opened["players"]] == ["Ada", "Bo", "Cleo"]
        assert len(parts(app).game_nights.database.lines(evening["id"])) == entries
        page.act("draw")
    assert page.state["storage"] == {"trouble": "", "notices": []}
