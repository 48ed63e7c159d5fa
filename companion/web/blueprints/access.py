"""Access to the table: the check of each request, the join page, and what the host allows other tablets."""

import io
from typing import Final, cast

import segno
from flask import Blueprint, Flask, Response, current_app, g, jsonify, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.doorkeeper.cookies import CSRF_COOKIE, read_cookie, set_csrf_cookie, set_token_cookies
from tilekeeper.companion.doorkeeper.guard import (
    TRUST,
    Guard,
    Rejected,
    expect_csrf_token,
)
from tilekeeper.companion.doorkeeper.host_key import HOST_COOKIE
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.access import HOST, Device
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.permissions import (
    EVERYBODY,
    ONE_PLAYER,
    DeviceRole,
    Permission,
    permission_of,
    role_of,
)
from tilekeeper.companion.web.blueprints.host import lead_to
from tilekeeper.companion.web.blueprints.trust import trust_address
from tilekeeper.companion.web.schemas.access import AccessJson
from tilekeeper.companion.web.schemas.requests import ControlBody, JoinCodeBody, NoBody
from tilekeeper.engine.language import gettext, translate

blueprint = Blueprint("access", __name__)

COOKIE: Final = "tilekeeper"
PLAYER_COOKIE: Final = "tilekeeper-player"
COOKIE_AGE_S: Final = 30 * 24 * 3600
_SCREENS: Final = frozenset(("overlay", "scoreboard"))
"""The pages for second screens and streams, to which a link to join can lead."""
_IN_PLAIN: Final = frozenset((*TRUST, "assets.file", "shell.manifest"))


def guard(app: Flask) -> None:
    """Let an app identify the sender of each request, and refuse each request that the sender may not make."""
    Guard(parts(app).certificates is not None, _IN_PLAIN, _identify).protect(app)
    app.after_request(_with_csrf_cookie)


def _identify() -> AnyResponse | None:
    permission = permission_of(request.endpoint)
    if permission is ONE_PLAYER:
        return _identify_player()
    token, device = read_cookie(COOKIE), known_device()
    g.device = device
    g.device_name = "" if device is None else device.name
    if permission is EVERYBODY:
        return None
    if device is None:
        if request.blueprint == "page" or request.endpoint == "phone.page":
            return redirect("/join")
        raise Rejected(gettext("First enter the join code. It is on the screen at the table."), "join-first", 401)
    if request.method == "POST" and device is not HOST:
        expect_csrf_token(request, token or "")
    _expect(permission, device)
    return None


def known_device() -> Device | None:
    """Return the tablet whose browser sent the request, or `HOST`; None if it has not joined."""
    return parts(current_app).access.device(request.remote_addr, read_cookie(COOKIE), read_cookie(HOST_COOKIE))


def _identify_player() -> AnyResponse | None:
    token = read_cookie(PLAYER_COOKIE) or ""
    g.private_page = page = parts(current_app).private_pages.page(token)
    if page is None and request.endpoint == "private.page":
        return None  # the player's page itself explains how to get a link
    if page is None:
        raise Rejected(gettext("This page belongs to one player. Open it with that player's link."), "no-control", 403)
    if request.method == "POST":
        expect_csrf_token(request, token)
    return None


def _expect(permission: Permission, device: Device) -> None:
    """Raise `Rejected` if a device may not make the current request in the current state of the table."""
    state = parts(current_app).session.state
    night, evening = state.activity.game_night, (request.view_args or {}).get("evening")
    in_play = night is not None and night.id == evening
    if not permission.admits(role_of(device, state), evening_in_play=in_play):
        if DeviceRole.TABLET in permission.roles:
            raise Rejected(gettext("Only the host's device may press buttons now."), "no-control", 403)
        raise Rejected(gettext("That works only on the computer that runs the app."), "no-control", 403)
    if permission.shows_racks and state.racks_may_stand:
        raise Rejected(gettext("Racks may stand around the table, and the picture would show them."), "racks", 403)


def is_host() -> bool:
    """Return whether the request comes from the host's browser."""
    return _device() is HOST


def sender_role() -> DeviceRole:
    """Return the role of the current request's sender."""
    return role_of(_device(), parts(current_app).session.state)


def _device() -> Device:
    return cast(Device, g.device)


