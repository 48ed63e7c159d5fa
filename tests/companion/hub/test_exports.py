"""Exports of a night: CSV and JSON agree with the page."""

import csv
import io
import re
from types import ModuleType

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select

from tests.support.club_hall import plan
from tests.support.club_phone import PHONE
from tests.support.club_tables import entry, play_round
from tilekeeper.companion.hub import exports, views
from tilekeeper.companion.hub.hub import Hub
from tilekeeper.companion.hub.rounds import seatings_of
from tilekeeper.companion.hub.schema import EntryRow
from tilekeeper.engine.game.state import TurnKind

HOLDS = "hall"
pytestmark = pytest.mark.slow  # a hub with its database for each


def test_csv_and_json_have_the_results_of_the_page(client: FlaskClient) -> None:
    """They include the round under way, as far as it has been played."""
    results = client.get("/results.json").get_json()
    assert (results["tilekeeper"], results["version"], results["name"]) == ("club-night", 2, "Herbstturnier")
    assert [line["name"] for line in results["standings"][:2]] == ["Aino Virtanen", "Małgorzata Nowak"]
    assert [one["state"] for one in results["rounds"]] == ["over", "running"]
    assert sum(int(line["score"]) for line in results["standings"]) == 0
    rows = list(
        csv.reader(io.StringIO(client.get("/results.csv").get_data(as_text=True).lstrip("\ufeff")), delimiter=";")
    )
    assert rows[0] == ["Place", "Name", "Points", "Won", "Buchholz", "Best game", "Round 1", "Round 2"]
    assert rows[1][:4] == ["1", "Aino Virtanen", "137", "2"]
    assert len(rows) == 23


def test_half_points_are_decimal_numbers_in_a_spreadsheet(client: FlaskClient, hub: Hub) -> None:
    """It would read 25/2 as a date; the decimal sign is that of the countries with the chosen separator."""
    with hub.database.reading() as session:
        seating = seatings_of(session, 1)[0]
    points = ["25/2", "25/2", "-25", *["0"] * (len(seating.players) - 3)]
    hub.desk.enter_points(plan(hub.database), 1, seating.table, points, "Olga")
    assert ";12,5;" in client.get("/results.csv").get_data(as_text=True)
    assert ",12.5," in client.get("/results.csv?separator=comma").get_data(as_text=True)


def test_results_are_computed_once_after_each_change(
    client: FlaskClient, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody may ask for them again and again, and the organiser's buttons stay fast."""
    computed: list[str] = []

    def count(module: ModuleType, name: str) -> None:
        original = getattr(module, name)

        def counted(*arguments: object) -> object:
            computed.append(name)
            return original(*arguments)

        monkeypatch.setattr(module, name, counted)

    count(exports, "_results_of")
    count(exports, "_as_page")
    count(views, "_night")
    for _ in range(3):
        for path in ("/results", "/results.json", "/results.csv", "/results.html", "/t/3"):
            assert client.get(path).status_code == 200
    # `results.html` reads the night in the same transaction as its rounds.
    assert sorted(computed) == ["_as_page", "_night", "_night", "_results_of"]
    hub.desk.add_player(plan(hub.database), "Zoe", "", "")
    assert "Zoe" in client.get("/results.json").get_data(as_text=True)
    assert "Zoe" in client.get("/results").get_data(as_text=True)
    assert len(computed) == 6


def test_name_that_looks_like_a_formula_is_escaped(client: FlaskClient, hub: Hub) -> None:
    """A name that looks like a formula is escaped for spreadsheets."""
    for name, escaped in (("=1+1", "'=1+1"), ("\uff1d2+2", "'\uff1d2+2"), ("|cmd", "'|cmd"), ("Ada,=1+2", "Ada,'=1+2")):
        hub.desk.add_player(plan(hub.database), name)
        assert escaped in client.get("/results.csv").get_data(as_text=True)


def test_plays_of_a_player_are_those_of_the_tables_log(client: FlaskClient, app: Flask, hub: Hub) -> None:
    """Each turn with what the engine says of it; an undone turn does not count; guests get nothing."""
    with hub.database.reading() as session:
        seating = seatings_of(session, 1)[0]
    seat, game = 1, play_round(hub.database, 1)[1][seating.table]
    player = seating.players[seat]
    answer = client.get(f"/plays.json?player={player}").get_json()
    assert answer["player"] == game.state.players[seat]
    plays = [play for play in answer["plays"] if play["round"] == 1]
    turns = game.round.turns
    own = [(number, turn) for number, turn in enumerate(turns, start=1) if turn.player == seat]
    assert [play["turn"] for play in plays] == [number for number, _ in own]
    for play, (_, turn) in zip(plays, own, strict=True):
        assert (play["table"], play["game"], play["kind"]) == (seating.table, 1, turn.kind.value)
        assert (play["drawn"], play["seconds"], play["after"]) == (turn.drawn, turn.seconds, str(turn.after))
    laid = [play for play in plays if play["kind"] == "laid"]
    assert laid
    assert laid[0]["verdict"] == "legal"
    assert laid[0]["opening"] >= 31
    for play in laid:
        assert play["points"] == sum(30 if tile == "J" else int(tile[1:]) for tile in play["tiles"].split())
    assert sum(len(play["tiles"].split()) for play in plays) == sum(
        len(turn.verdict.placed) for _, turn in own if turn.verdict is not None and turn.kind is TurnKind.LAID
    )
    text = client.get(f"/plays.csv?player={player}&separator=comma").get_data(as_text=True).lstrip("\ufeff")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["tiles"] for row in rows if row["round"] == "1"] == [play["tiles"] for play in plays]
    assert client.get("/plays.json?player=99999").status_code == 404
    assert app.test_client().get("/plays.json?player=1", environ_base=PHONE).status_code == 403


def test_undone_turn_is_no_play(hub: Hub, client: FlaskClient) -> None:
    with hub.database.reading() as session:
        seating = seatings_of(session, 1)[0]
        last = session.scalar(select(func.max(EntryRow.seq)).where(EntryRow.log == seating.log))
    assert last is not None
    player = play_round(hub.database, 1)[1][seating.table].round.turns[-1].player
    address = f"/plays.json?player={seating.players[player]}"
    before = len(client.get(address).get_json()["plays"])
    undone = entry(seating.table, last + 1, "undone", str(seating.log), events=6)
    assert hub.intake.take([undone]).entries == 1
    assert len(client.get(address).get_json()["plays"]) == before - 1


def test_page_to_upload_has_standings_rounds_and_no_other_file(client: FlaskClient, hub: Hub) -> None:
    """It needs no server: no script, no picture, no style of its own; names are escaped."""
    hub.desk.add_player(plan(hub.database), "<b>Eve")
    page = client.get("/results.html").get_data(as_text=True)
    assert "&lt;b&gt;Eve" in page
    assert "Aino Virtanen" in page
    assert "Round 2" in page
    assert not re.search(r"<script|<img|<link|https?://", page)
    assert "{" not in re.sub(r"<style>.*</style>", "", page)
