"""The demo: a game night at the recorded table, of which nothing is stored."""

from tests.support.game_night_client import EveningClient
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.web.api.extensions import parts


def test_demo_plays_the_recorded_table_and_leaves_no_trace(make_app, tmp_path):
    client = EveningClient(app := make_app(NoSource(), watch=False, data_folder=tmp_path))
    client.post("/api/source", source="none")
    mine = client.deal("Cleo", "Dan")["id"]
    night = client.post("/api/evenings/demo")["evening"]
    assert (night["demo"], night["phase"], night["player"]) == (True, "turns", 0)
    assert night["table_text"].startswith("B1 B2 B3 B4 B5")
    assert [player["opened"] for player in night["players"]] == [True, False]
    # All tiles of the box are accounted for.
    tiles = sum(map(len, night["table"])) + night["pool"] + sum(player["rack"] for player in night["players"])
    assert tiles == night["edition"]["tiles"]
    assert client.get("/api/sources")["watched"] == "demo"
    assert client.get("/api/sources")["racks"] is True, "those of the game before"
    client.act("draw")
    client.act("rack-count", player=0, tiles=0)
    client.act("rack-points", player=1, points=5)
    assert list(parts(app).game_nights.database.backups.newest_first()) == []
    assert [one["id"] for one in client.get("/api/evenings/results")["evenings"]] == [mine]
    client.post("/api/evenings/leave")
    assert client.get("/api/sources")["watched"] == "none"
    client.post("/api/evenings/demo")
    client.post("/api/evenings/open", id=mine)
    assert client.get("/api/sources")["watched"] == "none"
    assert client.evening["demo"] is False


def test_demo_takes_the_camera_that_is_chosen_meanwhile(make_app):
    client = EveningClient(make_app(NoSource(), watch=False))
    client.post("/api/evenings/demo")
    client.post("/api/source", source="none")
    client.post("/api/evenings/leave")
    assert client.get("/api/sources")["watched"] == "none"
