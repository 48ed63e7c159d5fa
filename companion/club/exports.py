"""Exports: results as CSV and JSON, seats as PDF."""

from __future__ import annotations

import csv
import io
from typing import Any

from flask import Blueprint, Response, jsonify, request

from tilekeeper.companion.club.access import expect
from tilekeeper.companion.club.parts import hub
from tilekeeper.companion.club.rounds import players_of, rounds_of, seatings_of, standings_of
from tilekeeper.companion.club.schema import HallRow
from tilekeeper.companion.club.settings import HallSettings, Role
from tilekeeper.companion.club.views import night_view
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.text.spreadsheet import harmless
from tilekeeper.engine.language import gettext

blueprint = Blueprint("export", __name__)


@blueprint.get("/results.json")
def as_json() -> Response:
    """Return the club night as JSON: players, rounds, seats, points, standings."""
    return jsonify(_results())


@blueprint.get("/results.csv")
def as_csv() -> Response:
    """Return the standings as CSV, with a column per round."""
    results = _results()
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";" if request.args.get("separator") != "comma" else ",")
    numbers = [round_["number"] for round_ in results["rounds"]]
    heads = [gettext("Place"), gettext("Name"), gettext("Total"), gettext("Rounds won")]
    writer.writerow([*heads, *(gettext("Round {number}", number=number) for number in numbers)])
    points_by_round = {
        (round_["number"], player): points
        for round_ in results["rounds"]
        for table in round_["tables"]
        for player, points in zip(table["players"], table["points"] or [], strict=False)
    }
    for line in results["standings"]:
        by_round = [points_by_round.get((number, line["player"]), "") for number in numbers]
        writer.writerow([line["place"], harmless(line["name"]), line["total"], line["won"], *by_round])
    headers = {"Content-Disposition": 'attachment; filename="results.csv"'}
    # With a byte order mark spreadsheets read it as UTF-8.
    return Response("\ufeff" + out.getvalue(), mimetype="text/csv", headers=headers)


@blueprint.get("/seats.pdf")
def seats() -> Response:
    """Return the seats of the newest round as PDF, with the code of each table."""
    expect(Role.ORGANISER, Role.ARBITER)
    from tilekeeper.companion.club.seats_pdf import seats_pdf

    with hub().hub.database.reading() as session:
        night = night_view(session)
    if not night.tables:
        raise Refused(gettext("No round is paired yet."), "not-found")
    document = seats_pdf(night, hub().address or request.host_url)
    return Response(document, mimetype="application/pdf", headers={"Cache-Control": "no-store"})


def _results() -> dict[str, Any]:
    with hub().hub.database.reading() as session:
        settings = HallSettings.of(session.get_one(HallRow, 1).settings)
        players, rounds, seatings = players_of(session), rounds_of(session), seatings_of(session)
    names = {str(row.id): row.name for row in players}
    return {
        "tilekeeper": "club-night",
        "version": 1,
        "name": settings.name,
        "edition": settings.edition,
        "house": list(settings.house),
        "pairing": settings.pairing.value,
        "players": [{"id": row.id, "name": row.name, "left": row.gone} for row in players],
        "rounds": [
            {
                "number": row.number,
                "state": row.state,
                "byes": row.byes,
                "tables": [
                    {"table": seating.table, "players": seating.players, "points": seating.points, "won": seating.won}
                    for seating in seatings
                    if seating.round == row.number
                ],
            }
            for row in rounds
        ],
        "standings": [
            {
                "place": line.place,
                "player": int(line.player),
                "name": names[line.player],
                "total": str(line.total),
                "won": line.won,
                "opposition": str(line.opposition),
                "best": str(line.best),
                "played": line.played,
            }
            for line in standings_of(players, seatings, settings)
        ],
    }
