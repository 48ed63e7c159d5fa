"""Begins, opens and leaves game nights, and lists the editions to choose from."""

from typing import Literal, assert_never

from flask import Blueprint, Response, current_app, jsonify

from tilekeeper.companion.game_night.settings import DEFAULT_SETTINGS
from tilekeeper.companion.session.commands import LeaveGameNight, PlayGameNight
from tilekeeper.companion.session.repository import Agreement, GameNights
from tilekeeper.companion.web.api.actions import device_name, handle
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.schemas.edition import EditionJson
from tilekeeper.companion.web.schemas.game_nights import (
    AllowedJson,
    EditionChoiceJson,
    EditionsJson,
)
from tilekeeper.companion.web.schemas.requests import BeginBody, NoBody, OpenBody
from tilekeeper.engine.language import gettext
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.rules.fields import Allowed, Choice, Inks, Number, Truth, value_text
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.tile import COLOURS_BY_LETTER

blueprint = Blueprint("evenings", __name__)


@blueprint.get("/api/editions")
@described(EditionsJson)
def editions() -> Response:
    """All editions to choose from, each with the rules that house rules can change."""
    return jsonify(editions=[_choice(rules) for rules in RULE_SETS.values()])


@blueprint.post("/api/evenings")
@described(body=BeginBody)
def begin(body: BeginBody) -> Response:
    """Begin a game night. A game night in progress is left; it stays stored and can be opened again."""
    agreement = Agreement(
        seats=tuple(tuple(seat.people) for seat in body.seats),
        edition=body.edition,
        house=tuple(body.house),
        rounds=body.rounds,
        first_acquaintance=body.first_acquaintance,
        leader=body.leader,
        settings=body.settings.applied_to(DEFAULT_SETTINGS),
    )
    night = _game_nights().begin(agreement, parts(current_app).session.moment(), device_name())
    return handle(PlayGameNight(night))


@blueprint.post("/api/evenings/open")
@described(body=OpenBody)
def open_evening(body: OpenBody) -> Response:
    """Continue a stored game night. Its clock is stopped until somebody starts it."""
    return handle(PlayGameNight(_game_nights().load(body.id, parts(current_app).session.moment())))


@blueprint.post("/api/evenings/leave")
@described(body=NoBody)
def leave(_: NoBody) -> Response:
    """Leave the game night in progress; it stays stored and can be opened again."""
    return handle(LeaveGameNight(parts(current_app).settings.rules))


def _game_nights() -> GameNights:
    return parts(current_app).game_nights


def _choice(rules: RuleSet) -> EditionChoiceJson:
    return {
        "edition": EditionJson.from_rules(rules),
        "least_players": rules.setup.least_players,
        "most_players": rules.setup.most_players,
        "rules": [
            {"name": name, "value": value_text(value), "allowed": _allowed(allowed), "says": gettext(says)}
            for name, value, allowed, says in rules.fields()
        ],
    }


def _allowed(allowed: Allowed) -> AllowedJson:
    least: int | None = None
    most: int | None = None
    choices: list[tuple[str, str]] = []
    kind: Literal["number", "truth", "choice", "inks"]
    match allowed:
        case Number():
            kind, least, most = "number", allowed.least, allowed.most
        case Truth():
            kind, choices = "truth", [("yes", ""), ("no", "")]
        case Choice():
            kind, choices = "choice", [(member.value, gettext(member.says)) for member in allowed.policy]
        case Inks():
            kind, least, most = "inks", allowed.count, allowed.count
            choices = [(letter, colour.word) for letter, colour in COLOURS_BY_LETTER.items()]
        case _ as never:  # pragma: no cover - the type checker proves it
            assert_never(never)
    return {
        "kind": kind,
        "text": str(allowed),
        "least": least,
        "most": most,
        "none": isinstance(allowed, Number | Choice) and allowed.or_none,
        "choices": [{"value": value, "says": says} for value, says in choices],
    }
