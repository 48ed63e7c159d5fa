"""The page itself, and the headers that keep everything else out of it."""

from flask import Blueprint, Response, current_app, redirect, render_template, url_for
from werkzeug.wrappers import Response as AnyResponse

from tilekeeper.companion.capture.no_source import NoSource
from tilekeeper.companion.text.names import edition_words
from tilekeeper.companion.web.api.extensions import parts

blueprint = Blueprint("page", __name__)

# Everything the page needs is served by the app: nothing is fetched from elsewhere, and no other site may frame it.
CONTENT_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)


@blueprint.get("/")
def table() -> str | AnyResponse:
    """The page at the table: that of the evening, or without one that of a single turn.

    Where there is no camera no single turn can be looked at: the evening that is played by hand is begun first.
    """
    state = parts(current_app).session.state
    activity = state.activity
    if activity.game_night is not None:
        return render_template("game_night.html")
    if state.source.kind == NoSource.kind:
        return redirect(url_for("page.setup"))
    return render_template("table.html", photos=activity.judges_photos, rules=edition_words(activity.rules.name))


@blueprint.get("/setup")
def setup() -> str:
    """The page on which an evening is begun."""
    return render_template("setup.html")


@blueprint.after_app_request
def _guard(response: Response) -> Response:
    response.headers.setdefault("Content-Security-Policy", CONTENT_POLICY)
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    response.headers.setdefault("Referrer-Policy", "no-referrer")
    response.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
    response.headers.setdefault("Cross-Origin-Opener-Policy", "same-origin")
    return response
