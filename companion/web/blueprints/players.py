"""Players: the profiles of everybody who has played, and the record of one player."""

from flask import Blueprint, Response, current_app, jsonify, request

from tilekeeper.companion.game_night.player_names import people_of, seat_name, tidy_name
from tilekeeper.companion.game_night.profiles import ProfileChange
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.judging import replaying_turn
from tilekeeper.companion.web.schemas.players import PlayerRecordJson, PlayersJson, ProfileJson, record_json
from tilekeeper.companion.web.schemas.requests import ProfileBody

blueprint = Blueprint("players", __name__)


@blueprint.get("/api/players")
@described(PlayersJson)
def players() -> Response:
    """The profiles of everybody who has played: the names of one person, the colour and the animal."""
    return jsonify(players=[ProfileJson.from_profile(profile) for profile in parts(current_app).players.known()])


@blueprint.get("/api/players/record")
@described(PlayerRecordJson, query={"name": "a name of the player"})
def record() -> Response:
    """The record of one player: totals, streaks, history, and head to head with the others."""
    return _record(request.args.get("name", ""))


@blueprint.post("/api/players")
@described(PlayerRecordJson, body=ProfileBody)
def change(body: ProfileBody) -> Response:
    """Change a player's profile; fields that are not sent keep their value.

    A new name brings all names of the profile to which it belonged. Refused (400, `bad-name`) if two of the names have
    played in the same game night.
    """
    name, change = _tidy(body.name), ProfileChange()
    if body.others is not None:
        change["others"] = tuple(map(_tidy, body.others))
    if "colour" in body.model_fields_set:
        change["colour"] = body.colour
    if "animal" in body.model_fields_set:
        change["animal"] = body.animal
    parts(current_app).players.change(name, change)
    return _record(name)


def _tidy(name: str) -> str:
    """Return the name of a seat with tidy names of its people."""
    return seat_name(tuple(map(tidy_name, people_of(name))))


def _record(name: str) -> Response:
    players = parts(current_app).players
    with replaying_turn():
        found, unread = players.record(name)
        strangers = players.strangers_of(name)
    return jsonify(record_json(players.profiles.of(name), found, strangers, unread))
