"""A player's private page on a phone: the turn, the clock, the points, advice about the rack, and its count at the end.

Neither the picture of a rack nor its reading is stored or shown to others. The phone sends the picture as the request's
body and not in a form, since the server would write a large form to the disk.
"""

from typing import Final, cast

import segno
from flask import Blueprint, Response, current_app, g, jsonify, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.adjudication.easiest_play import easiest_play
from tilekeeper.companion.adjudication.opening_advice import opening_advice
from tilekeeper.companion.capture.upload import decode_upload, reading_turn
from tilekeeper.companion.doorkeeper.addresses import network_of
from tilekeeper.companion.doorkeeper.cookies import read_cookie, set_secret_cookie
from tilekeeper.companion.doorkeeper.origin import csrf_token
from tilekeeper.companion.game_night.commands.rounds import parse_rack
from tilekeeper.companion.game_night.own_phone import (
    may_ask_about_opening,
    may_get_hint,
    may_hand_in,
    refuse_large_rack,
)
from tilekeeper.companion.observation.observed_table import tile_set_of
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.commands import HandInRack
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.session.private_pages import PageOwner, PrivatePage
from tilekeeper.companion.web.api.actions import table_state
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.judging import judging_turn
from tilekeeper.companion.web.blueprints.access import PLAYER_COOKIE, known_device
from tilekeeper.companion.web.blueprints.cameras import read_upload, scan_json
from tilekeeper.companion.web.schemas.cameras import ScanJson
from tilekeeper.companion.web.schemas.edition import EditionJson
from tilekeeper.companion.web.schemas.private_pages import AdviceJson, HintJson, PrivateLinkJson, PrivatePageJson
from tilekeeper.companion.web.schemas.requests import HintBody, OwnRackBody, PrivatePageBody
from tilekeeper.engine.language import gettext, translate
from tilekeeper.engine.rules.turn_context import TurnContext
from tilekeeper.vision.layout.racks import read_as_rack

blueprint = Blueprint("private", __name__)

COOKIE_AGE_S: Final = 24 * 3600
LARGEST_PICTURE_BYTES: Final = 20 * 1024 * 1024
_TO_THE_PAGE: Final = '<!doctype html><title>Tilekeeper</title><meta http-equiv="refresh" content="0;url=/me">'


@blueprint.get("/me")
def page() -> str | AnyResponse:
    """A player's private page. The attribute `data-csrf` is the CSRF token that the phone's POSTs must send."""
    if g.private_page is None:
        return _ended_page(gettext("This page belongs to one player. Open it with that player's link."))
    csrf = csrf_token(read_cookie(PLAYER_COOKIE) or "")
    return render_template("private_page.html", csrf=csrf, joined=known_device() is not None)


@blueprint.get("/me/<key>")
def enter(key: str) -> AnyResponse:
    """Open the link to a player's private page; the answer sets a cookie."""
    try:
        token = parts(current_app).private_pages.enter(key, read_cookie(PLAYER_COOKIE))
    except Refused as why:
        return _ended_page(translate(str(why)))
    # Not a redirect: after a link on another site, browsers do not send a SameSite cookie with it.
    response = Response(_TO_THE_PAGE)
    set_secret_cookie(response, PLAYER_COOKIE, token, COOKIE_AGE_S)
    return response


def _ended_page(why: str) -> AnyResponse:
    return Response(render_template("private_page_ended.html", why=why, joined=known_device() is not None), 403)


@blueprint.get("/api/me")
@described(PrivatePageJson)
def mine() -> Response:
    """The contents of a player's private page; only for the phone that has opened the player's link."""
    private_page = _page()
    night = _night(private_page)
    if night is None:
        return jsonify(PrivatePageJson.without_game_night())
    now_s = parts(current_app).session.moment().now_s
    return jsonify(PrivatePageJson.from_state(night.state, private_page.seat.player, now_s))


@blueprint.get("/api/me/edition")
@described(EditionJson)
def edition() -> Response:
    """The edition in play, for the keys with which a player enters tiles."""
    return jsonify(EditionJson.from_rules(table_state().activity.rules))


