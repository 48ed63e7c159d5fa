"""Evenings: begin, open, leave, list; the editions to choose from."""

from typing import Literal, assert_never

from flask import Blueprint, Response, current_app, jsonify

from tilekeeper.companion.game_night.clock import Timer
from tilekeeper.companion.game_night.player_names import seat_name
from tilekeeper.companion.game_night.settings import Control, EveningSettings
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.game_night_session import EveningPlay
from tilekeeper.companion.session.repository import Beginning, Evenings
from tilekeeper.companion.storage.store import Kept
from tilekeeper.companion.text.verdicts import edition_words
from tilekeeper.companion.web.api.caller import device_name
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.table import desk, now
from tilekeeper.companion.web.schemas.game_night import EveningSummaryJson
from tilekeeper.companion.web.schemas.game_nights import AllowedJson, EditionChoiceJson, EditionsJson, EveningsJson
from tilekeeper.companion.web.schemas.requests import BeginBody, NoBody, OpenBody, SettingsBody
from tilekeeper.companion.web.serializers.game_night import edition_json
from tilekeeper.engine.game.events import GameStarted
from tilekeeper.engine.game.game import Game
from tilekeeper.engine.rules.editions import RULE_SETS
from tilekeeper.engine.rules.fields import Allowed, Choice, Inks, Number, Truth, value_text
from tilekeeper.engine.rules.ruleset import RuleSet
from tilekeeper.engine.tiles.tile import COLOURS_BY_LETTER

blueprint = Blueprint("evenings", __name__)

DEFAULTS = EveningSettings(Timer.FRIENDLY, False, False, False, Control.ALL)


@blueprint.get("/api/editions")
@described(EditionsJson)
def editions() -> Response:
    """The editions, each with the house rules that can be made on top of it."""
    return jsonify(editions=[_choice(rules) for rules in RULE_SETS.values()])


@blueprint.get("/api/evenings")
@described(EveningsJson)
def evenings() -> Response:
    """All evenings that are kept, the one that was played last at the front."""
    return jsonify(evenings=[_summary(kept) for kept in _evenings().store.evenings()])


@blueprint.post("/api/evenings")
@described(body=BeginBody)
def begin(body: BeginBody) -> Response:
    """Begin an evening; one that is being played is kept, and can be opened again."""
    beginning = Beginning(
        seats=tuple(tuple(seat.people) for seat in body.seats),
        edition=body.edition,
        house=tuple(body.house),
        rounds=body.rounds,
        first_acquaintance=body.first_acquaintance,
        leader=body.leader,
        settings=settings_with(DEFAULTS, body.settings),
    )
    _evenings().begin(beginning, device_name())
    return now()


@blueprint.post("/api/evenings/open")
@described(body=OpenBody)
def open_evening(body: OpenBody) -> Response:
    """Go on with an evening that is kept; its clock stands until somebody lets it run."""
    _evenings().open(body.id)
    return now()


@blueprint.post("/api/evenings/leave")
@described(body=NoBody)
def leave(_: NoBody) -> Response:
    """Take the evening off the table; it is kept, and the buttons for a single turn work again."""
    _evenings().leave()
    return now()


def settings_with(before: EveningSettings, body: SettingsBody) -> EveningSettings:
    """Settings with what a page sent in the place of what was."""
    return EveningSettings(
        timer=before.timer if body.timer is None else Timer(body.timer),
        tournament=before.tournament if body.tournament is None else body.tournament,
        penalty_at_once=before.penalty_at_once if body.penalty_at_once is None else body.penalty_at_once,
        notices_done=before.notices_done if body.notices_done is None else body.notices_done,
        control=before.control if body.control is None else Control(body.control),
    )


def _evenings() -> Evenings:
    return parts(current_app).evenings


def _choice(rules: RuleSet) -> EditionChoiceJson:
    return {
        "edition": edition_json(rules),
        "least_players": rules.setup.least_players,
        "most_players": rules.setup.most_players,
        "rules": [
            {"name": name, "value": value_text(value), "allowed": _allowed(allowed), "says": says}
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
            kind, choices = "choice", [(member.value, member.says) for member in allowed.policy]
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


def _summary(kept: Kept) -> EveningSummaryJson:
    play = desk().play
    summary: EveningSummaryJson = {
        "id": kept.id,
        "begun_at": kept.begun_at,
        "changed_at": kept.changed_at,
        "edition": "",
        "edition_name": "",
        "players": [seat_name(people) for people in kept.people],
        "over": kept.over,
        "open": isinstance(play, EveningPlay) and play.kept.id == kept.id,
        "trouble": "",
    }
    try:
        start = _evenings().records(kept.id)[0].entry
        assert isinstance(start, GameStarted)  # the first record always is
        Game.start(start)
        name = edition_words(start.edition)
        return summary | {"edition": start.edition, "edition_name": name, "players": list(start.players)}
    except (Refused, ValueError, IndexError) as error:
        return summary | {"trouble": str(error)}
