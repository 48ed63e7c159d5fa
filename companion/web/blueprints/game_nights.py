"""Begins, opens and leaves game nights, and lists the editions to choose from."""

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, assert_never

from flask import Blueprint, Response, current_app, jsonify

from tilekeeper.companion.game_night.settings import DEFAULT_SETTINGS
from tilekeeper.companion.session.agreement import Agreement
from tilekeeper.companion.session.commands import LeaveGameNight, PlayGameNight
from tilekeeper.companion.session.demo import begin_demo
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.session.repository import GameNights
from tilekeeper.companion.text.boxes import plays_with_cards
from tilekeeper.companion.text.house_rules import GROUPS, QUESTIONS
from tilekeeper.companion.web.api.actions import device_name, handle, table_state
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.languages import words_of
from tilekeeper.companion.web.schemas.edition import EditionJson
from tilekeeper.companion.web.schemas.game_nights import (
    AllowedJson,
    EditionChoiceJson,
    EditionsJson,
    RuleJson,
)
from tilekeeper.companion.web.schemas.requests import BeginBody, NoBody, OpenBody
from tilekeeper.engine.language import gettext, join_with_and
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.rules.fields import Allowed, Choice, Inks, Number, Truth, value_text
from tilekeeper.engine.rules.ruleset import RuleField, RuleSet
from tilekeeper.engine.tiles.tile import Colour

blueprint = Blueprint("evenings", __name__)

COLOURS_IN_ORDER = (Colour.BLACK, Colour.BLUE, Colour.ORANGE, Colour.YELLOW, Colour.RED)
"""The order in which every edition names its colours."""


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
    return _play(_begin(agreement))


@blueprint.post("/api/evenings/again")
@described(body=OpenBody)
def again(body: OpenBody) -> Response:
    """Begin a rematch of a game night: the same people in their seats, the same rules and settings."""
    present = table_state().activity.game_night
    night = present if present is not None and present.id == body.id else _load(body.id)
    return _play(_begin(Agreement.for_rematch(night.state)))


@blueprint.post("/api/evenings/demo")
@described(body=NoBody)
def demo(_: NoBody) -> Response:
    """Play the demo, a recorded table with two invented players, which is not stored; for the host only."""
    parts(current_app).sources.watch_demo()
    return handle(PlayGameNight(begin_demo(parts(current_app).session.moment())))


@blueprint.post("/api/evenings/open")
@described(body=OpenBody)
def open_evening(body: OpenBody) -> Response:
    """Continue a stored game night. Its clock is stopped until somebody starts it."""
    return _play(_load(body.id))


@blueprint.post("/api/evenings/leave")
@described(body=NoBody)
def leave(_: NoBody) -> Response:
    """Leave the game night in progress; it stays stored and can be opened again."""
    _end_demo()
    return handle(LeaveGameNight(parts(current_app).settings.rules))


def _begin(agreement: Agreement) -> GameNight:
    return _game_nights().begin(agreement, parts(current_app).session.moment(), device_name())


def _load(id_: str) -> GameNight:
    return _game_nights().load(id_, parts(current_app).session.moment())


def _play(night: GameNight) -> Response:
    _end_demo()
    return handle(PlayGameNight(night))


def _end_demo() -> None:
    """Watch the camera again that was watched before the demo."""
    night = table_state().activity.game_night
    if night is not None and night.demo:
        parts(current_app).sources.end_demo()


def _game_nights() -> GameNights:
    return parts(current_app).game_nights


def _choice(rules: RuleSet) -> EditionChoiceJson:
    fields = {field.name: field for field in rules.fields()}
    with words_of(plays_with_cards(rules)):
        return {
            "edition": EditionJson.from_rules(rules),
            "least_players": rules.setup.least_players,
            "most_players": rules.setup.most_players,
            "rules": [_rule(fields[name]) for name in QUESTIONS if name in fields],
        }


def _rule(field: RuleField) -> RuleJson:
    group, question = QUESTIONS[field.name]
    return {
        "name": field.name,
        "value": value_text(field.value),
        "allowed": _allowed(field.allowed),
        "says": gettext(field.says),
        "asks": question.asks,
        "group": GROUPS[group].title,
        "unit": question.unit.value,
        "none": question.none,
    }


def _allowed(allowed: Allowed) -> AllowedJson:
    least: int | None = None
    most: int | None = None
    choices: list[tuple[str, str]] = []
    kind: Literal["number", "truth", "choice"]
    match allowed:
        case Number():
            kind, least, most = "number", allowed.least, allowed.most
        case Truth():
            kind, choices = "truth", [("yes", ""), ("no", "")]
        case Choice():
            kind, choices = "choice", [(member.value, gettext(member.says)) for member in allowed.policy]
        case Inks():
            kind, choices = "choice", [_colours(colours) for colours in combinations(COLOURS_IN_ORDER, allowed.count)]
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


def _colours(colours: Sequence[Colour]) -> tuple[str, str]:
    """Return colours as the value of a house rule, and in words."""
    return value_text(tuple(colours)), join_with_and(colour.word for colour in colours)
