"""The history of the game night in progress with its pictures, and the game night as files."""

from flask import Blueprint, Response, current_app, jsonify

from tilekeeper.companion.game_night.played_turns import undone_places
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.commands import playing
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.text.history import history_items
from tilekeeper.companion.text.spreadsheet import history_csv, sheet_csv
from tilekeeper.companion.web.api.actions import table_state
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.schemas.game_nights import HistoryItemJson, HistoryJson
from tilekeeper.engine.language import gettext

blueprint = Blueprint("record", __name__, url_prefix="/api/evening")


@blueprint.get("/history")
@described(HistoryJson)
def history() -> Response:
    """All records of the game night in progress, in order; undone records are marked."""
    recorded = _game_night().state.recorded
    undone = undone_places(recorded.records)
    return jsonify(items=[HistoryItemJson.from_item(item, item.place in undone) for item in history_items(recorded)])


@blueprint.get("/pictures/<name>.jpg")
@described(bytes, media="image/jpeg")
def picture(name: str) -> Response:
    """A picture of the history by its name; it is black outside the play area."""
    jpeg = parts(current_app).game_nights.picture(_game_night().id, name)
    if jpeg is None:
        raise Refused(gettext("There is no such picture."), "not-found")
    return Response(jpeg, mimetype="image/jpeg", headers={"Cache-Control": "private, max-age=31536000, immutable"})


@blueprint.get("/export.jsonl")
@described(str, media="application/jsonl")
def export_jsonl() -> Response:
    """The game as JSON Lines, which `tilekeeper score` reads."""
    return _file(_game_night().state.recorded.game.format(), "application/jsonl", "game.jsonl")


@blueprint.get("/export.csv")
@described(str, media="text/csv")
def export_csv() -> Response:
    """The history as CSV, one line for each record."""
    night = _game_night().state
    return _file(history_csv(history_items(night.recorded), night.state.players), "text/csv", "history.csv")


@blueprint.get("/sheet.csv")
@described(str, media="text/csv")
def export_sheet() -> Response:
    """The score sheet as CSV."""
    return _file(sheet_csv(_game_night().state.state.sheet), "text/csv", "sheet.csv")


def _game_night() -> GameNight:
    return playing(table_state())


def _file(text: str, media: str, name: str) -> Response:
    # Spreadsheets assume another encoding if a CSV file has no byte order mark.
    data = text.encode("utf-8-sig" if media == "text/csv" else "utf-8")
    headers = {"Content-Disposition": f'attachment; filename="tilekeeper-{name}"', "Cache-Control": "no-store"}
    return Response(data, mimetype=media, headers=headers)
