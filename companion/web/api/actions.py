"""How an endpoint changes the state: it hands a command to the session and answers with the state after it."""

from flask import Response, current_app, g

from tilekeeper.companion.session.commands import Act, Command
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.languages import asked_language
from tilekeeper.companion.web.schemas.requests import Revised


def handle(command: Command) -> Response:
    """Apply a command and answer with the state."""
    parts(current_app).session.handle(command)
    return newest_state()


def act(body: Revised) -> Response:
    """Press a button of the game night, which the page showed at the revision in the body; answer with the state."""
    return handle(Act(body.revision, body.apply, device_name()))


def newest_state() -> Response:
    """Answer with the present state."""
    return Response(parts(current_app).feed.newest(asked_language()).text, mimetype="application/json")


def table_state() -> TableState:
    """Return the present state."""
    return parts(current_app).session.state


def device_name() -> str:
    """Return the name of the tablet that asks; empty for the one at which the app runs."""
    return str(g.get("device_name", ""))
