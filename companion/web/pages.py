"""The HTML pages of the table's app: the table, the setup, the first steps and past game nights."""

from flask import Blueprint, Response, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.text.names import edition_words
from tilekeeper.companion.web.api.extensions import parts

blueprint = Blueprint("page", __name__)

FIRST_STEPS_COOKIE = "tilekeeper-first"
"""The cookie of a browser that has shown the first steps, or whose user has declined them."""
YEAR_S = 365 * 24 * 3600


@blueprint.get("/")
def table() -> str | AnyResponse:
    """The page at the table, of a game night or of photos; a redirect to the setup if there is neither."""
    activity = parts(current_app).session.state.activity
    if activity.game_night is not None:
        return render_template("game_night.html")
    if activity.judges_photos:
        return render_template("photos.html", rules=edition_words(activity.rules.name))
    return redirect(url_for("page.setup"))


@blueprint.get("/setup")
def setup() -> str | AnyResponse:
    """The page where players begin a game night; a new browser is offered the first steps."""
    if request.args.get("first") == "later":
        return _with_first_steps_cookie(redirect(url_for("page.setup")))
    has_evenings = parts(current_app).game_nights.database.has_game_nights
    new = not has_evenings and FIRST_STEPS_COOKIE not in request.cookies
    return render_template("setup.html", has_evenings=has_evenings, new=new)


@blueprint.get("/first")
def first() -> AnyResponse:
    """The first steps: the camera, the play area and a practice turn."""
    playing = parts(current_app).session.state.activity.game_night is not None
    page = render_template("first.html", after=url_for("page.table" if playing else "page.setup"))
    return _with_first_steps_cookie(Response(page))


def _with_first_steps_cookie(response: AnyResponse) -> AnyResponse:
    """Return the answer with a cookie, so that the first steps are not offered again to this browser."""
    response.set_cookie(FIRST_STEPS_COOKIE, "seen", max_age=YEAR_S, samesite="Strict", secure=request.is_secure)
    return response


@blueprint.get("/evenings")
def evenings() -> str:
    """The page of past game nights and of the standings over all game nights."""
    return render_template("evenings.html")


@blueprint.get("/evenings/<evening>")
def evening(evening: str) -> str:
    """The page of one game night's result, with pictures and files to share."""
    return render_template("evening.html", evening=evening)
