"""The routes behind the buttons of organiser and arbiter: each checks role and body, and calls the desk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, Literal

from flask import Blueprint, Response, get_template_attribute, jsonify, render_template, request
from pydantic import Field

from tilekeeper.companion.hub.access import expect, person
from tilekeeper.companion.hub.parts import hub
from tilekeeper.companion.hub.player_sheet import ENCODINGS, FIELDS, Line, ReadingChoices, read_sheet
from tilekeeper.companion.hub.players import check_players
from tilekeeper.companion.hub.rounds import players_of, read_tournament
from tilekeeper.companion.hub.schema import HallRow
from tilekeeper.companion.hub.settings import READY_MADE_RULES, HallSettings, Role
from tilekeeper.companion.hub.table_views import Seats, TableSummary, table_view
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.tournament.formats import FORMATS, MOST_GAMES, MOST_ROUNDS, Format
from tilekeeper.companion.tournament.pairing import MOST_AT_TABLE
from tilekeeper.companion.tournament.record import ByeKind
from tilekeeper.companion.tournament.scoring import TournamentScoring
from tilekeeper.companion.web.api.endpoint import read_body
from tilekeeper.companion.web.schemas.requests import MOST_WHOLE, ApiBody, whole_number
from tilekeeper.engine.language import gettext, translate

blueprint = Blueprint("action", __name__, url_prefix="/api")

LONGEST_LIST_BYTES = 500_000
_MOST_PREVIEWED = 6
_OF_FORMAT = {field.name for field in fields(Format)} - {"criteria", "scoring"}
_OF_SCORING = {field.name for field in fields(TournamentScoring)} - {"placement"}
_MAY_BE_EMPTY = ("loss_cap", "unopened_points", "best_games")


class PlanBody(ApiBody):
    """The fields of every change of the plan."""

    plan: int
    """The number of the plan that the page showed."""


class SettingsBody(PlanBody):
    """The form with the settings of the club night."""

    name: str = ""
    edition: str
    house: str = ""
    """House rules, one per line."""
    ready_made: str = ""
    """The key of a ready-made format in `FORMATS`; empty to make a format of the fields `rounds` to `best_games`."""
    rounds: int
    pairing: str
    table_size: int = 4
    games: int = 1
    advancing: int = 2
    finalists: int = 0
    clubs_apart: int = 0
    late_until: int = MOST_ROUNDS
    late_bye: str = ByeKind.ZERO
    asked_bye: str = ByeKind.HALF
    criteria: list[str] = Field([], max_length=20)
    """The score, then the tie-breaks; empty items are skipped. If none is left, the edition decides."""
    placement: str = "4, 3, 1, 0"
    """The placement points of the first, second, … place, separated by commas."""
    bye_points: int = 50
    win_bonus: int = 0
    loss_cap: str = ""
    """This field and the next two are numbers as text; empty for none."""
    unopened_points: str = ""
    best_games: str = ""
    clock: Literal["off", "friendly", "strict", "tournament"]
    minutes: int = Field(10, ge=1, le=300)
    """The minutes on each player's clock, if `clock` is `tournament`."""
    added_s: int = 10
    increment: str = "bronstein"
    together: bool = True
    next_start: str = ""


class NameBody(PlanBody):
    """A new player."""

    name: str
    club: str = Field("", max_length=60)
    category: str = Field("", max_length=60)


class GoneBody(PlanBody):
    """A player who leaves or comes back."""

    player: int
    gone: bool


class ClockBody(ApiBody):
    """An action for the clocks of a round at all tables."""

    round: int
    kind: Literal["start", "pause", "resume"]


class PointsBody(PlanBody):
    """The points of a table, entered by hand; an empty list lets the table's log count again."""

    round: int
    table: str
    points: list[str] = Field(max_length=MOST_AT_TABLE * MOST_GAMES)
    """The points of each seat in the first game, then of each seat in the second, and so on."""
    anyway: bool = False
    """Whether to store points that do not add up."""
    unopened: list[bool] = Field([], max_length=MOST_AT_TABLE * MOST_GAMES)
    """For each of `points` whether the player never opened; empty if all have opened."""


class LogBody(PlanBody):
    """The organiser's choice of the log that counts for a table's round."""

    round: int
    table: str
    log: str


