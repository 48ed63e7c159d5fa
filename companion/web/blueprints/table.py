"""The table on the page: the state, its stream, the pictures, and people's corrections of tiles."""

from dataclasses import dataclass

from flask import Blueprint, Response, current_app, g, request

from tilekeeper.companion.capture import encoding
from tilekeeper.companion.capture.encoding import Picture
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.commands import AnswerQuestion, ChooseRows, CorrectTile
from tilekeeper.companion.web.api.actions import handle, newest_state, table_state
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.languages import asked_language
from tilekeeper.companion.web.api.stream import stream_response
from tilekeeper.companion.web.blueprints.examples import keep_example
from tilekeeper.companion.web.schemas.requests import AnswerBody, GroupBody, StepBody
from tilekeeper.engine.language import gettext
from tilekeeper.vision.types import TableReading

blueprint = Blueprint("table", __name__)


@dataclass(frozen=True, slots=True)
class PicturedReading:
    """The current reading, with the newest picture for its crops."""

    reading: TableReading
    picture: Picture


@blueprint.get("/api/state")
@described(query={"after": "the version that the page has"}, empty="the state is not newer than that")
def state() -> Response:
    """The current state.

    With `?after=N` the answer is empty (204) unless the state is newer than version N, so that pages without a stream
    can poll. The answer comes at once, since waiting would occupy a thread.
    """
    newer = parts(current_app).feed.newer(asked_language(), request.args.get("after", -1, type=int))
    return Response(status=204) if newer is None else Response(newer.text, mimetype="application/json")


@blueprint.get("/events")
@described(str, media="text/event-stream")
def events() -> Response:
    """The stream of states (server-sent events).

    Each event is a whole state. The answer is 503 if too many pages are open; then the page polls the state instead.
    The tabs of one browser share one stream.
    """
    access, device = parts(current_app).access, g.device
    stream = parts(current_app).streams.open(asked_language(), lambda: access.knows(device))
    if stream is None:
        return Response("Too many pages are open.\n", status=503, headers={"Retry-After": "5"}, mimetype="text/plain")
    return stream_response(stream)


@blueprint.get("/picture/<int:number>.jpg")
@described(bytes, media="image/jpeg")
def picture(number: int) -> Response:
    """A picture of the table by its number; 404 if it is no longer in memory."""
    kept = parts(current_app).session.picture(number)
    if kept is None:
        raise Refused(gettext("That picture is gone."), "not-found")
    return Response(kept.jpeg, mimetype="image/jpeg", headers={"Cache-Control": "no-store"})


@blueprint.get("/crop/<int:reading>/<int:tile>.jpg")
@described(bytes, media="image/jpeg")
def crop(reading: int, tile: int) -> Response:
    """An upright crop of a tile of the current reading, for a question about the tile."""
    snapshot = _present(reading)
    if snapshot is None or tile >= len(snapshot.reading.tiles):
        raise Refused(gettext("That tile is gone."), "not-found")
    return _jpeg(encoding.tile_crop(snapshot.picture, snapshot.reading.tiles[tile].sighting.quad_px))


@blueprint.get("/crop/<int:reading>/rows/<rows>.jpg")
@described(bytes, media="image/jpeg")
def rows_crop(reading: int, rows: str) -> Response:
    """A crop of some rows of the current reading, each outlined, for a question about melds.

    `rows` has the indices of the tiles, such as `0.1.2-3.4.5`.
    """
    snapshot = _present(reading)
    tiles = _indices(rows)
    if snapshot is None or not tiles or max(map(max, tiles)) >= len(snapshot.reading.tiles):
        raise Refused(gettext("Those tiles are gone."), "not-found")
    quads_px = [[snapshot.reading.tiles[index].sighting.quad_px for index in row] for row in tiles]
    return _jpeg(encoding.rows_crop(snapshot.picture, quads_px))


@blueprint.post("/api/answer")
@described(body=AnswerBody)
def answer(body: AnswerBody) -> Response:
    """Answer a question about a doubtful tile; the turn is then judged again."""
    snapshot = table_state().snapshot
    response = handle(AnswerQuestion(body.reading, body.tile, body.label))
    keep_example(snapshot, body.tile, body.label)
    return response


@blueprint.post("/api/correct")
@described(body=AnswerBody)
def correct(body: AnswerBody) -> Response:
    """Correct the label of any tile; the label stays with the tile while it rests or slides.

    The label `no-tile` removes the tile from the table.
    """
    snapshot = table_state().snapshot
    response = handle(CorrectTile(body.reading, body.tile, body.label))
    keep_example(snapshot, body.tile, body.label)
    return response


@blueprint.post("/api/group")
@described(body=GroupBody)
def group(body: GroupBody) -> Response:
    """Answer a question about melds; the answer stays valid as long as these tiles stay in their rows."""
    return handle(ChooseRows(body.reading, tuple(map(tuple, body.rows))))


@blueprint.post("/api/step")
@described(body=StepBody)
def step(body: StepBody) -> Response:
    """Show another photo, if the source is a folder of photos."""
    parts(current_app).watcher.step(body.by)
    return newest_state()


def _present(reading_number: int) -> PicturedReading | None:
    """Return the current reading and the newest picture; None if the reading has another number."""
    snapshot = table_state().snapshot
    if snapshot.reading is None or snapshot.picture is None or snapshot.reading_number != reading_number:
        return None
    return PicturedReading(snapshot.reading, snapshot.picture)


def _indices(rows: str) -> list[list[int]]:
    """Return the rows of a path such as `0.1.2-3.4.5` as lists of indices; an empty list if it can't be parsed."""
    words = [row.split(".") for row in rows.split("-")]
    if not all(word.isascii() and word.isdigit() and len(word) < 5 for row in words for word in row):
        return []
    return [[int(word) for word in row] for row in words]


def _jpeg(jpeg: bytes) -> Response:
    return Response(jpeg, mimetype="image/jpeg", headers={"Cache-Control": "no-store"})
