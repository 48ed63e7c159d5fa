"""The hub's pages: for everybody, the projector, arbiters, the organiser, and each table."""

from __future__ import annotations

import io
import secrets
from collections.abc import Iterator
from typing import Final

import segno
from flask import Blueprint, Response, redirect, render_template, request, url_for
from sqlalchemy import select
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.doorkeeper.cookies import read_cookie
from tilekeeper.companion.doorkeeper.host_key import HOST_COOKIE
from tilekeeper.companion.hub.access import COOKIE, expect, person, with_cookies
from tilekeeper.companion.hub.fragments import PARTS
from tilekeeper.companion.hub.parts import hub
from tilekeeper.companion.hub.prints import DOCUMENTS
from tilekeeper.companion.hub.schema import DisputeRow
from tilekeeper.companion.hub.settings import READY_MADE_RULES, Role
from tilekeeper.companion.hub.table_rulings import MATTERS, Matter
from tilekeeper.companion.hub.views import NightView
from tilekeeper.companion.messaging.topics import is_name
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.text.boxes import BOXES
from tilekeeper.companion.text.fault_rules import explain_rules
from tilekeeper.companion.tournament.criteria import MEASURES, TIE_BREAKS
from tilekeeper.companion.tournament.formats import FORMATS
from tilekeeper.companion.tournament.pairing import Pairing
from tilekeeper.companion.tournament.record import ByeKind
from tilekeeper.companion.tournament.words import bye_words, criterion_words, format_sentences, pairing_words
from tilekeeper.companion.web.api.languages import asked_language
from tilekeeper.companion.web.api.stream import stream_response
from tilekeeper.engine.language import gettext, translate
from tilekeeper.engine.rules.editions import RULE_SETS

blueprint = Blueprint("page", __name__)

_OF_STAFF: Final = {"desk": (Role.ORGANISER,), "arbiter": (Role.ORGANISER, Role.ARBITER)}


@blueprint.get("/")
def hall() -> str:
    """Show pairings and standings, for phones."""
    return _page("hall")


@blueprint.get("/projector")
def projector() -> str:
    """Show pairings and standings in large letters, for a projector."""
    return _page("projector")


@blueprint.get("/arbiter")
def arbiter() -> str | AnyResponse:
    """Show all tables and the raised hands, for arbiters."""
    return _page("arbiter") if _may("arbiter") else redirect("/sign-in?to=arbiter")


@blueprint.get("/desk")
def desk() -> str | AnyResponse:
    """Show the organiser's page."""
    return _page("desk") if _may("desk") else redirect("/sign-in?to=desk")


@blueprint.get("/results")
def results() -> str:
    """Show the results, with their exports."""
    return render_template("club_results.html", night=_night(), who=person())


@blueprint.get("/t/<table>")
def table(table: str) -> str | AnyResponse:
    """Redirect to a table's app; show only its seats if the query lacks the key from the table's QR code.

    The redirect contains the join code of the app, which only people at that table may learn.
    """
    night = _night()
    summary = next((listed for listed in (*night.tables, *night.spare) if listed.id == table), None)
    is_scanned = secrets.compare_digest(request.args.get("at", "").encode(), night.table_key(table).encode())
    if summary is not None and summary.join and is_scanned:
        return redirect(summary.join)
    name = table if is_name(table) else "?"
    return render_template("club_table.html", night=night, table=summary, name=name, scanned=is_scanned)


@blueprint.get("/t/<table>/qr.svg")
def table_code(table: str) -> Response:
    """Return the QR code with which tablets join a table, as SVG."""
    expect(Role.ORGANISER, Role.ARBITER)
    return _qr_code(_night().path(table))


@blueprint.get("/qr.svg")
def hall_code() -> Response:
    """Return the QR code of the hall's page, as SVG."""
    return _qr_code("")


def _qr_code(path: str) -> Response:
    drawing = io.BytesIO()
    address = f"{hub().address or request.host_url}{path}"
    segno.make_qr(address).save(drawing, kind="svg", scale=8, border=2, light="#fff", xmldecl=False)
    return Response(drawing.getvalue(), mimetype="image/svg+xml", headers={"Cache-Control": "private, max-age=600"})


