"""The table on the page: the state, its stream, the pictures, and the buttons for a single turn."""

import cv2
import numpy as np
from flask import Blueprint, Response, current_app, request

from tilekeeper.companion.api.bodies import AnswerBody, NoBody, OpenedBody, StepBody
from tilekeeper.companion.api.described import described
from tilekeeper.companion.api.examples import keep_example
from tilekeeper.companion.desk import Desk
from tilekeeper.companion.parts import parts
from tilekeeper.companion.refused import Refused
from tilekeeper.companion.single_turn import SingleTurn

blueprint = Blueprint("table", __name__)

# A crop shows a little of what lies around the tile.
CROP_MARGIN = 0.35


@blueprint.get("/api/state")
@described(query={"after": "the version that the page has"}, empty="the state is not newer than that")
def state() -> Response:
    """The state as it is.

    With `?after=N` nothing (204) unless it is newer than version N. Pages that get no stream ask this way, again and
    again; none of them is kept waiting, for that takes a thread.
    """
    news = desk().news(after=request.args.get("after", -1, type=int))
    return Response(status=204) if news is None else Response(news.text, mimetype="application/json")


@blueprint.get("/events")
@described(str, media="text/event-stream")
def events() -> Response:
    """The stream of states (server-sent events).

    Each event is a whole state. 503 where too many pages are open, which then ask for the state instead. One stream a
    browser is enough: its tabs share it.
    """
    stream = parts(current_app).streams.open()
    if stream is None:
        return Response("Too many pages are open.\n", status=503, headers={"Retry-After": "5"}, mimetype="text/plain")
    response = Response(iter(stream), mimetype="text/event-stream", headers={"Cache-Control": "no-store"})
    response.call_on_close(stream.close)
    return response


@blueprint.get("/picture/<int:number>.jpg")
@described(bytes, media="image/jpeg")
def picture(number: int) -> Response:
    """A picture by its number; 404 where it is no longer kept."""
    kept = desk().picture(number)
    if kept is None:
        return Response("That picture is gone.\n", status=404, mimetype="text/plain")
    return Response(kept.jpeg, mimetype="image/jpeg", headers={"Cache-Control": "no-store"})


@blueprint.get("/crop/<int:reading>/<int:tile>.jpg")
@described(bytes, media="image/jpeg")
def crop(reading: int, tile: int) -> Response:
    """A tile of the present reading, cut out of the picture and upright, for a question about it."""
    snapshot = desk().snapshot
    there = snapshot.reading is not None and snapshot.reading_number == reading
    if not there or snapshot.reading is None or snapshot.picture is None or tile >= len(snapshot.reading.tiles):
        return Response("That tile is gone.\n", status=404, mimetype="text/plain")
    image = cv2.imdecode(np.frombuffer(snapshot.picture.jpeg, np.uint8), cv2.IMREAD_COLOR)
    scale = image.shape[1] / snapshot.picture.image_wh[0]
    quad = snapshot.reading.tiles[tile].sighting.quad_px * scale
    middle = quad.mean(axis=0)
    wider = (middle + (quad - middle) * (1 + CROP_MARGIN)).astype(np.float32)
    width_px = round(float(np.linalg.norm(wider[1] - wider[0])))
    height_px = round(float(np.linalg.norm(wider[3] - wider[0])))
    larger = 160 / max(1, width_px)
    size_wh = (round(width_px * larger), max(1, round(height_px * larger)))
    target = np.array([(0, 0), (size_wh[0], 0), size_wh, (0, size_wh[1])], np.float32)
    upright = cv2.warpPerspective(image, cv2.getPerspectiveTransform(wider, target), size_wh, flags=cv2.INTER_CUBIC)
    _, jpeg = cv2.imencode(".jpg", upright)
    return Response(jpeg.tobytes(), mimetype="image/jpeg", headers={"Cache-Control": "no-store"})


@blueprint.post("/api/answer")
@described(body=AnswerBody)
def answer(body: AnswerBody) -> Response:
    """Say which of the two names in question a doubtful tile has; the verdict that turned on it follows at once."""
    seen = desk().snapshot
    desk().answer(body.reading, body.tile, body.label)
    keep_example(seen, body.tile, body.label)
    return now()


@blueprint.post("/api/correct")
@described(body=AnswerBody)
def correct(body: AnswerBody) -> Response:
    """Say what any tile is, whatever it was read as; that sticks to it while it lies there or slides.

    `no-tile` takes it off the table.
    """
    seen = desk().snapshot
    desk().correct(body.reading, body.tile, body.label)
    keep_example(seen, body.tile, body.label)
    return now()


@blueprint.post("/api/begin")
@described(body=NoBody)
def begin(_: NoBody) -> Response:
    """Take the table as it lies as the beginning of a single turn."""
    _turn().begin()
    return now()


@blueprint.post("/api/done")
@described(body=NoBody)
def done(_: NoBody) -> Response:
    """Judge the single turn."""
    _turn().done()
    return now()


@blueprint.post("/api/cancel")
@described(body=NoBody)
def cancel(_: NoBody) -> Response:
    """Stop waiting for the table to lie still."""
    _turn().cancel()
    return now()


@blueprint.post("/api/undo")
@described(body=NoBody)
def undo(_: NoBody) -> Response:
    """Take back the last Done or beginning of the single turn."""
    _turn().undo()
    return now()


@blueprint.post("/api/opened")
@described(body=OpenedBody)
def opened(body: OpenedBody) -> Response:
    """Say whether the player of the single turn has opened in an earlier one."""
    _turn().set_opened(body.opened)
    return now()


@blueprint.post("/api/step")
@described(body=StepBody)
def step(body: StepBody) -> Response:
    """Go to another photo of a folder."""
    if desk().watching.kind != "photos":
        raise Refused("Only a folder of photos can be stepped through.")
    parts(current_app).watcher.step(body.by)
    return now()


def desk() -> Desk:
    """The desk of the app."""
    return parts(current_app).desk


def now() -> Response:
    """The state as it is now, which every action answers with."""
    news = desk().news()
    return Response("{}" if news is None else news.text, mimetype="application/json")


def _turn() -> SingleTurn:
    play = desk().play
    if not isinstance(play, SingleTurn):
        raise Refused("An evening is being played; this button is for a single turn.")
    return play
