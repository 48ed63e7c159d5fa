"""Past game nights: their results and score sheets, the standings, and the pictures of their turns.

All tablets that have joined see names and points of all game nights, and the pictures of the game night in progress.
Only the host sees the pictures of other game nights.
"""

import json
from datetime import datetime

from babel.dates import format_date
from flask import Blueprint, Response, current_app, jsonify

from tilekeeper.companion.game_night.recorded_game import RecordedGame
from tilekeeper.companion.game_night.standings import standings
from tilekeeper.companion.refusal import Refused
from tilekeeper.companion.session.game_night import GameNight
from tilekeeper.companion.session.past_evenings import PastEvening, of_played
from tilekeeper.companion.text.bg_stats import bg_stats_link, bg_stats_play
from tilekeeper.companion.text.evening_lines import evening_lines
from tilekeeper.companion.text.film import film_of, pictured_turns
from tilekeeper.companion.web.api.actions import table_state
from tilekeeper.companion.web.api.endpoint import described
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.judging import replaying_turn
from tilekeeper.companion.web.api.languages import asked_language, asked_locale
from tilekeeper.companion.web.api.permissions import OWN_PICTURES
from tilekeeper.companion.web.blueprints.access import sender_role
from tilekeeper.companion.web.schemas.past_evenings import (
    EveningSheetJson,
    PastEveningJson,
    PastEveningsJson,
    PicturedTurnJson,
    PicturedTurnsJson,
    SharedEveningJson,
    StandingJson,
)
from tilekeeper.companion.web.schemas.review import ReviewJson
from tilekeeper.companion.web.schemas.score_sheet import SheetJson
from tilekeeper.engine.language import gettext

blueprint = Blueprint("past", __name__)


@blueprint.get("/api/evenings/results")
@described(PastEveningsJson)
def results() -> Response:
    """The results of all stored game nights, and each player's totals over all game nights."""
    with replaying_turn():
        past, unread = parts(current_app).past_evenings.all()
    played, profiles = _on_table(), parts(current_app).players.profiles
    results = (profiles.renamed(evening.result) for evening in past if evening.result is not None)
    return jsonify(
        evenings=[PastEveningJson.from_past(evening, None if played is None else played.id) for evening in past],
        standings=[StandingJson.from_totals(totals, profiles.of(totals.name)) for totals in standings(results)],
        unread=unread,
    )


@blueprint.get("/api/evenings/<evening>/sheet")
@described(EveningSheetJson)
def sheet(evening: str) -> Response:
    """The score sheet of a game night."""
    past, played = _past(evening), _on_table()
    return jsonify(
        evening=PastEveningJson.from_past(past, None if played is None else played.id),
        sheet=None if past.result is None else SheetJson.from_sheet(past.result.sheet),
        watch=_may_watch(evening) and bool(parts(current_app).game_nights.pictures.paths_of(evening)),
    )


@blueprint.get("/api/evenings/<evening>/shared")
@described(SharedEveningJson)
def shared(evening: str) -> Response:
    """A game night to share: a few lines to paste, with a coloured square per turn, and a link for the app BG Stats."""
    past, recorded = _past(evening), _recorded(evening)
    play = bg_stats_play(recorded, evening, parts(current_app).players.profiles)
    return jsonify(lines=evening_lines(recorded, _date(past.begun_at)), bg_stats=bg_stats_link(play))


@blueprint.get("/api/evenings/<evening>/bg-stats.json")
@described(str, media="application/json")
def bg_stats(evening: str) -> Response:
    """A game night as a play for BG Stats, in the JSON that this app takes from other programs."""
    text = json.dumps(
        bg_stats_play(_recorded(evening), evening, parts(current_app).players.profiles), ensure_ascii=False, indent=1
    )
    name = f"tilekeeper-bg-stats-{_past(evening).begun_at[:10]}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(text, mimetype="application/json", headers=headers)


@blueprint.get("/api/evenings/<evening>/review")
@described(ReviewJson, empty="the review is still being made; ask again in a second")
def review(evening: str) -> Response:
    """What players could have laid, by the racks that were shown after each round, and the three best puzzles."""
    recorded = _recorded(evening)
    made = parts(current_app).reviews.review((evening, len(recorded.records)), lambda: recorded)
    if made is None:
        return Response(status=204)
    return jsonify(ReviewJson.from_review(made, recorded.state.players))


@blueprint.get("/api/evenings/<evening>/turns")
@described(PicturedTurnsJson)
def turns(evening: str) -> Response:
    """The turns of a game night that have pictures; for the host only, except for the game night in progress."""
    recorded = _recorded(evening)
    shown = pictured_turns(recorded, parts(current_app).game_nights.pictures.paths_of(evening))
    return jsonify(
        turns=[PicturedTurnJson.from_turn(turn, recorded, f"/api/evenings/{evening}/pictures") for turn in shown]
    )


@blueprint.get("/api/evenings/<evening>/pictures/<name>.jpg")
@described(bytes, media="image/jpeg")
def picture(evening: str, name: str) -> Response:
    """A picture of a game night; for the host only, except for the game night in progress."""
    jpeg = parts(current_app).game_nights.picture(evening, name)
    if jpeg is None:
        raise Refused(gettext("There is no such picture."), "not-found")
    return Response(jpeg, mimetype="image/jpeg", headers={"Cache-Control": "private, max-age=31536000, immutable"})


@blueprint.get("/api/evenings/<evening>/time-lapse.gif")
@described(bytes, media="image/gif", empty="it is still being made; ask again in a second, or it is given up")
def time_lapse(evening: str) -> Response:
    """A time-lapse film (GIF) of a game night's turns; for the host only, except for the game night in progress."""
    past = _past(evening)
    kept = parts(current_app).game_nights.pictures.paths_of(evening)
    date = _date(past.begun_at)
    data = parts(current_app).time_lapses.film(
        (evening, past.changed_at, asked_language(), date), lambda: film_of(_recorded(evening), kept, date)
    )
    if data is None:
        return Response(status=204)
    name = f"tilekeeper-{past.begun_at[:10]}.gif"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(data, mimetype="image/gif", headers=headers)


def _date(begun_at: str) -> str:
    """Return the date of a game night in words, in this computer's time zone; empty for an unreadable time."""
    try:
        return format_date(datetime.fromisoformat(begun_at).astimezone().date(), "long", asked_locale())
    except (ValueError, OverflowError):  # the time zone can move the last day of the calendar beyond its end
        return ""


def _on_table() -> GameNight | None:
    return table_state().activity.game_night


def _past(evening: str) -> PastEvening:
    played = _on_table()
    if played is not None and played.id == evening:
        return of_played(played)
    return parts(current_app).past_evenings.get(evening)


def _recorded(evening: str) -> RecordedGame:
    played = _on_table()
    if played is not None and played.id == evening:
        return played.state.recorded
    with replaying_turn():
        return parts(current_app).past_evenings.recorded(evening)


def _may_watch(evening: str) -> bool:
    played = _on_table()
    return OWN_PICTURES.admits(sender_role(), evening_in_play=played is not None and played.id == evening)
