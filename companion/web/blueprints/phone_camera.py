"""A phone as the table camera: the phone asks, the host chooses it, and the phone sends one picture after another."""

from typing import Final

from flask import Blueprint, Response, current_app, g, jsonify, render_template, request

from tilekeeper.companion.capture.camera_controls import ControlStates
from tilekeeper.companion.capture.upload import LARGEST_UPLOAD_BYTES
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.schemas.phone_camera import PhoneAskedJson, PhonesJson, PhoneTakenJson
from tilekeeper.companion.web.schemas.requests import NoBody, PhoneBody, PhoneControlsBody

blueprint = Blueprint("phone", __name__)

LARGEST_PICTURE_BYTES: Final = 8 * 1024 * 1024


@blueprint.get("/camera")
def page() -> str:
    """The page that makes a phone the table camera."""
    return render_template("phone_camera.html", camera_controls=parts(current_app).settings.user.camera_controls)


@blueprint.get("/api/phones")
@described(PhonesJson)
def phones() -> Response:
    """The phone that is the camera, and the phones that ask to become the camera; for the host only."""
    phone, access = parts(current_app).phone_camera, parts(current_app).access
    names = {device.id: device.name for device in access.devices}
    chosen = phone.chosen
    return jsonify(
        chosen=None if chosen is None else {"id": chosen, "name": names.get(chosen, "")},
        asking=[{"id": device.id, "name": device.name} for device in phone.asking],
        address=None if access.address is None else f"{access.address}camera",
        secure=parts(current_app).certificates is not None,
    )


@blueprint.post("/api/phone/ask")
@described(PhoneAskedJson, body=NoBody)
def ask(_: NoBody) -> Response:
    """Ask to become the camera; repeat this until the answer says that the host has chosen this phone (`chosen`)."""
    return jsonify(chosen=parts(current_app).phone_camera.ask(g.device))


@blueprint.post("/api/phone/choose")
@described(PhonesJson, body=PhoneBody)
def choose(body: PhoneBody) -> Response:
    """Choose which of the phones that ask becomes the camera; null for no phone.

    A chosen phone replaces the current source. For the host only.
    """
    parts(current_app).phone_camera.choose(body.device)
    return phones()


@blueprint.post("/api/phone/picture")
@described(PhoneTakenJson, picture="a picture of the table, JPEG, of at most 8 MB")
def picture() -> Response:
    """Send a picture of the table as JPEG; the answer says what to send next, and when. For the chosen phone only."""
    request.max_content_length = LARGEST_PICTURE_BYTES
    orders = parts(current_app).phone_camera.take(g.device, request.get_data(cache=False))
    return jsonify(wait_ms=orders.wait_ms, refocus=orders.refocus, photo=orders.photo)


@blueprint.post("/api/phone/photo")
@described(PhoneAskedJson, picture="a photo of the table at full resolution, JPEG, of at most 20 MB")
def photo() -> Response:
    """Send the full-resolution photo that the answer to `POST /api/phone/picture` requested (`photo`).

    The app reads a rack from it. For the chosen phone only.
    """
    request.max_content_length = LARGEST_UPLOAD_BYTES
    parts(current_app).phone_camera.take_photo(g.device, request.get_data(cache=False))
    return jsonify(chosen=True)


@blueprint.post("/api/phone/controls")
@described(PhoneAskedJson, body=PhoneControlsBody)
def controls(body: PhoneControlsBody) -> Response:
    """Report the state of each camera control: set, refused or automatic. For the chosen phone only."""
    states = ControlStates(body.focus, body.exposure, body.white_balance)
    parts(current_app).phone_camera.report_controls(g.device, states)
    return jsonify(chosen=True)
