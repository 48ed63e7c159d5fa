"""Sources: cameras and their previews, the play area, the self-test, and racks read from a picture."""

from dataclasses import replace

from flask import Blueprint, Response, current_app, jsonify, request

from tilekeeper.companion.capture.camera_settings import Adjustable, CameraGives, CameraWishes
from tilekeeper.companion.capture.devices import cameras
from tilekeeper.companion.capture.upload import LARGEST_UPLOAD_BYTES, decode_upload, reading_turn
from tilekeeper.companion.doorkeeper.addresses import network_of
from tilekeeper.companion.observation.observed_table import table_and_rows, tile_set_of
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.commands import PutRacksAway
from tilekeeper.companion.session.rack_scan import count_expected_tiles, select_rack
from tilekeeper.companion.session.snapshot import Snapshot
from tilekeeper.companion.session.sources import has_demo, shown_name
from tilekeeper.companion.text.camera_controls import describe_controls
from tilekeeper.companion.text.placement import all_advice
from tilekeeper.companion.web.api.actions import newest_state, table_state
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.access import is_host
from tilekeeper.companion.web.schemas.cameras import (
    CameraPicturesJson,
    CameraStateJson,
    FoundAreaJson,
    ScanJson,
    ScannedTileJson,
    SelfTestJson,
    SourcesJson,
)
from tilekeeper.companion.web.schemas.requests import AreaBody, CameraBody, NoBody, SourceBody
from tilekeeper.companion.web.schemas.table import PictureJson
from tilekeeper.companion.web.schemas.tiles import ReadTileJson
from tilekeeper.engine.game.scoring import rack_left
from tilekeeper.engine.language import as_sentence, gettext, translate
from tilekeeper.engine.tiles.table import Table
from tilekeeper.vision.arrays import Image
from tilekeeper.vision.layout.racks import read_as_rack
from tilekeeper.vision.quality.camera_check import check_camera
from tilekeeper.vision.types import OK, TOO_BLURRED, TableReading

blueprint = Blueprint("cameras", __name__)


@blueprint.get("/api/sources")
@described(SourcesJson)
def sources() -> Response:
    """The available sources, the current source, and its settings."""
    watched = parts(current_app).sources
    area = watched.area
    return jsonify(
        cameras=[{"source": camera.source, "name": translate(camera.name)} for camera in cameras()],
        watched=shown_name(watched.named),
        camera=_camera(watched.camera),
        demo=has_demo(),
        play_area=None if area is None else [list(corner) for corner in area.corners],
        host=is_host(),
        racks=table_state().racks_may_stand,
    )


@blueprint.post("/api/sources/preview")
@described(bytes, body=SourceBody, media="image/jpeg")
def preview(body: SourceBody) -> Response:
    """A small picture of a source, to help the host choose; for the host only, and not while racks may stand.

    This is a POST because it opens a camera or an address, which no link may cause.
    """
    return _jpeg(parts(current_app).sources.preview(body.source))


@blueprint.get("/api/whole.jpg")
@described(bytes, media="image/jpeg")
def whole() -> Response:
    """The newest whole picture, to draw the play area on it; for the host only, and not while racks may stand."""
    return _jpeg(parts(current_app).sources.whole())


@blueprint.post("/api/source")
@described(body=SourceBody)
def source(body: SourceBody) -> Response:
    """Change to another source; for the host only."""
    parts(current_app).sources.watch(body.source)
    return newest_state()


@blueprint.post("/api/camera")
@described(SourcesJson, body=CameraBody)
def camera(body: CameraBody) -> Response:
    """Request other settings from the current camera and store them for it; for the host only.

    A moment later `GET /api/sources` has the settings that the camera reports.
    """
    parts(current_app).sources.ask(CameraWishes(body.width_px, body.height_px, body.mjpg, body.exposure_s))
    return sources()


def _camera(camera: Adjustable | None) -> CameraStateJson | None:
    if camera is None:
        return None
    return {
        "asked": _pictures_json(camera.wishes, None),
        "gives": None if camera.gives is None else _pictures_json(camera.gives, camera.gives.fps),
    }


def _pictures_json(pictures: CameraWishes | CameraGives, fps: float | None) -> CameraPicturesJson:
    return {
        "width_px": pictures.width_px,
        "height_px": pictures.height_px,
        "mjpg": pictures.mjpg,
        "fps": fps,
        "exposure_s": pictures.exposure_s,
    }


@blueprint.post("/api/play-area")
@described(SourcesJson, body=AreaBody)
def play_area(body: AreaBody) -> Response:
    """Set the play area, outside which all pictures are black; it is stored for the current source.

    For the host only, since a larger area may show racks. The whole picture (null) is refused while racks may stand
    around the table.
    """
    parts(current_app).sources.draw_area(body.corners)
    return sources()


@blueprint.get("/api/play-area/found")
@described(FoundAreaJson)
def found_area() -> Response:
    """The play area that the app detects in the newest picture. To use it, send it to `POST /api/play-area`.

    For the host only, and not while racks may stand.
    """
    corners = parts(current_app).sources.find_area()
    return jsonify(corners=None if corners is None else [list(corner) for corner in corners])


