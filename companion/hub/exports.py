"""Downloads: results as CSV, JSON and HTML, the file of the whole event, and printed pages as PDF."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from fractions import Fraction
from functools import partial
from typing import Any, Final, TypeVar

from flask import Blueprint, Response, jsonify, render_template, request
from sqlalchemy import select
from sqlalchemy.orm import Session

from tilekeeper.companion.hub.access import expect
from tilekeeper.companion.hub.event_file import write_event
from tilekeeper.companion.hub.journal import journal_of
from tilekeeper.companion.hub.parts import hub
from tilekeeper.companion.hub.plays import Play, plays_of
from tilekeeper.companion.hub.prints import print_document
from tilekeeper.companion.hub.rounds import StoredTournament, read_tournament
from tilekeeper.companion.hub.schema import NewsRow, PlayerRow, SeatingRow
from tilekeeper.companion.hub.settings import Role
from tilekeeper.companion.hub.views import night_view
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.text.scores import points_words
from tilekeeper.companion.text.spreadsheet import decimal, harmless
from tilekeeper.companion.tournament.criteria import Criterion
from tilekeeper.companion.tournament.record import ByeKind
from tilekeeper.companion.tournament.scoring import parse_points
from tilekeeper.companion.tournament.words import criterion_words
from tilekeeper.companion.web.api.languages import asked_language
from tilekeeper.companion.web.schemas.requests import whole_number
from tilekeeper.engine.game.scoring import simplify_points
from tilekeeper.engine.language import gettext

blueprint = Blueprint("export", __name__)

_PIECE: Final = 100_000
T = TypeVar("T")


@blueprint.get("/results.json")
def as_json() -> Response:
    """Return the club night as JSON: players, rounds, seats, points, standings."""
    return jsonify(_results())


@blueprint.get("/results.csv")
def as_csv() -> Response:
    """Return the standings as CSV with the points of each round; `?separator=comma` replaces the semicolon."""
    results = _results()
    numbers = [round_["number"] for round_ in results["rounds"]]
    criteria = [Criterion(name) for name in results["criteria"]]
    heads = [gettext("Place"), gettext("Name"), *map(criterion_words, criteria)]
    rows: list[list[object]] = [[*heads, *(gettext("Round {number}", number=number) for number in numbers)]]
    points_by_round: dict[tuple[int, int], Fraction] = {}
    for round_ in results["rounds"]:
        for table in round_["tables"]:
            for game in table["games"] or ():
                for player, points in zip(table["players"], game["points"], strict=False):
                    key = round_["number"], player
                    points_by_round[key] = points_by_round.get(key, Fraction(0)) + parse_points(points)
    for line in results["standings"]:
        by_round = [points_by_round.get((number, line["player"])) for number in numbers]
        values = [line["values"].get(criterion.value) for criterion in criteria]
        numbers_of_line = ("" if one is None else decimal(Fraction(one), _separator()) for one in (*values, *by_round))
        rows.append([line["place"], harmless(line["name"]), *numbers_of_line])
    return _csv("results.csv", rows)


def _csv(name: str, rows: Iterable[Sequence[object]]) -> Response:
    """Return rows as a CSV file."""
    out = io.StringIO()
    csv.writer(out, delimiter=_separator()).writerows(rows)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    # With a byte order mark spreadsheets read it as UTF-8.
    return Response("\ufeff" + out.getvalue(), mimetype="text/csv", headers=headers)


def _separator() -> str:
    """Return the separator of cells: the semicolon, or the comma if the query says so."""
    return "," if request.args.get("separator") == "comma" else ";"


@blueprint.get("/results.html")
def as_page() -> Response:
    """Return the results as one HTML file for a website; it needs no scripts and no other files."""
    headers = {"Content-Disposition": 'attachment; filename="results.html"'}
    return Response(_per_night(("page", asked_language()), _as_page), headers=headers)


def _as_page(session: Session) -> str:
    night, tournament = night_view(session), read_tournament(session)
    names = {row.id: row.name for row in tournament.players}
    rounds = [
        (
            row.number,
            [(seating.table, _seats(seating, names)) for seating in tournament.seatings if seating.round == row.number],
            [f"{names[bye['player']]} ({ByeKind(bye['kind']).mark})" for bye in row.byes if bye["player"] in names],
        )
        for row in tournament.rounds
    ]
    return render_template("club_static.html", night=night, rounds=rounds, journal=journal_of(session, None))


def _seats(seating: SeatingRow, names: Mapping[int, str]) -> list[tuple[str, str]]:
    """Return name and points of each player of a table; the points are empty until all games are over."""
    points = seating.points or [""] * len(seating.players)
    return [
        (names.get(player, "?"), points_words(simplify_points(Fraction(word))) if word else "")
        for player, word in zip(seating.players, points, strict=False)
    ]


@blueprint.get("/plays.json")
def plays_as_json() -> Response:
    """Return all turns of a player as JSON; the query has the player's id. For organisers and arbiters."""
    name, plays = _plays()
    return jsonify(tilekeeper="plays", version=1, player=name, plays=[asdict(play) for play in plays])


