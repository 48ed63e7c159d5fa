"""A player's own page on the own phone: my turn, my clock, and whether the rack can open.

A picture of a rack is read and forgotten. It is sent as the body itself, not as a form's file, since forms of some size
are written to the disk; nothing of it is kept, put into the state or shown, and what was read is not told either.
"""

import threading
from typing import Final, cast

import segno
from flask import Blueprint, Response, current_app, g, jsonify, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.adjudication.opening_advice import opening_advice
from tilekeeper.companion.capture.upload import decode_upload
from tilekeeper.companion.observation.observed_table import tile_set_of
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.session.private_pages import PrivatePage
from tilekeeper.companion.web.api.actions import table_state
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.origin import csrf_token
from tilekeeper.companion.web.blueprints.access import PLAYER_COOKIE
from tilekeeper.companion.web.schemas.private_pages import AdviceJson, PrivateLinkJson, PrivatePageJson
from tilekeeper.companion.web.schemas.requests import PrivatePageBody
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.turn_context import TurnContext

blueprint = Blueprint("private", __name__)

COOKIE_AGE_S: Final = 24 * 3600
LARGEST_PICTURE_BYTES: Final = 20 * 1024 * 1024
WAITS_S: Final = 10.0
_TO_THE_PAGE: Final = '<!doctype html><title>Tilekeeper</title><meta http-equiv="refresh" content="0;url=/me">'
_reading: Final = threading.Lock()
"""Held while a rack is read: pictures are large, and the table must be read beside them."""


@blueprint.get("/me")
def page() -> str:
    """A player's page; `data-csrf` is the word that belongs to the phone's POSTs."""
    return render_template("private_page.html", csrf=csrf_token(request.cookies.get(PLAYER_COOKIE, "")))


@blueprint.get("/me/<key>")
def enter(key: str) -> AnyResponse:
    """Open the link that was shown for a player; the answer sets a cookie."""
    token = parts(current_app).private_pages.enter(key)
    # Not a redirect: after one from a link elsewhere a browser would not send the cookie that is set here.
    response = Response(_TO_THE_PAGE)
    response.set_cookie(
        PLAYER_COOKIE, token, max_age=COOKIE_AGE_S, path="/", httponly=True, samesite="Strict", secure=request.is_secure
    )
    return response


@blueprint.get("/api/me")
@described(PrivatePageJson)
def mine() -> Response:
    """What a player's own page shows, for the phone that has opened the player's link."""
    shown = cast(PrivatePage, g.private_page)
    night = _night(shown)
    if night is None:
        return jsonify(_nothing(""))
    played, name = night.state.state, night.state.state.players[shown.player]
    play = played.round
    if played.phase is not Phase.TURNS or play is None:
        return jsonify(_nothing(name))
    clock, now_s = night.state.clock, parts(current_app).session.moment().now_s
    is_mine, left_s = play.turn == shown.player, clock.left(now_s)
    return jsonify(
        {
            "name": name,
            "playing": True,
            "mine": is_mine,
            "whose": played.players[play.turn],
            "clock": {"running": clock.running, "left_s": None if left_s is None else round(left_s, 2)}
            if is_mine
            else None,
            "may_ask": _may_ask(night, shown.player),
            "opening_points": played.rules.opening.minimum_points,
        }
    )


def _nothing(name: str) -> PrivatePageJson:
    return {
        "name": name,
        "playing": False,
        "mine": False,
        "whose": "",
        "clock": None,
        "may_ask": False,
        "opening_points": 0,
    }


@blueprint.post("/api/me/can-open")
@described(AdviceJson, picture="a picture of the player's rack, JPEG or PNG, of at most 20 MB")
def can_open() -> Response:
    """Say whether the rack on a picture can open, and nothing else; the picture is forgotten at once."""
    shown = cast(PrivatePage, g.private_page)
    night = _night(shown)
    if night is None or not _may_ask(night, shown.player):
        raise Refused(gettext("There is nothing to open now."), "not-now")
    request.max_content_length = LARGEST_PICTURE_BYTES
    picture = request.get_data(cache=False)
    if not _reading.acquire(timeout=WAITS_S):
        raise Refused(gettext("Another rack is being looked at: try again."), "not-now")
    try:
        rules, play = night.state.state.rules, night.state.round
        reading = parts(current_app).settings.observer.read(decode_upload(picture), tile_set_of(rules))
        tiles = play.seats[shown.player].rack
        answer = opening_advice(reading, tiles, play.table, TurnContext(rules, opened=False))
    finally:
        _reading.release()
    return jsonify(answer=str(answer))


@blueprint.post("/api/private-page/show")
@described(PrivateLinkJson, body=PrivatePageBody)
def show(body: PrivatePageBody) -> Response:
    """Make a link to a player's private page, as an address and a QR code; the one before it ends."""
    evening = _evening(body.player)
    key = parts(current_app).private_pages.invite(evening, body.player)
    base = parts(current_app).access.address or request.host_url
    address = f"{base}me/{key}"
    qr = segno.make_qr(address).svg_data_uri(scale=8, border=2, light="#fff")
    return jsonify(player=body.player, phones=_phones(evening, body.player), address=address, qr=qr)


@blueprint.post("/api/private-page/end")
@described(PrivateLinkJson, body=PrivatePageBody)
def end(body: PrivatePageBody) -> Response:
    """Take a player's private page from all phones."""
    evening = _evening(body.player)
    parts(current_app).private_pages.end(evening, body.player)
    return jsonify(player=body.player, phones=_phones(evening, body.player), address=None, qr=None)


def _phones(evening: str, player: int) -> int:
    return parts(current_app).private_pages.phones(evening, player)


def _evening(player: int) -> str:
    night = table_state().activity.game_night
    if night is None or player >= len(night.state.state.players):
        raise Refused(gettext("There is no such player."), "not-found")
    return night.id


def _night(page: PrivatePage) -> GameNight | None:
    """The evening that a page belongs to, while it is played."""
    night = table_state().activity.game_night
    return night if night is not None and night.id == page.evening else None


def _may_ask(night: GameNight, player: int) -> bool:
    state = night.state.state
    if state.phase is not Phase.TURNS or state.round is None or not state.rules.opening.minimum_points:
        return False
    return not state.round.seats[player].opened and not state.round.seats[player].away
