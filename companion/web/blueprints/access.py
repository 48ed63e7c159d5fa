"""Lets tablets in that know the join code, keeps strangers out of everything, and says who may press buttons."""

import io
from typing import cast

import segno
from flask import Blueprint, Flask, Response, current_app, g, jsonify, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.access import HOST, Device, is_own_name, is_this_machine
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.errors import error_response
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.origin import CSRF_COOKIE, PAGES, csrf_token, has_csrf_token, is_from_another_site
from tilekeeper.companion.web.blueprints.trust import trust_address
from tilekeeper.companion.web.schemas.access import AccessJson
from tilekeeper.companion.web.schemas.requests import ControlBody, JoinCodeBody, NoBody
from tilekeeper.engine.language import gettext, spoken

blueprint = Blueprint("access", __name__)

COOKIE = "tilekeeper"
PLAYER_COOKIE = "tilekeeper-player"
COOKIE_AGE_S = 30 * 24 * 3600
# What a stranger may see: the page on which the code is entered, and what that page is made of.
_TRUST = ("trust.page", "trust.certificate", "trust.profile", "trust.seen")
_SHELL = ("shell.manifest", "shell.offline", "shell.worker")
_FOR_STRANGERS = ("access.join_page", "access.join", "assets.file", "private.enter", *_SHELL, *_TRUST)
# A player's own, for the phone that has opened the player's link, and for nobody else: not even the host.
_PRIVATE = ("private.page", "private.mine", "private.can_open")
# What comes over plain http where tablets are to come in over https: nothing that anybody could read along with profit.
_IN_PLAIN = (*_TRUST, "assets.file", "shell.manifest")
# A phone reads a rack for whoever holds the tablet at the table.
_CHANGES_NOTHING = ("cameras.scan", "evening.judge", "phone.ask", "phone.picture", "practice.judge")


_TO_THE_TABLE = '<!doctype html><title>Tilekeeper</title><meta http-equiv="refresh" content="0;url=/">'


def guard(app: Flask) -> None:
    """Let an app ask of every request who it is from."""
    app.before_request(_who)
    app.after_request(_with_csrf_token)


def _who() -> AnyResponse | None:
    if not is_own_name(request.host):
        return error_response(gettext("This is not the address of this app."), "not-found", 421)
    # The plain page on which a tablet learns to trust this machine is another site to what comes over https.
    if is_from_another_site(request) and request.endpoint != "trust.seen":
        return error_response(gettext("A page of another website may not do this."), "other-site", 403)
    if _must_be_encrypted() and request.endpoint not in _IN_PLAIN:
        return _led_to_https()
    if request.endpoint in _PRIVATE:
        return _whose_page()
    token = request.cookies.get(COOKIE)
    device = parts(current_app).access.device(request.remote_addr, token)
    g.device = device
    g.device_name = "" if device is None else device.name
    if request.endpoint in _FOR_STRANGERS:
        return None
    if device is None:
        if request.blueprint == "page" or request.endpoint == "phone.page":
            return redirect("/join")
        return error_response(
            gettext("First enter the join code. It is on the screen at the table."), "join-first", 401
        )
    if request.method == "POST" and device is not HOST and not has_csrf_token(request, token or ""):
        return error_response(gettext("Please reload this page."), "other-site", 403)
    if request.method == "POST" and request.endpoint not in _CHANGES_NOTHING and not _controls(device):
        return error_response(gettext("Only the host’s tablet may press buttons now."), "no-control", 403)
    return None


def _led_to_https() -> AnyResponse:
    g.device = None
    to_page = request.blueprint in PAGES and not request.path.startswith("/api/")
    if request.method == "GET" and to_page:
        return redirect("/trust")
    return error_response(gettext("Open https://{address}/ instead.", address=request.host), "not-encrypted", 403)


def _whose_page() -> AnyResponse | None:
    token = request.cookies.get(PLAYER_COOKIE, "")
    g.private_page = page = parts(current_app).private_pages.page(token)
    if page is None and request.endpoint == "private.page":
        return None  # it tells a person what to do
    if page is None:
        return error_response(
            gettext("This page belongs to one player. Open it with that player’s link."), "no-control", 403
        )
    if request.method == "POST" and not has_csrf_token(request, token):
        return error_response(gettext("Please reload this page."), "other-site", 403)
    return None


def _must_be_encrypted() -> bool:
    """Whether this should have come over https: nobody listens in on what stays on this machine."""
    encrypts = parts(current_app).certificates is not None
    return encrypts and not request.is_secure and not is_this_machine(request.remote_addr)


def _controls(device: Device) -> bool:
    night = parts(current_app).session.state.activity.game_night
    return night is None or night.all_tablets_control or device.controls


