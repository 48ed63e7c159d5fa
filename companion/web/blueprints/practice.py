"""The practice turn of the first steps, which is not recorded."""

from flask import Blueprint, Response, jsonify

from tilekeeper.companion.text import practice
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.judging import judging_turn
from tilekeeper.companion.web.schemas.edition import EditionJson
from tilekeeper.companion.web.schemas.practice import PracticeJson, PractisedJson
from tilekeeper.companion.web.schemas.requests import PracticeBody
from tilekeeper.companion.web.schemas.tiles import TileJson, melds_json
from tilekeeper.companion.web.schemas.verdict import VerdictJson
from tilekeeper.engine.tiles.notation import parse_table

blueprint = Blueprint("practice", __name__)


@blueprint.get("/api/practice")
@described(PracticeJson)
def made_up() -> Response:
    """The invented table and rack of the practice turn."""
    return jsonify(
        edition=EditionJson.from_rules(practice.RULES),
        table=melds_json(practice.TABLE),
        rack=[TileJson.from_tile(tile) for tile in practice.RACK],
    )


@blueprint.post("/api/practice")
@described(PractisedJson, body=PracticeBody)
def judge(body: PracticeBody) -> Response:
    """Judge a practice turn; nothing is recorded.

    Without `before` it is a turn on the invented table, by a player with the invented rack.
    """
    before = practice.TABLE if body.before is None else parse_table(body.before)
    table = parse_table(body.table)
    with judging_turn():
        judged = practice.practise(before, table)
    trouble = practice.not_on_rack(judged.weighed.verdict.placed) if body.before is None else ""
    return jsonify(verdict=VerdictJson.from_judged(judged), trouble=trouble)
