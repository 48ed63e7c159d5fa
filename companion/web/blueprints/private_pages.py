"""A player's private page on a phone: whether it is the player's turn, the clock, and whether the rack can open.

Neither the picture of a rack nor its reading is stored, shown or sent. The phone sends the picture as the request's
body and not in a form, since the server would write a large form to the disk.
"""

from typing import Final, cast

import segno
from flask import Blueprint, Response, current_app, g, jsonify, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.adjudication.opening_advice import opening_advice
from tilekeeper.companion.capture.upload import decode_upload, reading_turn
from tilekeeper.companion.doorkeeper.addresses import network_of
from tilekeeper.companion.doorkeeper.cookies import read_cookie, set_secret_cookie
from tilekeeper.companion.doorkeeper.origin import csrf_token
from tilekeeper.companion.observation.observed_table import tile_set_of
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.session.private_pages import PageOwner, PrivatePage
from tilekeeper.companion.web.api.actions import table_state
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.access import PLAYER_COOKIE
from tilekeeper.companion.web.schemas.private_pages import AdviceJson, PrivateLinkJson, PrivatePageJson
from tilekeeper.companion.web.schemas.requests import PrivatePageBody
from tilekeeper.engine.game.state import Phase
from tilekeeper.engine.language import gettext, translate
from tilekeeper.engine.rules.turn_context import TurnContext

blueprint = Blueprint("private", __name__)

COOKIE_AGE_S: Final = 24 * 3600
LARGEST_PICTURE_BYTES: Final = 20 * 1024 * 1024
_TO_THE_PAGE: Final = '<!doctype html><title>Tilekeeper</title><meta http-equiv="refresh" content="0;url=/me">'


@blueprint.get("/me")
def page() -> str | AnyResponse:
    """A player's private page. The attribute `data-csrf` is the CSRF token that the phone's POSTs must send."""
    if g.private_page is None:
        return _ended_page(gettext("This page belongs to one player. Open it with that player's link."))
    return render_template("private_page.html", csrf=csrf_token(read_cookie(PLAYER_COOKIE) or ""))


@blueprint.get("/me/<key>")
def enter(key: str) -> AnyResponse:
    """Open the link to a player's private page; the answer sets a cookie."""
    try:
        token = parts(current_app).private_pages.enter(key)
    except Refused as why:
        return _ended_page(translate(str(why)))
    # Not a redirect: after a link on another site, browsers do not send a SameSite cookie with it.
    response = Response(_TO_THE_PAGE)
    set_secret_cookie(response, PLAYER_COOKIE, token, COOKIE_AGE_S)
    return response


def _ended_page(why: str) -> AnyResponse:
    return Response(render_template("private_page_ended.html", why=why), 403)


@blueprint.get("/api/me")
@described(PrivatePageJson)
def mine() -> Response:
    """The contents of a player's private page; only for the phone that has opened the player's link."""
    private_page = cast(PrivatePage, g.private_page)
    night = _night(private_page)
    if night is None:
        return jsonify(_no_turn(""))
    player = private_page.seat.player
    played, name = night.state.state, night.state.state.players[player]
    play = played.round
    if played.phase is not Phase.TURNS or play is None:
        return jsonify(_no_turn(name))
    clock, now_s = night.state.clock, parts(current_app).session.moment().now_s
    is_mine, left_s = play.turn == player, clock.left(now_s)
    return jsonify(
        {
            "name": name,
            "playing": True,
            "mine": is_mine,
            "whose": played.players[play.turn],
            "clock": {"running": clock.running, "left_s": None if left_s is None else round(left_s, 2)}
            if is_mine
            else None,
            "may_ask": _may_ask(night, player),
            "opening_points": played.rules.opening.minimum_points,
        }
    )


def _no_turn(name: str) -> PrivatePageJson:
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
    """Whether the tiles of a rack in a picture can open. The answer has no tiles, and the picture is not stored."""
    private_page = cast(PrivatePage, g.private_page)
    night = _night(private_page)
    if night is None or not _may_ask(night, private_page.seat.player):
        raise Refused(gettext("There is no opening to check now."), "not-now")
    request.max_content_length = LARGEST_PICTURE_BYTES
    picture = request.get_data(cache=False)
    sender = network_of(request.remote_addr)
    image_bgr = decode_upload(picture, sender)
    with reading_turn(sender):
        rules, play = night.state.state.rules, night.state.round
        reading = parts(current_app).settings.observer.read(image_bgr, tile_set_of(rules))
        tiles = play.seats[private_page.seat.player].rack
        answer = opening_advice(reading, tiles, play.table, TurnContext(rules, opened=False))
    return jsonify(answer=str(answer), seen=len(reading.tiles), tiles=tiles)


@blueprint.post("/api/private-page/show")
@described(PrivateLinkJson, body=PrivatePageBody)
def show(body: PrivatePageBody) -> Response:
    """Make a new link to a player's private page, as an address and a QR code; an earlier link becomes invalid."""
    seat = _owner(body.player)
    key = parts(current_app).private_pages.invite(seat)
    base = parts(current_app).access.address or request.host_url
    address = f"{base}me/{key}"
    qr = segno.make_qr(address).svg_data_uri(scale=8, border=2, light="#fff")
    return jsonify(player=body.player, phones=parts(current_app).private_pages.phones(seat), address=address, qr=qr)


@blueprint.post("/api/private-page/end")
@described(PrivateLinkJson, body=PrivatePageBody)
def end(body: PrivatePageBody) -> Response:
    """End a player's private page on all phones."""
    seat = _owner(body.player)
    parts(current_app).private_pages.end(seat)
    return jsonify(player=body.player, phones=parts(current_app).private_pages.phones(seat), address=None, qr=None)


def _owner(player: int) -> PageOwner:
    night = table_state().activity.game_night
    step = None if night is None else night.state.recorded.joined_in_step(player)
    if night is None or step is None:
        raise Refused(gettext("There is no such player."), "not-found")
    return PageOwner(night.id, player, step)


def _night(page: PrivatePage) -> GameNight | None:
    """Return the game night of a page if it is in progress; None if not, or if the player's joining was undone."""
    night, seat = table_state().activity.game_night, page.seat
    belongs = (
        night is not None and night.id == seat.evening and night.state.recorded.joined_in_step(seat.player) == seat.came
    )
    return night if belongs else None


def _may_ask(night: GameNight, player: int) -> bool:
    state = night.state.state
    if state.phase is not Phase.TURNS or state.round is None or not state.rules.opening.minimum_points:
        return False
    return not state.round.seats[player].opened and not state.round.seats[player].away