class TableBody(PlanBody):
    """A table of the newest round, to which its seating is sent again."""

    table: str


class RenewBody(ApiBody):
    """A request to renew the codes; the required field keeps other forms from renewing them by mistake."""

    renew: Literal["codes"]


@blueprint.post("/settings")
def settings() -> Response:
    """Store the settings of the club night (organiser only)."""
    expect(Role.ORGANISER)
    body = read_body(SettingsBody)
    hub().hub.desk.configure(
        body.plan,
        {
            "name": " ".join(body.name.split()),
            "edition": body.edition,
            "house": _house_rules(body),
            "format": _format(body),
            "timer": "strict" if body.clock == "tournament" else body.clock,
            "tournament": body.clock == "tournament",
            "bank_s": 60 * body.minutes,
            "added_s": body.added_s,
            "increment": body.increment,
            "together": body.together,
            "next_start": body.next_start,
        },
        person().name,
    )
    return _plan()


def _house_rules(body: SettingsBody) -> list[str]:
    """Return the typed house rules; with a ready-made format its own, without typed ones that belong to any format."""
    typed = [line.strip() for line in body.house.splitlines() if line.strip()]
    if not body.ready_made:
        return typed
    chosen = READY_MADE_RULES.get(body.ready_made, ())
    fields_set = {rule.partition("=")[0] for rule in chosen}
    of_formats = {rule for rules in READY_MADE_RULES.values() for rule in rules}
    kept = [
        rule
        for rule in typed
        if rule.replace(" ", "") not in of_formats and rule.partition("=")[0].strip() not in fields_set
    ]
    return [*chosen, *kept]


def _format(body: SettingsBody) -> Any:
    """Return the chosen format: a ready-made one, or the fields of a `Format`, which `HallSettings` validates."""
    if body.ready_made:
        if body.ready_made not in FORMATS:
            raise Refused(gettext("There is no such tournament format."), "bad-input")
        return FORMATS[body.ready_made]
    chosen = body.model_dump(include=_OF_FORMAT)
    scoring = body.model_dump(include=_OF_SCORING)
    scoring |= {name: scoring[name].strip() or None for name in _MAY_BE_EMPTY}
    placement = [points.strip() for points in body.placement.split(",") if points.strip()]
    return {
        **chosen,
        "criteria": [name for name in body.criteria if name],
        "scoring": {**scoring, "placement": placement},
    }


@blueprint.post("/players")
def enter() -> Response:
    """Add a player to the list."""
    expect(Role.ORGANISER)
    body = read_body(NameBody)
    hub().hub.desk.add_player(body.plan, body.name, " ".join(body.club.split()), " ".join(body.category.split()))
    return _plan()


@blueprint.post("/players/list")
def enter_list() -> Response:
    """Add all players of a CSV file (the body); the query has the plan, `leave_out` and how to read the file."""
    expect(Role.ORGANISER)
    plan, leave_out = request.args.get("plan", -1, whole_number), bool(request.args.get("leave_out"))
    return _plan(entered=hub().hub.desk.import_players(plan, _file(), _reading(), leave_out=leave_out))


@blueprint.post("/players/preview")
def preview_list() -> str:
    """Return HTML that shows how a CSV file (the body) would be read, the choices for reading it, and its errors."""
    expect(Role.ORGANISER)
    sheet = read_sheet(_file(), _reading())
    leave_out, trouble, players = bool(request.args.get("leave_out")), "", list[Line]()
    with hub().hub.database.reading() as session:
        known_names = [row.name for row in players_of(session)]
    try:
        players = check_players(sheet.lines, known_names, leave_out=leave_out)
    except Refused as why:
        trouble = translate(str(why))
    return render_template(
        "_club_preview.html",
        sheet=sheet,
        players=players,
        trouble=trouble,
        leave_out=leave_out,
        encodings=ENCODINGS,
        most=_MOST_PREVIEWED,
    )


def _file() -> bytes:
    request.max_content_length = LONGEST_LIST_BYTES
    return request.get_data(cache=False)