@blueprint.get("/join")
def join_page() -> AnyResponse | str:
    """The page to join; with the right code in the address, the tablet joins and goes on to the table.

    With `page`, it goes on to one of `_SCREENS`, where nobody could type a code.
    """
    code, name, page = request.args.get("code"), request.args.get("name", ""), request.args.get("page", "")
    goal = f"/{page}" if page in _SCREENS else "/"
    if g.device is not None:
        return redirect(goal)
    if code is None:
        return render_template("join.html", trouble="", code="", name=name)
    try:
        return _join(lead_to(goal), code, name)
    except Refused as why:
        return render_template("join.html", trouble=translate(str(why)), code=code, name=name)


@blueprint.post("/api/join")
@described(AccessJson, body=JoinCodeBody)
def join(body: JoinCodeBody) -> AnyResponse:
    """Join with the code that the table's screen shows; the answer sets a cookie, which later requests need."""
    access = parts(current_app).access
    token = access.join(body.code, body.name, request.remote_addr or "")
    g.device = access.device(None, token)
    return _with_cookie(_access(), token)


@blueprint.get("/api/access")
@described(AccessJson)
def access() -> Response:
    """The rights of the requesting tablet; for the host also the join code and all tablets that have joined."""
    return _access()


@blueprint.post("/api/access/control")
@described(AccessJson, body=ControlBody)
def control(body: ControlBody) -> Response:
    """Allow or forbid a tablet to press buttons while `settings.control` is `host`; for the host only."""
    parts(current_app).access.let_control(body.device, body.controls)
    parts(current_app).feed.refresh()
    return _access()


@blueprint.post("/api/access/renew")
@described(AccessJson, body=NoBody)
def renew(_: NoBody) -> Response:
    """Make a new join code, and remove all tablets that have joined; for the host only."""
    parts(current_app).access.renew()
    parts(current_app).feed.refresh()
    return _access()


@blueprint.get("/api/access/qr.svg")
@described(bytes, media="image/svg+xml")
def qr() -> Response:
    """A QR code with the address that joins a tablet at once; for the host only."""
    return _draw_qr(parts(current_app).access.join_address())


@blueprint.get("/api/access/trust-qr.svg")
@described(bytes, media="image/svg+xml")
def trust_qr() -> Response:
    """A QR code with the address of the page that explains how to trust this computer; for the host only."""
    return _draw_qr(_trust_address())


def _draw_qr(address: str | None) -> Response:
    if address is None:
        raise Refused(gettext("Only this computer can join now. The guide says how to let others in."), "not-found")
    drawing = io.BytesIO()
    segno.make_qr(address).save(drawing, kind="svg", scale=8, border=2, light="#fff", xmldecl=False)
    return Response(drawing.getvalue(), mimetype="image/svg+xml", headers={"Cache-Control": "no-store"})


def _trust_address() -> str | None:
    """Return the address of the page `/trust`; None if the app uses plain http or admits only this computer."""
    address = parts(current_app).access.address
    return None if address is None or parts(current_app).certificates is None else trust_address(address)


def _access() -> Response:
    certificates, trust = parts(current_app).certificates, _trust_address()
    sender, access = _device(), parts(current_app).access
    host = sender is HOST
    return jsonify(
        you={"id": sender.id, "name": sender.name, "host": host, "controls": sender_role() is not DeviceRole.WATCHING},
        address=access.address,
        trust=None
        if certificates is None or trust is None
        else {"address": trust, "fingerprint": certificates.fingerprint},
        code=access.code if host else None,
        devices=[
            {"id": device.id, "name": device.name, "controls": device.controls}
            for device in (access.devices if host else ())
        ],
    )


def _join(response: AnyResponse, code: str, name: str) -> AnyResponse:
    return _with_cookie(response, parts(current_app).access.join(code, name, request.remote_addr or ""))


def _with_cookie(response: AnyResponse, token: str) -> AnyResponse:
    set_token_cookies(response, COOKIE, token, COOKIE_AGE_S)
    return response


def _with_csrf_cookie(response: AnyResponse) -> AnyResponse:
    """Set the CSRF cookie if a joined tablet does not have it, for example since an earlier version set none."""
    token, device = read_cookie(COOKIE), g.get("device")
    if request.blueprint == "page" and token and device not in (None, HOST) and read_cookie(CSRF_COOKIE) is None:
        set_csrf_cookie(response, token, COOKIE_AGE_S)
    return response