@blueprint.get("/plays.csv")
def plays_as_csv() -> Response:
    """Return all turns of a player as CSV; the query has the player's id. For organisers and arbiters."""
    name, plays = _plays()
    rows = [[harmless(name), *(_cell(value) for value in asdict(play).values())] for play in plays]
    return _csv("plays.csv", [["player", *(field.name for field in fields(Play))], *rows])


def _plays() -> tuple[str, list[Play]]:
    """Return the name and the turns of the player in the query.

    Raises:
        Refused: if there is no such player, or for a guest.
    """
    expect(Role.ORGANISER, Role.ARBITER)
    with hub().hub.database.reading() as session:
        player = session.get(PlayerRow, request.args.get("player", -1, whole_number))
        if player is None:
            raise Refused(gettext("There is no such player."), "not-found")
        return player.name, list(plays_of(session, player.id))


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return decimal(value, _separator())
    return "" if value is None else value


@blueprint.get("/event.json")
def whole_event() -> Response:
    """Return the event as a file from which another machine can rebuild it."""
    expect(Role.ORGANISER)
    # Written to a file first, so that a slow browser does not keep the database waiting.
    file = tempfile.TemporaryFile("w+", encoding="utf-8", newline="")  # noqa: SIM115, the response closes it
    with hub().hub.database.reading() as session:
        file.writelines(write_event(session))
    file.seek(0)
    headers = {"Content-Disposition": 'attachment; filename="event.json"', "Cache-Control": "no-store"}
    response = Response(iter(partial(file.read, _PIECE), ""), mimetype="application/json", headers=headers)
    response.call_on_close(file.close)
    return response


@blueprint.get("/api/print/<name>.pdf")
def paper(name: str) -> Response:
    """Return a document of `DOCUMENTS` as PDF; `?language=de` chooses a language for this document only."""
    expect(Role.ORGANISER, Role.ARBITER)
    with hub().hub.database.reading() as session:
        night, tournament = night_view(session), read_tournament(session)
        document = print_document(name, night, tournament, hub().address or request.host_url)
    return Response(document, mimetype="application/pdf", headers={"Cache-Control": "no-store"})


def _results() -> dict[str, Any]:
    return _per_night("results", lambda session: _results_of(read_tournament(session)))


def _per_night(key: Hashable, compute: Callable[[Session], T]) -> T:
    """Return a value that is computed once after each change, since everybody may ask for it at any time."""
    with hub().hub.database.reading() as session:
        revision = session.scalars(select(NewsRow.night)).one()
        return hub().per_night.get(key, revision, lambda: compute(session))


def _results_of(tournament: StoredTournament) -> dict[str, Any]:
    settings, players = tournament.settings, tournament.players
    names = {str(row.id): row.name for row in players}
    tie_breaks = settings.ranking.tie_breaks(tournament.record)
    return {
        "tilekeeper": "club-night",
        "version": 2,
        "name": settings.name,
        "edition": settings.edition,
        "house": list(settings.house),
        "format": settings.as_json()["format"],
        "criteria": list(settings.ranking.criteria),
        "players": [
            {"id": row.id, "name": row.name, "left": row.gone, "club": row.club, "category": row.category}
            for row in players
        ],
        "rounds": [
            {
                "number": row.number,
                "state": row.state,
                "byes": row.byes,
                "tables": [
                    {
                        "table": seating.table,
                        "players": seating.players,
                        "games": seating.games,
                    }
                    for seating in tournament.seatings
                    if seating.round == row.number
                ],
            }
            for row in tournament.rounds
        ],
        "standings": [
            {
                "place": line.place,
                "player": int(line.player),
                "name": names[line.player],
                "score": str(line.score),
                "values": {criterion.value: str(value) for criterion, value in line.values.items()},
                "ahead_by": None if line.lead is None else line.lead.criterion,
                "played": line.played,
                "games": [str(points) for points in tie_breaks.game_points(line.player)],
                "penalties": str(sum(tie_breaks.players[line.player].penalties.values())),
            }
            for line in tournament.standings
        ],
    }