@blueprint.post("/api/racks-away")
@described(SourcesJson, body=NoBody)
def racks_away(_: NoBody) -> Response:
    """Confirm, after a round was left, that no rack stands around the table any more; for the host only.

    Refused (409) while a round is being played.
    """
    parts(current_app).session.handle(PutRacksAway())
    return sources()


@blueprint.get("/api/self-test")
@described(SelfTestJson)
def test() -> Response:
    """The self-test: the problems of the newest picture in plain words, and what to do about them.

    Pictures are tested one at a time, in fair turns of their senders.
    """
    image = None if table_state().snapshot.trouble else parts(current_app).watcher.show_newest()
    snapshot = table_state().snapshot
    controls = [
        {"control": line.control, "state": line.state, "text": line.text}
        for line in describe_controls(parts(current_app).sources.controls)
    ]
    if image is None or snapshot.picture is None:
        text = as_sentence(snapshot.trouble or gettext("There is no picture yet."))
        findings = [{"code": "no-picture", "text": text, "boxes": []}]
        return jsonify(good=False, picture=None, findings=findings, advice=[], controls=controls)
    with reading_turn(network_of(request.remote_addr)):
        problems = check_camera(image, snapshot.reading)
    if any(problem.code == TOO_BLURRED for problem in problems):
        parts(current_app).watcher.refocus()
    return jsonify(
        good=not problems,
        picture=snapshot.picture.number,
        findings=[
            {"code": problem.code, "text": problem.text, "boxes": [list(box) for box in problem.boxes]}
            for problem in problems
        ],
        advice=[{"move": advice.move, "text": advice.text} for advice in all_advice(problems, snapshot.reading)],
        controls=controls,
    )


@blueprint.post("/api/scan")
@described(
    ScanJson,
    upload="a picture of a rack, JPEG or PNG, of at most 20 MB",
    query={"player": "the seat whose rack it is, so that the answer has the number of tiles expected on it"},
)
def scan() -> Response:
    """Read a rack from the uploaded file `picture`, or from the table camera if no file is sent.

    Nothing is recorded: after a person has checked `text`, send it to `POST /api/evening/rack`. If the table camera is
    used, the melds that are on the table by the ledger are left out of `rows`.
    """
    request.max_content_length = LARGEST_UPLOAD_BYTES
    picture, player = request.files.get("picture"), request.args.get("player", type=int)
    if picture is not None:
        return jsonify(scan_json(read_as_rack(read_upload(picture.read())), None, player))
    state = table_state()
    reading, night = state.snapshot.reading, state.activity.game_night
    if reading is None or not state.snapshot.settled:
        raise Refused(
            gettext("The camera sees nothing that stays still. Send a picture, or enter the tiles."), "no-picture"
        )
    reading = _read_still(reading)
    play = None if night is None else night.state.state.round
    rack = replace(reading, rows=select_rack(reading, Table(()) if play is None else play.table))
    return jsonify(scan_json(rack, state.snapshot, player))


def _read_still(reading: TableReading) -> TableReading:
    """Return the reading of the phone's full-resolution photo if that is better; otherwise `reading`."""
    photo = parts(current_app).phone_camera.request_photo()
    if photo is None:
        return reading
    with reading_turn(network_of(request.remote_addr)):
        still = _read(photo)
    return still if still.status == OK and len(still.tiles) >= len(reading.tiles) else reading


def read_upload(data: bytes) -> TableReading:
    """Return the reading of an uploaded picture, in the sender's turn.

    Raises:
        Refused: if the picture can't be read, or pictures of others take too long.
    """
    sender = network_of(request.remote_addr)
    image_bgr = decode_upload(data, sender)
    with reading_turn(sender):
        return _read(image_bgr)


def _read(image_bgr: Image) -> TableReading:
    return parts(current_app).settings.observer.read(image_bgr, tile_set_of(table_state().activity.rules))


def scan_json(reading: TableReading, snapshot: Snapshot | None, player: int | None) -> ScanJson:
    """Return the answer for a reading whose rows are a rack.

    Args:
        reading: the reading.
        snapshot: the table camera's; None for an upload.
        player: the seat whose rack it is, to tell how many tiles are expected; None if it is unknown.
    """
    activity = table_state().activity
    table, rows = table_and_rows(reading)
    tiles = [tile for meld in table.melds for tile in meld]
    places = {index: (row, place) for row, indices in enumerate(rows) for place, index in enumerate(indices)}
    scanned = []
    for index, tile in enumerate(ReadTileJson.from_reading(reading)):
        row, place = places.get(index, (None, None))
        scanned.append(ScannedTileJson(**dict(tile), row=row, place=place))
    stars, scoring = activity.rules.stars, activity.rules.scoring
    return {
        "status": reading.status if reading.status == OK else gettext(reading.status),
        "width": reading.image_wh[0],
        "height": reading.image_wh[1],
        "picture": None if snapshot is None else PictureJson.from_snapshot(snapshot),
        "tiles": scanned,
        "rows": [list(row) for row in rows],
        "text": str(table),
        "count": len(tiles),
        "expected": count_expected_tiles(activity.game_night, player),
        "points": None if stars is not None else rack_left(tiles, scoring).points,
        "doubtful": [index for index in sorted(places) if reading.tiles[index].doubtful],
    }


def _jpeg(jpeg: bytes) -> Response:
    return Response(jpeg, mimetype="image/jpeg", headers={"Cache-Control": "no-store"})