def _reading() -> ReadingChoices:
    """Return how to read a file, by the query's parameters; missing parameters are guessed from the file."""
    chosen = {field: request.args[field] for field in FIELDS if field in request.args}
    columns = {field: whole_number(column) for field, column in chosen.items() if column.isdecimal()}
    heading = request.args.get("heading")
    return ReadingChoices(
        request.args.get("encoding", ""), columns if chosen else None, None if heading is None else bool(heading)
    )


@blueprint.post("/players/gone")
def gone() -> Response:
    """Let a player leave the event or come back."""
    expect(Role.ORGANISER)
    body = read_body(GoneBody)
    hub().hub.desk.set_gone(body.plan, body.player, body.gone, person().name)
    return _plan()


@blueprint.post("/rounds")
def pair() -> Response:
    """Pair the next round, and send the tables their players."""
    expect(Role.ORGANISER)
    hub().hub.desk.pair(read_body(PlanBody).plan, person().name)
    return _plan()


@blueprint.post("/rounds/seat")
def seat_again() -> Response:
    """Send the seating of a table in the newest round again."""
    expect(Role.ORGANISER)
    body = read_body(TableBody)
    hub().hub.desk.seat_again(body.plan, body.table, person().name)
    return _plan()


@blueprint.post("/rounds/withdraw")
def withdraw() -> Response:
    """Withdraw the pairing of the newest round, if it has not started."""
    expect(Role.ORGANISER)
    hub().hub.desk.withdraw(read_body(PlanBody).plan, person().name)
    return _plan()


@blueprint.post("/rounds/clock")
def clock() -> Response:
    """Start, pause or resume a round at all tables."""
    expect(Role.ORGANISER, Role.ARBITER)
    body = read_body(ClockBody)
    hub().hub.desk.turn_clock(body.round, body.kind, person().name, person().role)
    return _plan()


@blueprint.get("/rounds/points")
def points_form() -> str:
    """Return the form with the points of a table in any round, as HTML; the query has round and table."""
    expect(Role.ORGANISER)
    with hub().hub.database.reading() as session:
        tournament = read_tournament(session)
    number, table = request.args.get("round", 0, whole_number), request.args.get("table", "").strip()
    seating = next((row for row in tournament.seatings if (row.round, row.table) == (number, table)), None)
    if seating is None:
        raise Refused(gettext("There is no such table."), "not-found")
    seats = Seats(0, [seating], {row.id: row for row in tournament.players}, {}, {}, {})
    form: Callable[[int, TableSummary, Format], str] = get_template_attribute("_club_points.html", "points_form")
    return form(number, table_view(None, seating, seats), tournament.settings.format)


@blueprint.post("/rounds/points")
def points() -> Response:
    """Store points that were entered by hand, or let the table's log count again."""
    expect(Role.ORGANISER)
    body = read_body(PointsBody)
    desk, name = hub().hub.desk, person().name
    unopened = body.unopened if body.points else ()
    desk.enter_points(body.plan, body.round, body.table, body.points, name, anyway=body.anyway, unopened=unopened)
    return _plan()


@blueprint.post("/rounds/log")
def choose_log() -> Response:
    """Choose which log of a table counts for a round."""
    expect(Role.ORGANISER)
    body = read_body(LogBody)
    hub().hub.desk.choose_log(body.plan, body.round, body.table, body.log, person().name)
    return _plan()


@blueprint.post(f"/notices/<int(max={MOST_WHOLE}):notice>")
def put_away(notice: int) -> Response:
    """Delete a notice that the organiser has read."""
    expect(Role.ORGANISER)
    hub().hub.desk.forget_notice(notice)
    return _plan()


@blueprint.post("/codes")
def renew() -> Response:
    """Replace all sign-in codes, which signs out everybody who used an old one."""
    expect(Role.ORGANISER)
    read_body(RenewBody)
    hub().hub.desk.renew_codes()
    return _plan()


@blueprint.get("/settings")
def chosen() -> Response:
    """Return the stored settings."""
    with hub().hub.database.reading() as session:
        return jsonify(HallSettings.of(session.get_one(HallRow, 1).settings).as_json())


def _plan(**more: Any) -> Response:
    return jsonify(plan=current_plan(), **more)


def current_plan() -> int:
    """Return the number of the current plan."""
    with hub().hub.database.reading() as session:
        return session.get_one(HallRow, 1).plan