def expect_host() -> None:
    """Refuse whoever is not at the machine at which the app runs."""
    if not is_host():
        raise Refused(gettext("That works only on the computer that runs the app."), "no-control")


def is_host() -> bool:
    """Whether whoever asks sits at the machine at which the app runs."""
    return _device() is HOST


def _device() -> Device:
    return cast(Device, g.device)


@blueprint.get("/join")
def join_page() -> AnyResponse | str:
    """The page on which the code is entered; an address with the right code in it goes straight to the table."""
    code = request.args.get("code")
    if g.device is not None:
        return redirect("/")
    if code is None:
        return render_template("join.html", trouble="")
    try:
        # Not a redirect: after one from a link elsewhere a browser would not send the cookie that is set here.
        return _joined(Response(_TO_THE_TABLE), code, request.args.get("name", ""))
    except Refused as why:
        return render_template("join.html", trouble=spoken(str(why)))


@blueprint.post("/api/join")
@described(AccessJson, body=JoinCodeBody)
def join(body: JoinCodeBody) -> AnyResponse:
    """Join with the code that stands on the screen at the table; the answer sets a cookie."""
    access = parts(current_app).access
    token = access.join(body.code, body.name, request.remote_addr or "")
    g.device = access.device(None, token)
    return _with_cookie(_access(), token)


@blueprint.get("/api/access")
@described(AccessJson)
def access() -> Response:
    """Who asks, and for the host the join code and who has joined."""
    return _access()


@blueprint.post("/api/access/control")
@described(AccessJson, body=ControlBody)
def control(body: ControlBody) -> Response:
    """Let a tablet press buttons where only the host's may (`settings.control`); for the host only."""
    expect_host()
    parts(current_app).access.let_control(body.device, body.controls)
    parts(current_app).feed.refresh()
    return _access()


@blueprint.post("/api/access/renew")
@described(AccessJson, body=NoBody)
def renew(_: NoBody) -> Response:
    """Make a new join code, and let nobody in any more who knew the old one; for the host only."""
    expect_host()
    parts(current_app).access.renew()
    parts(current_app).private_pages.end_all()
    parts(current_app).feed.refresh()
    return _access()


@blueprint.get("/api/access/qr.svg")
@described(bytes, media="image/svg+xml")
def qr() -> Response:
    """The address with the join code as a QR code; for the host only."""
    expect_host()
    return _drawn(parts(current_app).access.join_address())


@blueprint.get("/api/access/trust-qr.svg")
@described(bytes, media="image/svg+xml")
def trust_qr() -> Response:
    """The address at which a tablet learns to trust this machine, as a QR code; for the host only."""
    expect_host()
    return _drawn(_trust_address())


def _drawn(address: str | None) -> Response:
    if address is None:
        raise Refused(gettext("Only this computer can join now. The guide says how to let others in."), "not-found")
    drawing = io.BytesIO()
    segno.make_qr(address).save(drawing, kind="svg", scale=8, border=2, light="#fff", xmldecl=False)
    return Response(drawing.getvalue(), mimetype="image/svg+xml", headers={"Cache-Control": "no-store"})


def _trust_address() -> str | None:
    """The plain address at which a tablet learns to trust this machine; None where that is not needed."""
    address = parts(current_app).access.address
    return None if address is None or parts(current_app).certificates is None else trust_address(address)


def _access() -> Response:
    certificates, trust = parts(current_app).certificates, _trust_address()
    asks, access = _device(), parts(current_app).access
    host = asks is HOST
    return jsonify(
        you={"id": asks.id, "name": asks.name, "host": host, "controls": _controls(asks)},
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


def _joined(response: AnyResponse, code: str, name: str) -> AnyResponse:
    return _with_cookie(response, parts(current_app).access.join(code, name, request.remote_addr or ""))


def _with_cookie(response: AnyResponse, token: str) -> AnyResponse:
    _set_cookie(response, COOKIE, token, httponly=True)
    _set_cookie(response, CSRF_COOKIE, csrf_token(token), httponly=False)
    return response


def _with_csrf_token(response: AnyResponse) -> AnyResponse:
    """Give a tablet that joined before the word without which it may press no buttons."""
    token, device = request.cookies.get(COOKIE), g.get("device")
    if request.blueprint == "page" and token and device not in (None, HOST) and CSRF_COOKIE not in request.cookies:
        _set_cookie(response, CSRF_COOKIE, csrf_token(token), httponly=False)
    return response


def _set_cookie(response: AnyResponse, name: str, value: str, *, httponly: bool) -> None:
    response.set_cookie(
        name, value, max_age=COOKIE_AGE_S, httponly=httponly, samesite="Strict", secure=request.is_secure
    )
