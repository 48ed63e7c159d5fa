"""Past game nights over HTTP: the results for all joined tablets, the pictures for the host only."""

import re
import time

import pytest

from tests.support.game_night_client import EveningClient
from tests.support.known_tables import Player, table_reading
from tests.support.past_evenings import evening, keep
from tests.support.theatre import STRANGER
from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.text.film import SEATS_RGB
from tilekeeper.companion.web.api.extensions import parts

TABLE = "R3 R4 R5 | K8 B8 O8"


@pytest.fixture
def app(make_app):
    return make_app(NoSource(), watch=False)


@pytest.fixture
def joined(app):
    """A tablet that has joined."""
    tablet = EveningClient(app, **STRANGER)
    tablet.post("/api/join", code=parts(app).access.code, name="tablet")
    return tablet


def keep_one(app, id_: str = "a"):
    recorded = evening(1)
    keep(parts(app).game_nights.database, id_, recorded)
    for record in recorded.records:
        parts(app).game_nights.pictures.keep(id_, record.note.picture, b"jpeg")
    return recorded


def test_results_and_standings(app):
    recorded = keep_one(app)
    client = EveningClient(app)
    answer = client.get("/api/evenings/results")
    (one,) = answer["evenings"]
    sheet = recorded.state.sheet
    assert (one["players"], one["winners"], one["rounds"]) == (list(sheet.players), list(sheet.leaders), 3)
    assert [total["value"] for total in one["totals"]] == list(sheet.totals)
    assert {player["name"] for player in answer["standings"]} == set(sheet.players)
    assert client.get("/api/evenings/a/sheet")["sheet"]["leaders"] == list(sheet.leaders)
    assert client.http.get("/api/evenings/nobody/sheet").status_code == 404


@pytest.mark.parametrize(("region", "date"), [("en-GB", r"\d+ \w+ 2026"), ("en-US", r"\w+ \d+, 2026")])
def test_date_of_shared_lines_follows_the_region_of_the_browser(app, region, date):
    keep_one(app)
    answer = EveningClient(app).http.get("/api/evenings/a/shared", headers={"Accept-Language": f"{region},en;q=0.9"})
    assert re.match(rf"Tilekeeper · {date}\n", answer.get_json()["lines"])


def test_joined_tablet_sees_all_scores_but_only_pictures_of_the_present_game_night(app, joined):
    recorded = keep_one(app)
    picture = f"/api/evenings/a/pictures/{recorded.records[-1].note.picture}.jpg"
    assert EveningClient(app).http.get(picture).data == b"jpeg"
    answer = joined.get("/api/evenings/a/sheet")
    assert answer["sheet"] is not None
    assert answer["watch"] is False
    for path in ("/api/evenings/a/turns", picture, "/api/evenings/a/time-lapse.gif"):
        assert joined.http.get(path).status_code == 403
    EveningClient(app).post("/api/evenings/open", id="a")
    assert joined.get("/api/evenings/a/sheet")["watch"] is True
    assert joined.http.get(picture).status_code == 200
    assert joined.get("/api/evenings/a/turns")["turns"]


def test_only_pictures_of_turns_are_listed(app):
    """Pictures of counted racks and of undone turns are left out."""
    recorded = keep_one(app)
    turns = EveningClient(app).get("/api/evenings/a/turns")["turns"]
    shown = {turn["picture"].rpartition("/")[2].removesuffix(".jpg") for turn in turns}
    lines = {record.note.picture: record.line for record in recorded.records}
    assert shown < set(lines)
    assert {lines[name].split('"event"')[1].split('"')[1] for name in shown} <= {
        *("tiles-laid", "tile-drawn", "turn-failed", "passed")
    }


def test_picture_of_a_turn_has_a_caption(make_app, camera, tables):
    app = make_app(camera)
    client = EveningClient(app)
    client.deal("Ada", "Bo")
    camera.show(tables.picture(table_reading(TABLE)))
    Player(client.http).sees(TABLE)
    client.act("opened", player=0, opened=True)
    client.act("done")
    evening_id = client.evening["id"]
    (turn,) = client.get(f"/api/evenings/{evening_id}/turns")["turns"]
    assert (turn["name"], turn["text"], turn["stands"]) == ("Ada", "Round 1, turn 1: 6 tiles laid", True)
    assert len(turn["tiles"]) == 6
    assert client.http.get(turn["picture"]).data[:2] == b"\xff\xd8"
    client.act("undo")
    assert client.get(f"/api/evenings/{evening_id}/turns")["turns"] == []
    client.act("done")
    film = _film(client, evening_id)
    assert film[:4] == b"GIF8"


def _film(client: EveningClient, evening_id: str) -> bytes:
    end_s = time.monotonic() + 30
    while time.monotonic() < end_s:
        answer = client.http.get(f"/api/evenings/{evening_id}/time-lapse.gif")
        if answer.status_code != 204:
            assert answer.status_code == 200, answer.data
            return answer.data
        time.sleep(0.1)
    raise AssertionError("no film came")


def test_game_night_without_pictures_has_no_film(app):
    keep(parts(app).game_nights.database, "a", evening(1))
    client = EveningClient(app)
    end_s = time.monotonic() + 30
    while (answer := client.http.get("/api/evenings/a/time-lapse.gif")).status_code == 204:
        assert time.monotonic() < end_s
        time.sleep(0.1)
    assert answer.status_code == 404


def test_film_has_the_colours_of_the_page(repository):
    styles = (repository / "companion/web/static/css/score.css").read_text("utf-8")
    for seat, rgb in enumerate(SEATS_RGB):
        assert f"--seat-{seat}: #{bytes(rgb).hex()};" in styles


def test_result_of_a_game_night_is_stored_with_it(app):
    client = EveningClient(app)
    client.deal("Ada", "Bo")
    client.act("rack-count", player=0, tiles=0)
    client.act("rack", player=1, tiles="R5 J")
    store = parts(app).game_nights.database
    kept = store.game_night(client.evening["id"])
    assert kept.result["rounds"][0]["points"] == [35, -35]
    client.act("undo")
    assert store.game_night(client.evening["id"]).result["rounds"] == []


def test_review_tells_all_tablets_what_could_have_been_laid(app, joined):
    """Bo drew although R6 and R8 fitted, one of which he may just have drawn; before the score nothing is told."""
    client = EveningClient(app)
    client.begin("Ada", "Bo")
    client.act("starter", player=0, overruled=True)
    client.act("deal", counts=[1, 5])
    client.act("table", table=TABLE)
    for seat in (0, 1):
        client.act("opened", player=seat, opened=True)
        client.act("draw")
    client.act("done", table=f"R1 R2 {TABLE}")
    path = f"/api/evenings/{client.evening['id']}/review"

    def fetch() -> dict:
        for _ in range(500):
            if joined.http.get(path).status_code == 200:
                return joined.get(path)
            time.sleep(0.01)
        raise AssertionError("the review was not made")

    assert fetch() == {"missed": [], "puzzles": []}
    client.act("rack", player=1, tiles="R6 R8 B12 B13 K11 O4")
    (missed,) = fetch()["missed"]
    assert missed["text"] == "Bo could have laid 1 of 5 tiles."
    assert "drawn in this turn" in missed["note"]
    assert [tile["text"] for tile in missed["rack"]] == ["K11", "B12", "B13", "O4", "R6", "R8"]
    (step,) = missed["steps"]
    assert step["from_rack"] == missed["laid"]
    (place,) = step["moved"]
    assert step["melds"][place[0]][place[1]] == missed["laid"][0]
