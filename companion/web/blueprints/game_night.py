"""The buttons of a game night, one endpoint each; a button is refused if the page showed an old revision."""

import inspect
from typing import cast

from flask import Blueprint, Response, jsonify
from pydantic import create_model

from tilekeeper.companion.adjudication.turn import Case
from tilekeeper.companion.game_night.action import GameNightAction
from tilekeeper.companion.game_night.commands import ACTIONS
from tilekeeper.companion.game_night.commands.turns import expect_turn
from tilekeeper.companion.session.commands import playing
from tilekeeper.companion.web.api.actions import act, table_state
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.judging import judging_turn
from tilekeeper.companion.web.schemas.game_nights import JudgedJson
from tilekeeper.companion.web.schemas.requests import JudgeBody, Revised
from tilekeeper.companion.web.schemas.verdict import VerdictJson
from tilekeeper.engine.tiles.notation import parse_table

blueprint = Blueprint("evening", __name__, url_prefix="/api/evening")


def serve(action: type[GameNightAction]) -> None:
    """Add the endpoint of a button; its body is the action with the revision that the page showed."""
    about = inspect.getdoc(action)
    body = create_model(f"{action.__name__}Body", __base__=(Revised, action), __doc__=about)

    def press(body: Revised) -> Response:
        return act(body)

    press.__doc__ = about
    view = described(body=cast(type[Revised], body))(press)
    blueprint.add_url_rule(f"/{action.path}", action.path.replace("-", "_"), view, methods=["POST"])


for action_class in ACTIONS:
    serve(action_class)


@blueprint.post("/judge")
@described(JudgedJson, body=JudgeBody)
def judge(body: JudgeBody) -> Response:
    """Judge a table that somebody is still entering by hand; nothing is recorded."""
    night = expect_turn(playing(table_state()).state)
    case = Case(night.before(), parse_table(body.table), night.context())
    with judging_turn():
        judged = case.judged()
    return jsonify(verdict=VerdictJson.from_judged(judged))
