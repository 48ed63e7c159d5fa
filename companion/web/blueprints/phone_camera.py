"""A phone as the table camera: the phone asks, the host allows it, and the phone sends one picture after another."""

from typing import Final

from flask import Blueprint, Response, current_app, g, jsonify, render_template, request

from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.access import expect_host
from tilekeeper.companion.web.schemas.phone_camera import PhoneAskedJson, PhonesJson, PhoneTakenJson
from tilekeeper.companion.web.schemas.requests import NoBody, PhoneBody

blueprint = Blueprint("phone", __name__)

LARGEST_PICTURE_BYTES: Final = 8 * 1024 * 1024


@blueprint.get("/camera")
def page() -> str:
    """The page that makes a phone the table camera."""
    return render_template("phone_camera.html")


@blueprint.get("/api/phones")
@described(PhonesJson)
def phones() -> Response:
    """The phone that is the camera, and the phones that ask to be it; for the host only."""
    expect_host()
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
    """Ask to be the camera; repeat this until the answer says that the host has chosen this phone."""
    return jsonify(chosen=parts(current_app).phone_camera.ask(g.device))


@blueprint.post("/api/phone/choose")
@described(PhonesJson, body=PhoneBody)
def choose(body: PhoneBody) -> Response:
    """Make a phone that asks the camera, in place of the present source; for the host only."""
    expect_host()
    parts(current_app).phone_camera.choose(body.device)
    return phones()


@blueprint.post("/api/phone/picture")
@described(PhoneTakenJson, picture="a picture of the table, JPEG, of at most 8 MB")
def picture() -> Response:
    """Send one picture; the answer says when to send the next one. For the chosen phone only."""
    request.max_content_length = LARGEST_PICTURE_BYTES
    return jsonify(wait_ms=parts(current_app).phone_camera.take(g.device, request.get_data(cache=False)))