@blueprint.post("/api/me/can-open")
@described(AdviceJson, picture="a picture of the player's rack, JPEG or PNG, of at most 20 MB")
def can_open() -> Response:
    """Whether the tiles of a rack in a picture can open. The answer has no tiles, and the picture is not stored."""
    private_page = _page()
    night = _night(private_page)
    if night is None or not may_ask_about_opening(night.state, private_page.seat.player):
        raise Refused(gettext("There is no opening to check now."), "not-now")
    rules, play = night.state.state.rules, night.state.round
    request.max_content_length = LARGEST_PICTURE_BYTES
    picture, sender = request.get_data(cache=False), network_of(request.remote_addr)
    image_bgr = decode_upload(picture, sender)
    with reading_turn(sender):
        reading = parts(current_app).settings.observer.read(image_bgr, tile_set_of(rules))
        tiles = play.seats[private_page.seat.player].rack
        answer = opening_advice(reading, tiles, play.table, TurnContext(rules, opened=False))
    return jsonify(answer=str(answer), seen=len(reading.tiles), tiles=tiles)


@blueprint.post("/api/me/scan")
@described(ScanJson, picture="a picture of the player's rack, JPEG or PNG, of at most 20 MB")
def scan() -> Response:
    """Read the tiles of a rack in a picture, for its count or for a hint; nothing is stored or shown to others."""
    private_page = _page()
    night, player = _night(private_page), private_page.seat.player
    if night is None or not (may_hand_in(night.state, player) or may_get_hint(night.state, player)):
        raise Refused(gettext("Your rack is not needed now."), "not-now")
    request.max_content_length = LARGEST_PICTURE_BYTES
    return jsonify(scan_json(read_as_rack(read_upload(request.get_data(cache=False))), None, player))


@blueprint.post("/api/me/rack")
@described(PrivatePageJson, body=OwnRackBody)
def rack(body: OwnRackBody) -> Response:
    """Hand in the rack at the end of a round. Nobody else sees its tiles until all racks are known.

    Refused (409, `impossible-tiles`) if there would be more copies of a tile than the box has, unless `sure`. If only
    all racks together have too many, `details.places` is empty, and each phone with such a tile counts again.
    """
    private_page = _page()
    tiles = parse_rack(body.tiles or "") if body.count is None else body.count
    seat = private_page.seat
    if _night(private_page) is None:
        raise Refused(gettext("Your rack is not counted now."), "not-now")
    parts(current_app).session.handle(HandInRack(seat.evening, body.round, seat.player, tiles, body.sure))
    night = _night(private_page)
    if night is not None and seat.player in night.state.to_recount:
        message = gettext("With all racks together, one tile was counted too often. Check your tiles.")
        raise Refused(message, "impossible-tiles", {"places": []})
    return mine()


@blueprint.post("/api/me/hint")
@described(HintJson, body=HintBody)
def hint(body: HintBody) -> Response:
    """What the player in turn can lay, if the players have agreed on hints; nothing is stored or shown to others."""
    private_page = _page()
    night = _night(private_page)
    if night is None or not may_get_hint(night.state, private_page.seat.player):
        raise Refused(gettext("There are no hints now."), "not-now")
    tiles = parse_rack(body.tiles)
    refuse_large_rack(night.state, private_page.seat.player, tiles)
    with judging_turn():
        play = easiest_play(night.state.round.table, tiles, night.state.context())
    return jsonify(HintJson.from_play(play, night.state, tiles))


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


def _page() -> PrivatePage:
    return cast(PrivatePage, g.private_page)


def _night(page: PrivatePage) -> GameNight | None:
    """Return the game night of a page if it is in progress; None if not, or if the player's joining was undone."""
    night, seat = table_state().activity.game_night, page.seat
    belongs = (
        night is not None and night.id == seat.evening and night.state.recorded.joined_in_step(seat.player) == seat.came
    )
    return night if belongs else None
