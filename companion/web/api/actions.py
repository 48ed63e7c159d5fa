"""Helpers for endpoints that change the state: pass a command to the session, and answer with the new state."""

from flask import Response, current_app, g

from tilekeeper.companion.session.commands import Act, Command
from tilekeeper.companion.session.table_state import TableState
from tilekeeper.companion.web.api.extensions import parts
from tilekeeper.companion.web.api.languages import asked_language
from tilekeeper.companion.web.schemas.requests import Revised


def handle(command: Command) -> Response:
    """Apply a command and answer with the new state as JSON."""
    parts(current_app).session.handle(command)
    return newest_state()


def act(body: Revised) -> Response:
    """Take an action of the game night and answer with the new state; refuse it if the page showed an old revision."""
    return handle(Act(body.revision, body.apply, device_name()))


def newest_state() -> Response:
    """Answer with the current state as JSON."""
    return Response(parts(current_app).feed.newest(asked_language()).text, mimetype="application/json")


def table_state() -> TableState:
    """Return the current state of the table."""
    return parts(current_app).session.state


def device_name() -> str:
    """Return the name of the requesting tablet; empty for the computer that runs the app."""
    return str(g.get("device_name", ""))