@blueprint.get("/sign-in")
def sign_in_page() -> str:
    """Show the page on which organiser and arbiter enter their code."""
    return render_template("club_sign_in.html", trouble="", to=request.args.get("to", "arbiter"))


@blueprint.post("/sign-in", endpoint="sign_in")
def sign_in() -> str | AnyResponse:
    """Sign somebody in by a code, and redirect to the page that was asked for."""
    to = request.form.get("to", "")
    try:
        token = hub().sign_ins.sign_in(
            request.form.get("code", ""), request.form.get("name", ""), request.remote_addr or ""
        )
    except Refused as why:
        return render_template("club_sign_in.html", trouble=translate(str(why)), to=to)
    return with_cookies(redirect(url_for(f"page.{to}") if to in _OF_STAFF else "/"), token)


@blueprint.get("/events")
def events() -> AnyResponse:
    """Stream the live part of a page as server-sent events; `?part=` is one of `PARTS`."""
    part = request.args.get("part", "hall")
    if part not in PARTS:
        raise Refused(gettext("There is no such page."), "not-found")
    if part in _OF_STAFF:
        expect(*_OF_STAFF[part])
    sign_ins, sender = hub().sign_ins, (request.remote_addr, read_cookie(COOKIE), read_cookie(HOST_COOKIE))

    def may_see() -> bool:
        """Return whether the sender still has the role for this page; renewed codes end open streams too."""
        return part not in _OF_STAFF or sign_ins.person(*sender).role in _OF_STAFF[part]

    stream = hub().fragments.stream(part, asked_language(), may_see)
    if stream is None:
        return Response("Too many pages are open.\n", 503, {"Retry-After": "5"}, mimetype="text/plain")
    return stream_response(stream)


@blueprint.get("/disputes/<dispute>/<when>.jpg")
def dispute_picture(dispute: str, when: str) -> Response:
    """Return the picture of a dispute: the table before or after the turn, as JPEG."""
    expect(Role.ORGANISER, Role.ARBITER)
    with hub().hub.database.reading() as session:
        column = {"before": DisputeRow.before, "after": DisputeRow.after}.get(when)
        picture = None if column is None else session.scalar(select(column).where(DisputeRow.id == dispute))
    if picture is None:
        raise Refused(gettext("There is no such picture."), "not-found")
    return Response(picture, mimetype="image/jpeg", headers={"Cache-Control": "private, max-age=86400"})


def _may(page: str) -> bool:
    return person().role in _OF_STAFF[page]


def _page(part: str) -> str:
    html = hub().fragments.render(part, asked_language()).html
    matters = [(matter.value, gettext(words)) for matter, words in MATTERS.items() if matter is not Matter.TURN]
    choices: dict[str, object] = {"address": hub().address, "matters": matters}
    if part == "desk":
        night = _night()
        choices |= {
            "night": night,
            "trust": hub().trust,
            "documents": [(name, gettext(words)) for name, words in DOCUMENTS.items()],
            "editions": [(key, BOXES[key].name) for key in RULE_SETS],
            "ways": [(way.value, pairing_words(way)) for way in Pairing],
            "criteria": [(criterion.value, criterion_words(criterion)) for criterion in TIE_BREAKS],
            "measures": [(criterion.value, criterion_words(criterion)) for criterion in MEASURES],
            "formats": {
                name: [*format_sentences(chosen), *_rules_of(name, night)]
                for name, chosen in {**FORMATS, "chosen": night.settings.format}.items()
            },
            "byes": [(kind.value, bye_words(kind)) for kind in (ByeKind.FULL, ByeKind.HALF, ByeKind.ZERO)],
        }
    return render_template("club_page.html", part=part, drawn=html, who=person(), **choices)


def _rules_of(name: str, night: NightView) -> Iterator[str]:
    """Yield sentences on the house rules of a ready-made format, or for `chosen` on those of the night."""
    house = night.settings.house if name == "chosen" else READY_MADE_RULES.get(name, ())
    for explained in explain_rules(night.settings.edition, house):
        yield explained.rule


def _night() -> NightView:
    return hub().fragments.night(asked_language())
