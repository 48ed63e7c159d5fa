"""The HTML pages of the table's app: the table, the setup, the first steps and past game nights."""

from flask import Blueprint, current_app, render_template, url_for

from tilekeeper.companion.session.sources import has_demo
from tilekeeper.companion.text.names import edition_words
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.blueprints.access import is_host
from tilekeeper.engine.language import join_with_and

blueprint = Blueprint("page", __name__)


@blueprint.get("/")
def table() -> str:
    """The page at the table, of a game night or of photos; if there is neither, the front door."""
    activity = parts(current_app).session.state.activity
    if activity.game_night is not None:
        return render_template("game_night.html")
    if activity.judges_photos:
        return render_template("photos.html", rules=edition_words(activity.rules.name))
    return _front_door()


def _front_door() -> str:
    last = parts(current_app).past_evenings.newest()
    return render_template(
        "front_door.html",
        last=None if last is None or last.trouble else last,
        names="" if last is None else join_with_and(last.names),
        has_evenings=last is not None,
        has_demo=has_demo() and is_host(),
    )


@blueprint.get("/setup")
def setup() -> str:
    """The page where players begin a game night."""
    return render_template("setup.html")


@blueprint.get("/first")
def first() -> str:
    """The first steps: the camera, the play area and a practice turn."""
    return render_template("first.html", after=url_for("page.table" if _is_playing() else "page.setup"))


@blueprint.get("/scoreboard")
def scoreboard() -> str:
    """The scoreboard of the game night for a second screen; nothing on it can be pressed."""
    return render_template("scoreboard.html")


@blueprint.get("/overlay")
def overlay() -> str:
    """The overlay of the game night for streams: the scoreboard on a transparent page."""
    return render_template("overlay.html")


@blueprint.get("/evenings")
def evenings() -> str:
    """The page of past game nights and of the standings over all game nights."""
    return render_template("evenings.html", playing=_is_playing())


@blueprint.get("/player")
def player() -> str:
    """The page of one player over all game nights; the query `name` is a name of the player."""
    return render_template("player.html")


@blueprint.get("/evenings/<evening>")
def evening(evening: str) -> str:
    """The page of one game night's result, with pictures and files to share."""
    return render_template("evening.html", evening=evening)


def _is_playing() -> bool:
    return parts(current_app).session.state.activity.game_night is not None
