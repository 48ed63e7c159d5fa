"""Answers to refused requests as JSON: one line to show, a code for scripts, and details to offer a solution."""

from flask import Flask, Response, jsonify, request
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.exceptions import HTTPException

from tilekeeper.companion.doorkeeper.guard import Rejected
from tilekeeper.companion.doorkeeper.repeat_limit import LIMIT
from tilekeeper.companion.refusal import Refused
from tilekeeper.engine.language import as_sentence, gettext, translate
from tilekeeper.engine.tiles.errors import NotationError

_STATUS = {"bad-input": 400, "bad-table": 400, "bad-name": 400, "reason": 400, "not-found": 404}
_STATUS |= {"join-first": 401, "no-control": 403, "too-large": 413}
_CODES = {400: "bad-input", 404: "not-found", 405: "not-found", 413: "too-large", 415: "bad-input"}

_FOR_SCRIPTS = ("/api/", "/crop/", "/events", "/picture/")
"""Addresses that only scripts request."""


def handle_errors(app: Flask) -> None:
    """Let an app answer refusals as JSON, except of pages and of unknown addresses."""
    app.logger.addFilter(LIMIT)
    app.register_error_handler(Refused, _refused)
    app.register_error_handler(NotationError, _not_understood)
    app.register_error_handler(SQLAlchemyError, _storage_failed)
    app.register_error_handler(OSError, _storage_failed)
    app.register_error_handler(HTTPException, _http)


def error_response(message: str, code: str, status: int, details: dict[str, object] | None = None) -> Response:
    """Return the JSON answer to a refused request; `details` has what a page needs to offer a solution."""
    response = jsonify(error=message, code=code, details=details or {})
    response.status_code = status
    return response


def _refused(error: Refused) -> Response:
    status = error.status if isinstance(error, Rejected) else _STATUS.get(error.code, 409)
    return error_response(translate(str(error)), error.code, status, error.details)


def _not_understood(error: NotationError) -> Response:
    return error_response(
        as_sentence(error.message),
        "bad-table",
        400,
        {"position": error.position},
    )


def _storage_failed(error: Exception) -> Response:
    reason = str(getattr(error, "orig", None) or error)
    return error_response(gettext("This can't be saved, so nothing has changed: {reason}", reason=reason), "disk", 507)


def _http(error: HTTPException) -> Response | HTTPException:
    if request.blueprint == "page" or (request.blueprint is None and not request.path.startswith(_FOR_SCRIPTS)):
        return error
    status = error.code or 500
    message = gettext("That is too large.") if status == 413 else error.description or error.name
    return error_response(message, _CODES.get(status, "bad-input"), status)
