"""What the page asks of the app: the state, its stream, the pictures, and the buttons."""

from typing import Any, TypeVar

from flask import Blueprint, Response, current_app, jsonify, request
from werkzeug.exceptions import BadRequest

from tilekeeper.companion.desk import Desk
from tilekeeper.companion.parts import parts
from tilekeeper.companion.refused import Refused
from tilekeeper.companion.single_turn import SingleTurn

T = TypeVar("T", bool, int, str)

blueprint = Blueprint("api", __name__)


@blueprint.errorhandler(Refused)
def _refused(error: Refused) -> tuple[Response, int]:
    return jsonify(error=str(error)), 409


@blueprint.errorhandler(BadRequest)
def _bad_request(error: BadRequest) -> tuple[Response, int]:
    return jsonify(error=error.description), 400


@blueprint.get("/api/state")
def state() -> Response:
    """The state as it is; with `?after=N` nothing (204) unless it is newer than version N.

    Pages that get no stream ask this way, again and again; none of them is kept waiting, for that takes a thread.
    """
    news = _desk().news(after=request.args.get("after", -1, type=int))
    return Response(status=204) if news is None else Response(news.text, mimetype="application/json")


@blueprint.get("/events")
def events() -> Response:
    """The stream of states; 503 where too many pages are open, which then ask for the state instead."""
    stream = parts(current_app).streams.open()
    if stream is None:
        return Response("Too many pages are open.\n", status=503, headers={"Retry-After": "5"}, mimetype="text/plain")
    response = Response(iter(stream), mimetype="text/event-stream", headers={"Cache-Control": "no-store"})
    response.call_on_close(stream.close)
    return response


@blueprint.get("/picture/<int:number>.jpg")
def picture(number: int) -> Response:
    """A picture by its number; 404 where it is no longer kept."""
    kept = _desk().picture(number)
    if kept is None:
        return Response("That picture is gone.\n", status=404, mimetype="text/plain")
    return Response(kept.jpeg, mimetype="image/jpeg", headers={"Cache-Control": "no-store"})


@blueprint.post("/api/begin")
def begin() -> Response:
    """Take the table as it lies as the beginning of a turn."""
    _body()
    _turn().begin()
    return _now()


@blueprint.post("/api/done")
def done() -> Response:
    """Judge the turn."""
    _body()
    _turn().done()
    return _now()


@blueprint.post("/api/cancel")
def cancel() -> Response:
    """Stop waiting for the table to lie still."""
    _body()
    _turn().cancel()
    return _now()


@blueprint.post("/api/undo")
def undo() -> Response:
    """Take back the last Done or beginning."""
    _body()
    _turn().undo()
    return _now()


@blueprint.post("/api/opened")
def opened() -> Response:
    """Say `{"opened": true}` where the player has opened in an earlier turn."""
    _turn().set_opened(_field("opened", bool))
    return _now()


@blueprint.post("/api/answer")
def answer() -> Response:
    """Say `{"reading": 3, "tile": 5, "label": "red-9"}`: what a doubtful tile is."""
    _desk().answer(_field("reading", int), _field("tile", int), _field("label", str))
    return _now()


@blueprint.post("/api/step")
def step() -> Response:
    """Say `{"by": 1}` for the next photo of a folder, `{"by": -1}` for the one before."""
    by = _field("by", int)
    if _desk().watching.kind != "photos":
        raise Refused("Only a folder of photos can be stepped through.")
    parts(current_app).watcher.step(by)
    return _now()


def _desk() -> Desk:
    return parts(current_app).desk


def _turn() -> SingleTurn:
    play = _desk().play
    if not isinstance(play, SingleTurn):
        raise Refused("An evening is being played; this button is for a single turn.")
    return play


def _now() -> Response:
    news = _desk().news()
    return Response("{}" if news is None else news.text, mimetype="application/json")


def _body() -> dict[str, Any]:
    # A form on another site can't send JSON without the browser asking first, so nobody else can press the buttons.
    if not request.is_json:
        raise BadRequest("Send JSON.")
    body = request.get_json()
    if not isinstance(body, dict):
        raise BadRequest("Send a JSON object.")
    return body


def _field(name: str, kind: type[T]) -> T:
    value = _body().get(name)
    if type(value) is not kind:
        raise BadRequest(f"Send {name!r} as {kind.__name__}.")
    return value
