"""What was: the history with its pictures, and the evening as files to take home."""

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
    """Everything that happened, from the beginning; what was taken back is marked."""
    recorded = _played().state.recorded
    gone = undone_places(recorded.records)
    return jsonify(items=[HistoryItemJson.from_item(item, item.place in gone) for item in history_items(recorded)])


@blueprint.get("/pictures/<name>.jpg")
@described(bytes, media="image/jpeg")
def picture(name: str) -> Response:
    """A picture of the history; black outside the play area."""
    jpeg = parts(current_app).game_nights.picture(_played().id, name)
    if jpeg is None:
        raise Refused(gettext("There is no such picture."), "not-found")
    return Response(jpeg, mimetype="image/jpeg", headers={"Cache-Control": "private, max-age=31536000, immutable"})


@blueprint.get("/export.jsonl")
@described(str, media="application/jsonl")
def export_jsonl() -> Response:
    """The game as JSON Lines, which `tilekeeper score` reads."""
    return _file(_played().state.recorded.game.format(), "application/jsonl", "game.jsonl")


@blueprint.get("/export.csv")
@described(str, media="text/csv")
def export_csv() -> Response:
    """The history as CSV, one line a record."""
    night = _played().state
    return _file(history_csv(history_items(night.recorded), night.state.players), "text/csv", "history.csv")


@blueprint.get("/sheet.csv")
@described(str, media="text/csv")
def export_sheet() -> Response:
    """The score sheet as CSV."""
    return _file(sheet_csv(_played().state.state.sheet), "text/csv", "sheet.csv")


def _played() -> GameNight:
    return playing(table_state())


def _file(text: str, media: str, name: str) -> Response:
    # Spreadsheets take CSV for another encoding without the mark at its head.
    data = text.encode("utf-8-sig" if media == "text/csv" else "utf-8")
    headers = {"Content-Disposition": f'attachment; filename="tilekeeper-{name}"', "Cache-Control": "no-store"}
    return Response(data, mimetype=media, headers=headers)
